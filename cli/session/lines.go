package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/conversation"
)

// JSONLines writes a turn as JSON, one object a line, for scripts. It writes a reply when the reply is complete, so a retried
// one appears once. Start and Show do nothing if the receiver is nil: then the output is not JSON.
type JSONLines struct {
	Reason string // why the turn ended

	out         io.Writer
	started     bool
	err         error // of the first write that failed
	total       tokens
	summaryCost *float64 // of summaries since the last compaction, in US dollars; nil if the cost of one is unknown
}

type fields map[string]any

// tokens counts the tokens of requests, and holds their cost in US dollars. Unknown numbers are null.
type tokens struct {
	Prompt     *int     `json:"prompt"`
	Cached     *int     `json:"cached"`
	Completion *int     `json:"completion"`
	Reasoning  *int     `json:"reasoning"`
	Cost       *float64 `json:"cost"`
}

// NewJSONLines returns a JSONLines that writes to out. Call [JSONLines.Start] first.
func NewJSONLines(out io.Writer) *JSONLines {
	return &JSONLines{out: out, total: tokens{new(int), new(int), new(int), new(int), new(float64)}, summaryCost: new(float64)}
}

// Start writes the first line, once.
func (j *JSONLines) Start(id, model string) {
	if j != nil && !j.started {
		j.started = true
		j.write("start", fields{"conversation": id, "model": model})
	}
}

func (j *JSONLines) write(kind string, values fields) {
	if j.err == nil {
		values["type"] = kind
		j.err = console.WriteLine(j.out, values)
	}
}

// Message writes a reply and the calls in it.
func (j *JSONLines) Message(m conversation.AssistantMessage) {
	j.Reason = string(m.Stop)
	if m.Reasoning != "" {
		j.write("thinking", fields{"text": m.Reasoning})
	}
	if m.Text != "" {
		j.write("text", fields{"text": m.Text})
	}
	if m.Stop == conversation.StopFiltered && m.Error != "" {
		j.write("error", fields{"class": llm.BadRequest, "message": "the model refused to answer: " + m.Error, "retry_in": nil})
	}
	for _, c := range m.Calls {
		j.write("call", fields{"id": c.ID, "name": c.Name, "arguments": json.RawMessage(c.Arguments)})
	}
}

// Show writes what an update reports, other than the reply.
func (j *JSONLines) Show(u updates.Update) {
	if j == nil {
		return
	}
	switch u := u.(type) {
	case updates.Appended:
		for _, e := range u.Events {
			j.writeEvent(e.Body)
		}
	case updates.Compacted:
		p := u.Preview
		j.write("compaction", fields{"turns": []int{p.Range.From, p.Range.To}, "before": p.Before, "after": p.After, "cost": j.summaryCost})
		j.summaryCost = new(float64)
	case updates.CompactionFailed:
		if line := CompactionLine(u); line != "" {
			j.write("error", fields{"class": u.Err.Class, "message": line, "retry_in": nil})
		}
	case updates.Failed:
		j.Reason = string(conversation.StopFailed)
		j.write("error", fields{"class": u.Err.Class, "message": u.Err.Message, "retry_in": nil})
	case updates.Status:
		if u.Phase == updates.Retrying {
			j.write("error", fields{"class": u.Class, "message": u.Why, "retry_in": u.Wait.Seconds()})
		}
	}
}

func (j *JSONLines) writeEvent(body conversation.Body) {
	switch b := body.(type) {
	case conversation.ToolResult:
		failed := b.Status
		switch b.Status {
		case conversation.ResultOK:
			failed = ""
		case conversation.ResultDenied:
			j.write("approval", fields{"id": b.CallID, "allowed": false, "reason": b.Text})
		}
		j.write("result", fields{"id": b.CallID, "error": console.OrNull(failed), "size": cmp.Or(b.Total, utf8.RuneCountInString(b.Text))})
	case conversation.Usage:
		t := tokens{knownCount(b.Prompt), knownCount(b.Cached), knownCount(b.Completion), knownCount(b.Reasoning), b.CostUSD}
		j.write("usage", fields{"for": cmp.Or(string(b.Purpose), "reply"), "tokens": t})
		s := j.total
		j.total = tokens{addKnown(s.Prompt, t.Prompt), addKnown(s.Cached, t.Cached), addKnown(s.Completion, t.Completion),
			addKnown(s.Reasoning, t.Reasoning), addKnown(s.Cost, t.Cost)}
		if b.Purpose == conversation.PurposeSummary {
			j.summaryCost = addKnown(j.summaryCost, t.Cost)
		}
	}
}

// knownCount returns a number of tokens, or nil for a negative one, which means unknown.
func knownCount(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

// addKnown adds two numbers. The sum is nil, which means unknown, if one of them is nil.
func addKnown[T int | float64](a, b *T) *T {
	if a == nil || b == nil {
		return nil
	}
	return new(*a + *b)
}

// End writes the last line.
func (j *JSONLines) End() error {
	j.write("end", fields{"reason": j.Reason, "usage": j.total, "cost": j.total.Cost})
	if j.err != nil {
		return fmt.Errorf("writing the reply: %w", j.err)
	}
	return nil
}

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

// JSONLines writes a turn as JSON, one object a line, for scripts. A reply is written when it is complete, so a retried one
// appears once. Start and Show do nothing on nil, for output without JSON.
type JSONLines struct {
	Reason string // why the turn ended

	out         io.Writer
	started     bool
	err         error // of the first write that failed
	total       tokens
	summaryCost *float64 // of summaries since the last compaction, in US dollars; nil if one is unknown
}

type fields map[string]any

// tokens are the numbers of tokens of requests, and their cost in US dollars. Unknown numbers are null.
type tokens struct {
	Prompt     *int     `json:"prompt"`
	Cached     *int     `json:"cached"`
	Completion *int     `json:"completion"`
	Reasoning  *int     `json:"reasoning"`
	Cost       *float64 `json:"cost"`
}

// NewJSONLines returns a writer without output yet; call [JSONLines.Start] first.
func NewJSONLines(out io.Writer) *JSONLines {
	return &JSONLines{out: out, total: tokens{new(int), new(int), new(int), new(int), new(float64)}, summaryCost: new(float64)}
}

// Start writes the first line, once.
func (l *JSONLines) Start(id, model string) {
	if l != nil && !l.started {
		l.started = true
		l.write("start", fields{"conversation": id, "model": model})
	}
}

func (l *JSONLines) write(kind string, f fields) {
	if l.err == nil {
		f["type"] = kind
		l.err = console.WriteLine(l.out, f)
	}
}

// Message writes a reply and the calls in it.
func (l *JSONLines) Message(m conversation.AssistantMessage) {
	l.Reason = string(m.Stop)
	if m.Reasoning != "" {
		l.write("thinking", fields{"text": m.Reasoning})
	}
	if m.Text != "" {
		l.write("text", fields{"text": m.Text})
	}
	if m.Stop == conversation.StopFiltered && m.Error != "" {
		l.write("error", fields{"class": llm.BadRequest, "message": "the model refused to answer: " + m.Error, "retry_in": nil})
	}
	for _, c := range m.Calls {
		l.write("call", fields{"id": c.ID, "name": c.Name, "arguments": json.RawMessage(c.Arguments)})
	}
}

// Show writes what an update reports, other than the reply.
func (l *JSONLines) Show(u updates.Update) {
	if l == nil {
		return
	}
	switch u := u.(type) {
	case updates.Appended:
		for _, e := range u.Events {
			l.event(e.Body)
		}
	case updates.Compacted:
		l.write("compaction", fields{"turns": []int{u.Preview.Range.From, u.Preview.Range.To}, "before": u.Preview.Before, "after": u.Preview.After, "cost": l.summaryCost})
		l.summaryCost = new(float64)
	case updates.CompactionFailed:
		if line := CompactionLine(u); line != "" {
			l.write("error", fields{"class": u.Err.Class, "message": line, "retry_in": nil})
		}
	case updates.Failed:
		l.Reason = string(conversation.StopFailed)
		l.write("error", fields{"class": u.Err.Class, "message": u.Err.Message, "retry_in": nil})
	case updates.Status:
		if u.Phase == updates.Retrying {
			l.write("error", fields{"class": u.Class, "message": u.Why, "retry_in": u.Wait.Seconds()})
		}
	}
}

func (l *JSONLines) event(body conversation.Body) {
	switch b := body.(type) {
	case conversation.ToolResult:
		failed := b.Status
		switch b.Status {
		case conversation.ResultOK:
			failed = ""
		case conversation.ResultDenied:
			l.write("approval", fields{"id": b.CallID, "allowed": false, "reason": b.Text})
		}
		l.write("result", fields{"id": b.CallID, "error": console.OrNull(failed), "size": cmp.Or(b.Total, utf8.RuneCountInString(b.Text))})
	case conversation.Usage:
		t := tokens{knownCount(b.Prompt), knownCount(b.Cached), knownCount(b.Completion), knownCount(b.Reasoning), b.CostUSD}
		l.write("usage", fields{"for": cmp.Or(string(b.Purpose), "reply"), "tokens": t})
		s := &l.total
		*s = tokens{plus(s.Prompt, t.Prompt), plus(s.Cached, t.Cached), plus(s.Completion, t.Completion), plus(s.Reasoning, t.Reasoning), plus(s.Cost, t.Cost)}
		if b.Purpose == conversation.PurposeSummary {
			l.summaryCost = plus(l.summaryCost, t.Cost)
		}
	}
}

// knownCount is a number of tokens, nil for a negative one, which means unknown.
func knownCount(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

// plus adds two numbers. The sum is nil if one of them is.
func plus[T int | float64](a, b *T) *T {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	return &sum
}

// End writes the last line.
func (l *JSONLines) End() error {
	l.write("end", fields{"reason": l.Reason, "usage": l.total})
	if l.err != nil {
		return fmt.Errorf("writing the reply: %w", l.err)
	}
	return nil
}

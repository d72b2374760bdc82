package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/agent/compactor"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// A reply and its usage are one transaction, even after a failure or a stop. Calls of a reply that was cut short do not
// run. Their results, which say so, are in the same transaction: a log with a result for every call can be sent again.

// replyKeeper stores replies. It keeps an index of call IDs and titles, so that it need not search the log.
type replyKeeper struct {
	journal  *core.Journal
	windows  *windowKeeper
	callIDs  map[string]bool // all IDs of calls
	hasTitle bool            // the log has a title, or the next append stores one
}

// observe adds new events to the index.
func (k *replyKeeper) observe(events []conversation.Event) {
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			for _, c := range b.Calls {
				k.callIDs[c.ID] = true
			}
		case conversation.Renamed:
			k.hasTitle = true
		}
	}
}

// keepReply appends the answer to a request and returns the calls to run.
func (k *replyKeeper) keepReply(ctx context.Context, r llm.Outgoing, ans answer) ([]*call, error) {
	var bodies []conversation.Body
	for _, failed := range ans.otherTries {
		bodies = append(bodies, k.windows.usageEvents(r, failed, 0)...)
	}
	if ans.err != nil && !ans.reply.Arrived() {
		_, err := k.journal.AppendOrPostpone(ctx, append(bodies, k.windows.usageEvents(r, ans.reply, 0)...)...)
		return nil, err
	}
	message, calls := k.message(r, ans)
	seq := k.journal.NextSeq() + uint64(len(bodies))
	bodies = append(bodies, message)
	bodies = append(bodies, k.windows.usageEvents(r, ans.reply, seq)...)
	if why := whyNotRun(message.Stop); why != "" {
		for _, c := range message.Calls {
			bodies = append(bodies, interruptedResult(c, why))
		}
		calls = nil
	}
	if !k.hasTitle {
		k.hasTitle = true
		if title := DefaultTitle(k.journal.Events()); title != "" {
			bodies = append(bodies, conversation.Renamed{Title: title, By: "auto"})
		}
	}
	bodies = append(bodies, k.windows.checkForTruncation(r, ans.reply)...)
	if message.Stop == conversation.StopFiltered && message.Error != "" {
		bodies = append(bodies, k.rewindRefusedTurn(message, k.journal.NextSeq()+uint64(len(bodies)))...)
	}
	if _, err := k.journal.AppendOrPostpone(ctx, bodies...); err != nil {
		k.journal.Postpone(abandonedResults(calls)...)
		return nil, err
	}
	return calls, nil
}

// rewindRefusedTurn returns events that rewind a turn which the model refused, and a notice. With that turn in the
// request, the model would refuse again. seq is that of the rewind.
func (k *replyKeeper) rewindRefusedTurn(m conversation.AssistantMessage, seq uint64) []conversation.Body {
	why, files := "refused: "+m.Error, ""
	mayWrite := func(tool string) bool {
		return slices.ContainsFunc(k.journal.Tools(), func(t conversation.ToolSpec) bool { return t.Name == tool && !t.ReadOnly })
	}
	for _, e := range k.journal.Events() {
		if r, ok := e.Body.(conversation.ToolResult); ok && e.Turn == k.journal.Turns()-1 && r.Status == conversation.ResultOK && mayWrite(r.Tool) {
			files = " Files were not changed back."
		}
	}
	return []conversation.Body{
		conversation.Rewind{Turn: k.journal.Turns() - 1,
			Origin: conversation.Origin{Epoch: seq, Source: conversation.SourceAuto, Trigger: "refusal", Why: why}},
		conversation.Notice{Level: conversation.NoticeWarning, Text: m.Model + " " + why + ". The next requests leave this turn out: " +
			"say it in another way, go further back with /rewind, or redo it with /redo before you send anything." + files},
	}
}

// dropThinking stores a notice that removes the thinking of all replies so far from later requests. It returns false if
// requests carry no thinking, or the notice cannot be stored.
func (k *replyKeeper) dropThinking(ctx context.Context) bool {
	hasThinking := slices.ContainsFunc(k.journal.Events(), func(e conversation.Event) bool {
		m, ok := e.Body.(conversation.AssistantMessage)
		return ok && len(m.Extras) > 0 && e.Seq > k.journal.ThinkingAfter()
	})
	if !hasThinking {
		return false
	}
	_, failed := k.journal.AppendOrPostpone(ctx, conversation.Notice{Level: conversation.NoticeInfo, ThinkingRefused: true,
		Text: "The server no longer takes what the model thought so far, so it is left out from here on. Nothing else changes."})
	return failed == nil
}

func (k *replyKeeper) message(r llm.Outgoing, ans answer) (conversation.AssistantMessage, []*call) {
	rep := ans.reply
	m := conversation.AssistantMessage{
		Text: rep.Text.String(), Reasoning: rep.Reasoning.String(), Model: r.To.Name(), Extras: rep.Extras,
	}
	var calls []*call
	for i, p := range rep.Calls {
		c := k.newCall(i, p)
		m.Calls = append(m.Calls, c.ToolCall)
		calls = append(calls, c)
	}
	var failure *llm.Error
	switch {
	case errors.As(ans.err, &failure):
		m.Stop, m.Error = conversation.StopFailed, failure.Error()
	case errors.Is(ans.err, compactor.ErrCancelled):
		m.Stop = conversation.StopCancelled
	case ans.err != nil:
		m.Stop = conversation.StopInterrupted
	case rep.Stop == conversation.StopEnd && len(calls) > 0:
		m.Stop = conversation.StopCalls // some servers send "stop" with calls
	case rep.Stop == conversation.StopCalls && len(calls) == 0:
		m.Stop = conversation.StopEnd
	default:
		m.Stop = rep.Stop
		m.Error = rep.Refusal
	}
	return m, calls
}

// newCall returns a valid call: with a unique ID, a name, and arguments that are a JSON object.
func (k *replyKeeper) newCall(i int, p *llm.CallPieces) *call {
	args := conversation.Clean(p.Arguments.String())
	repaired, valid := conversation.RepairArguments(args)
	c := &call{
		ToolCall: conversation.ToolCall{
			ID: conversation.Clean(strings.TrimSpace(p.ID)), Name: strings.TrimSpace(p.Name), Arguments: repaired, Extra: p.Extra,
		},
		invalid: !valid,
	}
	c.Name = cmp.Or(c.Name, "unnamed") // servers refuse a message with an empty name
	for n := 0; c.ID == "" || k.callIDs[c.ID]; n++ {
		c.ID = fmt.Sprintf("call_%d_%d", k.journal.NextSeq(), i+n)
	}
	k.callIDs[c.ID] = true
	return c
}

// titleChars is the length of a title made from a message.
const titleChars = 60

// DefaultTitle returns the first line of the first message, shortened. Messages with the output of a user's own command
// are skipped.
func DefaultTitle(events []conversation.Event) string {
	for _, e := range events {
		if m, ok := e.Body.(conversation.UserMessage); ok {
			if _, _, ran := conversation.ParseCommandOutput(m.Typed()); ran {
				continue
			}
			return shorten(firstLine(m.Text), titleChars)
		}
	}
	return ""
}

// firstLine returns the first line of a text that is not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = llm.OneLine(line); line != "" {
			return line
		}
	}
	return ""
}

// shorten cuts text to n characters, at a space if there is one in the second half.
func shorten(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	cut := string(runes[:n-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,.;:") + "…"
}

package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// A turn is the newest user message and the steps since: each an assistant
// message with its calls and their results. What is done next is a function of
// these alone, so nothing is remembered between requests, and a turn that was
// compacted, edited or resumed elsewhere goes on all the same.

const introduction = "I'm a small scripted bot built into Plimsoll, not an AI: no language model, no network."

// noteMark is how a note on evicted turns begins.
const noteMark = "\n## Note on turn"

// roomMade is said once after a compaction, at the end of what is answered.
const roomMade = "The oldest turns were compacted: I am sent a note instead, with a summary where one was written. The line in the transcript says which turns. " +
	"`ctrl+x` or `/undo-compact` undoes it; `ctrl+t` or `/history` shows the originals next to what I am sent."

// turn is what a reply is made from.
type turn struct {
	said    string // the newest user message
	steps   []step
	history []message
	tools   map[string]bool // names

	prompt, window, room int // tokens; room is left for the reply
}

type step []exchange

type exchange struct {
	tool, arguments, result string
}

// reply is what the model says next. With calls, the text leads up to them.
type reply struct {
	text  string
	calls []call
}

// call is a tool call with its arguments as JSON.
type call struct{ tool, arguments string }

// wanted is a call before it is known whether the request has the tool.
type wanted struct {
	tool string
	args args
}

type args = map[string]any

func newTurn(r *request, prompt, window, room int) *turn {
	t := &turn{history: r.Messages, tools: r.tools, prompt: prompt, window: window, room: room}
	at := make(map[string]*exchange)
	for _, m := range r.Messages {
		switch {
		case m.Role == "user":
			t.said, t.steps = strings.TrimSpace(m.Content.Text), nil
		case m.Role == "assistant" && len(m.Calls) > 0:
			s := make(step, len(m.Calls))
			for i, c := range m.Calls {
				s[i] = exchange{tool: c.Function.Name, arguments: c.Function.Arguments}
				at[c.ID] = &s[i]
			}
			t.steps = append(t.steps, s)
		case m.Role == "tool" && at[m.CallID] != nil:
			at[m.CallID].result = m.Content.Text
		}
	}
	return t
}

// answer is the model: it decides what to say and which tools to call. In a
// conversation's first reply it says what it is before anything else.
func (t *turn) answer() reply {
	if t.wantsSummary() {
		return reply{text: t.summary()}
	}
	r := t.next()
	if len(t.steps) == 0 && !slices.ContainsFunc(t.history, func(m message) bool { return m.Role == "assistant" || compacted(m) }) {
		r.text = introduction + " " + r.text
	}
	told := func(m message) bool { return m.Role == "assistant" && strings.Contains(m.Content.Text, roomMade) }
	if len(r.calls) == 0 && slices.ContainsFunc(t.history, compacted) && !slices.ContainsFunc(t.history, told) {
		r.text += "\n\n" + roomMade
	}
	return r
}

// compacted reports whether a message stands in place of earlier turns.
func compacted(m message) bool {
	return m.Role == "user" && (strings.Contains(m.Content.Text, summaryMark) || strings.Contains(m.Content.Text, noteMark))
}

// use makes the calls that the request has tools for, and says so where it has
// none of them.
func (t *turn) use(lead string, calls ...wanted) reply {
	r := reply{text: lead}
	for _, w := range calls {
		if !t.tools[w.tool] {
			continue
		}
		if arguments, err := conversation.EncodeJSON(w.args); err == nil { // strings and numbers always encode
			r.calls = append(r.calls, call{w.tool, string(arguments)})
		}
	}
	if len(r.calls) == 0 {
		return reply{text: "For that I need `" + calls[0].tool + "`, which this request does not offer. Without tools I can `fill the gauge`."}
	}
	return r
}

// useOnce makes a call, and then shows what it returned.
func (t *turn) useOnce(lead string, w wanted) reply {
	if len(t.steps) > 0 {
		return reply{text: t.last()[0].report()}
	}
	return t.use(lead, w)
}

func (t *turn) last() step { return t.steps[len(t.steps)-1] }

// argument is what a call was made with, "" for none.
func (x exchange) argument(name string) string {
	var args map[string]any
	if json.Unmarshal([]byte(x.arguments), &args) != nil {
		return ""
	}
	s, _ := args[name].(string)
	return s
}

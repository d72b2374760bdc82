package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// A turn is the newest user message and the steps after it: each step is an assistant message with calls, and their
// results. The next reply depends on these alone. The server keeps no state between requests, so a turn also continues
// after a compaction, an edit or a restart.

const introduction = "I'm a small scripted bot built into Plimsoll, not an AI: no language model, no network."

// noteMark begins a note on evicted turns.
const noteMark = "\n## Note on turn"

// compactedNotice is added once after a compaction, at the end of an answer.
const compactedNotice = "The oldest turns were compacted: I am sent a summary instead. The line in the transcript says which " +
	"turns. `ctrl+x` or `/undo-compact` undoes it; `ctrl+t` or `/history` shows the originals next to what I am sent."

// turn is what a reply depends on.
type turn struct {
	userText string // the newest user message
	steps    []step
	history  []message
	tools    map[string]bool // names of the tools that the request offers

	prompt, window, maxReply int // tokens; maxReply limits the reply
}

// step is the tool calls of one assistant message.
type step []exchange

// exchange is a tool call with its result.
type exchange struct {
	tool, arguments, result string
}

// reply is the model's next message. With calls, the text introduces them.
type reply struct {
	text  string
	calls []call
}

// call is a tool call with its arguments as JSON.
type call struct{ tool, arguments string }

// toolUse is a call to make if the request offers its tool.
type toolUse struct {
	tool string
	args args
}

type args = map[string]any

// newTurn reads the turn from a request. prompt, window and maxReply are in tokens.
func newTurn(r *request, prompt, window, maxReply int) *turn {
	t := &turn{history: r.Messages, tools: r.tools, prompt: prompt, window: window, maxReply: maxReply}
	at := make(map[string]*exchange)
	for _, m := range r.Messages {
		switch {
		case m.Role == "user":
			t.userText, t.steps = strings.TrimSpace(m.Content), nil
		case m.Role == "assistant" && len(m.Calls) > 0:
			s := make(step, len(m.Calls))
			for i, c := range m.Calls {
				s[i] = exchange{tool: c.Function.Name, arguments: c.Function.Arguments}
				at[c.ID] = &s[i]
			}
			t.steps = append(t.steps, s)
		case m.Role == "tool" && at[m.CallID] != nil:
			at[m.CallID].result = m.Content
		}
	}
	return t
}

// answer returns the reply: its text and its calls. The first reply of a conversation begins with the introduction.
func (t *turn) answer() reply {
	if t.wantsSummary() {
		return reply{text: t.summary()}
	}
	r := t.next()
	if len(t.steps) == 0 && !slices.ContainsFunc(t.history, func(m message) bool { return m.Role == "assistant" || compacted(m) }) {
		r.text = introduction + " " + r.text
	}
	hasNotice := func(m message) bool {
		return m.Role == "assistant" && strings.Contains(m.Content, compactedNotice)
	}
	if len(r.calls) == 0 && slices.ContainsFunc(t.history, compacted) && !slices.ContainsFunc(t.history, hasNotice) {
		r.text += "\n\n" + compactedNotice
	}
	return r
}

// compacted reports whether a message is a summary or a note in place of earlier turns.
func compacted(m message) bool {
	return m.Role == "user" && (strings.Contains(m.Content, summaryMark) || strings.Contains(m.Content, noteMark))
}

// use calls those of the tools that the request offers. If it offers none of them, the reply is an explanation.
func (t *turn) use(lead string, calls ...toolUse) reply {
	r := reply{text: lead}
	for _, u := range calls {
		if !t.tools[u.tool] {
			continue
		}
		if arguments, err := conversation.EncodeJSON(u.args); err == nil { // strings and numbers always encode
			r.calls = append(r.calls, call{u.tool, string(arguments)})
		}
	}
	if len(r.calls) == 0 {
		return reply{text: "For that I need `" + calls[0].tool + "`, which this request does not offer. Without tools I can `fill the gauge`."}
	}
	return r
}

// useOnce calls a tool in the first step, and reports its result in the second.
func (t *turn) useOnce(lead string, u toolUse) reply {
	if len(t.steps) > 0 {
		return reply{text: t.last()[0].report()}
	}
	return t.use(lead, u)
}

func (t *turn) last() step { return t.steps[len(t.steps)-1] }

// argument returns an argument of a call if it is a string, otherwise "".
func (x exchange) argument(name string) string {
	var args map[string]any
	if json.Unmarshal([]byte(x.arguments), &args) != nil {
		return ""
	}
	s, _ := args[name].(string)
	return s
}

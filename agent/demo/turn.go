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

// turn is what a reply is made from.
type turn struct {
	said  string // the newest user message
	rule  *rule  // that fits it, nil for none
	found []string
	fills bool // the reply fills the gauge
	steps []step

	history []message
	tools   map[string]bool // names
	system  string          // the system prompt
	greeted bool            // the model has said what it is

	prompt, window, room int // tokens; room is left for the reply
}

// step is one round of calls.
type step []exchange

// exchange is a call and its result.
type exchange struct {
	tool, arguments, result string
}

// wanted is a call before it is known whether the request has the tool.
type wanted struct {
	tool string
	args map[string]any
}

// newTurn reads the history of a request.
func newTurn(r *request, prompt, window, room int) *turn {
	t := &turn{history: r.Messages, tools: r.tools, prompt: prompt, window: window, room: room}
	last := 0
	for i, m := range r.Messages {
		switch m.Role {
		case "system", "developer":
			t.system += m.Content.Text + "\n"
		case "user":
			last = i
		}
	}
	for _, m := range r.Messages[:last] {
		t.greeted = t.greeted || m.Role == "assistant" || compacted(m)
	}
	if m := r.Messages[last]; m.Role == "user" {
		t.said = strings.TrimSpace(m.Content.Text)
	}
	t.steps = stepsOf(r.Messages[last:])
	t.choose()
	return t
}

// stepsOf collects the calls of messages with their results.
func stepsOf(messages []message) []step {
	var steps []step
	at := make(map[string]*exchange)
	for _, m := range messages {
		if m.Role == "assistant" && len(m.Calls) > 0 {
			s := make(step, len(m.Calls))
			for i, c := range m.Calls {
				s[i] = exchange{tool: c.Function.Name, arguments: c.Function.Arguments}
				at[c.ID] = &s[i]
			}
			steps = append(steps, s)
		}
		if x := at[m.CallID]; m.Role == "tool" && x != nil {
			x.result = m.Content.Text
		}
	}
	return steps
}

// use makes the calls that the request has tools for, and says so where it has
// none of them.
func (t *turn) use(lead string, calls ...wanted) reply {
	r := reply{text: lead}
	for _, w := range calls {
		if !t.tools[w.tool] {
			continue
		}
		arguments, err := conversation.EncodeJSON(w.args)
		if err != nil { // strings and numbers always encode
			continue
		}
		r.calls = append(r.calls, call{w.tool, string(arguments)})
	}
	if len(r.calls) == 0 {
		return reply{text: "For that I need `" + calls[0].tool + "`, which this request does not offer. " +
			"Without tools I can `fill the gauge`."}
	}
	return r
}

// argument is what a call was made with, "" for none.
func (x exchange) argument(name string) string {
	var args map[string]any
	if json.Unmarshal([]byte(x.arguments), &args) != nil {
		return "" // what was refused with the request does not get here
	}
	s, _ := args[name].(string)
	return s
}

// compacted reports whether a message stands in place of earlier turns.
func compacted(m message) bool {
	return m.Role == "user" && (strings.Contains(m.Content.Text, summaryMark) || strings.Contains(m.Content.Text, noteMark))
}

// madeRoom reports whether earlier turns were evicted or summarised and nobody
// has said so.
func (t *turn) madeRoom() bool {
	told := func(m message) bool { return m.Role == "assistant" && strings.Contains(m.Content.Text, roomMade) }
	return slices.ContainsFunc(t.history, compacted) && !slices.ContainsFunc(t.history, told)
}

// args are the arguments of a call.
type args = map[string]any

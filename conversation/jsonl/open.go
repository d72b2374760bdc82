package jsonl

import (
	"fmt"

	"plimsoll/conversation"
)

// openCalls matches results with calls. Each result costs the same, however many
// calls a reply makes and in whichever order they are answered.
type openCalls struct {
	names    map[string]string // tool of the newest call with an id
	waiting  []string          // ids of the calls of the newest reply, from the oldest that may be open on
	answered map[string]int    // how many of waiting have an answer, by id
	calls    map[string]int    // how many of waiting there are, by id
}

func newOpenCalls() *openCalls { return &openCalls{names: map[string]string{}} }

// match gives a message the ids and the tool's name that follow from those
// before it.
func (o *openCalls) match(m *Message) {
	switch m.Role {
	case RoleAssistant:
		o.begin(m)
	case RoleTool:
		o.answer(&m.Result)
	}
}

// begin takes in the calls of a reply.
func (o *openCalls) begin(m *Message) {
	o.waiting, o.answered, o.calls = nil, map[string]int{}, map[string]int{}
	for i := range m.Reply.Calls {
		c := &m.Reply.Calls[i]
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", m.Line, i+1)
		}
		o.names[c.ID] = c.Name
		o.waiting = append(o.waiting, c.ID)
		o.calls[c.ID]++
	}
}

func (o *openCalls) answer(r *Result) {
	if r.CallID == "" {
		r.CallID = o.oldest()
	}
	if o.answered[r.CallID] < o.calls[r.CallID] {
		o.answered[r.CallID]++
	}
	if name := o.names[r.CallID]; name != "" {
		r.Tool = conversation.Clean(name)
	}
}

// oldest is the id of the oldest call that is not answered, "" without one.
func (o *openCalls) oldest() string {
	for len(o.waiting) > 0 {
		id := o.waiting[0]
		if o.answered[id] == 0 {
			return id
		}
		o.answered[id]--
		o.calls[id]--
		o.waiting = o.waiting[1:]
	}
	return ""
}

package jsonl

import (
	"fmt"

	"plimsoll/conversation"
)

// openCalls matches results with calls. Each result costs the same, however many
// calls a reply makes and in whichever order they are answered.
type openCalls struct {
	names   map[string]string // id -> tool of the newest call of that id
	waiting []string          // ids of the newest reply, the answered ones in front left out
	open    map[string]int    // how many of waiting are not answered, by id
	passed  map[string]int    // how many are answered and still in waiting, by id
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
	o.waiting, o.open, o.passed = o.waiting[:0], nil, nil
	if len(m.Reply.Calls) == 0 {
		return
	}
	o.open, o.passed = map[string]int{}, map[string]int{}
	for i := range m.Reply.Calls {
		c := &m.Reply.Calls[i]
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", m.Line, i+1)
		}
		o.names[c.ID] = c.Name
		o.waiting = append(o.waiting, c.ID)
		o.open[c.ID]++
	}
}

func (o *openCalls) answer(r *Result) {
	if r.CallID == "" {
		r.CallID = o.oldest()
	}
	if o.open[r.CallID] > 0 {
		o.open[r.CallID]--
		o.passed[r.CallID]++
	}
	if name := o.names[r.CallID]; name != "" {
		r.Tool = conversation.Clean(name)
	}
}

// oldest is the id of the oldest call that is not answered, "" without one.
func (o *openCalls) oldest() string {
	for len(o.waiting) > 0 && o.passed[o.waiting[0]] > 0 {
		o.passed[o.waiting[0]]--
		o.waiting = o.waiting[1:]
	}
	if len(o.waiting) == 0 {
		return ""
	}
	return o.waiting[0]
}

package projection

import "plimsoll/conversation"

// StubChars is about how long a stub is without its preview, in code points: a text that is no longer saves nothing.
const StubChars = 192

// Candidates is what of a view could become stubs at all. It is a bound: it may hold what a selection leaves alone, and
// lacks nothing that one takes.
type Candidates struct {
	List     []Candidate       // in the order of the view
	Total    conversation.Size // of all results and arguments, in the list or not
	Shown    conversation.Size // of all messages, reasoning aside
	Pointers bool              // a result points to another one
}

// Candidate is a result or a call's arguments that are longer than any stub.
type Candidate struct {
	Turn   int
	Tool   string
	Size   conversation.Size
	Before conversation.Size // of all results and arguments of the view before it
	From   conversation.Size // of all messages of the view before its own
	Result bool
}

// Candidates is what of the view could become stubs. It reports false where nobody kept a list, because the view was not
// projected here.
func (v *View) Candidates() (c *Candidates, known bool) { return &v.candidates, v.tip != nil }

// add notes what of a message could become a stub.
func (c *Candidates) add(m *Message) {
	from := c.Shown
	c.Shown, c.Pointers = from.Plus(m.After()), c.Pointers || m.Repeats != 0
	if m.Role == RoleTool {
		if m.Size.Chars() > StubChars && m.State != StateMasked && m.State != StatePinned && m.Repeats == 0 {
			c.List = append(c.List, Candidate{Turn: m.Turn, Tool: m.Tool, Size: m.Size, Before: c.Total, From: from, Result: true})
		}
		c.Total = c.Total.Plus(m.Size)
	}
	for i := range m.Calls {
		call := &m.Calls[i]
		if call.Size.Chars() > StubChars && m.State != StatePinned {
			c.List = append(c.List, Candidate{Turn: m.Turn, Tool: call.Name, Size: call.Size, Before: c.Total, From: from})
		}
		c.Total = c.Total.Plus(call.Size)
	}
}

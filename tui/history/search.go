package history

import (
	"slices"

	"plimsoll/compact/projection"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
)

// search goes from row to row of a book. All that the log has of a row counts, and what is sent in its place, whether it is
// folded or not.
type search struct {
	book  *book
	texts map[uint64]whole

	query find.Query
	on    bool // there is a query
	stale bool // found is not of the rows as they are

	found []int // what matches gives

	typing bool
	field  *edit.Field
	from   int    // the row at which typing began
	mend   string // why what is typed is no query
}

// reset searches for nothing.
func (s *search) reset() { *s = search{book: s.book, texts: s.texts} }

// set searches for a text. One that cannot be read, like none, searches for nothing.
func (s *search) set(text string) {
	s.reset()
	if q, err := find.Parse(text); err == nil {
		s.query, s.on, s.stale = q, true, true
	}
}

// start opens the line to type in, from a row on.
func (s *search) start(from int) {
	s.typing, s.from, s.mend = true, from, ""
	s.field = edit.NewField(plain.Line, edit.MostInLine)
	if s.on {
		s.field.SetText(s.query.String(), true)
	}
}

// parse takes what is typed as the query.
func (s *search) parse() {
	q, err := find.Parse(s.field.Text())
	s.query, s.on, s.stale, s.mend = q, err == nil, true, ""
	if err != nil {
		s.mend = err.Error()
	}
}

// match is the nearest row that matches, going round; -1 if none does. Here says that the row itself counts first.
func (s *search) match(at, by int, here bool) int {
	if !s.on {
		return -1
	}
	found := s.matches()
	if len(found) == 0 {
		return -1
	}
	i, there := slices.BinarySearch(found, at)
	switch {
	case there && here:
	case by < 0:
		i--
	case there:
		i++
	}
	return found[(i+len(found))%len(found)]
}

// matches are the rows that hold what is searched for, ascending. It looks at every row when rows have changed.
func (s *search) matches() []int {
	if s.stale {
		s.stale, s.found = false, s.found[:0]
		for i, it := range s.book.items {
			if s.holds(it) {
				s.found = append(s.found, i)
			}
		}
	}
	return s.found
}

// holds reports whether a row holds what is searched for.
func (s *search) holds(it item) bool {
	return slices.ContainsFunc(s.of(it), func(text string) bool {
		_, ok := s.query.Find(text)
		return ok
	})
}

// of is the texts of a row.
func (s *search) of(it item) []string {
	b := s.book
	switch it.kind {
	case kindSaid:
		r := &b.rows[it.at]
		out := s.said(&b.Log[r.Event])
		if b.side == sideBoth && b.ownText(r) {
			out = append(out, sent(b.View.Messages[r.Message:][:b.spanOf(r.Message)])...)
		}
		return out
	case kindEvent:
		out := []string{b.words(it.at)}
		for _, e := range b.pass(it.at) {
			if sum, ok := e.Body.(conversation.Summary); ok {
				out = append(out, sum.Text, sum.Appendix)
			}
		}
		return out
	case kindMessage:
		out := sent(b.messages[it.at : it.at+1])
		if e, msg := b.event(it), &b.messages[it.at]; e != nil && len(msg.Events) == 1 && msg.State != projection.StateVerbatim {
			out = append(out, s.said(e)...)
		}
		return out
	}
	name, text := b.request.instructions(it.kind)
	return []string{name, text}
}

// said is the texts of an event.
func (s *search) said(e *conversation.Event) []string {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return []string{b.Text}
	case conversation.ToolResult:
		return []string{b.Text, b.Tool, s.texts[e.Seq].text, b.Detail}
	case conversation.AssistantMessage:
		return append([]string{b.Text, b.Reasoning}, called(b.Calls)...)
	}
	return nil
}

// sent is the texts of messages as they are sent.
func sent(list []projection.Message) []string {
	var out []string
	for i := range list {
		out = append(append(out, list[i].Text), called(list[i].Calls)...)
	}
	return out
}

func called(calls []conversation.ToolCall) []string {
	var out []string
	for _, c := range calls {
		out = append(out, c.Name, c.Arguments)
	}
	return out
}

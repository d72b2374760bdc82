package history

import (
	"slices"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
)

// search goes from row to row of a book. What the log has of a row counts, and what is sent in its place, whether it is
// folded or not.
type search struct {
	book *book

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
func (s *search) reset() { *s = search{book: s.book} }

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
	s.field = edit.NewLine(plain.Line, edit.MaxInLine)
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
	b := s.book
	_, text := b.text(it)
	texts := append(make([]string, 0, 8), text)
	switch it.kind {
	case kindSaid:
		if r := &b.rows[it.at]; b.side == sideBoth && b.ownText(r) {
			for _, msg := range b.View.Messages[r.Message:][:b.spanOf(r.Message)] {
				texts = append(texts, withCalls(msg.Text, msg.Calls))
			}
		}
	case kindMessage:
		texts = append(texts, withCalls(b.messages[it.at].Text, b.messages[it.at].Calls))
	case kindEvent:
		for _, e := range b.epoch(it.at) {
			if sum, ok := e.Body.(conversation.Summary); ok {
				texts = append(texts, sum.Text, sum.Appendix)
			}
		}
	}
	if e := b.event(it); e != nil && b.request == nil {
		switch body := e.Body.(type) {
		case conversation.ToolResult:
			texts = append(texts, body.Tool, body.Detail)
		case conversation.AssistantMessage:
			texts = append(texts, body.Reasoning)
		}
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		_, ok := s.query.Find(text)
		return ok
	})
}

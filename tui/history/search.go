package history

import (
	"slices"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
)

// search finds rows of a document. It searches the original of a row and the text that is sent in its place, also where they are
// folded.
type search struct {
	document *document

	query    find.Query
	isActive bool // there is a query
	stale    bool // rows or query have changed since found was computed

	found []int // the result of matches

	typing  bool
	field   *edit.Field
	from    int    // the row with the cursor when typing began
	invalid string // why the typed text is no query, "" if it is one
}

func (s *search) reset() { *s = search{document: s.document} }

// startTyping opens the field. from is the row with the cursor.
func (s *search) startTyping(from int) {
	s.typing, s.from, s.invalid = true, from, ""
	s.field = edit.NewLine(plain.Line, edit.MaxInLine)
	if s.isActive {
		s.field.SetText(s.query.String(), true)
	}
}

func (s *search) parseField() {
	q, err := find.Parse(s.field.Text())
	s.query, s.isActive, s.stale, s.invalid = q, err == nil, true, ""
	if err != nil {
		s.invalid = err.Error()
	}
}

// nextMatch returns the next matching row after at, or the previous one if by is -1, and wraps around. Without matches it is -1.
// With inclusive it returns at itself if that matches.
func (s *search) nextMatch(at, by int, inclusive bool) int {
	if !s.isActive || len(s.matches()) == 0 {
		return -1
	}
	found := s.matches()
	i, there := slices.BinarySearch(found, at)
	switch {
	case there && inclusive:
	case by < 0:
		i--
	case there:
		i++
	}
	return found[(i+len(found))%len(found)]
}

// matches returns the matching rows, ascending. After a change of the rows or the query it searches all rows.
func (s *search) matches() []int {
	if s.stale {
		s.stale, s.found = false, s.found[:0]
		for i, it := range s.document.items {
			if s.matchesRow(it) {
				s.found = append(s.found, i)
			}
		}
	}
	return s.found
}

func (s *search) matchesRow(it item) (found bool) {
	b := s.document
	look := func(text string) {
		if !found {
			_, found = s.query.Find(text)
		}
	}
	look(b.textOf(it).Text)
	switch it.kind {
	case kindOriginal:
		if r := &b.rows[it.at]; b.side == sideBoth && b.isReplaced(r) {
			for _, msg := range b.replacing(r.Message) {
				look(withCalls(msg.Text, msg.Calls))
			}
		}
	case kindMessage:
		look(withCalls(b.messages[it.at].Text, b.messages[it.at].Calls))
	case kindEvent:
		for _, e := range b.epochFrom(it.at) {
			if sum, ok := e.Body.(conversation.Summary); ok {
				look(sum.Text)
				look(sum.Appendix)
			}
		}
	}
	if e := b.event(it); e != nil && b.request == nil {
		switch body := e.Body.(type) {
		case conversation.ToolResult:
			look(body.Tool)
			look(body.Detail)
		case conversation.AssistantMessage:
			look(body.Reasoning)
		}
	}
	return found
}

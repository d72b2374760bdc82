package history

import (
	"slices"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
)

// search finds rows of a document. It searches the whole original text of a row and the whole text that is sent in its place,
// even if the row is folded.
type search struct {
	document *document

	query    find.Query
	isActive bool // there is a query
	stale    bool // rows or query have changed since found was computed

	found []int // the matching rows, ascending; valid unless stale

	typing  bool
	field   *edit.Field
	from    int    // the row with the cursor when typing began
	invalid string // why the typed text is not a valid query, "" if it is
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

// nextMatch returns the next matching row after row, or the previous one if by is -1, and wraps around. Without matches it is -1.
// With inclusive it returns row itself if that matches.
func (s *search) nextMatch(row, by int, inclusive bool) int {
	if !s.isActive || len(s.matches()) == 0 {
		return -1
	}
	found := s.matches()
	i, isMatch := slices.BinarySearch(found, row)
	switch {
	case isMatch && inclusive:
	case by < 0:
		i--
	case isMatch:
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
	d := s.document
	try := func(text string) {
		if !found {
			_, found = s.query.Find(text)
		}
	}
	try(d.textOf(it).Text)
	switch it.kind {
	case kindOriginal:
		if r := &d.rows[it.at]; d.side == sideBoth && d.isReplaced(r) {
			for _, msg := range d.replacing(r.Message) {
				try(withCalls(msg.Text, msg.Calls))
			}
		}
	case kindMessage:
		try(withCalls(d.messages[it.at].Text, d.messages[it.at].Calls))
	case kindEvent:
		for _, e := range d.epochFrom(it.at) {
			if sum, ok := e.Body.(conversation.Summary); ok {
				try(sum.Text)
				try(sum.Appendix)
			}
		}
	}
	if e := d.event(it); e != nil && d.request == nil {
		switch body := e.Body.(type) {
		case conversation.ToolResult:
			try(body.Tool)
			try(body.Detail)
		case conversation.AssistantMessage:
			try(body.Reasoning)
		}
	}
	return found
}

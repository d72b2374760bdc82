package history

import (
	"slices"

	"plimsoll/compact/projection"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
)

// search goes from row to row of a book. All that the log has of a row counts, and what is sent in its place, whether it is
// folded or not.
type search struct {
	book  *book
	texts fullTexts

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

// typed is what came of a key in the line.
type typed int

const (
	typedNothing typed = iota // the key means nothing here
	typedText                 // the text may be another one
	typedQuery                // there is another query
	typedEnd                  // typing ended, the query stays
	typedCancel               // the search ended
)

// update takes a key or a paste into the line.
func (s *search) update(msg tea.Msg, keys *KeyMap) typed {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(k, keys.Cancel):
			return typedCancel
		case key.Matches(k, keys.Open):
			s.typing = false
			return typedEnd
		}
	}
	before := s.field.Text()
	if !s.field.Update(msg, keys.Edit) {
		return typedNothing
	}
	if s.field.Text() == before {
		return typedText
	}
	q, err := find.Parse(s.field.Text())
	s.query, s.on, s.stale, s.mend = q, err == nil, true, ""
	if err != nil {
		s.mend = err.Error()
	}
	return typedQuery
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
	holds := func(text string) bool {
		_, ok := s.query.Find(text)
		return ok
	}
	switch it.kind {
	case kindSaid:
		r := &b.rows[it.at]
		if s.saidHolds(&b.Log[r.Event], holds) || it.reply > 0 && s.saidHolds(&b.Log[b.rows[it.reply-1].Event], holds) {
			return true
		}
		return b.side == sideBoth && b.ownText(r) && sentHolds(b.View.Messages[r.Message:][:b.spanOf(r.Message)], holds)
	case kindEvent:
		for _, e := range b.pass(it.at) {
			if sum, ok := e.Body.(conversation.Summary); ok && (holds(sum.Text) || holds(sum.Appendix)) {
				return true
			}
		}
		return holds(b.words(it.at))
	case kindMessage:
		msg := b.messages[it.at : it.at+1]
		if sentHolds(msg, holds) {
			return true
		}
		e := b.event(it)
		return e != nil && len(msg[0].Events) == 1 && msg[0].State != projection.StateVerbatim && s.saidHolds(e, holds)
	}
	name, text := b.request.instructions(it.kind)
	return holds(text) || holds(name)
}

// saidHolds asks of all that an event holds.
func (s *search) saidHolds(e *conversation.Event, holds func(string) bool) bool {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return holds(b.Text)
	case conversation.ToolResult:
		return holds(b.Text) || holds(b.Tool) || holds(s.texts[e.Seq].text) || b.Detail != "" && holds(b.Detail)
	case conversation.AssistantMessage:
		return holds(b.Text) || b.Reasoning != "" && holds(b.Reasoning) || callsHold(b.Calls, holds)
	}
	return false
}

// sentHolds asks of messages as they are sent.
func sentHolds(list []projection.Message, holds func(string) bool) bool {
	for i := range list {
		if holds(list[i].Text) || callsHold(list[i].Calls, holds) {
			return true
		}
	}
	return false
}

func callsHold(calls []conversation.ToolCall, holds func(string) bool) bool {
	for i := range calls {
		if holds(calls[i].Name) || holds(calls[i].Arguments) {
			return true
		}
	}
	return false
}

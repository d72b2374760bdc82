package history

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// A search goes from row to row. All that the log has of a row counts, and what is
// sent in its place, whether it is folded or not; a fold begins where something was
// found. Matches are found anew when rows have changed and one steps on.

// search is what is looked for.
type search struct {
	query find.Query
	on    bool // there is a query
	stale bool // found is not of the rows as they are

	found []int // rows that match, ascending

	typing bool
	field  *edit.Field
	from   int    // the row at which typing began
	mend   string // why what is typed is no query
}

// startSearch opens the line to type in.
func (m *Model) startSearch() pane.Action {
	m.search.typing, m.search.from, m.search.mend = true, max(m.list.Selected(rows{m}), 0), ""
	m.search.field = edit.NewField(plain.Line, edit.MostInLine)
	text := ""
	if m.search.on {
		text = m.search.query.String()
	}
	m.search.field.SetText(text, true)
	return nil
}

// typed takes a key or a paste into the line.
func (m *Model) typed(msg tea.Msg) pane.Action {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(k, m.keys.Cancel):
			from := m.search.from
			m.endSearch()
			m.list.Select(rows{m}, from)
			return nil
		case key.Matches(k, m.keys.Open):
			m.search.typing = false
			if m.search.mend != "" {
				m.note, m.bad = m.search.mend, true
			}
			return nil
		}
	}
	before := m.search.field.Text()
	if !m.search.field.Update(msg, m.keys.Edit) {
		return pane.Ignored{}
	}
	if m.search.field.Text() != before {
		m.look()
	}
	return nil
}

// look reads what is typed, and goes to the first match from where typing began.
func (m *Model) look() {
	q, err := find.Parse(m.search.field.Text())
	m.search.query, m.search.on, m.search.stale, m.search.mend = q, err == nil, true, ""
	if err != nil {
		m.search.mend = err.Error()
	}
	m.redraw()
	if i := m.match(m.search.from, 1, true); i >= 0 {
		m.list.Select(rows{m}, i)
	}
}

// endSearch searches for nothing.
func (m *Model) endSearch() {
	m.search = search{}
	m.redraw()
}

// next goes to the next match, or with -1 to the one before.
func (m *Model) next(by int) pane.Action {
	if !m.search.on {
		return m.say("nothing is searched for"+keyFor(m.keys.Search, "begins a search"), true)
	}
	at := m.list.Selected(rows{m})
	i := m.match(at, by, false)
	if i < 0 {
		return m.say("no match for "+plain.Line(m.search.query.String()), true)
	}
	switch {
	case by > 0 && i <= at:
		m.note, m.bad = "round from the end to the beginning", false
	case by < 0 && i >= at:
		m.note, m.bad = "round from the beginning to the end", false
	}
	m.list.Select(rows{m}, i)
	return nil
}

// match is the nearest row that matches, going round; -1 if none does. Here says that
// the row itself counts first.
func (m *Model) match(at, by int, here bool) int {
	if !m.search.on {
		return -1
	}
	m.findAll()
	found := m.search.found
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

// findAll looks at every row.
func (m *Model) findAll() {
	if !m.search.stale {
		return
	}
	m.search.stale, m.search.found = false, m.search.found[:0]
	for i, it := range m.book.items {
		if m.matches(it) {
			m.search.found = append(m.search.found, i)
		}
	}
}

// matches reports whether a row holds what is searched for.
func (m *Model) matches(it item) bool {
	holds := func(text string) bool {
		_, ok := m.search.query.Find(text)
		return ok
	}
	switch it.kind {
	case kindSaid:
		r := &m.book.rows[it.at]
		if m.saidHolds(&m.book.Log[r.Event], holds) {
			return true
		}
		return m.side == sideBoth && m.ownText(r) && sentHolds(m.book.View.Messages[r.Message:][:m.spanOf(r.Message)], holds)
	case kindEvent:
		for _, e := range m.book.pass(it.at) {
			if s, ok := e.Body.(conversation.Summary); ok && (holds(s.Text) || holds(s.Appendix)) {
				return true
			}
		}
		return holds(m.words(it.at))
	case kindMessage:
		msg := m.book.messages[it.at : it.at+1]
		if sentHolds(msg, holds) {
			return true
		}
		e := m.book.event(it)
		return e != nil && len(msg[0].Events) == 1 && msg[0].State != compact.StateVerbatim && m.saidHolds(e, holds)
	}
	name, text := m.instructions(it)
	return holds(text) || holds(name)
}

// saidHolds asks of all that an event said.
func (m *Model) saidHolds(e *conversation.Event, holds func(string) bool) bool {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return holds(b.Text)
	case conversation.ToolResult:
		return holds(b.Text) || holds(b.Tool) || holds(m.full[e.Seq].text) || b.Detail != "" && holds(b.Detail)
	case conversation.AssistantMessage:
		return holds(b.Text) || b.Reasoning != "" && holds(b.Reasoning) || callsHold(b.Calls, holds)
	}
	return false
}

// sentHolds asks of messages as they are sent.
func sentHolds(list []compact.Message, holds func(string) bool) bool {
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

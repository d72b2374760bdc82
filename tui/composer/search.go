package composer

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The search in the prompt history. It shows each match in place of the draft
// and leaves the draft alone: Esc shows it again, Enter takes the match.

// maxQuery bounds what one paste adds to a search, in bytes.
const maxQuery = 256

type search struct {
	on     bool
	query  string
	match  int // -1: none
	before draft
	at     place // of the cursor in before
}

// startSearch begins with nothing found.
func (m *Model) startSearch() {
	m.list.hide()
	m.seek = search{on: true, match: -1, before: m.snapshot(), at: m.buf.at}
}

// searchKey handles a key while searching. Ctrl+C leaves like Esc: to the user
// the search is what there is to interrupt.
func (m *Model) searchKey(k tea.KeyPressMsg) pane.Action {
	s, keys := &m.seek, m.keys.Writing
	switch {
	case key.Matches(k, keys.Leave), k.String() == "ctrl+c":
		m.restore(s.before)
		m.seek = search{}
	case key.Matches(k, keys.Send, keys.Complete, m.keys.Editing.Right):
		m.takeMatch()
	case key.Matches(k, keys.Search, keys.Older):
		m.showMatch(m.past.find(s.query, m.from()), true)
	case key.Matches(k, keys.Newer):
		if s.match >= 0 {
			m.showMatch(m.past.findNewer(s.query, s.match), true)
		}
	case key.Matches(k, m.keys.Editing.CutToStart):
		m.seekFor("")
	case key.Matches(k, m.keys.Editing.Backspace):
		m.seekFor(s.query[:m.buf.previous(s.query, len(s.query))])
	case k.Text != "":
		m.look(k.Text)
	default:
		return pane.Ignored{}
	}
	return nil
}

// from is the entry before which an older match is looked for.
func (m *Model) from() int {
	if m.seek.match < 0 {
		return len(m.past.entries)
	}
	return m.seek.match
}

// look adds to what is looked for.
func (m *Model) look(text string) {
	m.seekFor(m.seek.query + plain.Line(clean(text[:min(len(text), maxQuery)])))
}

// seekFor looks for another text, from the newest prompt on.
func (m *Model) seekFor(query string) {
	m.seek.query = query
	if query == "" {
		m.seek.match = -1
		m.restore(m.seek.before)
		return
	}
	m.showMatch(m.past.find(query, len(m.past.entries)), false)
}

// showMatch shows an entry. Without one, the last stays where the search went
// on from it.
func (m *Model) showMatch(i int, stay bool) {
	switch {
	case i >= 0:
		m.seek.match = i
		m.restore(m.past.entries[i])
	case !stay:
		m.seek.match = -1
		m.restore(m.seek.before)
	}
}

// takeMatch ends the search at its match: what was being written can be
// reached again by going on to the newest.
func (m *Model) takeMatch() {
	s := m.seek
	m.seek = search{}
	if s.match < 0 {
		m.restore(s.before)
		return
	}
	m.past.visit(s.match, s.before)
	m.restore(m.past.entries[s.match])
}

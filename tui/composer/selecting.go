package composer

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// multiClick is how soon another click at the same place counts as the second or the third.
const multiClick = 500 * time.Millisecond

// selecting is what selects text with the mouse, and copies it: a click places the cursor, a second one selects a word, a third one a line. Dragging
// goes on by characters, words or lines.
type selecting struct {
	text    *edit.Editor
	keys    *KeyMap
	list    *completion
	changed func() // has the text drawn again

	down     bool // the button, and the text is the one that was clicked
	of       int  // the change that made this text
	clicks   int  // in a row, 1 to 3
	x, y     int
	at       time.Time
	from, to edit.Place // what the click selected
}

// Wants reports whether a key is for the composer before it is for anything else: it copies or cuts what is selected, or
// moves in the list of completions.
func (s *selecting) Wants(k tea.KeyPressMsg) bool {
	w := s.keys.Writing
	return s.selects(k) || s.list.open() && key.Matches(k, w.Above, w.Below)
}

// selects reports whether there is selected text, and a key is to copy or to cut it.
func (s *selecting) selects(k tea.KeyPressMsg) bool {
	_, _, selected := s.text.Selected()
	return selected && key.Matches(k, s.keys.Editing.Copy, s.keys.Editing.Cut)
}

// Deselect ends the selection, if there is one.
func (s *selecting) Deselect() {
	if s.text.Deselect() {
		s.changed()
	}
}

// copies copies what is selected, or cuts it.
func (s *selecting) copies(k tea.KeyPressMsg) pane.Action {
	text := s.text.SelectedText()
	if key.Matches(k, s.keys.Editing.Cut) {
		s.text.CutSelected()
	} else {
		s.text.CopySelected()
	}
	return Copied{Text: text}
}

// begin selects what a click at the cursor does, to which cell x, y belongs.
func (s *selecting) begin(x, y int, now time.Time) {
	if s.clicks > 2 || s.x != x || s.y != y || now.Sub(s.at) > multiClick {
		s.clicks = 0
	}
	s.of = s.text.Changes()
	s.down, s.clicks, s.x, s.y, s.at = true, s.clicks+1, x, y, now
	s.from, s.to = s.unit(s.text.At())
	s.text.Select(s.from, s.to)
	s.text.NewStep()
}

// unit is what a click at a place selects.
func (s *selecting) unit(at edit.Place) (from, to edit.Place) {
	switch s.clicks {
	case 2:
		return s.text.WordAt(at)
	case 3:
		return s.text.LineAt(at)
	}
	return at, at
}

// drag selects from the click to the cursor.
func (s *selecting) drag() {
	at := s.text.At()
	from, to := s.unit(at)
	if at.Before(s.from) {
		s.text.Select(s.to, from)
		return
	}
	if to.Before(s.to) {
		to = s.to
	}
	s.text.Select(s.from, to)
}

// Mouse handles a message of the mouse at a cell of the view. It reports false for one that is not for the text: what is
// dragged from there stays for it wherever the mouse is.
func (m *Model) Mouse(msg tea.MouseMsg, x, y int, now time.Time) bool {
	row := y - m.list.rows(m.height) - 1
	m.down = m.down && m.of == m.text.Changes()
	point := func() { m.text.PointAt(m.top+row, x-1-m.box.padding()) }
	switch msg.(type) {
	case tea.MouseClickMsg:
		m.down = false
		if msg.Mouse().Button != tea.MouseLeft || m.seek.on || row < 0 || row >= m.textRows() {
			return false
		}
		m.list.hide()
		point()
		m.begin(x, m.top+row, now)
	case tea.MouseMotionMsg:
		if !m.down {
			return false
		}
		point()
		m.drag()
	case tea.MouseReleaseMsg:
		if !m.down {
			return false
		}
		m.down = false
	default:
		return false
	}
	m.changed()
	return true
}

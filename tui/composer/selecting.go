package composer

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// multiClick is the longest time between the clicks of a double or triple click.
const multiClick = 500 * time.Millisecond

// mouse is the state of the mouse over the text: a click moves the cursor, a double click selects a word, a triple click
// a line. Dragging extends the selection by characters, words or lines.
type mouse struct {
	down     bool // the button is down
	of       int  // the text's Changes when it was clicked
	clicks   int  // in a row, 1 to 3
	x, y     int
	at       time.Time
	from, to edit.Position // the range that the click selected
}

// TakesKey reports whether the composer must get a key before the main screen: the key copies or cuts the selection, or
// moves in the list of completions.
func (m *Model) TakesKey(k tea.KeyPressMsg) bool {
	w := m.keys.Writing
	return m.selects(k) || m.leavesInsert(k) || m.list.open() && key.Matches(k, w.Above, w.Below)
}

// selects reports whether a key copies or cuts, and text is selected.
func (m *Model) selects(k tea.KeyPressMsg) bool {
	_, _, selected := m.text.Selected()
	return selected && key.Matches(k, m.keys.Editing.Copy, m.keys.Editing.Cut)
}

// Deselect clears the selection.
func (m *Model) Deselect() {
	if m.text.Deselect() {
		m.changed()
	}
}

func (m *Model) copies(k tea.KeyPressMsg) pane.Action {
	text := m.text.SelectedText()
	if key.Matches(k, m.keys.Editing.Cut) {
		m.text.CutSelected()
	} else {
		m.text.CopySelected()
	}
	return Copied{Text: text}
}

// click counts clicks at cell x, y, which is the cursor's, and selects a character, word or line.
func (m *Model) click(x, y int, now time.Time) {
	s := &m.mouse
	if s.clicks > 2 || s.x != x || s.y != y || now.Sub(s.at) > multiClick {
		s.clicks = 0
	}
	*s = mouse{down: true, of: m.text.Changes(), clicks: s.clicks + 1, x: x, y: y, at: now}
	s.from, s.to = m.unit(m.text.At())
	m.text.Select(s.from, s.to)
	m.text.NewStep()
}

// unit returns the range that a click at a place selects.
func (m *Model) unit(at edit.Position) (from, to edit.Position) {
	switch m.mouse.clicks {
	case 2:
		return m.text.WordAt(at)
	case 3:
		return m.text.LineAt(at)
	}
	return at, at
}

// drag selects from the click to the cursor.
func (m *Model) drag() {
	at := m.text.At()
	from, to := m.unit(at)
	if at.Before(m.mouse.from) {
		m.text.Select(m.mouse.to, from)
		return
	}
	if to.Before(m.mouse.to) {
		to = m.mouse.to
	}
	m.text.Select(m.mouse.from, to)
}

// Mouse handles a mouse message at a cell of the view. It returns false for a message that is not for the text. A drag
// that began in the text is for it wherever the mouse moves.
func (m *Model) Mouse(msg tea.MouseMsg, x, y int, now time.Time) bool {
	row := y - m.list.rows(m.height) - 1
	down := m.mouse.down && m.mouse.of == m.text.Changes()
	m.mouse.down = false
	point := func() { m.text.PointAt(m.top+row, x-1-m.box.padding()) }
	switch msg.(type) {
	case tea.MouseClickMsg:
		if msg.Mouse().Button != tea.MouseLeft || m.search.on || row < 0 || row >= m.textRows() {
			return false
		}
		m.list.hide()
		point()
		m.click(x, m.top+row, now)
	case tea.MouseMotionMsg:
		if m.mouse.down = down; !down {
			return false
		}
		point()
		m.drag()
	case tea.MouseReleaseMsg:
		if !down {
			return false
		}
	default:
		m.mouse.down = down
		return false
	}
	m.changed()
	return true
}

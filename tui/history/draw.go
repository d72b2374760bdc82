package history

import (
	"strings"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// What a row looks like is kept together with all that it was made of. Where that is
// what it was, it is not laid out again; else only what is in sight is. Styles, size
// and what is searched for are the same for all rows: where they change, all is
// forgotten.

// Widths and heights of rows.
const (
	gutter       = 2   // cells before a row: the cursor
	leastColumns = 72  // width from which there are two columns
	divider      = 3   // cells between the columns
	foldLines    = 3   // of what was said, or is sent
	foldResult   = 2   // of the result of a call
	maxKept      = 600 // rows that are remembered
)

// made is what a row was drawn from.
type made struct {
	width   int
	side    side
	request bool
	begins  bool
	open    bool
	undone  bool
	row     compact.Row
	state   compact.State
	text    string
	why     string
	overlay uint64
	stands  int // events it stands for
	size    conversation.Size
}

// drawn is a row as it looks.
type drawn struct {
	made  made
	lines [2][]string // without and with the cursor
	links []target
}

// sketch is a row before the cursor is set beside it.
type sketch struct {
	lines  []string
	header int // lines that are no part of the row: where a turn begins
	links  []target
}

// rows are the rows of the list.
type rows struct{ *Model }

// Len is how many rows there are.
func (r rows) Len() int { return len(r.book.items) }

// Lines is a row as it is drawn.
func (r rows) Lines(i int, selected bool, width int) []string {
	d := r.drawn(i, width)
	if selected {
		return d.lines[1]
	}
	return d.lines[0]
}

// drawn is a row, laid out if it is not remembered.
func (m *Model) drawn(i, width int) *drawn {
	it := m.book.items[i]
	name := m.book.mark(it)
	from := m.made(it, name, width)
	if d := m.cache[name]; d != nil && d.made == from {
		return d
	}
	if len(m.cache) >= maxKept {
		m.redraw()
	}
	d := &drawn{made: from}
	s := m.sketch(it, from, max(width-gutter, 1))
	d.links = s.links
	bar := m.styles.Pane.Selected.Render("▌") + " "
	for n, l := range s.lines {
		plainly := "  " + l
		d.lines[0] = append(d.lines[0], pane.Clip(plainly, width))
		if n >= s.header {
			plainly = bar + l
		}
		d.lines[1] = append(d.lines[1], pane.Clip(plainly, width))
	}
	m.cache[name] = d
	return d
}

// made is all that a row looks like because of.
func (m *Model) made(it item, name mark, width int) made {
	from := made{width: width, side: m.side, request: m.request != nil, begins: it.begins, open: m.open[name]}
	message := -1
	switch it.kind {
	case kindSaid:
		from.row = m.book.rows[it.at]
		message = from.row.Message
	case kindEvent:
		from.undone = m.book.undone(it.at)
	case kindMessage:
		message = it.at
	}
	if message >= 0 {
		s := &m.book.messages[message]
		from.state, from.text, from.why, from.overlay, from.stands, from.size = s.State, s.Text, s.Why, s.Overlay, len(s.Events), s.After()
	}
	return from
}

func (m *Model) sketch(it item, from made, width int) sketch {
	var s sketch
	if it.begins {
		s.lines, s.header = append(s.lines, m.turnLine(it, width)), 1
	}
	var body sketch
	switch it.kind {
	case kindSaid:
		body = m.sketchSaid(it, from.open, width)
	case kindEvent:
		body = m.sketchEvent(it, from.open, width)
	case kindMessage:
		body = m.sketchMessage(it, from.open, width)
	default:
		body = m.sketchInstructions(it, from.open, width)
	}
	s.lines, s.links = append(s.lines, body.lines...), body.links
	return s
}

// turnLine is the line on which a turn begins.
func (m *Model) turnLine(it item, width int) string {
	turn, at := 0, ""
	if e := m.book.event(it); e != nil {
		turn, at = e.Turn, " · "+m.clock(e.Time)
	}
	if it.kind == kindMessage {
		turn = m.book.messages[it.at].Turn
	}
	return m.styles.Turn.Render(ruled("── turn "+numbers.Grouped(turn)+at, width))
}

// ruled is a text with a rule behind it, to the width.
func ruled(text string, width int) string {
	text = pane.Clip(text+" ", width)
	return text + strings.Repeat("─", max(0, width-cells(text)))
}

// sketchSaid draws an event that was said: in two columns, stacked, or alone.
func (m *Model) sketchSaid(it item, open bool, width int) sketch {
	r := &m.book.rows[it.at]
	if m.side == sideBoth && m.width >= leastColumns {
		return m.columns(r, open, width)
	}
	e := &m.book.Log[r.Event]
	s := sketch{lines: []string{m.headLine(m.who(e, width), m.standing(r, width), width)}}
	original, links := m.saidOf(r, open, width)
	s.lines, s.links = append(s.lines, m.paintAll(original)...), links
	if m.side == sideOriginal {
		return s
	}
	var body []line
	body, s.links = m.instead(r, links, open, width-2)
	for i, l := range body {
		lead := "  "
		if i == 0 {
			lead = m.styles.Pane.Muted.Render("↳ ")
		}
		s.lines = append(s.lines, lead+m.paint(l))
	}
	return s
}

// saidOf is the text of a row as it was said, quiet where it was taken back.
func (m *Model) saidOf(r *compact.Row, open bool, width int) ([]line, []target) {
	lines, links := m.original(&m.book.Log[r.Event], open, width)
	if m.book.takenBack(r) {
		for i := range lines {
			lines[i].style = m.styles.TakenBack
		}
	}
	return lines, links
}

// columns draws what was said beside what is sent.
func (m *Model) columns(r *compact.Row, open bool, width int) sketch {
	left := (width - divider) / 2
	right := width - divider - left
	e := &m.book.Log[r.Event]
	said := []string{m.headLine(m.who(e, left), m.styles.Pane.Muted.Render(eventName(e.Seq)+"  "+pane.Tokens(m.book.tokens(r.Before))), left)}
	original, links := m.saidOf(r, open, left)
	said = append(said, m.paintAll(original)...)
	badge, tokens := m.sentHead(r, right)
	sent := []string{m.headLine(badge, m.styles.Pane.Muted.Render(tokens), right)}
	s := sketch{links: links}
	if body, all := m.instead(r, links, open, right); m.ownText(r) {
		sent, s.links = append(sent, m.paintAll(body)...), all
	}
	bar := " " + m.styles.Pane.Rule.Render("│") + " "
	for i := range max(len(said), len(sent)) {
		a, b := "", ""
		if i < len(said) {
			a = said[i]
		}
		if i < len(sent) {
			b = sent[i]
		}
		s.lines = append(s.lines, pane.Fit(a, left)+bar+b)
	}
	return s
}

// headLine is the first line of a row: who it is from, and how it stands.
func (m *Model) headLine(left, right string, width int) string {
	room := width - cells(right) - 1
	if right == "" || room < 4 {
		return pane.Clip(left, width)
	}
	return pane.Fit(left, room) + " " + right
}

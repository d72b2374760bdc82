package history

import (
	"strings"
	"time"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
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
	foldLines    = 3   // of an original, or of what is sent
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
	row     inspect.Row
	state   projection.State
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

// sketch is a row before the cursor is drawn next to it.
type sketch struct {
	lines  []string
	header int // lines that are no part of the row: where a turn begins
	links  []target
}

// drawer draws the rows of a book. It owns what is expanded.
type drawer struct {
	painter
	book     *book
	texts    fullTexts
	zone     *time.Location
	expanded map[mark]bool
	cache    map[mark]*drawn
}

// redraw forgets what rows look like.
func (d *drawer) redraw() { d.cache = map[mark]*drawn{} }

// toggle expands or folds a row, and reports whether it is expanded.
func (d *drawer) toggle(it item) bool {
	name := d.book.mark(it)
	d.expanded[name] = !d.expanded[name]
	return d.expanded[name]
}

// Len is how many rows there are.
func (d *drawer) Len() int { return len(d.book.items) }

// Lines is a row as it is drawn.
func (d *drawer) Lines(i int, selected bool, width int) []string {
	row := d.drawn(i, width)
	if selected {
		return row.lines[1]
	}
	return row.lines[0]
}

// drawn is a row, laid out if it is not remembered.
func (d *drawer) drawn(i, width int) *drawn {
	it := d.book.items[i]
	name := d.book.mark(it)
	from := d.made(it, name, width)
	if row := d.cache[name]; row != nil && row.made == from {
		return row
	}
	if len(d.cache) >= maxKept {
		d.redraw()
	}
	row := &drawn{made: from}
	s := d.sketch(it, from, max(width-gutter, 1))
	row.links = s.links
	bar := d.styles.Pane.Selected.Render("▌") + " "
	for n, l := range s.lines {
		plainly := "  " + l
		row.lines[0] = append(row.lines[0], pane.Clip(plainly, width))
		if n >= s.header {
			plainly = bar + l
		}
		row.lines[1] = append(row.lines[1], pane.Clip(plainly, width))
	}
	d.cache[name] = row
	return row
}

// made is all that a row looks like because of.
func (d *drawer) made(it item, name mark, width int) made {
	from := made{width: width, side: d.book.side, request: d.book.request != nil, begins: it.begins, open: d.expanded[name]}
	message := -1
	switch it.kind {
	case kindSaid:
		from.row = d.book.rows[it.at]
		message = from.row.Message
	case kindEvent:
		from.undone = d.book.undone(it.at)
	case kindMessage:
		message = it.at
	}
	if message >= 0 {
		s := &d.book.messages[message]
		from.state, from.text, from.why, from.overlay, from.stands, from.size = s.State, s.Text, s.Why, s.Overlay, len(s.Events), s.After()
	}
	return from
}

func (d *drawer) sketch(it item, from made, width int) sketch {
	var s sketch
	if it.begins {
		s.lines, s.header = append(s.lines, d.turnLine(it, width)), 1
	}
	var body sketch
	switch it.kind {
	case kindSaid:
		body = d.sketchSaid(it, from.open, width)
	case kindEvent:
		body = d.sketchEvent(it, from.open, width)
	case kindMessage:
		body = d.sketchMessage(it, from.open, width)
	default:
		body = d.sketchInstructions(it, from.open, width)
	}
	s.lines, s.links = append(s.lines, body.lines...), body.links
	return s
}

// turnLine is the line on which a turn begins.
func (d *drawer) turnLine(it item, width int) string {
	turn, at := 0, ""
	if e := d.book.event(it); e != nil {
		turn, at = e.Turn, " · "+clock(e.Time, d.zone)
	}
	if it.kind == kindMessage {
		turn = d.book.messages[it.at].Turn
	}
	return d.styles.Turn.Render(ruled("── turn "+numbers.Grouped(turn)+at, width))
}

// ruled is a text with a rule behind it, to the width.
func ruled(text string, width int) string {
	text = pane.Clip(text+" ", width)
	return text + strings.Repeat("─", max(0, width-cells(text)))
}

// sketchSaid draws an event that is a message: in two columns, stacked, or alone.
func (d *drawer) sketchSaid(it item, open bool, width int) sketch {
	r := &d.book.rows[it.at]
	if d.book.side == sideBoth && width+gutter >= leastColumns {
		return d.columns(r, open, width)
	}
	e := &d.book.Log[r.Event]
	s := sketch{lines: []string{d.headLine(d.who(e, width), d.standing(r, width), width)}}
	original, links := d.saidOf(r, open, width)
	s.lines, s.links = append(s.lines, d.paintAll(original)...), links
	if d.book.side == sideOriginal {
		return s
	}
	var body []line
	body, s.links = d.instead(r, links, open, width-2)
	for i, l := range body {
		lead := "  "
		if i == 0 {
			lead = d.styles.Pane.Muted.Render("↳ ")
		}
		s.lines = append(s.lines, lead+d.paint(l))
	}
	return s
}

// saidOf is the original text of a row, quiet where it was rewound.
func (d *drawer) saidOf(r *inspect.Row, open bool, width int) ([]line, []target) {
	lines, links := d.original(&d.book.Log[r.Event], open, width)
	if d.book.takenBack(r) {
		for i := range lines {
			lines[i].style = d.styles.TakenBack
		}
	}
	return lines, links
}

// columns draws the original next to what is sent.
func (d *drawer) columns(r *inspect.Row, open bool, width int) sketch {
	left := (width - divider) / 2
	right := width - divider - left
	e := &d.book.Log[r.Event]
	said := []string{d.headLine(d.who(e, left), d.styles.Pane.Muted.Render(eventName(e.Seq)+"  "+pane.Tokens(d.book.tokens(r.Before))), left)}
	original, links := d.saidOf(r, open, left)
	said = append(said, d.paintAll(original)...)
	badge, tokens := d.sentHead(r, right)
	sent := []string{d.headLine(badge, d.styles.Pane.Muted.Render(tokens), right)}
	s := sketch{links: links}
	if body, all := d.instead(r, links, open, right); d.book.ownText(r) {
		sent, s.links = append(sent, d.paintAll(body)...), all
	}
	bar := " " + d.styles.Pane.Rule.Render("│") + " "
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
func (d *drawer) headLine(left, right string, width int) string {
	room := width - cells(right) - 1
	if right == "" || room < 4 {
		return pane.Clip(left, width)
	}
	return pane.Fit(left, room) + " " + right
}

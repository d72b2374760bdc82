package history

import (
	"time"

	"github.com/charmbracelet/x/ansi"

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
	gutter       = 2   // cells before a row: the cursor, or how it is sent
	leastColumns = 72  // width from which there are two columns
	leastNames   = 60  // width from which rows have the names of their events
	airy         = 20  // height from which there is air between rows
	roomy        = 30  // and from which there is more between turns
	divider      = 3   // cells between the columns
	nameCells    = 6   // of the name of an event, before the tokens
	changeCells  = 13  // of tokens before and after
	foldLines    = 4   // of an original, or of what is sent
	foldResult   = 2   // of the result of a call
	maxKept      = 600 // rows that are remembered
)

// made is what a row was drawn from.
type made struct {
	width   int
	side    side
	request bool
	item    item
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
	lines []string
	mark  string // in the gutter of the first line: how it is sent
	rail  bool   // and of all others
	links []target
}

// drawer draws the rows of a book. It owns what is expanded.
type drawer struct {
	painter
	book     *book
	texts    fullTexts
	zone     *time.Location
	height   int
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
	for range d.air(it) {
		row.lines[0], row.lines[1] = append(row.lines[0], ""), append(row.lines[1], "")
	}
	s := d.sketch(it, from, max(width-gutter, 1))
	row.links = s.links
	for n, l := range s.lines {
		mark := "  "
		if n == 0 || s.rail {
			mark = d.styles.Faint.Render(pane.Fit(s.mark, gutter))
		}
		row.lines[0] = append(row.lines[0], pane.Clip(mark+l, width))
		row.lines[1] = append(row.lines[1], d.chosen(l, n == 0, width))
	}
	d.cache[name] = row
	return row
}

// air is how many empty lines stand before a row.
func (d *drawer) air(it item) int {
	switch {
	case d.height >= roomy:
		return int(it.gap)
	case d.height >= airy:
		return min(int(it.gap), 1)
	}
	return int(it.gap) / 2
}

// cursor stands before every line of the row with the cursor.
const cursor = "▌ "

// chosen is a line of the row with the cursor. Its first line looks like that of any list; the text below keeps its colors.
func (d *drawer) chosen(l string, first bool, width int) string {
	if first {
		return d.styles.Pane.Selected.Render(pane.Fit(cursor+ansi.Strip(l), width))
	}
	return d.band.Under(pane.Fit(d.styles.Link.Render(cursor)+l, width))
}

// made is all that a row looks like because of.
func (d *drawer) made(it item, name mark, width int) made {
	from := made{width: width, side: d.book.side, request: d.book.request != nil, item: it, open: d.expanded[name]}
	from.item.at = 0 // rows move
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
	switch it.kind {
	case kindSaid:
		return d.sketchSaid(it, from.open, width)
	case kindEvent:
		return d.sketchEvent(it, from.open, width)
	case kindMessage:
		return d.sketchMessage(it, from.open, width)
	}
	return d.sketchInstructions(it, from.open, width)
}

// begins names the turn that a row begins, "" for none.
func (d *drawer) begins(it item) string {
	if !it.begins {
		return ""
	}
	turn, at := 0, ""
	if e := d.book.event(it); e != nil {
		turn, at = e.Turn, " · "+clock(e.Time, d.zone)
	}
	if it.kind == kindMessage {
		turn = d.book.messages[it.at].Turn
	}
	return d.styles.Faint.Render("  turn " + numbers.Grouped(turn) + at)
}

// sketchSaid draws an event that is a message. What is sent in its place stands beside it, or in little room below it;
// what is sent as it was said has all of the width.
func (d *drawer) sketchSaid(it item, open bool, width int) sketch {
	r := &d.book.rows[it.at]
	e := &d.book.Log[r.Event]
	standing := d.standing(r, width)
	s := sketch{lines: []string{d.headLine(d.who(e, open, width-cells(standing)-1)+d.begins(it), standing, width)}}
	if d.book.side == sideBoth {
		s.mark, s.rail = d.gutterMark(r)
	}
	if d.book.side != sideBoth || !d.book.ownText(r) {
		original, links := d.saidOf(it, r, open, width)
		s.lines, s.links = append(s.lines, d.paintAll(original)...), links
		return s
	}
	left, right := width, width-2
	if width+gutter >= leastColumns {
		left = (width - divider) / 2
		right = width - divider - left
	}
	var original, sent []line
	if reply, calls, ok := d.book.otherCalls(r); ok { // what they have in common has all of the width
		s.lines = append(s.lines, d.paintAll(d.reply(reply, open, width))...)
		original, sent = d.sentCalls(reply.Calls, open, left), d.sentCalls(calls, open, right)
	} else {
		original, s.links = d.saidOf(it, r, open, left)
		sent, s.links = d.instead(r, s.links, open, right)
	}
	if left < width {
		s.lines = append(s.lines, d.columns(d.paintAll(original), d.paintAll(sent), left)...)
		return s
	}
	s.lines = append(s.lines, d.paintAll(original)...)
	for i, l := range sent {
		lead := "  "
		if i == 0 {
			lead = d.styles.Pane.Muted.Render("↳ ")
		}
		s.lines = append(s.lines, lead+d.paint(l))
	}
	return s
}

// columns stands lines side by side.
func (d *drawer) columns(said, sent []string, left int) []string {
	out := make([]string, 0, max(len(said), len(sent)))
	bar := " " + d.styles.Pane.Rule.Render("│") + " "
	for i := range max(len(said), len(sent)) {
		a, b := "", ""
		if i < len(said) {
			a = said[i]
		}
		if i < len(sent) {
			b = sent[i]
		}
		out = append(out, pane.Fit(a, left)+bar+b)
	}
	return out
}

// headLine is the first line of a row: who it is from, and how it stands.
func (d *drawer) headLine(left, right string, width int) string {
	room := width - cells(right) - 1
	if right == "" || room < 4 {
		return pane.Clip(left, width)
	}
	return pane.Fit(left, room) + " " + right
}

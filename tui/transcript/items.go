package transcript

import (
	"slices"
	"strings"

	"plimsoll/tui/pane"

	"github.com/charmbracelet/x/ansi"
)

// Lines are kept while they are near the view and dropped when too many are:
// all at once, but for those that the last views needed, so that what is on
// screen is never drawn again because of its size.

// items is what the transcript shows, in order, with the lines that each was last drawn as.
type items struct {
	look    look
	width   int
	entries []*entry
	drawn   drawn
}

// entry is an item with the lines it was last drawn as.
type entry struct {
	item    item
	drawing *drawing // nil: not drawn, or drawn too long ago
	placed
	gone bool // a rewind took it back
}

// drawing is the lines of an entry. It is apart from the entry because few entries of a
// long conversation have one.
type drawing struct {
	lines []string
	key   drawKey
	used  int // the view that needed it last
}

// laidOut is an item that keeps what drawing it takes, as long as its lines are kept.
type laidOut interface{ forget() }

// drawKey is everything an item's lines depend on.
type drawKey struct {
	width, version, generation, factor int
	expanded, gone                     bool
}

// drawn is the entries that keep their lines.
type drawn struct {
	view    int // counts views
	entries []*entry
	lines   int // of all of them
}

// What is kept at most, beyond what the view needs.
const (
	maxEntries = 256
	maxLines   = 20_000
)

// linesOf draws entry i, or returns what it was drawn as. The slice is valid
// until the item changes.
func (x *items) linesOf(i int) []string {
	e := x.entries[i]
	key := drawKey{x.width, e.item.version(), x.look.generation, x.look.roughFactor(), x.look.expanded, e.gone}
	if e.drawing == nil {
		e.drawing = &drawing{}
		x.drawn.entries = append(x.drawn.entries, e)
	}
	d := e.drawing
	d.used = x.drawn.view
	if d.lines != nil && d.key == key {
		return d.lines
	}
	var lines []string
	if e.gone {
		lines = e.rewound(&x.look, pane.Within(x.width))
	} else {
		lines = e.item.draw(&x.look, pane.Within(x.width))
	}
	if lines == nil {
		lines = []string{}
	}
	x.drawn.lines += len(lines) - len(d.lines)
	d.lines, d.key = lines, key
	x.drawn.sweep()
	return lines
}

// sweep drops the drawn lines of items that are out of sight, once there are too
// many.
func (d *drawn) sweep() {
	if len(d.entries) <= maxEntries && d.lines <= maxLines {
		return
	}
	d.entries = slices.DeleteFunc(d.entries, func(e *entry) bool {
		if e.drawing.used >= d.view-1 {
			return false
		}
		d.lines -= len(e.drawing.lines)
		e.forget()
		return true
	})
}

// forget drops the lines of one entry.
func (d *drawn) forget(e *entry) {
	if i := slices.Index(d.entries, e); i >= 0 {
		d.lines -= len(e.drawing.lines)
		d.entries = slices.Delete(d.entries, i, i+1)
	}
	e.forget()
}

// forget drops the lines, and what of the item belongs to them.
func (e *entry) forget() {
	e.drawing = nil
	if it, ok := e.item.(laidOut); ok {
		it.forget()
	}
}

// gap is the number of empty lines before entry i.
func (x *items) gap(i int) int {
	if i == 0 || len(x.linesOf(i)) == 0 {
		return 0
	}
	switch x.entries[i].item.(type) {
	case *userItem:
		return 2 // a turn begins
	case *toolItem:
		for before := i - 1; before >= 0; before-- { // a reply that only makes calls has no lines
			if len(x.linesOf(before)) == 0 {
				continue
			}
			if _, tool := x.entries[before].item.(*toolItem); tool {
				return 0
			}
			break
		}
	}
	return 1
}

// tall is the number of lines of entry i.
func (x *items) tall(i int) int { return x.gap(i) + len(x.linesOf(i)) }

// text is a line as it stands on the screen.
func (x *items) text(p place) string {
	i := p.offset - x.gap(p.top)
	if i < 0 {
		return ""
	}
	line := x.linesOf(p.top)[i]
	if line == "" {
		return ""
	}
	line = strings.Repeat(" ", x.begins(p.top, i)) + line
	if len(line) > x.width && ansi.StringWidth(line) > x.width {
		line = ansi.Truncate(line, x.width, "") // narrower than anything can be laid out for
	}
	return line
}

// begins is the cell at which a line of entry i begins.
func (x *items) begins(i, line int) int {
	at := pane.Gutter(x.width)
	if r, ok := x.entries[i].item.(*replyItem); ok && r.prose(line) {
		at += lead(x.width)
	}
	return at
}

// bare is the text of a line without style, mark and indentation.
func (x *items) bare(p place) string {
	text := ansi.Strip(x.text(p))
	return ansi.Cut(text, x.textFrom(p), ansi.StringWidth(text))
}

// textFrom is the cell at which the text of a line begins.
func (x *items) textFrom(p place) int {
	if line := p.offset - x.gap(p.top); line >= 0 {
		x.linesOf(p.top)
		return x.begins(p.top, line) + x.entries[p.top].item.indent(line)
	}
	return 0
}

// needs is the number of lines of all items, or most if there are more.
func (x *items) needs(most int) int {
	n := 0
	for i := 0; i < len(x.entries) && n < most; i++ {
		n += x.tall(i)
	}
	return min(n, most)
}

// remove takes an item away.
func (x *items) remove(i int) {
	x.drawn.forget(x.entries[i])
	x.entries = slices.Delete(x.entries, i, i+1)
}

// placed is where in the log an entry stands; seq is 0 for what no rewind takes
// back.
type placed struct {
	seq  uint64
	turn int
}

// rewound is an entry that was rewound: nothing while it is folded.
func (e *entry) rewound(l *look, width int) []string {
	if !l.expanded {
		return nil
	}
	lines := append([]string(nil), e.item.draw(l, width)...)
	for i, line := range lines {
		lines[i] = ansi.Strip(line)
	}
	if _, said := e.item.(*userItem); said {
		lines = append(lines, pane.Clip("  undone", width))
	}
	return styled(l.styles.Undone, lines)
}

package transcript

import (
	"slices"
	"strings"

	"plimsoll/tui/pane"

	"github.com/charmbracelet/x/ansi"
)

// Drawn lines are cached. When the cache is too large, all lines are dropped
// except those that the last two views needed, so that lines on screen are
// never dropped.

// items holds the entries of the transcript, in order, with the lines each was last drawn as.
type items struct {
	options drawOptions
	width   int
	entries []*entry
	cache   lineCache
}

// entry is an item with the lines it was last drawn as.
type entry struct {
	item    item
	drawing *drawing // nil: not drawn, or drawn too long ago
	logPosition
	rewound bool // a rewind in force removed it
}

// drawing is the drawn lines of an entry. It is a type of its own to save memory: few
// entries of a long conversation have one.
type drawing struct {
	lines []string
	key   drawKey
	used  int // number of the last view that needed it
}

// layoutKeeper is an item that keeps layout data as long as its lines are cached.
type layoutKeeper interface{ forget() }

// drawKey is everything an item's lines depend on.
type drawKey struct {
	width, version, generation, factor int
	expanded, rewound                  bool
}

// lineCache holds the entries whose drawn lines are cached.
type lineCache struct {
	view    int // number of the current view
	entries []*entry
	lines   int // of all of them
}

// Limits of the cache, beyond which only what the last two views needed is kept.
const (
	maxEntries = 256
	maxLines   = 20_000
)

// linesOf returns the drawn lines of entry i, from the cache if they are up to date.
// The slice is valid until the item changes.
func (x *items) linesOf(i int) []string {
	e := x.entries[i]
	key := drawKey{x.width, e.item.version(), x.options.generation, x.options.roundedFactor(), x.options.expanded, e.rewound}
	if e.drawing == nil {
		e.drawing = &drawing{}
		x.cache.entries = append(x.cache.entries, e)
	}
	d := e.drawing
	d.used = x.cache.view
	if d.lines != nil && d.key == key {
		return d.lines
	}
	var lines []string
	if e.rewound {
		lines = e.drawRewound(&x.options, x.room(e))
	} else {
		lines = e.item.draw(&x.options, x.room(e))
	}
	if lines == nil {
		lines = []string{}
	}
	x.cache.lines += len(lines) - len(d.lines)
	d.lines, d.key = lines, key
	x.cache.sweep()
	return lines
}

// sweep drops cached lines that the last two views did not need, if the cache is too
// large.
func (d *lineCache) sweep() {
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

func (d *lineCache) forget(e *entry) {
	if i := slices.Index(d.entries, e); i >= 0 {
		d.lines -= len(e.drawing.lines)
		d.entries = slices.Delete(d.entries, i, i+1)
	}
	e.forget()
}

// forget drops the lines and the layout data of the item.
func (e *entry) forget() {
	e.drawing = nil
	if it, ok := e.item.(layoutKeeper); ok {
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

// heightOf is the number of lines of entry i, with the empty lines before it.
func (x *items) heightOf(i int) int { return x.gap(i) + len(x.linesOf(i)) }

// text returns a line as it is on the screen.
func (x *items) text(p place) string {
	i := p.offset - x.gap(p.entry)
	if i < 0 {
		return ""
	}
	line := x.linesOf(p.entry)[i]
	if line == "" {
		return ""
	}
	line = strings.Repeat(" ", x.startColumn(p.entry)) + line
	if len(line) > x.width && ansi.StringWidth(line) > x.width {
		line = ansi.Truncate(line, x.width, "") // narrower than the minimum width of layouts
	}
	return line
}

// startColumn is the cell at which the lines of entry i begin.
func (x *items) startColumn(i int) int {
	if _, user := x.entries[i].item.(*userItem); user { // its band begins before the text
		return pane.Gutter(x.width)
	}
	return pane.Gutter(x.width) + pane.Indent(x.width)
}

// room is the width of the lines of an entry.
func (x *items) room(e *entry) int {
	if _, user := e.item.(*userItem); user {
		return pane.Within(x.width)
	}
	return pane.TextWidth(x.width)
}

// textColumn is the cell at which the text of a line begins, after mark and indentation.
func (x *items) textColumn(p place) int {
	if line := p.offset - x.gap(p.entry); line >= 0 {
		x.linesOf(p.entry)
		return x.startColumn(p.entry) + x.entries[p.entry].item.indent(line)
	}
	return 0
}

// logPosition is the position of an entry in the log. seq is 0 for an entry that
// no rewind removes.
type logPosition struct {
	seq  uint64
	turn int
}

// drawRewound draws an entry that was rewound: no lines while it is folded.
func (e *entry) drawRewound(l *drawOptions, width int) []string {
	if !l.expanded {
		return nil
	}
	lines := append([]string(nil), e.item.draw(l, width)...)
	for i, line := range lines {
		lines[i] = ansi.Strip(line)
	}
	if _, user := e.item.(*userItem); user {
		lines = append(lines, pane.Clip("  undone", width))
	}
	return pane.Each(l.styles.Undone, lines)
}

package transcript

import "slices"

// Lines are kept while they are near the view and dropped when too many are:
// all at once, but for those that the last views needed, so that what is on
// screen is never drawn again because of its size.

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
func (m *Model) linesOf(i int) []string {
	e := m.entries[i]
	key := drawKey{m.width, e.item.version(), m.look.generation, m.look.roughFactor(), m.look.expanded, e.gone}
	e.used = m.drawn.view
	if e.lines != nil && e.key == key {
		return e.lines
	}
	if e.lines == nil {
		m.drawn.entries = append(m.drawn.entries, e)
	}
	var lines []string
	if e.gone {
		lines = m.drawTakenBack(e, textWidth(m.width))
	} else {
		lines = e.item.draw(&m.look, textWidth(m.width))
	}
	if lines == nil {
		lines = []string{}
	}
	m.drawn.lines += len(lines) - len(e.lines)
	e.lines, e.key = lines, key
	m.drawn.sweep()
	return lines
}

// sweep drops the lines that are in nobody's way any more, once there are too
// many.
func (d *drawn) sweep() {
	if len(d.entries) <= maxEntries && d.lines <= maxLines {
		return
	}
	d.entries = slices.DeleteFunc(d.entries, func(e *entry) bool {
		if e.used >= d.view-1 {
			return false
		}
		d.lines -= len(e.lines)
		e.lines = nil
		return true
	})
}

// forget drops the lines of one entry.
func (d *drawn) forget(e *entry) {
	if i := slices.Index(d.entries, e); i >= 0 {
		d.lines -= len(e.lines)
		d.entries = slices.Delete(d.entries, i, i+1)
	}
	e.lines = nil
}

package account

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact"
	"plimsoll/tui/pane"
)

// The gauge over the whole width, with the cells of the small one ([pane.Cells]). The
// lines are marked below it. Without a window it shows how what is used is made up.

// gauge is the numbers, the bar and the marks. width is that of the first line.
func (m *Model) gauge(width int) []string {
	r, full := &m.content.Reading, width+2
	left, note := m.numbers()
	style := m.level(r.Used)
	out := []string{style.Render(left)}
	if len(note) > 0 && ansi.StringWidth(left)+3+ansi.StringWidth(note) <= width {
		out[0] = pane.Between(style.Render(left), m.inks.muted.Render(note), width)
	}
	bar := m.bar(full)
	out = append(out, bar)
	if m.height >= roomy {
		out = append(out, bar)
	}
	if r.Window.Known() {
		out = append(out, m.marks(full))
	}
	return out
}

// numbers are how full it is, and what the draft would make of that.
func (m *Model) numbers() (text, note string) {
	r := &m.content.Reading
	if !r.Window.Known() {
		return m.used() + " tokens, the window is unknown", m.draftNote()
	}
	text = m.used() + " of " + pane.Tokens(r.Window.Tokens) + " tokens · " + pane.Share(*r, r.Used)
	return text, m.draftNote()
}

// used is the tokens that are used, with ~ if a part of them is estimated.
func (m *Model) used() string {
	if r := &m.content.Reading; r.Estimated {
		return pane.About(r.Used)
	}
	return pane.Tokens(m.content.Reading.Used)
}

func (m *Model) draftNote() string {
	r := &m.content.Reading
	if r.AfterSend <= r.Used {
		return ""
	}
	note := pane.About(r.AfterSend) + " with the draft"
	if r.Window.Known() {
		note += " · " + pane.Share(*r, r.AfterSend)
	}
	return note
}

// level is how numbers of tokens look: it changes at the lines and nowhere else.
func (m *Model) level(tokens int) pane.Ink {
	return [...]pane.Ink{pane.Calm: m.inks.bar, pane.Loaded: m.inks.load, pane.Blocked: m.inks.hard}[pane.LevelOf(m.content.Reading, tokens)]
}

// bar is the gauge itself.
func (m *Model) bar(width int) string {
	r, n := m.content.Reading, width-2
	if n < 1 {
		return ""
	}
	var b strings.Builder
	b.WriteString(m.level(r.Used).Render("▕"))
	cells := pane.Cells(r, pane.Scale(r), n)
	for i := 0; i < n; {
		j := i
		for j < n && cells[j] == cells[i] {
			j++
		}
		b.WriteString(m.run(cells[i], j-i))
		i = j
	}
	b.WriteString(m.level(r.Used).Render("▏"))
	return b.String()
}

// run is equal cells of the gauge.
func (m *Model) run(kind, cells int) string {
	switch kind {
	case pane.CellFree:
		return line(freeGlyph, cells)
	case pane.CellReserve:
		return painted(m.inks.reserve, reserveGlyph, cells)
	case pane.CellEnd:
		return painted(m.inks.hard, endGlyph, cells)
	}
	return m.painted(compact.Segment(kind), cells)
}

// painted is cells of a category.
func (m *Model) painted(s compact.Segment, cells int) string {
	return painted(m.inks.segments[s], m.glyphs[s], cells)
}

// marks are where the lines are, with their names where there is room.
func (m *Model) marks(width int) string {
	r, n := &m.content.Reading, width-2
	if n < 1 || r.LoadLine == 0 {
		return ""
	}
	at := func(tokens int) int { return 1 + pane.CellOf(tokens, pane.Scale(*r), n) }
	load, hard := at(r.LoadLine), at(r.HardLine)
	name := "load line " + m.lineValue(r.LoadLine) + " "
	out := ""
	if w := ansi.StringWidth(name); w <= load {
		out = strings.Repeat(" ", load-w) + m.inks.muted.Render(name)
	} else {
		out = strings.Repeat(" ", load)
	}
	out += m.inks.load.Render(loadGlyph)
	if r.HardLine == 0 || hard <= load {
		return out
	}
	out += strings.Repeat(" ", hard-load-1) + m.inks.hard.Render(hardGlyph)
	if name = " hard line"; hard+1+ansi.StringWidth(name) <= width {
		out += m.inks.muted.Render(name)
	}
	return out
}

// lineValue is a line in tokens and as a share of the window.
func (m *Model) lineValue(tokens int) string {
	return pane.Tokens(tokens) + " · " + pane.Share(m.content.Reading, tokens)
}

package account

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact"
	"plimsoll/tui/pane"
)

// The gauge over the whole width. Its cells are given out as those of the small one:
// the used part by largest remainder, then the draft, then nothing, the reserve at the
// end. The lines are marked below it. Without a window it shows how what is used is
// made up.

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
	text = m.used() + " of " + pane.Tokens(r.Window.Tokens) + " tokens · " + pane.Percent(r.Used, r.Window.Tokens)
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
		note += " · " + pane.Percent(r.AfterSend, r.Window.Tokens)
	}
	return note
}

// level is how numbers of tokens look: it changes at the lines and nowhere else.
func (m *Model) level(tokens int) pane.Ink {
	r := &m.content.Reading
	switch {
	case !r.Window.Known():
		return m.inks.bar
	case r.HardLine > 0 && tokens >= r.HardLine, tokens > r.Window.Tokens:
		return m.inks.hard
	case r.LoadLine > 0 && tokens >= r.LoadLine:
		return m.inks.load
	}
	return m.inks.bar
}

// scale is the tokens that the whole gauge stands for.
func (m *Model) scale() int {
	r := &m.content.Reading
	if r.Window.Known() {
		return r.Window.Tokens
	}
	return max(r.AfterSend, r.Used, 1)
}

// bar is the gauge itself.
func (m *Model) bar(width int) string {
	r, n := &m.content.Reading, width-2
	if n < 1 {
		return ""
	}
	at := func(tokens int) int { return max(0, min(n, int(float64(tokens)/float64(m.scale())*float64(n)+0.5))) }
	used, draft := at(r.Used), at(r.AfterSend)
	reserve := max(n-at(r.Reserve), draft)
	var b strings.Builder
	b.WriteString(m.level(r.Used).Render("▕"))
	for seg, cells := range pane.Allot(r.Segments[:compact.Draft], used) {
		b.WriteString(m.painted(compact.Segment(seg), cells))
	}
	b.WriteString(m.painted(compact.Draft, draft-used))
	b.WriteString(line(freeGlyph, reserve-max(draft, used)))
	b.WriteString(painted(m.inks.reserve, reserveGlyph, n-reserve))
	b.WriteString(m.level(r.Used).Render("▏"))
	return b.String()
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
	at := func(tokens int) int { return 1 + min(n-1, int(float64(tokens)/float64(m.scale())*float64(n))) }
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
	return pane.Tokens(tokens) + " · " + pane.Percent(tokens, m.content.Reading.Window.Tokens)
}

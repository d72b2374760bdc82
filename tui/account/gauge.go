package account

import (
	"strings"

	"plimsoll/compact/projection"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/pane"
)

// The gauge over the whole width, drawn as the small one is ([pane.Bar]). The
// lines are marked below it. Without a window it shows how what is used is made up.

// gauge is the numbers, the bar and the marks.
func (s *rows) gauge(width int) []string {
	r := &s.content.Reading
	left, note := s.content.numbers()
	style := s.level(r.Used)
	out := []string{style.Render(left)}
	if len(note) > 0 && ansi.StringWidth(left)+3+ansi.StringWidth(note) <= width {
		out[0] = pane.Between(style.Render(left), s.inks.muted.Render(note), width)
	}
	bar := s.bar(width)
	out = append(out, bar)
	if s.roomy {
		out = append(out, bar)
	}
	if r.Window.Known() {
		out = append(out, s.marks(width))
	}
	return out
}

// numbers are how full it is, and what the draft would make of that.
func (c *Content) numbers() (text, note string) {
	r := &c.Reading
	if !r.Window.Known() {
		return c.used() + " tokens, the window is unknown", c.draftNote()
	}
	text = c.used() + " of " + pane.Tokens(r.Window.Tokens) + " tokens · " + pane.Fullness(*r)
	return text, c.draftNote()
}

// used is the tokens that are used, with ~ if a part of them is estimated.
func (c *Content) used() string {
	if r := &c.Reading; r.Estimated {
		return pane.About(r.Used)
	}
	return pane.Tokens(c.Reading.Used)
}

func (c *Content) draftNote() string {
	r := &c.Reading
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
func (s *rows) level(tokens int) pane.Ink {
	return [...]pane.Ink{pane.Calm: s.inks.bar, pane.Loaded: s.inks.load, pane.Blocked: s.inks.hard}[pane.LevelOf(s.content.Reading, tokens)]
}

// bar is the gauge itself.
func (s *rows) bar(width int) string {
	r, n := s.content.Reading, width-2
	if n < 1 {
		return ""
	}
	end := s.inks.ends[pane.LevelOf(r, r.Used)]
	return end.Render("▕") + s.inks.gauge.Draw(s.inks.gauge.Cells(r, pane.Scale(r), n), end) + end.Render("▏")
}

// painted is cells of a category.
func (s *rows) painted(of projection.Segment, cells int) string {
	return s.inks.gauge.Run(int(of), cells)
}

// marks are where the lines are, with their names where there is room.
func (s *rows) marks(width int) string {
	r, n := &s.content.Reading, width-2
	if n < 1 || r.LoadLine == 0 {
		return ""
	}
	at := func(tokens int) int { return 1 + pane.CellOf(tokens, pane.Scale(*r), n) }
	load, hard := at(r.LoadLine), at(r.HardLine)
	name := "load line " + s.content.lineValue(r.LoadLine) + " "
	out := ""
	if w := ansi.StringWidth(name); w <= load {
		out = strings.Repeat(" ", load-w) + s.inks.muted.Render(name)
	} else {
		out = strings.Repeat(" ", load)
	}
	out += s.inks.load.Render(pane.LoadGlyph)
	if r.HardLine == 0 || hard <= load {
		return out
	}
	out += strings.Repeat(" ", hard-load-1) + s.inks.hard.Render(hardGlyph)
	if name = " hard line"; hard+1+ansi.StringWidth(name) <= width {
		out += s.inks.muted.Render(name)
	}
	return out
}

// lineValue is a line in tokens and as a share of the window.
func (c *Content) lineValue(tokens int) string {
	return pane.Tokens(tokens) + " · " + pane.Share(c.Reading, tokens)
}

package account

import (
	"strings"

	"plimsoll/compact/projection"

	"plimsoll/tui/pane"
)

// The legend: a line for each category. On narrow screens the bars go
// first, then the shares of the window, then those of what is used.

// Cells of the columns of the legend.
const (
	legendName   = 16
	legendTokens = 7
	legendUsed   = 9
	legendWindow = 11
	mostBar      = 90
	leastBar     = 8
)

// legend is which columns there is room for.
type legend struct {
	name, bar    int
	used, window bool
}

func (s *rows) legend(width int) legend {
	l := legend{name: max(4, min(legendName, width-legendTokens))}
	rest := width - l.name - legendTokens
	if l.used = rest >= legendUsed; l.used {
		rest -= legendUsed
	}
	if l.window = l.used && s.content.Reading.Window.Known() && rest >= legendWindow; l.window {
		rest -= legendWindow
	}
	if l.bar = min(rest-2, mostBar); l.bar < leastBar {
		l.bar = 0
	}
	return l
}

// legendColumns are the names of the columns, where they stand.
func (s *rows) legendColumns(width int) string {
	l := s.legend(width)
	out := strings.Repeat(" ", l.name)
	if l.bar > 0 {
		out += strings.Repeat(" ", l.bar+2)
	}
	return out + right("tokens", legendTokens) + s.shares(l, "of used", "of window")
}

func (s *rows) shares(l legend, used, window string) string {
	out := ""
	if l.used {
		out += right(used, legendUsed)
	}
	if l.window {
		out += right(window, legendWindow)
	}
	return out
}

// legendLine is a category.
func (s *rows) legendLine(of projection.Segment, width int) string {
	r, l := &s.content.Reading, s.legend(width)
	tokens, text := r.Segments[of], s.inks.text
	if tokens == 0 {
		text = s.inks.muted
	}
	out := s.painted(of, 1) + " " + text.Render(pane.Fit(segmentNames[of], l.name-2))
	if l.bar > 0 {
		out += s.inks.gauge.Length(of, tokens, s.most(), l.bar) + "  "
	}
	share := pane.Percent(tokens, r.Used)
	if of == projection.Draft {
		share = ""
	}
	out += text.Render(right(pane.About(tokens), legendTokens) + s.shares(l, share, pane.Percent(tokens, r.Window.Tokens)))
	return out
}

// most is the tokens of the heaviest category, which has the whole length of a bar: all bars have one scale.
func (s *rows) most() int {
	most := 0
	for _, n := range s.content.Reading.Segments {
		most = max(most, n)
	}
	return most
}

// freeLine is what is left of the window.
func (s *rows) freeLine(width int) string {
	r, l := &s.content.Reading, s.legend(width)
	out := pane.Fit("free", l.name-2)
	if l.bar > 0 {
		out += strings.Repeat(" ", l.bar+2)
	}
	value, share := "?", ""
	if r.Window.Known() {
		free := max(0, r.Window.Tokens-r.Used)
		value, share = pane.Tokens(free), pane.Percent(free, r.Window.Tokens)
		if r.Estimated {
			value = pane.About(free)
		}
	}
	return s.inks.free.Render(pane.FreeGlyph) + " " + s.inks.text.Render(out+right(value, legendTokens)+s.shares(l, "", share))
}

// segmentNames are the categories in words, by projection.Segment.
var segmentNames = [projection.Draft + 1]string{
	"system prompt", "tools", "note, summary", "your messages", "replies", "reasoning", "tool calls", "tool results", "stubs", "draft",
}

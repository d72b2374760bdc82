package gauge

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/meter"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// The line is a bar and, after it, the numbers. What does not fit is left out
// in a fixed order: the words "kept out", cost, cached share, after-send, what is kept out, numbers, the percentage of
// the load line, then the bar; how full the window is stays. Each number keeps the room
// of its longest form, so that the bar has the same length as long as the terminal
// has the same width. A text about the provider's cache replaces the cached share;
// where there is little room, it is shortened before it is left out.

const (
	minBar = 8  // cells that the bar keeps when numbers are left out,
	barOf  = 5  // or a fifth of the width if that is more
	tiny   = 3  // cells below which there is no bar
	roomy  = 50 // width from which numbers keep their room
)

// View draws the gauge for a reading: one line of at most width columns. A width
// below 1 counts as 1. The line is kept until the reading or the width changes.
func (m *Model) View(r meter.Reading, width int) string {
	cost := -1.0
	if r.CostUSD != nil {
		cost = max(*r.CostUSD, 0)
	}
	r.CostUSD = nil
	width = max(width, 1)
	if m.drawn && m.width == width && m.cost == cost && m.last == r {
		return m.line
	}
	m.drawn, m.last, m.cost, m.width = true, r, cost, width
	if r.Window.IsKnown() {
		m.line = m.drawLine(r, m.parts(r, cost), pane.Scale(r), width)
	} else {
		m.line = m.unknown(r, cost, width)
	}
	return m.line
}

// part is a piece of the line after the bar.
type part struct {
	text  string
	style lipgloss.Style
	room  int // columns kept for it, at least the width of text
	order int // the part with the highest order is left out first

	brief string // a shorter text to try before the part is left out, "" for none
}

// The orders of the number after sending and of a shortened part.
const (
	afterSendOrder = 4
	briefOrder     = 3
)

// cells returns how many columns a part takes.
func (p part) cells() int { return max(p.room, ansi.StringWidth(p.text)) }

// Pair draws the gauges of two readings of one conversation, to be shown one below the
// other: their bars have the same length and scale, and their numbers are aligned.
func (m *Model) Pair(a, b meter.Reading, width int) (string, string) {
	if !a.Window.IsKnown() || !b.Window.IsKnown() {
		return m.View(a, width), m.View(b, width)
	}
	a.CostUSD, b.CostUSD, width = nil, nil, max(width, 1)
	first, second := m.parts(a, -1), m.parts(b, -1)
	first, second = aligned(first, second), aligned(second, first)
	scale := max(pane.Scale(a), pane.Scale(b))
	return m.drawLine(a, first, scale, width), m.drawLine(b, second, scale, width)
}

// aligned returns parts in columns that are as wide as those of others need, too. A part that only others have
// becomes an empty column.
func aligned(parts, others []part) []part {
	of := func(list []part, order int) int {
		return slices.IndexFunc(list, func(p part) bool { return p.order == order })
	}
	out := slices.Clone(parts)
	for i, o := range others {
		if of(out, o.order) < 0 {
			out = slices.Insert(out, min(i, len(out)), part{order: o.order})
		}
	}
	for i := range out {
		wide := ansi.StringWidth(out[i].text)
		if at := of(others, out[i].order); at >= 0 {
			wide = max(wide, ansi.StringWidth(others[at].text))
		}
		out[i].text, out[i].room = pane.Fit(out[i].text, wide), 0
	}
	return out
}

// parts are the numbers of a reading with a known window. No two have the same order.
func (m *Model) parts(r meter.Reading, cost float64) []part {
	level := m.styles.Levels[pane.LevelOf(r, r.Used)]
	parts := []part{
		{text: " " + pane.Fullness(r), style: level, room: len(" ~99%")},
		{text: " " + tilde(r.Estimated) + pane.Tokens(r.Used) + "/" + pane.Tokens(r.Window.Tokens), style: m.styles.Number, order: 2,
			room: len(" ~99.9k/") + len(pane.Tokens(r.Window.Tokens))},
		m.afterSend(r),
	}
	if r.LoadLine > 0 {
		parts = append(parts, part{text: "  " + pane.LoadGlyph + pane.Share(r, r.LoadLine), style: level, order: 1})
	}
	return append(parts, m.details(r, cost)...)
}

// drawLine draws a bar that represents scale tokens, and the numbers after it.
func (m *Model) drawLine(r meter.Reading, parts []part, scale, width int) string {
	if width < roomy {
		for i := range parts {
			if parts[i].order != afterSendOrder {
				parts[i].room = 0
			}
		}
	}
	parts = shorten(parts, width-max(minBar, width/barOf)-2)
	cells := width - room(parts) - 2
	level := pane.LevelOf(r, r.Used)
	if cells < tiny {
		return m.styles.Levels[level].Render(smallest(pane.Fullness(r), width, block(r.Used, r.Window.Tokens)))
	}
	var b strings.Builder
	b.WriteString(m.ends[level][0] + m.bar.Draw(m.cells(r, scale, cells), m.lines[level]) + m.ends[level][1])
	for _, p := range parts {
		if n := p.cells(); n > 0 {
			b.WriteString(p.style.Render(pane.Fit(p.text, n)))
		}
	}
	return b.String()
}

// afterSend is the size of the next request with the draft. It is always an
// estimate: no provider has counted the draft.
func (m *Model) afterSend(r meter.Reading) part {
	const usual = len(" > ~64%")
	p := part{room: usual, order: afterSendOrder}
	if r.AfterSend > r.Used {
		p.text = " → ~" + pane.Share(r, r.AfterSend)
		p.style = m.styles.Levels[pane.LevelOf(r, r.AfterSend)]
	}
	return p
}

// details are the cost so far and the cached share, if known.
func (m *Model) details(r meter.Reading, cost float64) []part {
	parts := []part{{style: m.styles.Detail, order: 6, room: len("  $99.99")}, {style: m.styles.Detail, order: 5, room: len("  100% cached")}}
	if cost >= 0 {
		parts[0].text = "  " + pane.Dollars(cost)
	}
	if r.KeptOut > 0 {
		brief := "  ⊖ " + pane.Tokens(r.KeptOut)
		parts = append(parts, part{text: brief + " kept out", brief: brief, style: m.styles.Detail, order: 7})
	}
	switch {
	case m.cache != "":
		brief := strings.TrimPrefix(m.cache, "cache ")
		if i := strings.LastIndexByte(brief, ' '); i >= 0 {
			brief = "cold " + brief[i+1:]
		}
		parts[1].text, parts[1].brief = "  "+m.cache, "  "+brief
	case r.CachedShare >= 0:
		parts[1].text = "  " + numbers.Percent(r.CachedShare) + " cached"
	}
	return parts
}

// unknown draws the line for an unknown window: tokens, without percentages and bar.
func (m *Model) unknown(r meter.Reading, cost float64, width int) string {
	used := tilde(r.Estimated) + pane.Tokens(r.Used)
	parts := []part{{text: used + " tokens", style: m.styles.Number}}
	if r.AfterSend > r.Used {
		parts = append(parts, part{text: " → ~" + pane.Tokens(r.AfterSend), style: m.styles.Number, order: 4})
	}
	parts = append(parts, part{text: " · window unknown", style: m.styles.Detail, order: 2})
	parts = shorten(append(parts, m.details(r, cost)...), width)
	if room(parts) > width {
		return m.styles.Number.Render(smallest(used, width, "…"))
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.style.Render(p.text))
	}
	return b.String()
}

// shorten leaves parts out, highest order first, until the rest fits or only
// parts of order 0 remain.
func shorten(parts []part, width int) []part {
	for room(parts) > width {
		last := 0
		for i, p := range parts {
			if p.order > parts[last].order {
				last = i
			}
		}
		if parts[last].order == 0 {
			break
		}
		if brief := parts[last].brief; brief != "" {
			parts[last].text, parts[last].brief, parts[last].order, parts[last].room = brief, "", briefOrder, 0
			continue
		}
		parts = append(parts[:last], parts[last+1:]...)
	}
	return parts
}

// room returns the number of columns that the parts need.
func room(parts []part) int {
	n := 0
	for _, p := range parts {
		n += p.cells()
	}
	return n
}

// smallest shortens a number for very few columns: without ~, < and %. If not even
// its digits fit, it returns otherwise, which has one column.
func smallest(number string, width int, otherwise string) string {
	bare := strings.TrimLeft(number, "~<")
	for _, s := range []string{number, bare, strings.TrimRight(bare, "%")} {
		if len(s) <= width {
			return s
		}
	}
	return otherwise
}

// block returns a block character as high as the used share of the window.
func block(used, window int) string {
	blocks := []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	return blocks[min(len(blocks)-1, max(0, int(float64(used)/float64(window)*float64(len(blocks)))))]
}

func tilde(estimated bool) string {
	if estimated {
		return "~"
	}
	return ""
}

package gauge

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/meter"
	"plimsoll/tui/pane"
)

// The line is a bar and, after it, the numbers. What does not fit is left out
// in a fixed order: cost, cached share, after-send, numbers, the name of the
// load line, then the bar; the percentage stays. Room for every number is kept
// while it is shorter or not there, so that the bar has one width in one width of
// the terminal. While the provider's cache is cold that stands in place of the
// cached share; in little room it gets shorter and goes after the after-send
// number.

const (
	minBar = 8  // cells inside the bar below which a number gives way to it,
	barOf  = 5  // or this part of the width
	tiny   = 3  // cells inside the bar below which there is no bar
	roomy  = 50 // width from which on numbers keep their room
)

// View is the gauge for a reading: one line of at most width columns. A width
// below 1 counts as 1. An unchanged reading and width cost nothing.
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
	if r.Window.Known() {
		m.line = m.known(r, cost, width)
	} else {
		m.line = m.unknown(r, cost, width)
	}
	return m.line
}

// part is a piece of the line behind the bar.
type part struct {
	text  string
	style lipgloss.Style
	room  int // columns kept for it, at least the width of text
	order int // the part with the highest number is left out first

	brief string // that stands in its place before it is left out, "" for none
}

// When the number after sending goes, and when a part goes that has become brief.
const (
	afterSendOrder = 4
	briefOrder     = 3
)

// cells is how many columns a part has.
func (p part) cells() int { return max(p.room, ansi.StringWidth(p.text)) }

// known draws the line for a known window.
func (m *Model) known(r meter.Reading, cost float64, width int) string {
	return m.laid(r, m.parts(r, cost), pane.Scale(r), width)
}

// Pair is the gauge for two readings of one conversation, to be laid one below the
// other: their bars have one length and one scale, and their numbers stand below each
// other.
func (m *Model) Pair(a, b meter.Reading, width int) (string, string) {
	if !a.Window.Known() || !b.Window.Known() {
		return m.View(a, width), m.View(b, width)
	}
	a.CostUSD, b.CostUSD, width = nil, nil, max(width, 1)
	first, second := m.parts(a, -1), m.parts(b, -1)
	first, second = beside(first, second), beside(second, first)
	scale := max(pane.Scale(a), pane.Scale(b))
	return m.laid(a, first, scale, width), m.laid(b, second, scale, width)
}

// beside is parts in the columns that they share with others: each has the room that
// the other one needs, also where it has nothing to say.
func beside(parts, others []part) []part {
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

// parts are the numbers of a reading with a known window, each with an order of its own.
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

// laid is a bar that stands for scale tokens, and the numbers behind it.
func (m *Model) laid(r meter.Reading, parts []part, scale, width int) string {
	if width < roomy {
		for i := range parts {
			if parts[i].order != afterSendOrder {
				parts[i].room = 0
			}
		}
	}
	parts = shorten(parts, width-max(minBar, width/barOf)-2)
	cells := width - room(parts) - 2
	if cells < tiny {
		return m.styles.Levels[pane.LevelOf(r, r.Used)].Render(smallest(pane.Fullness(r), width, block(r.Used, r.Window.Tokens)))
	}
	var b strings.Builder
	b.WriteString(m.drawBar(r, scale, cells))
	for _, p := range parts {
		if n := p.cells(); n > 0 {
			b.WriteString(p.style.Render(pane.Fit(p.text, n)))
		}
	}
	return b.String()
}

// afterSend is what the next request would come to with the draft. It is
// always an estimate: nobody has counted the draft yet.
func (m *Model) afterSend(r meter.Reading) part {
	const usual = len(" > ~64%")
	p := part{room: usual, order: afterSendOrder}
	if r.AfterSend > r.Used {
		p.text = " → ~" + pane.Share(r, r.AfterSend)
		p.style = m.styles.Levels[pane.LevelOf(r, r.AfterSend)]
	}
	return p
}

// details are the cost so far and the cached share, where they are known.
func (m *Model) details(r meter.Reading, cost float64) []part {
	parts := []part{{style: m.styles.Detail, order: 6, room: len("  $99.99")}, {style: m.styles.Detail, order: 5, room: len("  100% cached")}}
	if cost >= 0 {
		parts[0].text = "  " + pane.Dollars(cost)
	}
	switch {
	case m.cache != "":
		brief := strings.TrimPrefix(m.cache, "cache ")
		if i := strings.LastIndexByte(brief, ' '); i >= 0 {
			brief = "cold " + brief[i+1:]
		}
		parts[1].text, parts[1].brief = "  "+m.cache, "  "+brief
	case r.CachedShare >= 0:
		parts[1].text = "  " + pane.Ratio(r.CachedShare) + " cached"
	}
	return parts
}

// unknown draws the line without a window: tokens, no ratio and no bar.
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
// parts of order 0 are left.
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

// room is the number of columns the parts need.
func room(parts []part) int {
	n := 0
	for _, p := range parts {
		n += p.cells()
	}
	return n
}

// smallest is a number for very few columns: without what can be spared, and
// one column of something else where even its digits do not fit.
func smallest(number string, width int, otherwise string) string {
	bare := strings.TrimLeft(number, "~<")
	for _, s := range []string{number, bare, strings.TrimRight(bare, "%")} {
		if len(s) <= width {
			return s
		}
	}
	return otherwise
}

// block is a column as high as the used share of the window.
func block(used, window int) string {
	blocks := []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	return blocks[min(len(blocks)-1, max(0, int(float64(used)/float64(window)*float64(len(blocks)))))]
}

// tilde marks an estimate.
func tilde(estimated bool) string {
	if estimated {
		return "~"
	}
	return ""
}

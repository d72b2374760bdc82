package gauge

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// The line is a bar, how full the window is, what comes next, and the cost at the right edge. The
// width of the bar depends only on the width of the line. Of what stands beside it, texts become
// shorter or are left out in a fixed order; how full the window is stays.

const (
	mostBeside = 76 // cells beside the bar, at most
	pairBeside = 32 // the same for two gauges that are compared: nothing comes next
	tiny       = 3  // cells below which there is no bar
)

// beside returns the cells beside the bar in a line of a width.
func beside(width int) int { return max(len(" 100%"), min(width*5/8, 24+width*3/8, mostBeside)) }

// View draws the gauge for a reading: one line of at most width columns. A width
// below 1 counts as 1.
func (m *Model) View(r meter.Reading, width int) string {
	width = max(width, 1)
	if !r.Window.IsKnown() {
		return m.unknown(r, width)
	}
	return m.drawLine(r, m.parts(r, m.next), pane.Scale(r), width, beside(width))
}

// part is a text beside the bar, in forms from the longest to the shortest.
type part struct {
	style lipgloss.Style
	forms []form // none: the part is left out
	right bool   // at the right edge
}

// form is a form of a part. Of all parts, the form with the highest order is given up first.
type form struct {
	text  string
	order int
}

func (p part) text() string {
	if len(p.forms) == 0 {
		return ""
	}
	return p.forms[0].text
}

// Pair draws the gauges of two readings of one conversation, to be shown one below the
// other: their bars have the same scale.
func (m *Model) Pair(a, b meter.Reading, width int) (string, string) {
	if !a.Window.IsKnown() || !b.Window.IsKnown() {
		return m.View(a, width), m.View(b, width)
	}
	a.CostUSD, b.CostUSD, width = nil, nil, max(width, 1)
	scale, beside := max(pane.Scale(a), pane.Scale(b)), min(beside(width), pairBeside)
	return m.drawLine(a, m.parts(a, nil), scale, width, beside), m.drawLine(b, m.parts(b, nil), scale, width, beside)
}

// parts are the texts for a reading with a known window.
func (m *Model) parts(r meter.Reading, next []string) []part {
	level := m.styles.Levels[pane.LevelOf(r, r.Used)]
	used, window := tilde(r.Estimated)+pane.Tokens(r.Used), pane.Tokens(r.Window.Tokens)
	sized := func(between string) string {
		return pane.Fit("  "+used+between+window, len("  ~99.9k")+len(between)+len(window))
	}
	parts := []part{
		{style: level, forms: []form{{pane.Fit(" "+pane.Fullness(r), len(" ~99%")), 0}}},
		{style: m.styles.Number, forms: []form{{sized(" of "), 8}, {sized("/"), 4}}},
	}
	if r.AfterSend > r.Used { // always an estimate: no provider has counted the draft
		style := m.styles.Levels[pane.LevelOf(r, r.AfterSend)]
		parts = append(parts, part{style: style, forms: []form{{" → ~" + pane.Share(r, r.AfterSend), 1}}})
	}
	return append(parts, m.details(r, next)...)
}

// details are what comes next, what is kept out of the window, and the cost so far.
func (m *Model) details(r meter.Reading, next []string) []part {
	phrase := part{style: m.styles.Number}
	for i, text := range next {
		order := 7
		switch len(next) - i {
		case 1:
			order = 2
		case 2:
			order = 5
		}
		phrase.forms = append(phrase.forms, form{"  " + text, order})
	}
	parts := []part{phrase}
	if r.KeptOut > 0 {
		brief := "  ⊖ " + pane.Tokens(r.KeptOut)
		parts = append(parts, part{style: m.styles.Detail, forms: []form{{brief + " kept out", 10}, {brief, 9}}})
	}
	if r.CostUSD != nil {
		parts = append(parts, part{style: m.styles.Detail, forms: []form{{"  " + pane.Dollars(max(*r.CostUSD, 0)), 6}}, right: true})
	}
	return parts
}

// drawLine draws a bar that represents scale tokens, and the texts after it.
func (m *Model) drawLine(r meter.Reading, parts []part, scale, width, beside int) string {
	cells := width - beside - 2
	level := pane.LevelOf(r, r.Used)
	if cells < tiny {
		return m.styles.Levels[level].Render(smallest(pane.Fullness(r), width, block(r.Used, r.Window.Tokens)))
	}
	bar := m.bar.Draw(m.cells(m.moving(r), scale, cells), m.lines[level])
	return m.ends[level][0] + bar + m.ends[level][1] + drawParts(parts, beside)
}

// drawParts draws parts in width cells, those at the right edge there.
func drawParts(parts []part, width int) string {
	for widthOf(parts) > width && shorten(parts) {
	}
	var b strings.Builder
	gap := width - widthOf(parts)
	for _, p := range parts {
		text := p.text()
		if p.right && text != "" {
			text = strings.Repeat(" ", gap) + text
		}
		if text != "" {
			b.WriteString(p.style.Render(text))
		}
	}
	return b.String()
}

// shorten gives up one form; false if nothing is left to give up.
func shorten(parts []part) bool {
	last, order := -1, 0
	for i, p := range parts {
		if len(p.forms) > 0 && p.forms[0].order > order {
			last, order = i, p.forms[0].order
		}
	}
	if last >= 0 {
		parts[last].forms = parts[last].forms[1:]
	}
	return last >= 0
}

func widthOf(parts []part) int {
	n := 0
	for _, p := range parts {
		n += ansi.StringWidth(p.text())
	}
	return n
}

// unknown draws the line for an unknown window: tokens, without percentages and bar.
func (m *Model) unknown(r meter.Reading, width int) string {
	used := tilde(r.Estimated) + pane.Tokens(r.Used)
	parts := []part{{style: m.styles.Number, forms: []form{{" " + used + " tokens", 0}}}} // in the column of a bar's first segment
	if r.AfterSend > r.Used {
		parts = append(parts, part{style: m.styles.Number, forms: []form{{" → ~" + pane.Tokens(r.AfterSend), 3}}})
	}
	parts = append(parts, part{style: m.styles.Detail, forms: []form{{" · window unknown", 1}}})
	parts = append(parts, m.details(r, m.next)...)
	if line := drawParts(parts, width); ansi.StringWidth(line) <= width {
		return line
	}
	return m.styles.Number.Render(smallest(used, width, "…"))
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

// names are the segments in the legend, by [projection.Segment].
var names = [projection.SegmentCount]string{
	"prompt", "tools", "summary", "you", "replies", "thinking", "calls", "results", "shortened", "draft",
}

// Legend draws a line of at most width columns that names the segments of the gauge, with their colors and sizes.
// The smallest are left out first.
func (m *Model) Legend(r meter.Reading, width int) string {
	type entry struct {
		cell, text string
		tokens     int // the entry with the fewest is left out first
	}
	var entries []entry
	for seg, tokens := range r.Segments {
		if tokens > 0 {
			entries = append(entries, entry{m.Cell(seg), names[seg] + " " + pane.Tokens(tokens), tokens})
		}
	}
	if r.Window.IsKnown() {
		entries = append(entries, entry{m.Cell(pane.CellFree), "free " + pane.Tokens(max(0, r.Window.Tokens-r.Used)), r.Window.Tokens})
	}
	if r.LoadLine > 0 {
		entries = append(entries, entry{m.Cell(pane.CellLine), "load line " + pane.Tokens(r.LoadLine), 2})
	}
	if r.Reserve > 0 {
		entries = append(entries, entry{m.Cell(pane.CellReserve), "kept for the reply", 1})
	}
	const gap = "  "
	total := func() int {
		n := -len(gap)
		for _, e := range entries {
			n += len("x ") + ansi.StringWidth(e.text) + len(gap)
		}
		return n
	}
	for len(entries) > 0 && total() > width {
		least := slices.MinFunc(entries, func(a, b entry) int { return cmp.Compare(a.tokens, b.tokens) })
		entries = slices.DeleteFunc(entries, func(e entry) bool { return e == least })
	}
	var parts []string
	for _, e := range entries {
		parts = append(parts, e.cell+" "+m.styles.Detail.Render(e.text))
	}
	return strings.Join(parts, gap)
}

// List draws a line of width columns for each segment, with its color, name, tokens, share of the window, and a bar; then what is
// free. The bars have the scale of the gauge.
func (m *Model) List(r meter.Reading, width int) []string {
	const name, tokens, share = 12, 7, 6
	var out []string
	add := func(cell, name, bar string, n int) {
		text := pane.Fit(name, 10) + pane.AlignRight(pane.Tokens(n), tokens) + pane.AlignRight(pane.Share(r, n), share) + "  "
		out = append(out, pane.Clip(cell+" "+m.styles.Detail.Render(text)+bar, width))
	}
	room := max(0, width-name-tokens-share-2)
	for seg, n := range r.Segments[:projection.Draft] {
		if n > 0 {
			add(m.Cell(seg), names[seg], m.bar.Length(projection.Segment(seg), n, pane.Scale(r), room), n)
		}
	}
	if r.Window.IsKnown() {
		add(m.Cell(pane.CellFree), "free", "", max(0, r.Window.Tokens-r.Used))
	}
	return out
}

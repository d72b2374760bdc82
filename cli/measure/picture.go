package measure

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"slices"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/preset"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/themes"
)

// The picture has a row for each policy, the cheapest first, with two bars: its cost, and the share of replies that lacked
// something that they used. Shorter bars are better. Lengths are in pixels.
const (
	pictureWidth = 760
	firstRow     = 112
	rowHeight    = 26
	nameLeft     = 24
	costLeft     = 150
	lostLeft     = 470
	barMost      = 210
	nameCells    = 15
)

// bars is a row of the picture, with the values of its bars.
type bars struct {
	name       string
	cost, lost float64 // NaN: unknown
	overflow   int
	ours       bool // drawn in the accent color
}

// WritePicture draws what each policy costs and loses, as SVG.
func (r Run) WritePicture(w io.Writer) error {
	var rows []bars
	for _, name := range r.Policies {
		f := r.Report.Totals[name]
		rows = append(rows, bars{plain.Line(string(name)), float64(f.CostWithDebtVsTruncate[r.Sheet]), 1 - float64(f.Served),
			f.Overflow, name == preset.Plimsoll || name == Configured})
	}
	slices.SortFunc(rows, func(a, b bars) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.lost, b.lost), cmp.Compare(a.name, b.name))
	})
	var mostCost, mostLost float64
	for _, row := range rows {
		mostCost, mostLost = larger(mostCost, row.cost), larger(mostLost, row.lost)
	}

	var b bytes.Buffer
	height := firstRow + len(rows)*rowHeight + 36
	subtitle := fmt.Sprintf("%s, %s, window %s tokens, prices %s", numbers.Count(r.Report.Corpus.Files, "conversation"),
		numbers.Count(r.Report.Corpus.Requests, "request"), numbers.Grouped(r.Report.Window), plain.Line(r.Sheet))
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-labelledby="title">`+"\n", pictureWidth, height)
	fmt.Fprintf(&b, "<style>\n%s</style>\n", style())
	fmt.Fprintf(&b, `<rect class="back" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>`+"\n", pictureWidth-1, height-1)
	fmt.Fprintf(&b, `<text id="title" class="title" x="%d" y="38">What compaction costs, and what it loses</text>`+"\n", nameLeft)
	text := func(class string, x, y int, text string) {
		fmt.Fprintf(&b, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, x, y, html.EscapeString(text))
	}
	text("quiet", nameLeft, 60, ansi.Truncate(subtitle, 100, "…"))
	text("quiet", costLeft, firstRow-20, "cost with lookups, if truncate costs 1")
	text("quiet", lostLeft, firstRow-20, "replies that lacked something")
	for i, row := range rows {
		y, class := firstRow+i*rowHeight, ""
		if row.ours {
			class = " ours"
		}
		if row.overflow > 0 {
			class += " hollow"
		}
		text("name"+class, nameLeft, y+4, ansi.Truncate(row.name, nameCells, "…"))
		bar := func(left int, value, most float64, format string) {
			label, width := "–", 0
			if known(value) {
				label, width = fmt.Sprintf(format, value), int(value/max(most, 1e-9)*barMost)
				fmt.Fprintf(&b, `<rect class="bar%s" x="%d" y="%d" width="%d" height="12"/>`+"\n", class, left, y-6, max(width, 1))
			}
			text("", left+width+8, y+4, label)
		}
		bar(costLeft, row.cost, mostCost, "%.3f")
		bar(lostLeft, 100*row.lost, 100*mostLost, "%.1f %%")
	}
	text("quiet", nameLeft, height-20, "Shorter is better. Hollow: some requests do not fit the window.")
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// known reports whether a value can be drawn.
func known(value float64) bool { return value >= 0 && !math.IsInf(value, 0) }

// larger is the larger of two values, a if b is unknown.
func larger(a, b float64) float64 {
	if known(b) {
		return max(a, b)
	}
	return a
}

// style is the CSS, with the colors of the light theme and, for dark pages, those of the dark theme.
func style() string {
	light, _ := themes.ByName(themes.PlimsollLight)
	dark, _ := themes.ByName(themes.PlimsollDark)
	colors := func(p themes.Palette) string {
		return fmt.Sprintf(".back{fill:%s;stroke:%s}\ntext{fill:%s}\n.quiet{fill:%s}\n.bar{fill:%[4]s;stroke:%[4]s}\n.name.ours{fill:%[5]s}\n.bar.ours{fill:%[5]s;stroke:%[5]s}\n.bar.hollow{fill:none}\n",
			p.Background, p.Rule, p.Text, p.Muted, p.Accent)
	}
	return "text{font-family:-apple-system,BlinkMacSystemFont,\"Segoe UI\",\"Noto Sans\",Helvetica,Arial,sans-serif;font-size:13px}\n" +
		".title{font-size:17px;font-weight:600}\n.back{stroke-opacity:.35}\n.bar{stroke-width:1.5px}\n" +
		colors(light.Palette) + "@media (prefers-color-scheme:dark){\n" + colors(dark.Palette) + "}\n"
}

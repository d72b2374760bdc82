package plot_test

import (
	"fmt"
	"math"
	"strings"

	"pgregory.net/rapid"

	"plimsoll/cli/plot"
)

// sample is a chart as replay makes it.
func sample() plot.Chart {
	return plot.Chart{
		Title:    "What compaction costs, and what it keeps",
		Subtitle: "42 conversations, window of 128k tokens, prices of anthropic-5m",
		XLabel:   "cost, against dropping the oldest messages", YLabel: "content that is still in view",
		Points: []plot.Point{
			{Name: "plimsoll", Cost: 0.92, Kept: 0.944, Emphasis: true, Front: true},
			{Name: "jp", Cost: 0.75, Kept: 0.80, Overflow: 12},
			{Name: "jp-heavy", Cost: 0.6, Kept: 0.62, Overflow: 3},
			{Name: "jp-auto", Cost: 1.05, Kept: 0.93, Overflow: 120},
			{Name: "adachsoft", Cost: 1.14, Kept: 0.99, Overflow: 300},
			{Name: "oneclaw", Cost: 0.98, Kept: 0.93, Overflow: 20},
			{Name: "jcli", Cost: 0.85, Kept: 0.66, Overflow: 9},
			{Name: "raw", Cost: 2.15, Kept: 1, Overflow: 830},
			{Name: "truncate", Cost: 1, Kept: 0.97, Front: true},
		},
	}
}

// with is the sample with other points.
func with(points ...plot.Point) plot.Chart {
	c := sample()
	c.Points = points
	return c
}

// hostileNames are names that a terminal or an XML reader would act on, or that
// are awkward to lay out.
var hostileNames = []string{
	"<script>alert(1)</script>", `a&b"'`, "]]>", "x\x1b[31mred", "evil\u202etxt", "nul\x00\xff", "two\nlines\r\n", "", "   ",
	"日本語の名前です", "👨‍👩‍👧 family", strings.Repeat("a very long name ", 20), strings.Repeat("W", 500), "e" + strings.Repeat("\u0301", 40),
	"%s%d%!", "--><!--", "&#0;", "\ufffe", "مرحبا",
}

// charts are charts of every kind, by name.
func charts() map[string]plot.Chart {
	all := map[string]plot.Chart{
		"sample": sample(),
		"empty":  {},
		"none":   with(),
		"one":    with(plot.Point{Name: "only", Cost: 0.92, Kept: 0.9}),
		"bare":   {Points: []plot.Point{{Name: "only", Cost: 0.92, Kept: 0.9, Emphasis: true, Overflow: 2}}},
		"equal": with(plot.Point{Name: "first", Cost: 0.92, Kept: 0.9, Emphasis: true},
			plot.Point{Name: "second", Cost: 0.92, Kept: 0.9, Overflow: 3}),
		"corners": with(plot.Point{Name: "free", Cost: 0.001, Kept: 0, Front: true}, plot.Point{Name: "all", Cost: 1e6, Kept: 1, Front: true}),
		"odd": with(plot.Point{Name: "a", Cost: math.NaN(), Kept: 0.5}, plot.Point{Name: "b", Cost: 1, Kept: math.NaN()},
			plot.Point{Name: "c", Cost: math.Inf(1), Kept: 0.5}, plot.Point{Name: "d", Cost: math.Inf(-1), Kept: math.Inf(1)},
			plot.Point{Name: "e", Cost: -1, Kept: 0.5}, plot.Point{Name: "f", Cost: 1, Kept: 1.5}, plot.Point{Name: "g", Kept: 0.5}),
	}
	beyond := sample()
	beyond.Points = append(beyond.Points, plot.Point{Name: "outlier", Cost: 10, Kept: 0.9, Overflow: 4})
	all["beyond"] = beyond

	twenty, long, hostile, pile := with(), with(), with(), with()
	for i := range 20 {
		p := plot.Point{Cost: 0.8 + float64(i*7%20)*0.03, Kept: 0.85 + float64(i*13%20)*0.007, Overflow: i % 3, Emphasis: i == 4, Front: i%5 == 0}
		p.Name = fmt.Sprintf("policy-%d", i)
		twenty.Points = append(twenty.Points, p)
		p.Name = strings.Repeat("a very long name ", 3) + p.Name
		long.Points = append(long.Points, p)
		p.Name = hostileNames[i%len(hostileNames)]
		hostile.Points = append(hostile.Points, p)
	}
	hostile.Title, hostile.Subtitle, hostile.XLabel, hostile.YLabel = hostileNames[0]+hostileNames[3], hostileNames[11], hostileNames[12], hostileNames[4]
	for i := range 100 {
		pile.Points = append(pile.Points, plot.Point{Name: fmt.Sprintf("p%d", i), Cost: 1, Kept: 0.9})
	}
	all["twenty"], all["long"], all["hostile"], all["pile"] = twenty, long, hostile, pile
	return all
}

// anyChart draws charts of up to 24 points, some of them hostile.
func anyChart(t *rapid.T) plot.Chart {
	text := rapid.OneOf(rapid.SampledFrom(hostileNames), rapid.String(), rapid.StringMatching(`[a-z-]{1,12}`))
	number := func(low, high float64) *rapid.Generator[float64] {
		return rapid.Custom(func(t *rapid.T) float64 {
			if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
				return rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 1, 10, 1e-9, 1e300, math.MaxFloat64}).Draw(t, "number")
			}
			return rapid.Float64Range(low, high).Draw(t, "number")
		})
	}
	cost, share := number(0.3, 2.5), number(0.2, 1)
	return plot.Chart{
		Title: text.Draw(t, "title"), Subtitle: text.Draw(t, "subtitle"), XLabel: text.Draw(t, "x"), YLabel: text.Draw(t, "y"),
		Points: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plot.Point {
			return plot.Point{
				Name: text.Draw(t, "name"), Cost: cost.Draw(t, "cost"), Kept: share.Draw(t, "in view"),
				Front: rapid.Bool().Draw(t, "front"), Emphasis: rapid.Bool().Draw(t, "emphasis"), Overflow: rapid.IntRange(-1, 3).Draw(t, "overflow"),
			}
		}), 0, 24).Draw(t, "points"),
	}
}

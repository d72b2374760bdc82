package gauge_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/tui/gauge"
	"plimsoll/tui/pane"
)

// styles uses the sixteen colors of the terminal.
func styles() gauge.Styles {
	color := func(c int) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(c)) }
	var s gauge.Styles
	for i := range s.Segments {
		s.Segments[i] = color(i)
	}
	s.Levels = [3]lipgloss.Style{lipgloss.NewStyle(), color(3).Bold(true), color(1).Bold(true)}
	s.Glyphs, s.Free, s.Reserve, s.Detail = pane.Patterns(), color(8), color(8), color(8)
	return s
}

func usd(v float64) *float64 { return &v }

// reading is 61 % of 128k, and a draft.
func reading() meter.Reading {
	r := meter.Reading{
		Window: meter.Window{Tokens: 128_000, Source: meter.WindowServer},
		Used:   78_100, AfterSend: 82_000, LoadLine: 108_800, HardLine: 120_000, Reserve: 8_000,
		CachedShare: 0.92, CostUSD: usd(0.42),
	}
	copy(r.Segments[:], []int{4_000, 6_100, 3_000, 9_000, 16_000, 5_000, 3_000, 29_000, 3_000, 3_900})
	return r
}

func with(change func(*meter.Reading)) meter.Reading {
	r := reading()
	change(&r)
	return r
}

func view(r meter.Reading, width int) string {
	return ansi.Strip(gauge.New(styles()).View(r, width))
}

func TestGaugeAtWidths(t *testing.T) {
	t.Parallel()
	readings := []struct {
		name string
		r    meter.Reading
	}{
		{"with a draft", reading()},
		{"without a draft", with(func(r *meter.Reading) { r.AfterSend = r.Used })},
		{"estimated", with(func(r *meter.Reading) { r.Estimated = true })},
		{"at the load line", with(func(r *meter.Reading) { r.Used, r.AfterSend = 108_800, 109_000 })},
		{"at the hard line", with(func(r *meter.Reading) { r.Used, r.AfterSend = 120_000, 120_000 })},
		{"overfull", with(func(r *meter.Reading) { r.Used, r.AfterSend = 145_000, 145_400 })},
		{"empty", meter.Reading{Window: meter.Window{Tokens: 8192}, LoadLine: 6963, HardLine: 7372, Reserve: 1024, CachedShare: -1}},
		{"free of charge", with(func(r *meter.Reading) { r.CostUSD = usd(0); r.CachedShare = 0 })},
		{"tools looked up", with(func(r *meter.Reading) { r.KeptOut = 84_000 })},
		{"unknown window", meter.Reading{Used: 12_300, Estimated: true, AfterSend: 12_900, CachedShare: 0.5, CostUSD: usd(0.004)}},
	}
	var b strings.Builder
	for _, c := range readings {
		fmt.Fprintf(&b, "%s\n", c.name)
		for _, w := range []int{120, 80, 60, 40, 30, 20, 10, 5, 3, 1} {
			fmt.Fprintf(&b, "%4d %s|\n", w, view(c.r, w))
		}
	}
	golden.RequireEqual(t, b.String())
}

func TestGaugeIsOneLineThatFitsAtEveryWidth(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	m := gauge.New(styles())
	for range 25 {
		r := meter.Reading{
			Used: rng.IntN(300_000), Estimated: rng.IntN(2) == 0, CachedShare: rng.Float64()*2 - 1,
		}
		if rng.IntN(5) > 0 {
			r.Window.Tokens = 1 + rng.IntN(1_500_000)
			r.LoadLine, r.HardLine = r.Window.Tokens*85/100, r.Window.Tokens*92/100
			r.Reserve = rng.IntN(r.Window.Tokens)
		}
		r.AfterSend = r.Used + rng.IntN(3)*rng.IntN(50_000)
		for i := range r.Segments {
			r.Segments[i] = rng.IntN(4) * rng.IntN(40_000)
		}
		if rng.IntN(2) == 0 {
			r.CostUSD = usd(rng.Float64() * 2000)
		}
		for w := 1; w <= 250; w++ {
			line := m.View(r, w)
			if got := ansi.StringWidth(line); got > w || got < 1 || strings.ContainsAny(line, "\n\r") {
				t.Fatalf("width %d: %d columns: %q for %+v", w, got, line, r)
			}
			if w >= 20 && r.Window.IsKnown() && !strings.Contains(line, "%") {
				t.Fatalf("width %d: no percentage in %q", w, line)
			}
		}
	}
}

// What stands beside the bar never changes its width, and what comes next is said in a form that fits.
func TestTheBarHasOneWidthWhateverStandsBesideIt(t *testing.T) {
	t.Parallel()
	forms := [][]string{nil, {"cache cold"}, {"over the window"}, {"compacts in ~2 turns", "▲ in ~2 turns"},
		{"compacts after this reply: turns 1–4 → ~9k", "compacts next: turns 1–4 → ~9k", "compacts after this reply", "compacts next"}}
	readings := []meter.Reading{reading(), with(func(r *meter.Reading) { r.AfterSend, r.CostUSD, r.KeptOut = r.Used, nil, 84_000 }),
		with(func(r *meter.Reading) { r.Used, r.AfterSend, r.Estimated = 900, 900, true })}
	for width := 40; width <= 240; width++ {
		bars, m := map[int]bool{}, gauge.New(styles())
		for _, r := range readings {
			for _, next := range forms {
				m.SetNext(next)
				line := ansi.Strip(m.View(r, width))
				before, _, _ := strings.Cut(line, "▏")
				bars[ansi.StringWidth(before)] = true
				if ansi.StringWidth(line) > width || next != nil && r.AfterSend == r.Used && !slices.ContainsFunc(next, func(form string) bool { return strings.Contains(line, form) }) {
					t.Fatalf("width %d, %q: %q", width, next, line)
				}
			}
		}
		if len(bars) != 1 {
			t.Fatalf("width %d: the bar has %d widths", width, len(bars))
		}
	}
	m := gauge.New(styles())
	m.SetNext(forms[4])
	for width, want := range map[int]string{116: " 61%   78.1k/128k  → ~64%  compacts next: turns 1–4 → ~9k", 196: "compacts after this reply: turns 1–4 → ~9k  "} {
		if line := ansi.Strip(m.View(reading(), width)); !strings.Contains(line, want) || !strings.HasSuffix(line, "$0.42") {
			t.Errorf("width %d: %q", width, line)
		}
	}
}

// The legend names the segments with their sizes; where there is little room the largest.
func TestTheLegendNamesTheSegments(t *testing.T) {
	t.Parallel()
	m := gauge.New(styles())
	for width, want := range map[int]string{
		200: "█ prompt 4k  ▓ tools 6.1k  ▞ summary 3k  ▌ you 9k  ▒ replies 16k  ░ thinking 5k  ▚ calls 3k  ▙ results 29k  ▂ shortened 3k  · draft 3.9k  ┄ free 49.9k  ▲ load line 109k  ╱ kept for the reply",
		40:  "▙ results 29k  ┄ free 49.9k",
	} {
		if got := ansi.Strip(m.Legend(reading(), width)); got != want {
			t.Errorf("width %d: %q", width, got)
		}
	}
}

// What a summary that is being written will replace is hatched in place, and the bar moves to its new length
// in steps when the compaction lands, while the numbers are right at once.
func TestACompactionIsSeenInTheBar(t *testing.T) {
	t.Parallel()
	m, r := gauge.New(styles()), reading()
	var going gauge.Tokens
	going[projection.Results], going[projection.Assistant] = 29_000, 8_000
	m.SetGoing(going)
	line := ansi.Strip(m.View(r, 196))
	hatched, results := strings.Count(line, pane.HatchGlyph), strings.Count(line, "▙")
	if hatched == 0 || results != 0 || !strings.Contains(line, "▒") {
		t.Errorf("%d cells are hatched, %d of the results are not: %q", hatched, results, line)
	}
	over := with(func(r *meter.Reading) { r.Window.Tokens = 60_000 }) // the end of the window stands among the cells
	for width := 1; width <= 200; width++ {
		if line := ansi.Strip(m.View(over, width)); width == 200 && (!strings.Contains(line, pane.EndGlyph) || !strings.Contains(line, pane.HatchGlyph)) {
			t.Errorf("over the window: %q", line)
		}
	}
	m.SetGoing(gauge.Tokens{})
	after := with(func(r *meter.Reading) {
		r.Segments[projection.Results], r.Segments[projection.Summary] = 0, 5_000
		r.Used, r.AfterSend = 51_100, 51_100
	})
	free := func() int { return strings.Count(ansi.Strip(m.View(after, 196)), pane.FreeGlyph) }
	arrived := free()
	m.Shrink(r)
	last, steps := free(), 0
	for more := true; more; steps++ {
		if line := ansi.Strip(m.View(after, 196)); !strings.Contains(line, "51.1k of 128k") {
			t.Fatalf("the numbers move, too: %q", line)
		}
		more = m.Step()
		if now := free(); now < last {
			t.Fatalf("step %d: %d free cells, %d before", steps, now, last)
		} else {
			last = now
		}
	}
	if steps != gauge.Steps || last != arrived {
		t.Errorf("after %d steps %d cells are free, want %d", steps, last, arrived)
	}
}

// Above the hard line and over the window the user needs to see what fills it: categories
// keep their colors, and only numbers, ▲ and the ends change.
func TestCategoriesKeepTheirColours(t *testing.T) {
	t.Parallel()
	styles := styles()
	for _, used := range []int{60_000, 119_999, 120_000, 400_000, 2_900_000} {
		r := meter.Reading{Window: meter.Window{Tokens: 128_000}, Used: used, AfterSend: used, LoadLine: 108_800, HardLine: 120_000, CachedShare: -1}
		r.Segments[projection.Tools], r.Segments[projection.User], r.Segments[projection.Results] = used/5, used/5, used-used/5*2
		line := gauge.New(styles).View(r, 90)
		for segment, glyph := range styles.Glyphs {
			before, _, _ := strings.Cut(styles.Segments[segment].Render(glyph), glyph)
			if seen := strings.Contains(line, before+glyph); seen != (r.Segments[segment] > 0) {
				t.Errorf("at %d tokens %s is drawn in its colour: %v, in %q", used, projection.Segment(segment), seen, line)
			}
		}
		level := styles.Levels[pane.LevelOf(r, used)]
		for _, what := range []string{"▕", "▏", "▲"} {
			if !strings.Contains(line, level.Render(what)) {
				t.Errorf("at %d tokens %s is not drawn as the numbers are: %q", used, what, line)
			}
		}
		line = gauge.New(styles).View(r, 40)
		if marked := strings.Contains(ansi.Strip(line), "┃"); marked != (used > 128_000) {
			t.Errorf("at %d tokens the end of the window is marked: %v", used, marked)
		}
	}
}

// Two gauges for comparison have one scale: equal numbers of tokens take equal numbers of cells, whatever the width of the
// numbers after the bar.
func TestAPairHasOneScale(t *testing.T) {
	t.Parallel()
	readings := []meter.Reading{
		reading(), with(func(r *meter.Reading) { r.CachedShare = -1 }), with(func(r *meter.Reading) { r.AfterSend = r.Used }),
		with(func(r *meter.Reading) { r.LoadLine = 0 }), with(func(r *meter.Reading) { r.Used, r.AfterSend, r.Estimated = 9_000, 9_000, true }),
		with(func(r *meter.Reading) { r.Used, r.AfterSend = 345_000, 345_400 }),
	}
	m := gauge.New(styles())
	ends := func(line string) [2]int {
		before, rest, drawn := strings.Cut(ansi.Strip(line), "▕")
		if !drawn {
			return [2]int{-1, -1}
		}
		bar, _, _ := strings.Cut(rest, "▏")
		return [2]int{ansi.StringWidth(before), ansi.StringWidth(bar)}
	}
	for i, a := range readings {
		for j, b := range readings {
			for w := 1; w <= 200; w++ {
				first, second := m.Pair(a, b, w)
				if ends(first) != ends(second) || ansi.StringWidth(first) > w || ansi.StringWidth(second) > w {
					t.Fatalf("%d and %d in %d cells:\n%s|\n%s|", i, j, w, ansi.Strip(first), ansi.Strip(second))
				}
			}
			if a.LoadLine == b.LoadLine && a.LoadLine > 0 {
				first, second := m.Pair(a, b, 120)
				x, y := ansi.Strip(first), ansi.Strip(second)
				if strings.Count(x[:strings.Index(x, "▲")], "") != strings.Count(y[:strings.Index(y, "▲")], "") {
					t.Errorf("%d and %d have the load line at different cells:\n%s\n%s", i, j, x, y)
				}
			}
		}
	}
}

func TestEverySegmentOverHalfACellIsSeen(t *testing.T) {
	t.Parallel()
	r := meter.Reading{Window: meter.Window{Tokens: 1000}, Used: 1000, CachedShare: -1}
	for i := range projection.Draft {
		r.Segments[i] = 60
	}
	r.Segments[projection.Results] = 520
	// Of 32 columns the bar has 10: each of the eight small segments takes 0.6 of a cell.
	line := view(r, 32)
	for segment, glyph := range pane.Patterns() {
		if of := projection.Segment(segment); of != projection.Draft && !strings.Contains(line, glyph) {
			t.Errorf("%s (%s) is not in %q", of, glyph, line)
		}
	}
}

// Budget: 50 us for a changed reading.
func BenchmarkChangedReading(b *testing.B) {
	m := gauge.New(styles())
	r := reading()
	for i := 0; b.Loop(); i++ {
		r.AfterSend = 82_000 + i%2000
		m.View(r, 120)
	}
}

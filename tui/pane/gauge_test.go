package pane_test

import (
	"math/rand/v2"
	"testing"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

func someReading(rng *rand.Rand) meter.Reading {
	r := meter.Reading{Window: meter.Window{Tokens: 1 + rng.IntN(200_000)}}
	for i := range projection.Draft {
		r.Segments[i] = rng.IntN(3) * rng.IntN(30_000)
		r.Used += r.Segments[i]
	}
	r.Segments[projection.Draft] = rng.IntN(2) * rng.IntN(50_000)
	r.AfterSend = r.Used + r.Segments[projection.Draft]
	r.LoadLine, r.HardLine, r.Reserve = r.Window.Tokens*85/100, r.Window.Tokens*95/100, r.Window.Tokens/8
	return r
}

func TestABarIsTrueToScale(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		r, n := someReading(rng), 10+rng.IntN(150)
		scale := pane.Scale(r)
		filled, ends, categories := 0, 0, map[int]bool{}
		for _, kind := range pane.Cells(r, scale, n) {
			switch {
			case kind == pane.CellEnd:
				filled++
				ends++
			case kind < int(projection.Draft):
				filled++
				categories[kind] = true
			}
		}
		if want := float64(r.Used) / float64(scale) * float64(n); float64(filled) < want-1.6 || float64(filled) > want+1.6 {
			t.Fatalf("%d of %d cells are filled, for %d tokens on a scale of %d", filled, n, r.Used, scale)
		}
		if over := r.AfterSend > r.Window.Tokens; over != (ends == 1) {
			t.Fatalf("%d marks for the end of a window of %d, with %d after sending", ends, r.Window.Tokens, r.AfterSend)
		}
		if r.Used > 3*r.Window.Tokens && len(categories) == 0 {
			t.Fatalf("nothing tells what fills %+v", r)
		}
	}
}

func TestSharesOfTheWindow(t *testing.T) {
	t.Parallel()
	r := meter.Reading{Window: meter.Window{Tokens: 128_000}, LoadLine: 108_800, HardLine: 121_600}
	for tokens, want := range map[int]string{0: "0%", 1: "<1%", 1280: "1%", 108_799: "84%", 108_800: "85%", 128_001: "101%", 2_926_720: "2287%"} {
		if got := pane.Share(r, tokens); got != want {
			t.Errorf("%d tokens are %q, want %q", tokens, got, want)
		}
	}
	if got := pane.Share(meter.Reading{}, 5); got != "" {
		t.Errorf("a share of an unknown window is %q", got)
	}
}

func TestLevelsChangeOnlyAtTheLines(t *testing.T) {
	t.Parallel()
	r := meter.Reading{Window: meter.Window{Tokens: 128_000}, LoadLine: 108_800, HardLine: 120_000}
	for _, c := range []struct {
		used int
		want pane.Level
	}{
		{0, pane.Normal}, {64_000, pane.Normal}, {108_799, pane.Normal}, {108_800, pane.Loaded}, {119_999, pane.Loaded},
		{120_000, pane.Blocked}, {128_001, pane.Blocked},
	} {
		if got := pane.LevelOf(r, c.used); got != c.want {
			t.Errorf("level of %d tokens = %d, want %d", c.used, got, c.want)
		}
	}
	noLines := meter.Reading{Window: meter.Window{Tokens: 100}}
	if got := pane.LevelOf(noLines, 101); got != pane.Blocked {
		t.Errorf("over the window without lines: level %d", got)
	}
	if got := pane.LevelOf(meter.Reading{LoadLine: 5}, 10); got != pane.Normal {
		t.Errorf("unknown window: level %d", got)
	}
}

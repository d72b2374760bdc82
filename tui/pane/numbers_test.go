package pane_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

func TestNumbersAreShort(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		0: "0", 7: "7", 999: "999", 1000: "1k", 1249: "1.2k", 78_100: "78.1k", 99_949: "99.9k", 99_950: "100k", 128_000: "128k",
		999_499: "999k", 999_500: "1M", 1_050_000: "1.05M", 123_000_000: "123M", -1249: "-1.2k", math.MinInt: "-9223372036855M",
	} {
		if got := pane.Tokens(n); got != want {
			t.Errorf("Tokens(%d) = %q, want %q", n, got, want)
		}
	}
	for usd, want := range map[float64]string{0: "$0.00", 0.001: "<$0.01", 0.42: "$0.42", 12.345: "$12.35", 1234.5: "$1234", -0.5: "-$0.50"} {
		if got := pane.Dollars(usd); got != want {
			t.Errorf("Dollars(%v) = %q, want %q", usd, got, want)
		}
	}
	for parts, want := range map[[2]int]string{{0, 10}: "0%", {1, 1000}: "<1%", {1, 8}: "13%", {10, 10}: "100%", {3, 0}: "", {15, 10}: "150%"} {
		if got := pane.Percent(parts[0], parts[1]); got != want {
			t.Errorf("Percent(%v) = %q, want %q", parts, got, want)
		}
	}
	for share, want := range map[float64]string{0: "0%", 0.0049: "<1%", 0.005: "1%", 0.9845: "98%", 1: "100%"} {
		if got := numbers.Percent(share); got != want {
			t.Errorf("Ratio(%v) = %q, want %q", share, got, want)
		}
	}
	if got := pane.About(0) + pane.About(1500); got != "0~1.5k" {
		t.Errorf("estimates are written %q", got)
	}
}

func TestReasonsCountTurnsFromOne(t *testing.T) {
	t.Parallel()
	for why, want := range map[string]string{
		"turns 0–2, 4 messages evicted, note": "turns 1–3, 4 messages replaced", "summarized: turn 0": "summarized: turn 1",
		"evicted; a note stands for turns 0–9, with a summary of turn 4": "evicted; a note stands for turns 1–10, with a summary of turn 5",
		"stands for turns 0–6, with a summary of turns 0–1, turns 2–3":   "stands for turns 1–7, with a summary of turns 1–2, turns 3–4",
		"turn 0, evicted, note, focus: the summary of turn 3, masked":    "turn 1, replaced, focus: the summary of turn 3, masked",
		"asked for: turn 3 is long":                                      "asked for: turn 3 is long",
	} {
		if got := pane.Reason(why); got != want {
			t.Errorf("%q is shown as %q, want %q", why, got, want)
		}
	}
}

func TestAllCellsAreAllotted(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]int{5, 3, 2, 0}, pane.Allot([]int{50, 30, 15, -4}, 10)); diff != "" {
		t.Error(diff)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		amounts, n := make([]int, 1+rng.IntN(10)), rng.IntN(200)
		sum := 0
		for i := range amounts {
			amounts[i] = rng.IntN(3) * rng.IntN(50_000)
			sum += amounts[i]
		}
		got := 0
		for i, c := range pane.Allot(amounts, n) {
			got += c
			if quota := float64(amounts[i]) / float64(max(sum, 1)) * float64(n); sum > 0 && math.Abs(float64(c)-quota) >= 1 {
				t.Fatalf("%v on %d cells: %d of them to %d", amounts, n, c, amounts[i])
			}
		}
		if got != n {
			t.Fatalf("%v: %d cells of %d are allotted", amounts, got, n)
		}
	}
}

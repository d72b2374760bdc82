package numbers_test

import (
	"math"
	"testing"

	"plimsoll/conversation/numbers"
)

func TestGroupedPutsCommasBetweenThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 81_114: "81,114", 999_999: "999,999", 1_000_000: "1,000,000",
		-1: "-1", -999: "-999", -1000: "-1,000", -123_456: "-123,456",
		math.MaxInt: "9,223,372,036,854,775,807", math.MinInt: "-9,223,372,036,854,775,808",
	} {
		if got := numbers.Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestCountTakesTheSingularForOneAlone(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files", -1: "-1 files", 1234: "1,234 files"} {
		if got := numbers.Count(n, "file"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestTurnsNamesOneOrARange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to int
		want     string
	}{{3, 3, "turn 3"}, {1, 7, "turns 1–7"}, {4, 2, "turn 4"}} {
		if got := numbers.Turns(c.from, c.to); got != c.want {
			t.Errorf("Turns(%d, %d) = %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

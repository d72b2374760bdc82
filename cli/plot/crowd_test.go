package plot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDiscsTouchNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) dot {
			return dot{rapid.IntRange(plotLeft, plotRight).Draw(t, "x"), rapid.IntRange(plotTop, plotTop+plotHeight).Draw(t, "y")}
		}), 0, 70).Draw(t, "points")
		of := map[int]int{}
		for n, crowd := range crowdsOf(points) {
			for _, i := range crowd {
				if _, twice := of[i]; twice {
					t.Fatalf("point %d is in two crowds", i)
				}
				of[i] = n
			}
		}
		for i, a := range points {
			n, ok := of[i]
			if !ok {
				t.Fatalf("point %d is in no crowd", i)
			}
			for k, b := range points[:i] {
				if of[k] != n && a.distance(b) < 2*discRadius {
					t.Fatalf("points %d and %d are %v apart, and not in one crowd", k, i, a.distance(b))
				}
			}
		}
	})
}

func TestACrowdHasItsNumbersTogether(t *testing.T) {
	t.Parallel()
	chain := []dot{{100, 200}, {200, 200}, {300, 200}, {215, 200}, {230, 200}, {300, 200}, {300, 200}}
	if diff := cmp.Diff([][]int{{0}, {1, 3, 4}, {2, 5, 6}}, crowdsOf(chain)); diff != "" {
		t.Errorf("crowds (-want +got):\n%s", diff)
	}
	for want, points := range map[string][]int{"1": {0}, "2, 4, 5": {1, 3, 4}, "3, 6–8": {2, 5, 6, 7}, "1–3, 9": {0, 1, 2, 8}} {
		if got := ranges(points); got != want {
			t.Errorf("%v are numbered %q, want %q", points, got, want)
		}
	}
}

func TestAPileOfAsManyAsReplayTakesKeepsItsNumbers(t *testing.T) {
	t.Parallel()
	points := make([]dot, 70)
	for i := range points {
		points[i] = dot{268, 237}
	}
	if crowds := crowdsOf(points); len(crowds) != 1 || ranges(crowds[0]) != "1–70" {
		t.Errorf("a pile is %v", crowds)
	}
}

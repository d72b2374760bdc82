package plot

import (
	"testing"

	"pgregory.net/rapid"
)

var testRoom = box{plotLeft, plotTop, plotRight, plotTop + plotHeight}

func TestDiscsTouchNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) dot {
			return dot{rapid.IntRange(testRoom.x0+inset, testRoom.x1-inset).Draw(t, "x"), rapid.IntRange(testRoom.y0+inset, testRoom.y1-inset).Draw(t, "y")}
		}), 0, 70).Draw(t, "points")
		places := discs(points, testRoom)
		for i, a := range places {
			if a == nil {
				continue
			}
			if !testRoom.holds(*a) {
				t.Fatalf("disc %d at %v leaves the room", i, *a)
			}
			for k, b := range places {
				if k != i && b != nil && a.away(*b) < 2*discRadius {
					t.Fatalf("discs %d and %d lie on each other", i, k)
				}
				if points[k] != *a && a.away(points[k]) < discRadius+dotRadius {
					t.Fatalf("disc %d lies on point %d", i, k)
				}
			}
		}
	})
}

func TestAPointAloneIsADiscAndACrowdHasThemBeside(t *testing.T) {
	t.Parallel()
	points := []dot{{100, 200}, {200, 200}, {205, 200}, {300, 200}, {300, 200}, {300, 200}}
	places := discs(points, testRoom)
	for i, p := range places {
		if p == nil {
			t.Fatalf("point %d has no disc", i)
		}
		if got := *p == points[i]; got != (i == 0) {
			t.Errorf("point %d at %v has its disc at %v", i, points[i], *p)
		}
	}
	if places[1].x >= points[1].x || places[2].x <= points[2].x {
		t.Errorf("the discs of two neighbors are at %v and %v, not on their outer sides", *places[1], *places[2])
	}
}

func TestAPileOfAsManyAsReplayTakesKeepsItsNumbers(t *testing.T) {
	t.Parallel()
	points := make([]dot, 70)
	for i := range points {
		points[i] = dot{268, 237}
	}
	for i, p := range discs(points, testRoom) {
		if p == nil {
			t.Fatalf("point %d of a pile has no disc", i)
		}
	}
}

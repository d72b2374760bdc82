package plot

import (
	"testing"

	"pgregory.net/rapid"
)

func TestLineThroughABoxIsSeen(t *testing.T) {
	t.Parallel()
	b := box{10, 10, 30, 20}
	for _, c := range []struct {
		line segment
		want bool
	}{
		{segment{dot{0, 15}, dot{40, 15}}, true},  // through
		{segment{dot{0, 15}, dot{20, 15}}, true},  // ends inside
		{segment{dot{15, 12}, dot{16, 13}}, true}, // inside
		{segment{dot{0, 10}, dot{40, 10}}, true},  // along the edge
		{segment{dot{0, 0}, dot{10, 10}}, true},   // to a corner
		{segment{dot{0, 15}, dot{9, 15}}, false},  // before it
		{segment{dot{0, 25}, dot{40, 25}}, false}, // beside it
		{segment{dot{0, 18}, dot{14, 32}}, false}, // past a corner
		{segment{dot{28, 0}, dot{42, 14}}, false}, // past another
	} {
		for _, line := range []segment{c.line, {c.line.b, c.line.a}} {
			if got := b.cut(line); got != c.want {
				t.Errorf("%v cuts the box: %v", line, got)
			}
		}
	}
}

func TestLinesThatCrossAreSeen(t *testing.T) {
	t.Parallel()
	level := segment{dot{0, 0}, dot{10, 0}}
	for _, c := range []struct {
		line segment
		want bool
	}{
		{segment{dot{5, -5}, dot{5, 5}}, true},
		{segment{dot{5, 0}, dot{5, 5}}, true}, // ends on it
		{segment{dot{10, 0}, dot{15, 5}}, true},
		{segment{dot{5, 0}, dot{20, 0}}, true}, // lies on it
		{segment{dot{11, 0}, dot{20, 0}}, false},
		{segment{dot{5, 1}, dot{5, 5}}, false},
		{segment{dot{12, -5}, dot{12, 5}}, false},
		{segment{dot{0, 1}, dot{10, 1}}, false},
	} {
		if level.crosses(c.line) != c.want || c.line.crosses(level) != c.want {
			t.Errorf("%v crosses %v: %v and %v", c.line, level, level.crosses(c.line), c.line.crosses(level))
		}
	}
}

func TestALineWithAPlaceInABoxCutsIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(-50, 50)
		b := box{0, 0, rapid.IntRange(1, 30).Draw(t, "w"), rapid.IntRange(1, 30).Draw(t, "h")}
		s := segment{dot{n.Draw(t, "x"), n.Draw(t, "y")}, dot{n.Draw(t, "x"), n.Draw(t, "y")}}
		const steps = 200
		near, in := false, false
		for i := range steps + 1 {
			x := float64(s.a.x) + float64(s.b.x-s.a.x)*float64(i)/steps
			y := float64(s.a.y) + float64(s.b.y-s.a.y)*float64(i)/steps
			in = in || x >= 0 && x <= float64(b.x1) && y >= 0 && y <= float64(b.y1)
			near = near || x >= -1 && x <= float64(b.x1)+1 && y >= -1 && y <= float64(b.y1)+1
		}
		if got := b.cut(s); in && !got || got && !near {
			t.Fatalf("%v cuts %v: %v", s, b, got)
		}
	})
}

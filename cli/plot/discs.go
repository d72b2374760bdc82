package plot

import (
	"math"
	"slices"
)

// A point that has room around it is a disc with its number. Points that would
// lie on each other are dots, and each has its numbered disc nearby, joined by a
// line: on the side away from its neighbors, and as close as there is room.

const (
	discRadius = 9
	dotRadius  = 4
	discApart  = 2*discRadius + 3           // of two discs, from center to center
	dotApart   = discRadius + dotRadius + 2 // of a disc and a dot
	rings      = 10
	directions = 16 // that are tried on each ring
)

// dot is a place in the picture, in pixels; y grows downward.
type dot struct{ x, y int }

// away is the distance of two places.
func (d dot) away(o dot) float64 { return math.Hypot(float64(d.x-o.x), float64(d.y-o.y)) }

// box is a rectangle with its edges.
type box struct{ x0, y0, x1, y1 int }

// holds reports whether a disc is inside the box.
func (b box) holds(d dot) bool {
	return d.x >= b.x0+discRadius && d.x <= b.x1-discRadius && d.y >= b.y0+discRadius && d.y <= b.y1-discRadius
}

// discs finds the place of each point's disc, nil where there is no room.
func discs(points []dot, room box) []*dot {
	out := make([]*dot, len(points))
	for i := range points {
		if len(near(points, i)) == 0 {
			out[i] = &points[i]
		}
	}
	for i := range points {
		if out[i] == nil {
			out[i] = beside(points, i, out, room)
		}
	}
	return out
}

// near lists the other points that are too close to a point for two discs.
func near(points []dot, i int) []dot {
	var out []dot
	for k, p := range points {
		if k != i && p.away(points[i]) < discApart {
			out = append(out, p)
		}
	}
	return out
}

// beside is a free place for the disc of a point, nil if there is none.
func beside(points []dot, i int, taken []*dot, room box) *dot {
	from := outward(points, i)
	for ring := 1; ring <= rings; ring++ {
		for n := range directions {
			turn := float64((n+1)/2) * 2 * math.Pi / directions // both ways in turn
			if n%2 == 1 {
				turn = -turn
			}
			sin, cos := math.Sincos(from + turn)
			length := float64(discApart * ring)
			at := dot{points[i].x + int(math.Round(length*cos)), points[i].y + int(math.Round(length*sin))}
			if room.holds(at) && free(at, points, taken) {
				return &at
			}
		}
	}
	return nil
}

// outward is the direction away from the neighbors of a point, up to the right
// if they are on all sides.
func outward(points []dot, i int) float64 {
	x, y := 0, 0
	for _, p := range near(points, i) {
		x, y = x+points[i].x-p.x, y+points[i].y-p.y
	}
	if x == 0 && y == 0 {
		return -math.Pi / 4
	}
	return math.Atan2(float64(y), float64(x))
}

// free reports whether a disc at a place touches neither discs nor dots.
func free(at dot, points []dot, taken []*dot) bool {
	return !slices.ContainsFunc(points, func(p dot) bool { return at.away(p) < dotApart }) &&
		!slices.ContainsFunc(taken, func(t *dot) bool { return t != nil && at.away(*t) < discApart })
}

package plot

import "strconv"

// Lengths of the picture are whole tenths of a pixel: what touches what is
// then decided exactly, and alike on every machine.

// px is one pixel.
const px = 10

// dot is a place in the picture; y grows downwards.
type dot struct{ x, y int }

// box is a rectangle with its edges.
type box struct{ x0, y0, x1, y1 int }

// segment is a straight line.
type segment struct{ a, b dot }

// grown is the box with so much more on every side.
func (b box) grown(by int) box { return box{b.x0 - by, b.y0 - by, b.x1 + by, b.y1 + by} }

// inside reports whether no part of the box is outside of another.
func (b box) inside(o box) bool { return b.x0 >= o.x0 && b.y0 >= o.y0 && b.x1 <= o.x1 && b.y1 <= o.y1 }

// meets reports whether two boxes share more than an edge.
func (b box) meets(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

// round reports whether the circle in the box, which is a square, meets another
// box.
func (b box) round(o box) bool {
	x, y, r := (b.x0+b.x1)/2, (b.y0+b.y1)/2, (b.x1-b.x0)/2
	dx, dy := x-min(o.x1, max(o.x0, x)), y-min(o.y1, max(o.y0, y))
	return dx*dx+dy*dy < r*r
}

// cut reports whether a line passes through the box or ends in it.
func (b box) cut(s segment) bool {
	if max(s.a.x, s.b.x) < b.x0 || min(s.a.x, s.b.x) > b.x1 || max(s.a.y, s.b.y) < b.y0 || min(s.a.y, s.b.y) > b.y1 {
		return false
	}
	left, right := false, false
	for _, corner := range []dot{{b.x0, b.y0}, {b.x1, b.y0}, {b.x0, b.y1}, {b.x1, b.y1}} {
		side := s.side(corner)
		left, right = left || side >= 0, right || side <= 0
	}
	return left && right
}

// side is positive, negative or 0: on which side of the line a place is.
func (s segment) side(d dot) int {
	return (s.b.x-s.a.x)*(d.y-s.a.y) - (s.b.y-s.a.y)*(d.x-s.a.x)
}

// crosses reports whether two lines have a place in common.
func (s segment) crosses(o segment) bool {
	apart := func(s, o segment) bool {
		a, b := s.side(o.a), s.side(o.b)
		return a > 0 && b > 0 || a < 0 && b < 0
	}
	if apart(s, o) || apart(o, s) {
		return false
	}
	return max(s.a.x, s.b.x) >= min(o.a.x, o.b.x) && max(o.a.x, o.b.x) >= min(s.a.x, s.b.x) &&
		max(s.a.y, s.b.y) >= min(o.a.y, o.b.y) && max(o.a.y, o.b.y) >= min(s.a.y, s.b.y)
}

// pixels is a length as SVG has it.
func pixels(n int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	if n%px == 0 {
		return sign + strconv.Itoa(n/px)
	}
	return sign + strconv.Itoa(n/px) + "." + strconv.Itoa(n%px)
}

// Package plot draws policies by what they cost and what they keep in view, as
// an SVG picture: numbered points, and beside them a key with names and figures.
//
// Guarantees: the same chart gives the same bytes, whatever the order of its
// points; the picture is one file that reads on a light and on a dark page,
// without scripts, fonts or references; names are escaped and made safe for a
// terminal; no chart makes it panic. The package reads no file and no clock, and
// takes its colors from themes.
package plot

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/conversation/plain"
)

// Chart is policies by what they cost and what they keep.
type Chart struct {
	Title, Subtitle string
	// CostLabel says what the cost is compared with, KeptLabel what the share is
	// of. The words that tell which direction is better are added.
	CostLabel, KeptLabel string
	Points               []Point
}

// Point is one policy.
type Point struct {
	Name string
	Cost float64 // a ratio; 1 is as expensive as what it is compared with
	Kept float64 // a share, 0 to 1
	// Front says that no other policy without overflow is cheaper and keeps
	// more. A line joins the points of the front.
	Front    bool
	Overflow int  // requests that do not fit the window; drawn hollow if there are any
	Emphasis bool // drawn in the accent color
}

// Costs outside of these have no place on the scale.
const minCost, maxCost = 0.01, 100

// drawable reports whether a point has a place in the chart. The key lists the
// others without a number.
func (p Point) drawable() bool {
	return p.Cost >= minCost && p.Cost <= maxCost && p.Kept >= 0 && p.Kept <= 1
}

// describe is a point in a sentence, for tooltips and for who cannot see it.
func (p Point) describe() string {
	if !p.drawable() {
		return p.Name + ": not drawn, its cost or its share is not known"
	}
	s := p.Name + ": cost " + p.cost() + ", in view " + p.kept()
	switch p.Overflow {
	case 0:
	case 1:
		s += ", 1 request does not fit the window"
	default:
		s += ", " + strconv.Itoa(p.Overflow) + " requests do not fit the window"
	}
	return s
}

// cost and kept are the figures as the key shows them.
func (p Point) cost() string {
	if !p.drawable() {
		return "–"
	}
	return strconv.FormatFloat(p.Cost, 'f', 3, 64)
}

func (p Point) kept() string {
	if !p.drawable() {
		return "–"
	}
	return strconv.FormatFloat(100*p.Kept, 'f', 1, 64) + " %"
}

// sorted makes names safe and sorts points by cost, those that cannot be drawn
// last.
func sorted(points []Point) []Point {
	out := slices.Clone(points)
	for i := range out {
		out[i].Name, out[i].Overflow = cmp.Or(oneLine(out[i].Name), "unnamed"), max(0, out[i].Overflow)
	}
	slices.SortFunc(out, func(a, b Point) int {
		return cmp.Or(trueFirst(a.drawable(), b.drawable()), cmp.Compare(a.Cost, b.Cost), cmp.Compare(b.Kept, a.Kept), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Overflow, b.Overflow), trueFirst(a.Emphasis, b.Emphasis), trueFirst(a.Front, b.Front))
	})
	return out
}

// trueFirst sorts what is true before what is not.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// oneLine is a text made safe, on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(plain.Line(s)), " ") }

// Package plot draws policies by what they cost and what they keep: as an SVG
// picture and as a small chart for the terminal.
//
// Guarantees: the same chart gives the same bytes, whatever the order of its
// points; the picture is one file that reads on a light and on a dark page,
// without scripts, fonts or references; names are escaped, and made safe for a
// terminal; no chart makes it panic. Labels never leave the picture and never
// lie on each other or on a point. The package reads no file and no clock, and
// takes its colours from themes.
package plot

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll/conversation/plain"
)

// What is drawn:
//   - a point needs a cost from 0.001 to 1,000,000 and a share from 0 to 1; the
//     names of others are told beside the chart
//   - a few costs far above all others would squeeze those into a corner: they
//     stand at the edge, with the cost in the label
//   - points are taken in the order of cost, so that the order they come in
//     does not matter

// Chart is policies by what they cost and what they keep.
type Chart struct {
	Title, Subtitle string
	// XLabel says what the cost is compared with, YLabel what the share is of; the
	// words that tell which direction is better are added. Empty, they are
	// "cost" and "in view".
	XLabel, YLabel string
	Points         []Point
}

// Point is one policy.
type Point struct {
	Name string
	Cost float64 // a ratio above 0; 1 is as dear as what it is compared with
	Kept float64 // a share, 0 to 1
	// Front says that no other policy without overflow is cheaper and keeps
	// more. The points of the front are joined by a line.
	Front    bool
	Overflow int  // requests that do not fit the window; drawn hollow if there are any
	Emphasis bool // drawn in the accent colour and bolder
}

const (
	minCost, maxCost = 0.001, 1e6
	// far is how many times the next lower cost a cost has to be to stand
	// beyond the scale, and one in rare points may.
	far  = 3.0
	rare = 4
)

// figure is a chart as it is drawn.
type figure struct {
	Chart
	marks      []mark   // those drawn, by cost
	left       []string // names of those not drawn
	cost, kept scale
}

// mark is a point that is drawn. Its name is safe and on one line.
type mark struct {
	Point
	beyond bool // the cost is higher than the scale goes
}

// newFigure decides what is drawn. Ticks are at least so far apart, as shares of
// the axes.
func newFigure(c Chart, costApart, keptApart float64) figure {
	f := figure{Chart: c}
	f.Title, f.Subtitle = line(c.Title), line(c.Subtitle)
	f.XLabel, f.YLabel = cmp.Or(line(c.XLabel), "cost"), cmp.Or(line(c.YLabel), "in view")
	for _, p := range c.Points {
		p.Name, p.Overflow = cmp.Or(line(p.Name), "unnamed"), max(0, p.Overflow)
		if p.Cost >= minCost && p.Cost <= maxCost && p.Kept >= 0 && p.Kept <= 1 {
			f.marks = append(f.marks, mark{Point: p})
		} else {
			f.left = append(f.left, p.Name)
		}
	}
	slices.SortFunc(f.marks, byCost)
	slices.Sort(f.left)
	f.setScales(costApart, keptApart)
	return f
}

// line is a text made safe, on one line, without blanks around or repeated.
func line(s string) string { return strings.Join(strings.Fields(plain.Line(s)), " ") }

// byCost orders marks so that two that compare equal are drawn alike.
func byCost(a, b mark) int {
	return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(b.Kept, a.Kept), cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Overflow, b.Overflow), order(a.Emphasis, b.Emphasis), order(a.Front, b.Front))
}

func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func (f *figure) setScales(costApart, keptApart float64) {
	if len(f.marks) == 0 {
		f.cost, f.kept = ratios(0.5, 2, costApart), shares(0, 1, keptApart)
		return
	}
	limit := furthest(f.marks)
	low, high := math.Inf(1), math.Inf(-1)
	for i, m := range f.marks {
		f.marks[i].beyond = m.Cost > limit
		low, high = min(low, m.Kept), max(high, m.Kept)
	}
	f.cost, f.kept = ratios(f.marks[0].Cost, limit, costApart), shares(low, high, keptApart)
}

// furthest is the highest cost that the scale shows. The marks are in the order
// of cost.
func furthest(marks []mark) float64 {
	n := len(marks)
	for i := n - n/rare; i < n; i++ {
		if below := marks[i-1].Cost; marks[i].Cost > far*below {
			return below
		}
	}
	return marks[n-1].Cost
}

// front lists the marks that the line joins, by cost.
func (f figure) front() []mark {
	var out []mark
	for _, m := range f.marks {
		if m.Front {
			out = append(out, m)
		}
	}
	return out
}

// label is what stands beside a mark.
func (m mark) label() string {
	if m.beyond {
		return m.Name + " (" + short(m.Cost, 2) + ")"
	}
	return m.Name
}

// describe is a mark in a sentence, for tooltips and for who cannot see it.
func (m mark) describe() string {
	s := m.Name + ": cost " + short(m.Cost, 3) + ", in view " + short(100*m.Kept, 1) + " %"
	switch m.Overflow {
	case 0:
	case 1:
		s += ", 1 request does not fit the window"
	default:
		s += ", " + strconv.Itoa(m.Overflow) + " requests do not fit the window"
	}
	return s
}

// short is a number with at most so many decimals.
func short(v float64, decimals int) string {
	scale := math.Pow10(decimals)
	return strconv.FormatFloat(math.Round(v*scale)/scale, 'f', -1, 64)
}

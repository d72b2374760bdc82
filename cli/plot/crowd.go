package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A point that has room around it is a disc with its number. Points whose discs would lie
// on each other are a crowd: dots, with their numbers together beside them.

const (
	discRadius = 9
	dotRadius  = 4
	discApart  = 2*discRadius + 3 // of two discs, from center to center
)

// dot is a place in the picture, in pixels; y grows downward.
type dot struct{ x, y int }

// distance is how far two places are apart.
func (d dot) distance(o dot) float64 { return math.Hypot(float64(d.x-o.x), float64(d.y-o.y)) }

// box is a rectangle with its edges.
type box struct{ x0, y0, x1, y1 int }

// crowdsOf parts points into crowds: two that are too close for two discs are in one.
// A crowd lists the points by their places in points, ascending.
func crowdsOf(points []dot) [][]int {
	var crowds [][]int
	for i, p := range points {
		joined := []int{i}
		crowds = slices.DeleteFunc(crowds, func(crowd []int) bool {
			near := slices.ContainsFunc(crowd, func(k int) bool { return points[k].distance(p) < discApart })
			if near {
				joined = append(joined, crowd...)
			}
			return near
		})
		slices.Sort(joined)
		crowds = append(crowds, joined)
	}
	return crowds
}

// ranges writes the numbers of points, which count from 1: 2, 4–7.
func ranges(points []int) string {
	var parts []string
	for at := 0; at < len(points); {
		end := at + 1
		for end < len(points) && points[end] == points[end-1]+1 {
			end++
		}
		first, last := points[at]+1, points[end-1]+1
		switch {
		case first == last:
			parts = append(parts, fmt.Sprint(first))
		case first+1 == last:
			parts = append(parts, fmt.Sprint(first), fmt.Sprint(last))
		default:
			parts = append(parts, fmt.Sprintf("%d–%d", first, last))
		}
		at = end
	}
	return strings.Join(parts, ", ")
}

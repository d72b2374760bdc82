package tools

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// nearest returns up to n candidates that name may have been meant for, the
// closest first: those within a third of its length by edit distance, and those
// that contain it or are contained in it.
func nearest(name string, candidates []string, n int) []string {
	type scored struct {
		text  string
		score int
	}
	low := strings.ToLower(name)
	var near []scored
	for _, c := range candidates {
		lc := strings.ToLower(c)
		d := distance(low, lc)
		within := len(low) > 2 && len(lc) > 2 && (strings.Contains(lc, low) || strings.Contains(low, lc))
		if d <= max(1, utf8.RuneCountInString(name)/3) || within {
			near = append(near, scored{c, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	out := []string{}
	for _, s := range near[:min(n, len(near))] {
		out = append(out, s.text)
	}
	return out
}

// distance is the Levenshtein distance in code points, of at most 100 each.
func distance(a, b string) int {
	ra, rb := clip([]rune(a), 100), clip([]rune(b), 100)
	row := make([]int, len(rb)+1)
	for j := range row {
		row[j] = j
	}
	for i, ca := range ra {
		diagonal := row[0]
		row[0] = i + 1
		for j, cb := range rb {
			cost := diagonal
			if ca != cb {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(rb)]
}

// clip is s without what goes beyond n elements.
func clip[T any](s []T, n int) []T { return s[:min(n, len(s))] }

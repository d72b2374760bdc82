// Package words has what tools say in one way: a size, and names that were probably meant.
package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Nearest returns up to n candidates that name may have been meant for, the
// closest first: those within a third of its length by edit distance, and those
// that contain it or are contained in it.
func Nearest(name string, candidates []string, n int) []string {
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
	ra, rb := firstRunes(a, 100), firstRunes(b, 100)
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

func firstRunes(text string, n int) []rune {
	r := []rune(text)
	return r[:min(len(r), n)]
}

// Bytes is a size for people: 812 B, 4.1 KiB, 3.0 MiB.
func Bytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

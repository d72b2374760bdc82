package tools

import (
	"cmp"
	"slices"
	"strings"
)

// What text was probably meant when it is not found: first a place that differs
// only in blanks, then the places most alike. Bounded, whatever the file.

const (
	similarLinesMax = 50_000 // lines of a file that are compared
	similarLineMax  = 400    // bytes of a line that are compared
	similarLeast    = 0.5    // share of pairs of characters two lines must have in common
)

// looseMatch is the line at which lines equal want but for blanks, -1 if none.
func looseMatch(lines, want []string) int {
	squeezed := make([]string, len(want))
	empty := true
	for i, w := range want {
		squeezed[i] = squeeze(w)
		empty = empty && squeezed[i] == ""
	}
	if empty {
		return -1
	}
	have := make([]string, 0, min(len(lines), similarLinesMax))
	for _, l := range lines[:min(len(lines), similarLinesMax)] {
		have = append(have, squeeze(l))
	}
	for at := 0; at+len(squeezed) <= len(have); at++ {
		if slices.Equal(have[at:at+len(squeezed)], squeezed) {
			return at
		}
	}
	return -1
}

// squeeze takes out blanks.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// similarLines are the lines, at most three, most like the first line of want
// that is not blank, moved up to where want would begin.
func similarLines(lines, want []string) []int {
	anchor := slices.IndexFunc(want, func(s string) bool { return squeeze(s) != "" })
	if anchor < 0 {
		return nil
	}
	type scored struct {
		at    int
		score float64
	}
	target := pairs(want[anchor])
	var best []scored
	for at, line := range lines[:min(len(lines), similarLinesMax)] {
		if score := target.alike(pairs(line)); score >= similarLeast {
			best = append(best, scored{at, score})
		}
	}
	slices.SortStableFunc(best, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []int
	for _, s := range best[:min(len(best), 3)] {
		out = append(out, max(0, s.at-anchor))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// pairSet is the pairs of neighbouring bytes of a line without its blanks,
// sorted: what Dice's coefficient compares.
type pairSet []uint16

func pairs(line string) pairSet {
	line = squeeze(line[:min(len(line), similarLineMax)])
	if len(line) < 2 {
		return nil
	}
	out := make(pairSet, len(line)-1)
	for i := range out {
		out[i] = uint16(line[i])<<8 | uint16(line[i+1])
	}
	slices.Sort(out)
	return out
}

// alike is Dice's coefficient: 1 for the same pairs, 0 for none in common.
func (a pairSet) alike(b pairSet) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// nearest gives the known word closest to a mistyped one, or "" when none is close: at most one edit in three
// characters (insertion, deletion, replacement, swap of neighbours), upper case and the choice of - or _ not counted.
func nearest(word string, known []string) string {
	if len(word) > 64 {
		return ""
	}
	fold := strings.NewReplacer("-", "_").Replace(strings.ToLower(word))
	best, bestCost := "", max(1, len(fold)/3)+1
	for _, k := range known {
		if k == "" {
			continue
		}
		cost := edits([]rune(fold), []rune(strings.ReplaceAll(strings.ToLower(k), "-", "_")))
		if cost < bestCost {
			best, bestCost = k, cost
		}
	}
	return best
}

// edits counts the edits between two words (optimal string alignment).
func edits(a, b []rune) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// suggestion is the hint that offers a word, or "" for none.
func suggestion(word string) string {
	if word == "" {
		return ""
	}
	return "did you mean " + word + "?"
}

// listWords joins words for a sentence: "a, b or c". The empty word is left out: it means unset.
func listWords(words []string) string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// nearest returns the known word closest to a mistyped one, or "" if all need more than one edit for three characters.
func nearest(word string, known []string) string {
	best, bestCost := "", max(1, len(word)/3)+1
	for _, k := range known {
		if k == "" || len(word) > 64 {
			continue
		}
		if cost := edits(strings.ToLower(word), k); cost < bestCost {
			best, bestCost = k, cost
		}
	}
	return best
}

// edits returns the edit distance (Levenshtein) of two words, in bytes.
func edits(a, b string) int {
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := []int{i + 1}
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost = 1 + min(last[j], last[j+1], row[j])
			}
			row = append(row, cost)
		}
		last = row
	}
	return last[len(b)]
}

// suggestion returns the hint that suggests a word, or "" without a word.
func suggestion(word string) string {
	if word == "" {
		return ""
	}
	return "did you mean " + word + "?"
}

// listWords joins words for a sentence: "a, b or c". It skips the empty word, which means unset.
func listWords(words []string) string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Package extract shortens text by choosing sentences from it: no model, no
// network, no randomness. It is what answers a summary request where no model
// can.
//
// Guarantees: everything it returns stands in the input, sentence by sentence
// and in the input's order, save that a sentence longer than the room left is
// cut at a word with "…" and that white space inside a sentence is folded; the
// result is never longer than asked for; the same input gives the same result;
// no input makes it panic, and its cost grows in proportion to the input.
//
// How sentences are chosen: a word weighs 1 + log of how often it occurs, stop
// words nothing; a sentence weighs the sum of its words over the square root of
// their number, more at the start of a paragraph and at both ends of the text,
// and more when it holds paths, numbers or identifiers; what the chosen ones
// already say counts less with every choice.
package extract

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxCandidates bounds the sentences that are weighed against each other:
	// redundancy is quadratic in them. Of longer texts the heaviest are kept.
	maxCandidates = 1200
	// minSentence is the shortest sentence worth choosing, in code points.
	minSentence = 8
	// maxSentence is the longest sentence shown, in code points.
	maxSentence = 400
	// minCut is the least room in which a cut sentence still says something.
	minCut = 40
)

// sentence is a candidate with what its choice depends on.
type sentence struct {
	text   string
	para   int
	terms  map[string]bool
	runes  int
	weight float64
	chosen bool
}

// Summary returns the sentences of paragraphs that say most, at most maxChars
// code points of them, in the order they came in. Sentences of one paragraph
// are joined by a space, paragraphs by a newline. It returns "" when maxChars
// is not positive or there is nothing to choose from; a text that fits is
// returned whole, with its white space folded.
func Summary(paragraphs []string, maxChars int) string {
	if maxChars <= 0 {
		return ""
	}
	all := split(paragraphs)
	if whole := join(all, func(sentence) bool { return true }); utf8.RuneCountInString(whole) <= maxChars {
		return whole
	}
	weigh(all, len(paragraphs))
	all = heaviest(all, maxCandidates)
	choose(all, maxChars)
	return join(all, func(s sentence) bool { return s.chosen })
}

func split(paragraphs []string) []sentence {
	var all []sentence
	for i, p := range paragraphs {
		for _, text := range Sentences(p) {
			text = clip(text, maxSentence)
			all = append(all, sentence{text: text, para: i, runes: utf8.RuneCountInString(text)})
		}
	}
	return all
}

// weigh gives every sentence its terms and its weight before any choice.
func weigh(all []sentence, paragraphs int) {
	frequency := make(map[string]int)
	for i := range all {
		all[i].terms = make(map[string]bool)
		for _, term := range terms(all[i].text) {
			all[i].terms[term] = true
			frequency[term]++
		}
	}
	before := -1
	for i := range all {
		s := &all[i]
		if s.runes < minSentence || len(s.terms) == 0 {
			before = s.para
			continue
		}
		// Summing in a fixed order keeps the last bits, and with them ties, the same in every run.
		for _, term := range slices.Sorted(keys(s.terms)) {
			s.weight += 1 + math.Log(float64(frequency[term]))
		}
		s.weight /= math.Sqrt(float64(len(s.terms)) + 3)
		s.weight *= 1 + 0.15*float64(min(len(Identifiers(s.text, 4)), 4))
		if s.para != before {
			s.weight *= 1.3
		}
		if s.para == 0 || s.para == paragraphs-1 {
			s.weight *= 1.2
		}
		before = s.para
	}
}

func keys(m map[string]bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// heaviest keeps at most n sentences, in the order they came in.
func heaviest(all []sentence, n int) []sentence {
	if len(all) <= n {
		return all
	}
	weights := make([]float64, len(all))
	for i, s := range all {
		weights[i] = s.weight
	}
	slices.Sort(weights)
	least := weights[len(weights)-n]
	kept := all[:0]
	for _, s := range all {
		if s.weight >= least && len(kept) < n {
			kept = append(kept, s)
		}
	}
	return kept
}

// choose marks sentences, heaviest first, until no further one fits. Each
// choice makes its own words worth a third in the sentences that remain.
func choose(all []sentence, room int) {
	said := make(map[string]bool)
	for {
		best, most := -1, 0.0
		for i := range all {
			s := &all[i]
			if s.chosen || s.weight == 0 || s.runes+1 > room && room < minCut {
				continue
			}
			if w := s.weight * fresh(s.terms, said); w > most {
				best, most = i, w
			}
		}
		if best < 0 {
			return
		}
		s := &all[best]
		if s.runes+1 > room {
			s.text = clip(s.text, room-1)
			s.runes = utf8.RuneCountInString(s.text)
		}
		s.chosen = true
		room -= s.runes + 1
		for term := range s.terms {
			said[term] = true
		}
	}
}

// fresh is 1 for a sentence of new words and falls with the share already said;
// a sentence that says next to nothing new is worth nothing.
func fresh(terms, said map[string]bool) float64 {
	old := 0
	for term := range terms {
		if said[term] {
			old++
		}
	}
	if old*5 >= len(terms)*4 {
		return 0
	}
	return 1 - 0.67*float64(old)/float64(len(terms))
}

func join(all []sentence, pick func(sentence) bool) string {
	var b strings.Builder
	para := -1
	for _, s := range all {
		if !pick(s) {
			continue
		}
		switch {
		case para == -1:
		case para == s.para:
			b.WriteByte(' ')
		default:
			b.WriteByte('\n')
		}
		para = s.para
		b.WriteString(s.text)
	}
	return b.String()
}

// clip cuts text to at most n code points, at a space where one is near, and
// marks the cut.
func clip(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	if n <= 1 {
		return strings.Repeat("…", max(n, 0))
	}
	runes := []rune(text)[:n-1]
	for i := len(runes) - 1; i > len(runes)*2/3; i-- {
		if runes[i] == ' ' {
			runes = runes[:i]
			break
		}
	}
	return string(runes) + "…"
}

package names

import (
	"cmp"
	"slices"
	"strings"
)

// Limits on what is read after the cut, so that a result of any size is cut without a pause.
const (
	maxBytes = 2 << 20
	maxNames = 1 << 15
)

// candidate is a name in the omitted part.
type candidate struct {
	text   string
	times  int
	shown  bool // it also occurs in the part that is shown
	chosen bool
}

// Omitted returns the names that occur only after the first bytes of a text, separated by spaces, in at most room bytes and
// in the order of the text. If there are too many, frequent and short names win.
func Omitted(text string, first, room int) string {
	found := namesAfter(text, first)
	ranked := make([]*candidate, 0, len(found))
	for i := range found {
		if !found[i].shown {
			ranked = append(ranked, &found[i])
		}
	}
	slices.SortStableFunc(ranked, func(a, b *candidate) int { return cmp.Compare(b.weight(), a.weight()) })
	for _, n := range ranked {
		if room < minLength { // every name is longer
			break
		}
		if cost := len(n.text) + 1; cost <= room+1 { // the first has no space before it
			n.chosen = true
			room -= cost
		}
	}
	var b strings.Builder
	for _, n := range found {
		if !n.chosen {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(n.text)
	}
	return b.String()
}

// weight ranks a name: frequent and short names first.
func (n *candidate) weight() float64 { return float64(n.times) / float64(8+len(n.text)) }

// beforeColor moves a cut inside a terminal control sequence to the start of the sequence.
func beforeColor(text string, at int) int {
	const longest = 32 // bytes of a sequence
	from := max(0, min(at, len(text))-longest)
	esc := strings.LastIndexByte(text[from:min(at, len(text))], '\x1b')
	if esc >= 0 && from+esc+colorEnd(text[from+esc:]) > at {
		return from + esc
	}
	return at
}

// namesAfter lists the names after the first bytes of a text, and the name that begins before that position and ends after
// it.
func namesAfter(text string, first int) []candidate {
	var found []candidate
	at := map[string]int{}
	for first > 0 && first < len(text) && kinds[text[first]] != 0 && kinds[text[first-1]] != 0 {
		first--
	}
	first = beforeColor(text, first)
	Scan(text[first:min(len(text), first+maxBytes)], func(name string) {
		i, known := at[name]
		switch {
		case known:
			found[i].times++
		case len(found) < maxNames:
			at[name] = len(found)
			found = append(found, candidate{text: name, times: 1})
		}
	})
	Scan(text[:first], func(name string) {
		if i, known := at[name]; known {
			found[i].shown = true
		}
	})
	return found
}

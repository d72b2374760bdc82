package names

import (
	"cmp"
	"slices"
	"strings"
)

// mostRead and mostKnown bound what is read after the cut, so that a result
// of any size is cut without a pause: so many bytes, and so many names.
const (
	mostRead  = 2 << 20
	mostKnown = 1 << 15
)

// seen is a name of the part that is not shown.
type seen struct {
	text   string
	times  int
	shown  bool // it stands in what is shown, too
	chosen bool
}

// Beyond returns the names that occur after the first bytes of a text and not among them,
// separated by spaces, in at most room bytes. Where room is short, frequent short names
// win. Their order is that of the text.
func Beyond(text string, first, room int) string {
	found := behind(text, first)
	ranked := make([]*seen, 0, len(found))
	for i := range found {
		if !found[i].shown {
			ranked = append(ranked, &found[i])
		}
	}
	slices.SortStableFunc(ranked, func(a, b *seen) int { return cmp.Compare(b.weight(), a.weight()) })
	for _, n := range ranked {
		if room < least { // every name is longer
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

// weight is how telling a name is for the room it takes.
func (n *seen) weight() float64 { return float64(n.times) / float64(8+len(n.text)) }

// beforeColor moves a cut inside a control sequence to its start.
func beforeColor(text string, at int) int {
	const longest = 32 // bytes of a sequence that is looked for
	from := max(0, min(at, len(text))-longest)
	esc := strings.LastIndexByte(text[from:min(at, len(text))], '\x1b')
	if esc >= 0 && from+esc+colorEnd(text[from+esc:]) > at {
		return from + esc
	}
	return at
}

// behind lists the names that come after the first bytes of a text. A name that
// begins before that border and ends after it counts, too.
func behind(text string, first int) []seen {
	var found []seen
	at := map[string]int{}
	for first > 0 && first < len(text) && kinds[text[first]] != 0 && kinds[text[first-1]] != 0 {
		first--
	}
	first = beforeColor(text, first)
	Scan(text[first:min(len(text), first+mostRead)], func(name string) {
		i, known := at[name]
		switch {
		case known:
			found[i].times++
		case len(found) < mostKnown:
			at[name] = len(found)
			found = append(found, seen{text: name, times: 1})
		}
	})
	Scan(text[:first], func(name string) {
		if i, known := at[name]; known {
			found[i].shown = true
		}
	})
	return found
}

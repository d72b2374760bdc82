package diffview

import (
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"

	"plimsoll/conversation/diff"
)

// A line that took the place of another is compared with it word by word. Lines that have little in common are not:
// there all is new.

const (
	leastAlike = 0.5  // share of their words that lines have in common to be a pair
	mostPairs  = 400  // lines removed times lines added that are compared with each other
	mostBytes  = 2000 // of a line that is compared
)

// span is bytes [from, to) of a line.
type span struct{ from, to int }

// words is what changed within each line of a hunk.
func words(lines []diff.Line, texts []string) [][]span {
	out := make([][]span, len(lines))
	for i := 0; i < len(lines); {
		from := i
		for i < len(lines) && lines[i].Op == diff.Removed {
			i++
		}
		middle := i
		for i < len(lines) && lines[i].Op == diff.Added {
			i++
		}
		if from < middle && middle < i {
			for _, p := range pairs(texts[from:middle], texts[middle:i]) {
				a, b := from+p[0], middle+p[1]
				out[a], out[b] = compare(texts[a], texts[b])
			}
		}
		if i == from {
			i++
		}
	}
	return out
}

// pairs tells which of some lines took the place of which: in their order, so that what they have in common is most.
func pairs(before, after []string) [][2]int {
	if len(before)*len(after) > mostPairs {
		return nil
	}
	a, b := bags(before), bags(after)
	best := make([][]float64, len(a)+1) // of the lines from i and from j on
	for i := range best {
		best[i] = make([]float64, len(b)+1)
	}
	alike := func(i, j int) float64 {
		if s := a[i].alike(b[j]); s >= leastAlike {
			return s
		}
		return -1
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1], alike(i, j)+best[i+1][j+1])
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case best[i][j] == alike(i, j)+best[i+1][j+1]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return out
}

// bag is the words of a line, each with its bytes, and all of these.
type bag struct {
	words map[string]int
	bytes int
}

func bags(lines []string) []bag {
	out := make([]bag, len(lines))
	for i, l := range lines {
		out[i].words = map[string]int{}
		if len(l) > mostBytes {
			continue
		}
		for _, w := range split(l) {
			if w[0] != ' ' {
				out[i].words[w] += len(w)
				out[i].bytes += len(w)
			}
		}
	}
	return out
}

// alike is the share of words that two lines have in common.
func (a bag) alike(b bag) float64 {
	if a.bytes+b.bytes == 0 {
		return 0
	}
	common := 0
	for w, n := range a.words {
		common += min(n, b.words[w])
	}
	return 2 * float64(common) / float64(a.bytes+b.bytes)
}

// split cuts a line into words, blanks, and single other characters.
func split(line string) []string {
	if line == "" {
		return nil
	}
	var out []string
	kind, start := rune(0), 0
	for i, r := range line {
		k := kindOf(r)
		if i > start && (k != kind || k == 0) && !mark(r) {
			out = append(out, line[start:i])
			start = i
		}
		if !mark(r) {
			kind = k
		}
	}
	return append(out, line[start:])
}

// mark reports whether a character belongs to the one before it.
func mark(r rune) bool { return r > unicode.MaxASCII && unicode.Is(unicode.M, r) }

// kindOf is the same for characters of one word, 0 for one that stands alone.
func kindOf(r rune) rune {
	switch {
	case r == ' ':
		return ' '
	case r <= unicode.MaxASCII:
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return 'a'
		}
		return 0
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return 0
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return 'a'
	}
	return 0
}

// compare tells what differs in two lines. Nothing does in particular where they have little in common in their order.
func compare(before, after string) (removed, added []span) {
	a, b := split(before), split(after)
	goneA, newB := make([]bool, len(a)), make([]bool, len(b))
	joined := strings.Join(a, "\n") + "\n"
	at, i, j := 0, 0, 0 // byte of joined, word of a, word of b
	same := 0
	for _, e := range udiff.Lines(joined, strings.Join(b, "\n")+"\n") {
		kept := strings.Count(joined[at:e.Start], "\n")
		same += e.Start - at - kept
		i, j = i+kept, j+kept
		for range strings.Count(joined[e.Start:e.End], "\n") {
			goneA[i] = true
			i++
		}
		for range strings.Count(e.New, "\n") {
			newB[j] = true
			j++
		}
		at = e.End
	}
	same += len(joined[at:]) - strings.Count(joined[at:], "\n")
	if 4*same < len(before)+len(after) {
		return nil, nil
	}
	return spans(a, goneA), spans(b, newB)
}

// spans are the bytes of the words that changed. Blanks between two of them changed with them.
func spans(words []string, changed []bool) []span {
	var out []span
	at := 0
	for i, w := range words {
		if changed[i] || strings.TrimLeft(w, " ") == "" && i > 0 && changed[i-1] && i+1 < len(words) && changed[i+1] {
			if n := len(out); n > 0 && out[n-1].to == at {
				out[n-1].to = at + len(w)
			} else {
				out = append(out, span{at, at + len(w)})
			}
		}
		at += len(w)
	}
	return out
}

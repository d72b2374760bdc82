package diffview

import (
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"
)

// A line that took the place of another is compared with it word by word. Lines that have little in common are not:
// there all is new.

// mostBytes is how much of a line is compared.
const mostBytes = 2000

// span is bytes [from, to) of a line.
type span struct{ from, to int }

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

// changedWords is what of a line is not in the other. Nothing is in particular where they have little in common in their
// order.
func changedWords(line, other string) []span {
	if line == "" || len(line) > mostBytes || len(other) > mostBytes {
		return nil
	}
	a, b := split(line), split(other)
	gone := make([]bool, len(a))
	joined := strings.Join(a, "\n") + "\n"
	at, i, same := 0, 0, 0 // byte of joined, word of a, bytes in common
	for _, e := range udiff.Lines(joined, strings.Join(b, "\n")+"\n") {
		kept := strings.Count(joined[at:e.Start], "\n")
		same += e.Start - at - kept
		i += kept
		for range strings.Count(joined[e.Start:e.End], "\n") {
			gone[i] = true
			i++
		}
		at = e.End
	}
	same += len(joined[at:]) - strings.Count(joined[at:], "\n")
	if 4*same < len(line)+len(other) {
		return nil
	}
	return spans(a, gone)
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

package diffview

import (
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"
)

// mostBytes is the longest line that is compared word by word.
const mostBytes = 2000

// span is the bytes [from, to) of a line.
type span struct{ from, to int }

// split cuts a line into words, blanks, and single other characters.
func split(line string) []string {
	if line == "" {
		return nil
	}
	var out []string
	class, start := rune(0), 0
	for i, r := range line {
		c := classOf(r)
		if i > start && (c != class || c == 0) && !isMark(r) {
			out = append(out, line[start:i])
			start = i
		}
		if !isMark(r) {
			class = c
		}
	}
	return append(out, line[start:])
}

// isMark reports whether a character combines with the one before it.
func isMark(r rune) bool { return r > unicode.MaxASCII && unicode.Is(unicode.M, r) }

// classOf returns the class of a character: those of one word have the same, and 0 is a word of one character.
func classOf(r rune) rune {
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

// changedWords returns the words of either line that the other does not have. It returns none where the lines have little in
// common.
func changedWords(before, after string) (removed, added []span) {
	if before == "" || after == "" || len(before) > mostBytes || len(after) > mostBytes {
		return nil, nil
	}
	a, b := split(before), split(after)
	isRemoved, isAdded := make([]bool, len(a)), make([]bool, len(b))
	joined := strings.Join(a, "\n") + "\n"
	at, i, j, same := 0, 0, 0, 0 // byte of joined, word of a, word of b, bytes in common
	for _, e := range udiff.Lines(joined, strings.Join(b, "\n")+"\n") {
		kept := strings.Count(joined[at:e.Start], "\n")
		same += e.Start - at - kept
		i, j = i+kept, j+kept
		for range strings.Count(joined[e.Start:e.End], "\n") {
			isRemoved[i] = true
			i++
		}
		for range strings.Count(e.New, "\n") {
			isAdded[j] = true
			j++
		}
		at = e.End
	}
	same += len(joined[at:]) - strings.Count(joined[at:], "\n")
	if 4*same < len(before)+len(after) {
		return nil, nil
	}
	return spans(a, isRemoved), spans(b, isAdded)
}

// spans returns the bytes of the words that changed. Blanks between two changed words count as changed.
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

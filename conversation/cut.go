package conversation

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The cut of long tool results (ONE, FEAT-011): the first max characters stay,
// the tail goes, and a marker says so. Characters are Unicode code points. A
// text of exactly max characters is not cut. One pass and no allocation but the
// result: 1 MiB takes well under a millisecond.

// ResultMaxChars is how many characters of a tool result the model is shown at
// least, unless configured otherwise (ONE: TOOL_RESULT_MAX_CHARS).
const ResultMaxChars = 30_000

// The cut marker follows the kept characters, letter for letter as in FEAT-011.
const (
	cutMarkerBegin = "\n\n[... content truncated"
	cutMarker      = cutMarkerBegin + ", showing first %d characters of %d total ...]"
)

// Cut returns text cleaned (see [Clean]) and shortened to its first max
// characters with the marker of FEAT-011 behind them. total is the number of
// characters before the cut, 0 if nothing was cut. A negative max counts as 0.
func Cut(text string, max int) (shown string, total int) {
	if max < 0 {
		max = 0
	}
	text = Clean(text)
	if len(text) <= max {
		return text, 0
	}
	total = Measure(text).Chars()
	if total <= max {
		return text, 0
	}
	return text[:charOffset(text, max)] + fmt.Sprintf(cutMarker, max, total), total
}

// CutMarkerAt is where in a text that [Cut] or an [ArrivalCap] shortened the marker
// begins, in bytes; the length of the text if it has none. What is behind it may
// name what was cut.
func CutMarkerAt(text string) int {
	if i := strings.LastIndex(text, cutMarkerBegin); i >= 0 {
		return i
	}
	return len(text)
}

// ShownChars is how many characters of a text that [Cut] or an [ArrivalCap] shortened
// are left of total, the marker aside; false if text is not what they made of so
// many.
func ShownChars(text string, total int) (chars int, ok bool) {
	i := CutMarkerAt(text)
	if i == len(text) || total <= 0 {
		return 0, false
	}
	chars = Measure(text[:i]).Chars()
	rest, ok := strings.CutPrefix(text[i:], fmt.Sprintf(cutMarker, chars, total))
	return chars, ok && chars < total && isRestLine(rest)
}

// charOffset is the byte at which character n of valid UTF-8 begins.
func charOffset(text string, n int) int {
	i := 0
	for ; n > 0 && i < len(text); n-- {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, w := utf8.DecodeRuneInString(text[i:])
		i += w
	}
	return i
}

// OneLine is a text on one line, at most n code points of it, with its white
// space as single spaces: no text from outside begins a line where it is used. It
// reads no more of the text than it shows.
func OneLine(text string, n int) string {
	text = strings.TrimSpace(text)
	if most := 8 * (n + 1); len(text) > most { // white space takes no more than that, or it is cut
		text = text[:most]
	}
	line := strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if utf8.RuneCountInString(line) > n {
		return line[:charOffset(line, n-1)] + "…"
	}
	return line
}

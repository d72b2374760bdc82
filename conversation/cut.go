package conversation

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Long tool results are cut (OneClaw's FEAT-011): the first max characters are kept, the
// tail is removed, and a marker is appended. Characters are Unicode code points. A
// text of exactly max characters is not cut. Cutting takes one pass and allocates
// only the result: 1 MiB takes well under a millisecond.

// ResultMaxChars is the default maximum length of a tool result, in characters; a
// large window raises it (OneClaw: TOOL_RESULT_MAX_CHARS).
const ResultMaxChars = 30_000

// The cut marker follows the kept characters. Its text is exactly that of FEAT-011.
const (
	cutMarkerBegin = "\n\n[... content truncated"
	cutMarker      = cutMarkerBegin + ", showing first %d characters of %d total ...]"
)

// Cut returns text cleaned (see [Clean]) and shortened to its first most
// characters, followed by the marker of FEAT-011. total is the number of
// characters before the cut, 0 if the text was not cut. A negative most counts as 0.
func Cut(text string, most int) (shown string, total int) {
	most, text = max(most, 0), Clean(text)
	if len(text) <= most {
		return text, 0
	}
	if total = Measure(text).Chars(); total <= most {
		return text, 0
	}
	return text[:charOffset(text, most)] + fmt.Sprintf(cutMarker, most, total), total
}

// CutMarkerAt returns the byte offset of the marker in a text that [Cut] or an
// [ArrivalCap] shortened, or the length of a text without a marker. The text after
// the marker may list names from the removed part.
func CutMarkerAt(text string) int {
	if i := strings.LastIndex(text, cutMarkerBegin); i >= 0 {
		return i
	}
	return len(text)
}

// charOffset returns the byte offset of character n in valid UTF-8.
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

// Beginning returns the first n bytes of a text, without a partial character at the end.
func Beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// OneLine returns the first n code points of a text on one line, with each run of white
// space as one space, so that foreign text cannot start a new line in the output. Its
// cost does not depend on the length of the text.
func OneLine(text string, n int) string {
	text = strings.TrimSpace(text)
	if most := 8 * (n + 1); len(text) > most { // enough bytes for n characters with some white space
		text = text[:most]
	}
	line := strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if utf8.RuneCountInString(line) > n {
		return line[:charOffset(line, n-1)] + "…"
	}
	return line
}

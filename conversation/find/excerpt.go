package find

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis replaces omitted text.
const ellipsis = "…"

// Excerpt returns the text around a match, as one line of at most chars characters plus an ellipsis at each end, and the
// match's position in it. A third of the characters comes before the match. A run of white space becomes one space. A
// match that is longer is cut. The excerpt is not made safe for a terminal. Only the text near the match is read.
func Excerpt(text string, at Span, chars int) (excerpt string, place Span) {
	at.Start = max(0, min(at.Start, len(text)))
	at.End = max(at.Start, min(at.End, len(text)))
	middle, left := squeeze(text[at.Start:at.End], chars)
	if left < at.End-at.Start {
		return middle + ellipsis, Span{End: len(middle)}
	}
	room := max(0, chars-utf8.RuneCountInString(middle))
	from, n := at.Start, 0
	for ; from > 0 && n < room/3; n++ {
		_, w := utf8.DecodeLastRuneInString(text[:from])
		from -= w
	}
	before, _ := squeeze(text[from:at.Start], n)
	if head := text[:from]; from > 0 && strings.TrimRightFunc(head, unicode.IsSpace) == head { // begins within a word
		before = before[strings.IndexByte(before, ' ')+1:]
	}
	before = strings.TrimLeft(before, " ")
	after, end := squeeze(text[at.End:], room-utf8.RuneCountInString(before))
	after = strings.TrimRight(after, " ")
	if from > 0 {
		before = ellipsis + before
	}
	if at.End+end < len(text) {
		after += ellipsis
	}
	return before + middle + after, Span{len(before), len(before) + len(middle)}
}

// squeeze returns the beginning of a text, at most chars characters after each run of white space became one space, and
// how many bytes of the text that is.
func squeeze(text string, chars int) (string, int) {
	var b strings.Builder
	space := false
	for i, r := range text {
		if unicode.IsSpace(r) {
			if space {
				continue
			}
			r, space = ' ', true
		} else {
			space = false
		}
		if chars--; chars < 0 {
			return b.String(), i
		}
		b.WriteRune(r)
	}
	return b.String(), len(text)
}

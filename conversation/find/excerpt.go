package find

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis stands where text was left out.
const ellipsis = "…"

// Excerpt is the text around a place on one line, at most chars characters and an
// ellipsis at each end, and where the place is in it. A third of the room stands before
// the place. Every run of white space is one space. It is not made safe for a terminal. A
// place that is longer is cut. Only what is near the place is read.
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

// squeeze is the beginning of text, at most chars characters of it with every run of
// white space as one, and how many bytes of text that is.
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

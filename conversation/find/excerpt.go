package find

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rules of an excerpt:
//   - It is one line: every run of white space is one space.
//   - A third of what there is room for stands before the place. What is not needed
//     on one side, because the text begins or ends, is used on the other.
//   - It begins at a word where one begins soon; an ellipsis stands where text was
//     left out. Only what is near the place is read.

// ellipsis stands where text was left out.
const ellipsis = "…"

// wordSoon is how many characters are left out at most so that an excerpt begins at
// a word.
const wordSoon = 12

// Excerpt is the text around a place on one line, at most chars characters and an
// ellipsis at each end, and where the place is in it. It is not made safe for a
// terminal. A place that is longer is cut.
func Excerpt(text string, at Span, chars int) (excerpt string, place Span) {
	at.Start = max(0, min(at.Start, len(text)))
	at.End = max(at.Start, min(at.End, len(text)))
	middle, left := squeeze(text[at.Start:at.End], chars)
	if left < at.End-at.Start {
		return middle + ellipsis, Span{End: len(middle)}
	}
	room := max(0, chars-utf8.RuneCountInString(middle))
	before, begin := lead(text[:at.Start], room/3)
	after, end := squeeze(text[at.End:], room-utf8.RuneCountInString(before))
	if at.End+end == len(text) {
		before, begin = lead(text[:at.Start], room-utf8.RuneCountInString(after))
	}
	after = strings.TrimRight(after, " ")
	if begin > 0 {
		before = ellipsis + before
	} else {
		before = strings.TrimLeft(before, " ")
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

// lead is the end of text, at most chars characters of it with every run of white
// space as one, and at which byte of text it begins.
func lead(text string, chars int) (string, int) {
	i, n, space, word := len(text), 0, false, false
	for i > 0 {
		r, w := utf8.DecodeLastRuneInString(text[:i])
		blank := unicode.IsSpace(r)
		if !blank || !space {
			if n++; n > chars {
				word = blank
				break
			}
		}
		space = blank
		i -= w
	}
	out, _ := squeeze(text[i:], chars)
	if i == 0 || word {
		return out, i
	}
	skipped := 0
	for at, r := range out {
		if r == ' ' && at+1 < len(out) {
			return out[at+1:], i
		}
		if skipped++; skipped > wordSoon {
			break
		}
	}
	return out, i
}

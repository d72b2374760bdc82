package plain

import (
	"fmt"
	"strings"
	"unicode"
)

// Faithful reports whether a text looks as it is: nothing in it is marked or replaced before it is shown. Where it is
// not, it can be taken for another text.
func Faithful(text string) bool { return Text(Marked(text)) == text }

// Marked makes visible what would be drawn as nothing, as a blank, or as the end of a line, and is none of space, tab and
// line feed: a command or a file name with such a character in it is another one than it seems. What joins the parts of an
// emoji stays.
func Marked(text string) string {
	if !strings.ContainsFunc(text, unseen) {
		return text
	}
	var b strings.Builder
	symbol := false // the character before is one, or belongs to one
	for _, r := range text {
		switch {
		case r == '\r':
			b.WriteString("␍")
		case unseen(r) && !(symbol && joins(r)):
			fmt.Fprintf(&b, "«U+%04X»", r)
		default:
			b.WriteRune(r)
			symbol = unicode.IsSymbol(r) || symbol && joins(r)
		}
	}
	return b.String()
}

// unseen reports whether a character has no look of its own, besides those that Text marks.
func unseen(r rune) bool {
	switch r {
	case ' ', '\t', '\n':
		return false
	case '\u200c', '\ufeff', '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return unicode.IsSpace(r) || joins(r) || r >= 0xe0100 && r <= 0xe01ef
}

// joins reports whether a character stands within emoji: the zero width joiner
// and the variation selectors.
func joins(r rune) bool { return r == '\u200d' || r >= 0xfe00 && r <= 0xfe0f }

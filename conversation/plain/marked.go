package plain

import (
	"fmt"
	"strings"
	"unicode"
)

// ShownExactly reports whether a text is shown exactly as it is, with nothing marked or replaced. Otherwise a user can mistake
// it for another text.
func ShownExactly(text string) bool { return Text(MarkInvisible(text)) == text }

// MarkInvisible replaces characters that are invisible, or look like a space or a line break, by a visible mark; space, tab and
// line feed stay. Without it, a command or file name can look like another one. Joiners within emoji stay.
func MarkInvisible(text string) string {
	if !strings.ContainsFunc(text, isInvisible) {
		return text
	}
	var b strings.Builder
	symbol := false // the character before is a symbol, or belongs to one
	for _, r := range text {
		switch {
		case r == '\r':
			b.WriteString("␍")
		case isInvisible(r) && !(symbol && isEmojiJoiner(r)):
			fmt.Fprintf(&b, "«U+%04X»", r)
		default:
			b.WriteRune(r)
			symbol = unicode.IsSymbol(r) || symbol && isEmojiJoiner(r)
		}
	}
	return b.String()
}

// isInvisible reports whether a character is invisible or looks like a space. Text marks some others.
func isInvisible(r rune) bool {
	switch r {
	case ' ', '\t', '\n':
		return false
	case '\u200c', '\ufeff', '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return unicode.IsSpace(r) || isEmojiJoiner(r) || r >= 0xe0100 && r <= 0xe01ef
}

// isEmojiJoiner reports whether a character occurs within emoji: the zero width joiner and the variation selectors.
func isEmojiJoiner(r rune) bool { return r == '\u200d' || r >= 0xfe00 && r <= 0xfe0f }

// Package plain makes text from models, tools and files safe to show on a terminal.
//
// Guarantees: the result is valid UTF-8; it has no control characters except line feed and tab; nothing in it can move the
// cursor, change a colour, write to the clipboard, reorder the line or become invisible. Dangerous characters are shown,
// not executed: a control character as its picture (␛ for ESC), an invisible or reordering character as a mark («U+202E»).
// Sanitising twice changes nothing, and sanitising a stream piece by piece gives the same as sanitising it whole. The
// package imports no other package of the program.
package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The rules for characters:
//   - CR LF and a lone CR become LF, and so do U+2028 and U+2029
//   - C0 controls and DEL become the picture of the control; C1 controls become a mark with the code point
//   - bytes that are not UTF-8, and code points that are not characters, become U+FFFD
//   - direction overrides, isolates and marks, zero-width spaces, tag characters and other invisible formatting characters
//     become a mark; ZWJ, ZWNJ and variation selectors stay, because scripts and emoji need them; U+FEFF is removed
//   - a variation selector after an ASCII character or at the start is removed: it would only change the width, about
//     which terminals and the functions that wrap and cut text disagree
//   - number signs that enclose the characters after them become a mark: the terminal gives those characters no width,
//     and draws them over the next cell
//   - after MaxCombining combining marks on one base character, or on several joined ones, the rest becomes one mark

// MaxCombining is how many combining marks, joiners and variation selectors a base character may have. Living scripts
// need at most six.
const MaxCombining = 8

// cutMark replaces the combining marks beyond MaxCombining.
const cutMark = "«…»"

// Text returns s made safe for a terminal. It returns clean text unchanged, without an allocation.
func Text(s string) string {
	if n, _ := scan(s, run{}); n == len(s) {
		return s
	}
	var st Stream
	out := st.Write(s)
	return out + st.Close()
}

// Line returns s made safe and on one line: line feeds and tabs become spaces. It is for titles and tool lines.
func Line(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(Text(s), "\n", " "), "\t", " ")
}

// dirty marks the bytes that need more than the fast path: controls except LF and TAB, DEL, and all above ASCII.
var dirty = func() (t [256]bool) {
	for b := range t {
		t[b] = b < 0x20 && b != '\n' && b != '\t' || b >= 0x7f
	}
	return t
}()

// run is the state between characters: what the next one depends on.
type run struct {
	marks      int  // combining marks on the last base character, and on those joined to it
	aboveASCII bool // the last base character is above ASCII
	joined     bool // the last character joins the next one
}

// take adds a character above ASCII to the run, and reports whether it is shown: not a variation selector without a base,
// and not a combining mark too many.
func (r *run) take(c rune) bool {
	switch {
	case isSelector(c) && !r.aboveASCII:
		return false
	case isCombining(c):
		r.marks++
		r.joined = c == joiner && r.marks <= MaxCombining
		return r.marks <= MaxCombining
	case r.joined:
		r.joined = false
	default:
		*r = run{aboveASCII: true}
	}
	return true
}

// scan returns how many bytes of s need no change, when s follows r, and the state after them.
func scan(s string, r run) (int, run) {
	for i := 0; i < len(s); {
		if !dirty[s[i]] {
			for i++; i < len(s) && !dirty[s[i]]; i++ {
			}
			r = run{}
			continue
		}
		if s[i] < utf8.RuneSelf {
			return i, r
		}
		c, size := utf8.DecodeRuneInString(s[i:])
		if c == utf8.RuneError && size == 1 || isReplaced(c) || !r.take(c) {
			return i, r
		}
		i += size
	}
	return len(s), r
}

// isReplaced reports whether a valid code point above ASCII is shown as something else.
func isReplaced(r rune) bool {
	switch {
	case r < 0xa0, r == 0xad, r == 0x61c, r == 0x180e:
		return true
	case r < 0x200b, r == 0x200c, r == joiner:
		return r >= 0x600 && r <= 0xd4e && isPrepend(r)
	case r <= 0x206f:
		return r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060
	case r < 0xfdd0:
		return false
	case r <= 0xfdef, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb:
		return true
	case r&0xfffe == 0xfffe:
		return true
	case r >= 0x110bd && r <= 0x11f02:
		return isPrepend(r)
	case r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// joiner is the zero width joiner.
const joiner = 0x200d

// isSelector reports whether r is a variation selector, which changes the look of the character before it.
func isSelector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f }

// isPrepend reports whether r draws the character after it in its own cell (grapheme break property Prepend).
func isPrepend(r rune) bool {
	switch {
	case r >= 0x600 && r <= 0x605, r == 0x6dd, r == 0x70f, r == 0x890, r == 0x891, r == 0x8e2, r == 0xd4e,
		r == 0x110bd, r == 0x110cd, r == 0x111c2, r == 0x111c3, r == 0x113d1, r == 0x1193f, r == 0x11941,
		r >= 0x11a84 && r <= 0x11a89, r == 0x11d46, r == 0x11f02:
		return true
	}
	return false
}

// isCombining reports whether r modifies the character before it: marks, joiners, variation selectors.
func isCombining(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r == 0x200c, r == joiner:
		return true
	case r >= 0x2e80 && r < 0xa66f && r != 0x302a && r != 0x3099 && r != 0x309a,
		r >= 0xac00 && r < 0xfb1e, r >= 0x1f000 && r < 0xe0000:
		// Ideographs, Hangul, private use and emoji: no marks here but those excluded, and no need to look them up.
		return r >= 0x302a && r <= 0x302f
	}
	return unicode.In(r, unicode.Mn, unicode.Me)
}

// appendMark appends the replacement of r, a control character or one for which isReplaced is true.
func appendMark(out []byte, r rune) []byte {
	switch {
	case r < 0x20:
		return utf8.AppendRune(out, 0x2400+r)
	case r == 0x7f:
		return utf8.AppendRune(out, 0x2421)
	case r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
		return utf8.AppendRune(out, utf8.RuneError)
	}
	return fmt.Appendf(out, "«U+%04X»", r)
}

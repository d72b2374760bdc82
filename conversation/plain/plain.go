// Package plain makes text from models, tools and files safe to show on a terminal.
//
// Guarantees: the result is valid UTF-8; it holds no control character but line feed and tab; nothing in it can
// move the cursor, change a colour, reach the clipboard, reorder the line or hide itself. What was dangerous is
// shown, not executed: a control character as its picture (␛ for ESC), an invisible or reordering character as a mark
// («U+202E»). Sanitising twice changes nothing, and sanitising a stream piece by piece gives what sanitising the
// whole gives. The package imports nothing of ours.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What becomes of a character:
//   - CR LF and a lone CR become LF, and so do U+2028 and U+2029
//   - C0 controls and DEL become the picture of the control; C1 controls a mark with the code point
//   - bytes that are not UTF-8, and code points that are no characters, become U+FFFD
//   - direction overrides, isolates and marks, zero-width spaces, tag characters and other invisible formatting
//     become a mark; ZWJ, ZWNJ and variation selectors stay, scripts and emoji need them; U+FEFF is dropped
//   - of a flood of combining marks on one base, the first MaxCombining stay and the rest is one mark

// MaxCombining is how many combining marks, joiners and variation selectors one base character may carry.
// Living scripts need at most five or six.
const MaxCombining = 8

// cutMark stands where combining marks beyond MaxCombining were cut.
const cutMark = "«…»"

// Text returns s made safe for a terminal. Clean text is returned as it is, without an allocation.
func Text(s string) string {
	n := cleanPrefix(s)
	if n == len(s) {
		return s
	}
	var st Stream
	out := st.Write(s)
	return out + st.Close()
}

// Line returns s made safe and laid on one line: line feeds and tabs become spaces. It is for titles and tool lines.
func Line(s string) string {
	s = Text(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}

// dirty is true for the bytes that the fast path cannot pass: controls but LF and TAB, DEL, and all above ASCII.
var dirty = func() (t [256]bool) {
	for b := range t {
		t[b] = b < 0x20 && b != '\n' && b != '\t' || b >= 0x7f
	}
	return t
}()

// cleanPrefix returns how many bytes of s stand before the first that needs a change.
func cleanPrefix(s string) int {
	marks := 0
	for i := 0; i < len(s); {
		if !dirty[s[i]] {
			i++
			marks = 0
			continue
		}
		if s[i] < utf8.RuneSelf {
			return i
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || replaced(r) {
			return i
		}
		if combining(r) {
			if marks++; marks > MaxCombining {
				return i
			}
		} else {
			marks = 0
		}
		i += size
	}
	return len(s)
}

// replaced reports whether a valid code point above ASCII is shown as something else.
func replaced(r rune) bool {
	switch {
	case r < 0xa0, r == 0xad, r == 0x61c, r == 0x180e:
		return true
	case r < 0x200b, r == 0x200c, r == 0x200d:
		return false
	case r <= 0x206f:
		return r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060
	case r < 0xfdd0:
		return false
	case r <= 0xfdef, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb:
		return true
	case r&0xfffe == 0xfffe:
		return true
	case r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// combining reports whether r adds to the character before it: marks, joiners, variation selectors.
func combining(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r == 0x200c, r == 0x200d:
		return true
	case r >= 0x2e80 && r < 0xa66f && r != 0x302a && r != 0x3099 && r != 0x309a,
		r >= 0xac00 && r < 0xfb1e, r >= 0x1f000 && r < 0xe0000:
		// Ideographs, Hangul, private use and emoji: no marks here but those excluded, and no need to look them up.
		return r >= 0x302a && r <= 0x302f
	}
	return unicode.In(r, unicode.Mn, unicode.Me)
}

// show appends what stands for r, which replaced has picked out or which is a control character.
func show(out []byte, r rune) []byte {
	const hex = "0123456789ABCDEF"
	switch {
	case r < 0x20:
		return utf8.AppendRune(out, 0x2400+r)
	case r == 0x7f:
		return utf8.AppendRune(out, 0x2421)
	case r == 0x2028, r == 0x2029:
		return append(out, '\n')
	case r == 0xfeff:
		return out
	case r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
		return utf8.AppendRune(out, utf8.RuneError)
	}
	out = append(out, "«U+"...)
	digits := 4
	for r>>(4*digits) != 0 {
		digits++
	}
	for d := digits - 1; d >= 0; d-- {
		out = append(out, hex[r>>(4*d)&0xf])
	}
	return append(out, "»"...)
}

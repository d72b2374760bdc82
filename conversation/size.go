package conversation

import (
	"strings"
	"unicode/utf8"
)

// Size is the length of a text in code points, counted by script, because one
// token covers about four Latin characters but about one Chinese one. It is
// measured once, when an event is appended or read, so that later code need not
// scan the text.
type Size struct {
	ASCII int `json:"a,omitempty"` // code points below U+0080
	CJK   int `json:"c,omitempty"` // Han, kana, Hangul and their punctuation
	Other int `json:"o,omitempty"` // everything else: Cyrillic, Arabic, emoji
	// Images are what comes with the text; they have no code points.
	Images ImageSize `json:"-"`
}

// Chars returns the number of code points.
func (s Size) Chars() int { return s.ASCII + s.CJK + s.Other }

// imageChars is the length of a text that takes about as much as an image, or another page of a PDF.
const imageChars = 3000

// Length returns the number of code points, with each image and page as long as a text that takes about as much.
func (s Size) Length() int { return s.Chars() + imageChars*int(s.Images.Count+s.Images.Pages) }

// Plus returns the sum of two sizes.
func (s Size) Plus(t Size) Size {
	return Size{s.ASCII + t.ASCII, s.CJK + t.CJK, s.Other + t.Other, s.Images.Plus(t.Images)}
}

// Minus returns s reduced by t.
func (s Size) Minus(t Size) Size {
	a, b := s.Images, t.Images
	return Size{s.ASCII - t.ASCII, s.CJK - t.CJK, s.Other - t.Other, ImageSize{a.Count - b.Count, a.Tiles - b.Tiles, a.Pages - b.Pages, a.Pixels - b.Pixels}}
}

// Measure counts the code points of text. Cost: one pass, eight bytes at a
// time where the text is ASCII.
func Measure(text string) Size {
	var s Size
	for i := 0; i < len(text); {
		if n := asciiRun(text[i:]); n > 0 {
			s.ASCII += n
			i += n
			continue
		}
		r, w := utf8.DecodeRuneInString(text[i:])
		if isCJK(r) {
			s.CJK++
		} else {
			s.Other++
		}
		i += w
	}
	return s
}

// asciiRun returns the length of the ASCII prefix of text.
func asciiRun(text string) int {
	const high = 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		w := uint64(text[i]) | uint64(text[i+1])<<8 | uint64(text[i+2])<<16 | uint64(text[i+3])<<24 |
			uint64(text[i+4])<<32 | uint64(text[i+5])<<40 | uint64(text[i+6])<<48 | uint64(text[i+7])<<56
		if w&high != 0 {
			break
		}
	}
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// isCJK reports whether r belongs to a script that tokenizers split into about
// one token per character.
func isCJK(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x11FF, // Hangul Jamo
		r >= 0x2E80 && r <= 0x9FFF,   // radicals, CJK punctuation, kana, Han
		r >= 0xA960 && r <= 0xA97F,   // Hangul Jamo extended A
		r >= 0xAC00 && r <= 0xD7FF,   // Hangul syllables
		r >= 0xF900 && r <= 0xFAFF,   // compatibility ideographs
		r >= 0xFE30 && r <= 0xFE4F,   // compatibility forms
		r >= 0xFF00 && r <= 0xFFEF,   // full- and half-width forms
		r >= 0x20000 && r <= 0x3FFFF: // supplementary ideographs
		return true
	}
	return false
}

// Clean returns text as valid UTF-8 without NUL: invalid bytes become U+FFFD, NUL
// becomes U+2400. Text that is clean already is returned unchanged.
func Clean(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "\u2400")
	}
	return text
}

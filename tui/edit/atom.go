package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// An atom is what the cursor steps over as a whole: a grapheme cluster, a tab or a chip.

const tabWidth = 4

// atom is the length in bytes and the width in cells of the first atom of s,
// which must not be empty. Widths beyond limit are cut to it.
func (b *Buffer) atom(s string) (size, width int) {
	switch {
	case s[0] == '\t':
		return 1, min(tabWidth, b.width)
	case s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf):
		return 1, 1
	}
	if i := chipIndex(s); i >= 0 && i < len(b.chips) {
		return chipLen, min(b.chips[i].width, b.width)
	}
	cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	// A cluster may begin with a character that joins the next one.
	if i := strings.IndexByte(cluster, planeLead); i > 0 {
		cluster = cluster[:i]
		w = ansi.StringWidth(cluster)
	}
	return max(len(cluster), 1), w
}

// Atom returns the first atom of s, which must not be empty: its bytes, its cells, and the label of a folded paste.
func (b *Buffer) Atom(s string) (size, width int, label string) {
	size, width = b.atom(s)
	if i := chipIndex(s); i >= 0 && i < len(b.chips) {
		label = b.chips[i].label
	}
	return size, width, label
}

// previous returns where the atom that ends at offset i of s begins. A cluster of
// more than 256 bytes is split.
func (b *Buffer) previous(s string, i int) int {
	if i <= 0 {
		return 0
	}
	if s[i-1] < utf8.RuneSelf {
		return i - 1
	}
	at := i - 1
	for at > 0 && i-at < 256 && s[at] >= utf8.RuneSelf {
		at--
	}
	for at < i-1 && !utf8.RuneStart(s[at]) {
		at++
	}
	for at < i {
		n, _ := b.atom(s[at:])
		if at+n >= i {
			break
		}
		at += n
	}
	return at
}

// kind is the class of an atom for moves by words.
type kind int

const (
	blankKind kind = 1 << iota
	markKind       // punctuation
	letterKind
	chipKind
)

// What counts as a word, besides a chip: letters, as in readline, or everything between blanks.
const (
	letters = letterKind
	between = letterKind | markKind
)

func kindAt(s string, i int) kind {
	r, _ := utf8.DecodeRuneInString(s[i:])
	switch {
	case chipIndex(s[i:]) >= 0:
		return chipKind
	case unicode.IsSpace(r):
		return blankKind
	case r != '_' && (unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.IsSymbol(r)):
		return markKind
	}
	return letterKind
}

func (b *Buffer) wordStart(s string, i int, word kind) int {
	for in := false; i > 0; {
		p := b.previous(s, i)
		k := kindAt(s, p)
		switch {
		case k == chipKind && !in:
			return p
		case in && k&word == 0:
			return i
		}
		in, i = in || k&word != 0, p
	}
	return i
}

func (b *Buffer) wordEnd(s string, i int, word kind) int {
	for in := false; i < len(s); {
		n, _ := b.atom(s[i:])
		k := kindAt(s, i)
		switch {
		case k == chipKind && !in:
			return i + n
		case in && k&word == 0:
			return i
		}
		in, i = in || k&word != 0, i+n
	}
	return i
}

package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// An atom is what the cursor steps over: a grapheme cluster, a tab or a chip.

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
	// A cluster may begin with a character that joins whatever follows.
	if i := strings.IndexByte(cluster, planeLead); i > 0 {
		cluster = cluster[:i]
		w = ansi.StringWidth(cluster)
	}
	return max(len(cluster), 1), w
}

// Atom is the first atom of s, which must not be empty: its bytes, its cells, and of a folded paste its label.
func (b *Buffer) Atom(s string) (size, width int, label string) {
	size, width = b.atom(s)
	if i := chipIndex(s); i >= 0 && i < len(b.chips) {
		label = b.chips[i].label
	}
	return size, width, label
}

// previous is where the atom that ends at offset i of s begins. A cluster of
// more than 256 bytes is taken in pieces.
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

// wordStart is the start of the word before offset i of s: a chip, or a run of
// other characters between blanks.
func (b *Buffer) wordStart(s string, i int) int {
	for i > 0 && blankBefore(s, i) {
		i = b.previous(s, i)
	}
	for first := true; i > 0 && !blankBefore(s, i); first = false {
		p := b.previous(s, i)
		if chipIndex(s[p:]) >= 0 {
			if first {
				return p
			}
			break
		}
		i = p
	}
	return i
}

// wordEnd is the end of the word after offset i of s.
func (b *Buffer) wordEnd(s string, i int) int {
	for i < len(s) && blankAt(s, i) {
		i++
	}
	for first := true; i < len(s) && !blankAt(s, i); first = false {
		n, _ := b.atom(s[i:])
		if chipIndex(s[i:]) >= 0 {
			if first {
				return i + n
			}
			break
		}
		i += n
	}
	return i
}

func blankBefore(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsSpace(r)
}

func blankAt(s string, i int) bool { return s[i] == ' ' || s[i] == '\t' }

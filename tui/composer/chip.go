package composer

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// Large pastes are folded. A folded paste is one character in the text, a code
// point of the last private plane, drawn as its label and replaced by the
// paste when the draft is sent. Code points of that plane that come from
// outside are replaced on entry, so that none can be mistaken for a paste.

const (
	foldBytes = 8 << 10  // a text larger than this is folded
	foldLines = 100      // a text of more lines than this is folded
	openBytes = 32 << 10 // so is one that would let the unfolded text grow beyond this

	firstChip = 0x100000
	lastChip  = 0x10FFFD
	planeLead = 0xF4 // the first byte of every code point from U+100000 on
)

// chip is a folded paste.
type chip struct {
	text  string
	size  conversation.Size
	label string
	width int
}

// newChip folds a text. Its weight is the cold-start estimate unless the
// parent gave a better one.
func newChip(number int, text string, estimate func(conversation.Size) int) chip {
	size := conversation.Measure(text)
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	unit := "lines"
	if lines == 1 {
		unit = "line"
	}
	label := fmt.Sprintf("[pasted %d: %d %s, ~%s tokens]", number, lines, unit, short(estimate(size)))
	return chip{text: text, size: size, label: label, width: ansi.StringWidth(label)}
}

// coldEstimate is about four characters to a token and one CJK character.
func coldEstimate(size conversation.Size) int { return size.ASCII/4 + size.CJK + size.Other/2 }

// short writes a number of tokens: 999, 1.2k, 128k, 1.3M.
func short(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 99_950:
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1000, 'f', 1, 64), ".0") + "k"
	case n < 999_500:
		return strconv.Itoa((n+500)/1000) + "k"
	}
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64), ".0") + "M"
}

// folds reports whether a text is too large to be laid out, given how many
// bytes are laid out already.
func folds(text string, open int) bool {
	return len(text) > foldBytes || open+len(text) > openBytes || strings.Count(text, "\n") >= foldLines
}

// clean makes a text from outside safe to edit and to draw.
func clean(text string) string {
	text = plain.Text(text) // with every kind of line end as \n
	if strings.IndexByte(text, planeLead) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r >= firstChip {
			return utf8.RuneError
		}
		return r
	}, text)
}

// chipIndex is the index of the chip a text begins with, -1 if it begins with
// something else.
func chipIndex(s string) int {
	if s == "" || s[0] != planeLead {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(s)
	if r < firstChip || r > lastChip {
		return -1
	}
	return int(r - firstChip)
}

// chipLen is the length in bytes of the character that stands for a chip.
const chipLen = 4

package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Large pastes are folded. A folded paste, a chip, is one character in the text, a code point of the last private plane. It
// is drawn as its label and replaced by the paste when the text is read. Code points of that plane in inserted text are
// replaced, so that they are not mistaken for chips.

const (
	foldBytes = 8 << 10  // a text larger than this is folded
	foldLines = 100      // a text of more lines than this is folded
	openBytes = 32 << 10 // a text is also folded if the unfolded text would exceed this

	firstChip = 0x100000
	lastChip  = 0x10FFFD
	planeLead = 0xF4 // the first byte of every code point from U+100000 on

	chipLen = 4 // bytes of a chip's character
)

// chip is a folded paste.
type chip struct {
	text  string
	size  conversation.Size
	label string
	width int
}

func newChip(number int, text string, estimate func(conversation.Size) int) chip {
	size := conversation.Measure(text)
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	unit := "lines"
	if lines == 1 {
		unit = "line"
	}
	label := fmt.Sprintf("[pasted %d: %d %s, %s tokens]", number, lines, unit, pane.About(estimate(size)))
	return chip{text: text, size: size, label: label, width: ansi.StringWidth(label)}
}

// Clean makes text safe to edit and to draw.
func Clean(text string) string {
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

// HasChip reports whether a chip is in a text.
func HasChip(s string) bool {
	at := strings.IndexByte(s, planeLead)
	return at >= 0 && chipIndex(s[at:]) >= 0
}

// chipIndex returns the index of the chip that a text begins with, or -1.
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

// eachChip calls f for every chip of a text, and g for the text between them.
func eachChip(text string, chips []chip, f func(i int), g func(text string)) {
	for text != "" {
		at := strings.IndexByte(text, planeLead)
		if at < 0 {
			break
		}
		g(text[:at])
		end := min(len(text), at+chipLen)
		if i := chipIndex(text[at:]); i >= 0 && i < len(chips) {
			f(i)
		} else {
			g(text[at:end])
		}
		text = text[end:]
	}
	g(text)
}

// expand puts the pastes in place of their chips.
func expand(text string, chips []chip) string {
	if strings.IndexByte(text, planeLead) < 0 {
		return text
	}
	var s strings.Builder
	eachChip(text, chips, func(i int) { s.WriteString(chips[i].text) }, func(t string) { s.WriteString(t) })
	return s.String()
}

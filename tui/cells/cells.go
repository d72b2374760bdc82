// Package cells keeps what stands at the right end of a line in its place on terminals
// that measure text in another way.
package cells

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Terminals disagree about characters that are made of several code points: a
// family of emoji, a Devanagari syllable. Those that answer for mode 2027 show
// the cluster as one; the others, and the library with them, count the code
// points. All parts of the screen measure clusters. For other terminals a line
// is adjusted. An emoji is shown by its first code point, which has the same width
// everywhere, so that every column holds. Of other clusters nothing can be left
// out: the padding behind them gives or takes the difference, so that what stands
// at the right end stays there.

// AdjustScreen adjusts a screen for a terminal that counts code points.
func AdjustScreen(content string, cursor *tea.Cursor) string {
	if !disputed(content) {
		return content
	}
	lines := strings.Split(content, "\n")
	for i, l := range lines {
		l = simpleEmoji(l)
		if cursor != nil && cursor.Y == i {
			cursor.X = adjustedColumn(l, cursor.X)
		}
		lines[i] = adjust(l)
	}
	return strings.Join(lines, "\n")
}

// AdjustLine makes a line as wide in code points as it is in clusters. Other clusters
// than emoji need padding for it.
func AdjustLine(line string) string { return adjust(simpleEmoji(line)) }

func adjust(line string) string {
	more, at, _ := gap(line)
	switch {
	case more < 0:
		return line[:at] + strings.Repeat(" ", -more) + line[at:]
	case more > 0:
		return line[:at] + line[at+more:]
	}
	return line
}

// What makes one emoji of several code points: joiner, presentation selector, and skin tones.
const (
	emojiParts = "\u200d\ufe0f"
	keycap     = "\ufe0f\u20e3" // behind a digit; the library counts it as one cell
	firstTone  = '\U0001F3FB'
	lastTone   = '\U0001F3FF'
)

// simpleEmoji shows each emoji whose width is disputed by its first code point, in the cells that the cluster has.
func simpleEmoji(line string) string {
	joins := func(r rune) bool { return strings.ContainsRune(emojiParts, r) || r >= firstTone && r <= lastTone }
	if strings.IndexFunc(line, joins) < 0 {
		return line
	}
	line = strings.ReplaceAll(line, keycap, " ")
	var b strings.Builder
	state := byte(0)
	for rest := line; rest != ""; {
		seq, width, n, next := ansi.DecodeSequence(rest, state, nil)
		first, size := utf8.DecodeRuneInString(seq)
		if size < len(seq) && width > 0 && strings.IndexFunc(seq[size:], joins) >= 0 && ansi.StringWidthWc(seq) != width &&
			(first >= firstSymbol || first == '©' || first == '®') {
			seq = seq[:size] + strings.Repeat(" ", max(0, width-ansi.StringWidthWc(seq[:size])))
		}
		b.WriteString(seq)
		rest, state = rest[n:], next
	}
	return b.String()
}

// firstSymbol is where the symbols begin. Letters below it are joined, too, and lose their meaning without what follows.
const firstSymbol = 0x2000

// adjustedColumn is where a cell of a line is once the line is adjusted.
func adjustedColumn(line string, x int) int {
	x = ansi.StringWidthWc(ansi.Cut(line, 0, x))
	if more, _, end := gap(line); more != 0 && ansi.StringWidthWc(line[:end]) <= x {
		return x - more
	}
	return x
}

// gap finds the blanks of a line, from at to end, that give or take the cells
// that it has more in code points than in clusters; more is 0 if there is
// nothing to adjust, or nothing to adjust it with.
func gap(line string) (more, at, end int) {
	if !disputed(line) {
		return 0, 0, 0
	}
	more = ansi.StringWidthWc(line) - ansi.StringWidth(line)
	if more == 0 {
		return 0, 0, 0
	}
	// The last run of blanks that is long enough: padding, not a gap in a text.
	const padding = 3
	for end = len(line); ; end = at {
		end = strings.LastIndexByte(line[:end], ' ') + 1
		if end == 0 {
			return 0, 0, 0
		}
		at = len(strings.TrimRight(line[:end], " "))
		if ansi.StringWidth(line[:at]) == 0 {
			return 0, 0, 0 // what a line is indented by stays
		}
		if end-at >= max(padding, more+1) {
			return more, at, end
		}
	}
}

// disputed reports whether terminals may disagree about the width of a text. It
// is a quick look that may err on the side of yes.
func disputed(s string) bool {
	for _, r := range s {
		switch {
		case r < 0x0300, // Latin
			r >= 0x0370 && r <= 0x0482, // Greek, Cyrillic
			r >= 0x048A && r <= 0x058F, // Cyrillic, Armenian
			r >= 0x2010 && r <= 0x2BFF, // punctuation, arrows, boxes, symbols
			r >= 0x2E80 && r <= 0xA48F && r != 0x302A && r != 0x3099 && r != 0x309A, // kana, Han
			r >= 0xAC00 && r <= 0xD7A3, // Hangul
			r >= 0xFF00 && r <= 0xFFEF: // full-width forms
		default:
			return true
		}
	}
	return false
}

package pane

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Fit cuts or pads a line to exactly width cells.
func Fit(line string, width int) string {
	w := ansi.StringWidth(line)
	if w > width {
		line = ansi.Truncate(line, max(width, 0), "…")
		w = ansi.StringWidth(line)
	}
	return line + strings.Repeat(" ", max(0, width-w))
}

// Clip cuts a line to at most width cells.
func Clip(line string, width int) string { return ansi.Truncate(line, max(width, 0), "…") }

// ClipLeft cuts the beginning of a line to at most width cells: the end of a path says more.
func ClipLeft(line string, width int) string {
	if over := ansi.StringWidth(line) - max(width, 0); over > 0 {
		return ansi.TruncateLeft(line, over+1, "…")
	}
	return line
}

// Wrap breaks safe text into lines of at most width cells, at words where possible,
// keeping its own line breaks.
func Wrap(text string, width int) []string {
	width = max(1, width)
	var out []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\t", "    "), "\n") {
		if len(line) <= width { // no character has more cells than bytes
			out = append(out, strings.TrimRight(line, " "))
			continue
		}
		for part := range strings.SplitSeq(ansi.Wrap(line, width, ""), "\n") {
			for piece := range strings.SplitSeq(ansi.Hardwrap(strings.TrimRight(part, " "), width, true), "\n") { // else some are too wide
				out = append(out, strings.TrimRight(piece, " "))
			}
		}
	}
	return out
}

// tabStop is the distance of tab stops, in cells.
const tabStop = 4

// ExpandTabs replaces the tabs of a line by blanks up to the next stop.
func ExpandTabs(line string) string {
	var b strings.Builder
	cells := 0
	for {
		piece, rest, tab := strings.Cut(line, "\t")
		b.WriteString(piece)
		if !tab {
			return b.String()
		}
		cells += ansi.StringWidth(piece)
		n := tabStop - cells%tabStop
		b.WriteString(strings.Repeat(" ", n))
		line, cells = rest, cells+n
	}
}

// listMark matches the indentation and the mark at the beginning of a list item.
var listMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ *([-*•·✓✗▸] +|\d+[.)] +|\S+ {2,})?`)
})

// WrapHanging is Wrap for texts with lists: the continued lines of an item are indented like its
// text, after the mark or the label. Lines that fit stay as they are.
func WrapHanging(text string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\t", "    "), "\n") {
		if ansi.StringWidth(line) <= width {
			out = append(out, line)
			continue
		}
		const leastText = 4                                   // cells of an item's text that the indentation leaves
		mark := ansi.StringWidth(listMark().FindString(line)) // continued lines are not indented if that leaves too little
		if mark > width/2 || width-mark < leastText {
			mark = 0
		}
		hang := strings.Repeat(" ", mark)
		first := ansi.Truncate(line, mark, "")
		for i, part := range Wrap(line[len(first):], width-len(hang)) {
			if i == 0 {
				part = first + part
			} else {
				part = hang + part
			}
			out = append(out, part)
		}
	}
	return out
}

// WrapCode breaks a line of code into lines of at most width cells: after a blank or a punctuation character in the second half
// of the line, else after any blank, else anywhere. It adds and removes no characters.
func WrapCode(line string, width int) []string {
	width = max(1, width)
	var out []string
	for len(line) > width { // no character has more cells than bytes
		end := fitting(line, width)
		if end == len(line) {
			break
		}
		blank, punctuation := strings.LastIndexByte(line[:end], ' ')+1, strings.LastIndexAny(line[:end], ",;:/\\.&|=-)]}>")+1
		switch {
		case blank*2 >= end:
			end = blank
		case punctuation*2 >= end:
			end = punctuation
		case blank > 0:
			end = blank
		}
		out = append(out, line[:end])
		line = line[end:]
	}
	return append(out, line)
}

// fitting returns how many bytes of a line fit into width cells, at least one character.
func fitting(line string, width int) int {
	at := 0
	for cells := 0; at < len(line); {
		cluster, w := ansi.FirstGraphemeCluster(line[at:], ansi.GraphemeWidth)
		if cells += w; cells > width && at > 0 {
			break
		}
		at += len(cluster)
	}
	return at
}

// Fold cuts lines after most of them, and marks the last if others follow.
func Fold(lines []string, most, width int) []string {
	if most = max(most, 1); len(lines) <= most {
		return lines
	}
	return append(lines[:most-1], Clip(lines[most-1]+" …", width))
}

// Joined joins as many texts as fit into this many cells, the first in any case. It leaves out empty ones.
func Joined(texts []string, cells int) string {
	line := ""
	for _, t := range texts {
		next := strings.TrimPrefix(line+" · "+t, " · ")
		if t != "" && (line == "" || ansi.StringWidth(next) <= cells) {
			line = next
		}
	}
	return line
}

// Between puts left and right at the ends of a line of width cells. If they do not fit
// with a gap between them, left is cut. If left would have less than a third of the line,
// right is left out.
func Between(left, right string, width int) string {
	r := ansi.StringWidth(right)
	room := width - r - 2
	if right == "" || room < width/3 {
		return Fit(left, width)
	}
	return Fit(left, room) + "  " + right
}

// AlignRight puts a text at the right end of this many cells.
func AlignRight(text string, cells int) string {
	return strings.Repeat(" ", max(0, cells-ansi.StringWidth(text))) + text
}

// Columns puts height lines side by side: the left ones in width cells, then the bar, then the right ones.
func Columns(left, right []string, bar string, width, height int) []string {
	out := make([]string, height)
	left, right = slices.Concat(left, out), slices.Concat(right, out)
	for i := range out {
		out[i] = Fit(left[i], width) + bar + right[i]
	}
	return out
}

// joint separates the names of keys in a hint. It differs from the blank between the
// names and the description.
const joint = "\u00a0"

// Hint formats keys and what they do, for [Frame.Hints]. It is "" if all keys are off.
func Hint(what string, keys ...key.Binding) string {
	var names []string
	for _, b := range keys {
		if b.Enabled() {
			names = append(names, b.Help().Key)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.ReplaceAll(strings.Join(names, " "), " ", joint) + " " + what
}

// Each renders each line separately, so that no style spans a line break.
func Each(s lipgloss.Style, lines []string) []string {
	style, out := NewInlineStyle(s), make([]string, len(lines))
	for i, l := range lines {
		out[i] = style.Render(l)
	}
	return out
}

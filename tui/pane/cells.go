package pane

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Fit cuts or pads a line to exactly so many cells.
func Fit(line string, width int) string {
	w := ansi.StringWidth(line)
	if w > width {
		line = ansi.Truncate(line, max(width, 0), "…")
		w = ansi.StringWidth(line)
	}
	return line + strings.Repeat(" ", max(0, width-w))
}

// Clip cuts a line to at most so many cells.
func Clip(line string, width int) string { return ansi.Truncate(line, max(width, 0), "…") }

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
			part = strings.TrimRight(part, " ")
			if len(part) > width && ansi.StringWidth(part) > width {
				out = append(out, strings.Split(ansi.Hardwrap(part, width, true), "\n")...)
				continue
			}
			out = append(out, part)
		}
	}
	return out
}

// Between puts left and right at the ends of a line of so many cells. Where there
// is not room for both and a gap, left is cut; right goes where left would have
// fewer than a third.
func Between(left, right string, width int) string {
	r := ansi.StringWidth(right)
	room := width - r - 2
	if right == "" || room < width/3 {
		return Fit(left, width)
	}
	return Fit(left, room) + "  " + right
}

// joint joins the names of keys in a hint: a space that does not part them from
// what they do.
const joint = "\u00a0"

// Hint is keys and what they do, for [Frame.Hints]; "" if all are off.
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

// Each renders each line by itself, so that no style reaches over a line break.
func Each(s lipgloss.Style, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l != "" {
			l = s.Render(l)
		}
		out[i] = l
	}
	return out
}

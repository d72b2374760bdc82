package pane

import "strings"

// Gutter is how many cells stay free at the left and at the right end of every line of a
// screen, so that all that is on it has one left and one right edge.
func Gutter(width int) int {
	switch {
	case width < 24:
		return 0
	case width < 60:
		return 1
	}
	return 2
}

// Within is how many cells a screen has between its gutters.
func Within(width int) int { return max(width-2*Gutter(width), 1) }

// RowWidth is how many cells the rows of a list have: the mark of the one with the cursor
// stands in the left gutter.
func RowWidth(width int) int { return max(width-Gutter(width), 1) }

// Margin is the blanks of the gutter.
func Margin(width int) string { return strings.Repeat(" ", Gutter(width)) }

// Inset moves lines behind the gutter.
func Inset(lines string, width int) string {
	margin := Margin(width)
	return margin + strings.ReplaceAll(lines, "\n", "\n"+margin)
}

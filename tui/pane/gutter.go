package pane

import "strings"

// Gutter returns how many cells stay empty at the left and at the right of every line, so
// that all parts of the screen are aligned.
func Gutter(width int) int {
	switch {
	case width < 24:
		return 0
	case width < 60:
		return 1
	}
	return 2
}

// Within returns the cells between the gutters.
func Within(width int) int { return max(width-2*Gutter(width), 1) }

// RowWidth returns the cells of the rows of a list: they begin in the left gutter, which has
// the mark of the row with the cursor.
func RowWidth(width int) int { return max(width-Gutter(width), 1) }

// Margin returns the blanks of the left gutter.
func Margin(width int) string { return strings.Repeat(" ", Gutter(width)) }

// Indent returns the cells between the left gutter and the text of the chat, for marks and bars. A narrow screen has none.
func Indent(width int) int { return Gutter(width) / 2 * 2 }

// TextMargin returns the blanks before the text of the chat.
func TextMargin(width int) string { return strings.Repeat(" ", Gutter(width)+Indent(width)) }

// TextWidth returns the cells of the text of the chat.
func TextWidth(width int) int { return max(Within(width)-Indent(width), 1) }

// Inset puts the left gutter before lines. It changes them.
func Inset(lines []string, width int) []string {
	for i, l := range lines {
		lines[i] = Margin(width) + l
	}
	return lines
}

package composer

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/pane"
)

// box is the border around the text.
type box struct{ width int }

// padding is the number of blanks between the border and the text.
func (b box) padding() int {
	if b.width < 10 {
		return 0
	}
	return 1
}

// inner is the number of cells for text in a line of the box.
func (b box) inner() int { return max(b.width-2-2*b.padding(), 2) }

// edge draws a horizontal border with a label in it.
func (b box) edge(left, label, right string, border pane.InlineStyle, text lipgloss.Style) string {
	label = ansi.Truncate(label, max(b.width-5, 0), "…")
	if label == "" {
		return border.Render(left + strings.Repeat("─", b.width-2) + right)
	}
	rest := b.width - 3 - ansi.StringWidth(label)
	return border.Render(left+"─") + text.Render(label) + border.Render(strings.Repeat("─", max(rest, 0))+right)
}

// row draws a line of the box between its sides.
func (b box) row(left, text, right string) string {
	// A combining mark at the edge joins the blank beside it, so the whole row is measured.
	return left + text + strings.Repeat(" ", max(0, b.width-ansi.StringWidth(left+text+right))) + right
}

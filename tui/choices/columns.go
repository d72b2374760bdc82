package choices

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// columns writes rows of cells below each other, with two blanks between them. Columns
// that no row fills are left out; one of them is set flush right.
func columns(rows [][]string, right int) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	out := make([]string, len(rows))
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			if b.Len() > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-ansi.StringWidth(cell))
			if i == right {
				b.WriteString(pad + cell)
				continue
			}
			b.WriteString(cell + pad)
		}
		out[n] = strings.TrimRight(b.String(), " ")
	}
	return out
}

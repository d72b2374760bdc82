// Package table writes tables as text with aligned columns.
//
// Widths are measured in terminal cells. Rows can be cut to a width, so
// that they do not wrap.
package table

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Column is one column of a table. A column whose cells are all empty is not written.
type Column struct {
	Header     string
	AlignRight bool // align the cells on the right, as numbers are
	cells      []string
}

// Add adds a cell in the next row.
func (c *Column) Add(cell string) { c.cells = append(c.cells, cell) }

// Width is the width of the widest cell or the header, 0 if all cells are empty.
func (c *Column) Width() int {
	widest := 0
	for _, cell := range c.cells {
		widest = max(widest, ansi.StringWidth(cell))
	}
	if widest == 0 {
		return 0
	}
	return max(widest, ansi.StringWidth(c.Header))
}

// Gap separates two columns.
const Gap = "  "

// Write writes the columns side by side. Rows are cut to limit terminal cells; 0 means
// no limit.
func Write(w io.Writer, limit int, columns ...*Column) error {
	var kept []*Column
	var sizes []int
	for _, c := range columns {
		if n := c.Width(); n > 0 {
			kept, sizes = append(kept, c), append(sizes, n)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	var b strings.Builder
	for i := -1; i < len(kept[0].cells); i++ {
		var line strings.Builder
		for k, c := range kept {
			cell := c.Header
			if i >= 0 {
				cell = c.cells[i]
			}
			if k > 0 {
				line.WriteString(Gap)
			}
			line.WriteString(Pad(cell, sizes[k], c.AlignRight))
		}
		text := strings.TrimRight(line.String(), " ")
		if limit > 0 {
			text = ansi.Truncate(text, limit, "…")
		}
		b.WriteString(text + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Pad pads a cell with spaces to a width: on its left side if right is true.
func Pad(cell string, size int, right bool) string {
	space := strings.Repeat(" ", max(0, size-ansi.StringWidth(cell)))
	if right {
		return space + cell
	}
	return cell + space
}

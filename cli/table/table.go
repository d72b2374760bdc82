// Package table writes tables for people: columns of text side by side.
//
// Cells are measured as a terminal shows them. Where there is a limit, rows are cut
// so that none wraps.
package table

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Column is one column of a table. An empty one is left out.
type Column struct {
	Head  string
	Right bool // align the cells on the right, as numbers are
	cells []string
}

// Add puts a cell below the others.
func (c *Column) Add(cell string) { c.cells = append(c.cells, cell) }

// Size is the width of the widest cell, 0 if all are empty.
func (c *Column) Size() int {
	widest := 0
	for _, cell := range c.cells {
		widest = max(widest, ansi.StringWidth(cell))
	}
	if widest == 0 {
		return 0
	}
	return max(widest, ansi.StringWidth(c.Head))
}

// Gap stands between two columns.
const Gap = "  "

// Write writes the columns side by side, at most limit cells wide; 0 is
// no limit.
func Write(w io.Writer, limit int, columns ...*Column) error {
	var kept []*Column
	var sizes []int
	for _, c := range columns {
		if n := c.Size(); n > 0 {
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
			cell := c.Head
			if i >= 0 {
				cell = c.cells[i]
			}
			if k > 0 {
				line.WriteString(Gap)
			}
			line.WriteString(Pad(cell, sizes[k], c.Right))
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

// Pad fills a cell with blanks to a size, on its left if right is true.
func Pad(cell string, size int, right bool) string {
	space := strings.Repeat(" ", max(0, size-ansi.StringWidth(cell)))
	if right {
		return space + cell
	}
	return cell + space
}

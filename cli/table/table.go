// Package table writes tables as text with aligned columns.
//
// Widths are measured in terminal cells. Rows can be cut to a width, so
// that they do not wrap.
package table

import (
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Column is one column of a table. A column whose cells are all empty is not written.
type Column struct {
	Header     string
	AlignRight bool
}

// Left is a column of texts.
func Left(header string) Column { return Column{Header: header} }

// Right is a column of numbers.
func Right(header string) Column { return Column{Header: header, AlignRight: true} }

// Gap separates two columns.
const Gap = "  "

// Write writes the headers and the rows, which have a cell for each column. Lines are cut to limit terminal cells; 0 means no
// limit.
func Write(w io.Writer, limit int, columns []Column, rows [][]string) error {
	headers, widths := make([]string, len(columns)), make([]int, len(columns))
	for i, c := range columns {
		headers[i] = c.Header
		for _, row := range rows {
			widths[i] = max(widths[i], ansi.StringWidth(row[i]))
		}
		if widths[i] > 0 {
			widths[i] = max(widths[i], ansi.StringWidth(c.Header))
		}
	}
	if slices.Max(widths) == 0 {
		return nil
	}
	var b strings.Builder
	for _, row := range slices.Concat([][]string{headers}, rows) {
		var cells []string
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			space := strings.Repeat(" ", widths[i]-ansi.StringWidth(cell))
			if columns[i].AlignRight {
				cells = append(cells, space+cell)
			} else {
				cells = append(cells, cell+space)
			}
		}
		text := strings.TrimRight(strings.Join(cells, Gap), " ")
		if limit > 0 {
			text = ansi.Truncate(text, limit, "…")
		}
		b.WriteString(text + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

package choices

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Details is what is known of the items of a list, in columns: the fullest form first,
// and each of the next with less, for a narrower list. Nothing is cut that way.
type Details struct {
	Heads []string // above the columns, one for each form; nil for none
	forms [][]string
}

// Of is the forms of an item.
func (d Details) Of(item int) []string {
	out := make([]string, len(d.forms))
	for i, rows := range d.forms {
		out[i] = rows[item]
	}
	return out
}

// CommandDetails is what commands do, and their keys, which are left out first.
func CommandDetails(help, keys []string) Details {
	var d Details
	notes := make([]string, len(help))
	d.form(notes, column{cells: help}, column{cells: keys})
	d.form(notes, column{cells: help})
	return d
}

// leastNote is how much of a note stays in a form that is narrower.
const leastNote = 24

// column is one column of a list.
type column struct {
	head  string
	right bool
	cells []string
}

// form writes columns beside each other, with two blanks between them. Columns that no
// row fills are left out. A note stands in place of a row.
func (d *Details) form(notes []string, cols ...column) {
	rows, head := make([]string, len(notes)), ""
	for _, c := range cols {
		width := 0
		for _, cell := range c.cells {
			width = max(width, ansi.StringWidth(cell))
		}
		if width == 0 {
			continue
		}
		width = max(width, ansi.StringWidth(c.head))
		for i, cell := range c.cells {
			rows[i] += padded(cell, width, c.right)
		}
		head += padded(c.head, width, c.right)
	}
	head = strings.TrimRight(head, " ")
	widest := max(ansi.StringWidth(head), leastNote)
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
		widest = max(widest, ansi.StringWidth(rows[i]))
	}
	for i, note := range notes {
		switch {
		case note == "":
		case len(d.forms) == 0:
			rows[i] = note
		default:
			rows[i] = ansi.Truncate(note, widest, "…")
		}
	}
	d.forms, d.Heads = append(d.forms, rows), append(d.Heads, head)
}

func padded(cell string, width int, right bool) string {
	pad := strings.Repeat(" ", width-ansi.StringWidth(cell))
	if right {
		return pad + cell + "  "
	}
	return cell + pad + "  "
}

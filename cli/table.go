package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact"
)

// Tables for people. Cells are measured as a terminal shows them; on a
// terminal the last column is cut so that no row wraps.

// column is one column of a table. An empty one is left out.
type column struct {
	head  string
	right bool // numbers
	cells []string
}

// add puts a cell below the others.
func (c *column) add(cell string) { c.cells = append(c.cells, cell) }

// size is the width of the widest cell, 0 if all are empty.
func (c *column) size() int {
	widest := 0
	for _, cell := range c.cells {
		widest = max(widest, ansi.StringWidth(cell))
	}
	if widest == 0 {
		return 0
	}
	return max(widest, ansi.StringWidth(c.head))
}

const gap = "  "

// writeTable writes the columns side by side, at most limit cells wide; 0 is
// no limit.
func writeTable(w io.Writer, limit int, columns ...*column) error {
	var kept []*column
	var sizes []int
	for _, c := range columns {
		if n := c.size(); n > 0 {
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
			cell := c.head
			if i >= 0 {
				cell = c.cells[i]
			}
			if k > 0 {
				line.WriteString(gap)
			}
			line.WriteString(pad(cell, sizes[k], c.right))
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

func pad(cell string, size int, right bool) string {
	space := strings.Repeat(" ", max(0, size-ansi.StringWidth(cell)))
	if right {
		return space + cell
	}
	return cell + space
}

// limit is how wide a table may be: that of the terminal, 0 elsewhere.
func (a *app) limit() int {
	if !terminal(a.env.Stdout) {
		return 0
	}
	return width(a.env.Stdout, 0)
}

// ago says how long before now a time is, in the largest fitting unit; old
// times are dates.
func ago(now, t time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 7*24*time.Hour:
		return plural(int(d.Hours()/24), "day") + " ago"
	}
	return t.In(now.Location()).Format(time.DateOnly)
}

// grouped is a whole number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	var b strings.Builder
	for i, digit := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return sign + b.String()
}

// windowShare is tokens as a share of a window, the number that the gauge shows.
func windowShare(r compact.Reading, tokens int) string {
	if n := r.Percent(tokens); n > 0 || tokens == 0 {
		return strconv.Itoa(n) + " %"
	}
	return "<1 %"
}

// percent is a share as people read it; what is there but small is not 0.
func percent(share float64) string {
	if share > 0 && share < 0.005 {
		return "<1 %"
	}
	return fmt.Sprintf("%d %%", int(math.Round(100*share)))
}

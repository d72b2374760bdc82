// Package diffview draws diffs with line numbers, + and -, tinted rows, and marks on the words that changed within a line.
// All views draw their diffs with it.
//
// It guarantees that no row is wider than asked, that control characters of the text are made visible, and that a diff can be
// read without color. Long lines wrap at words; a wrapped part begins with ↳ and keeps the indentation.
package diffview

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/themes"
	"plimsoll/tui/pane"
)

// Styles are the styles of a diff.
type Styles themes.DiffStyles

// Options say how much of a diff is drawn.
type Options struct {
	Context int  // at most this many unchanged lines around changes; negative for all
	Most    int  // at most this many rows, 0 for all
	Fill    bool // tint rows to the right edge; otherwise to the end of the widest row
}

// All draws the whole diff.
var All = Options{Context: -1}

const (
	leastNumbered = 24  // width from which rows have a line number
	leastBoth     = 72  // width from which they have the old and the new one
	wrapMark      = "↳" // before a part of a wrapped line
)

// gutter is the part of a row before the text of the line: line numbers, and + or -.
type gutter struct {
	digits int  // of a number, 0 for no numbers
	both   bool // the old and the new number
}

func gutterOf(f diff.File, width int) gutter {
	most := 1
	for _, h := range f.Hunks {
		most = max(most, h.Old+len(h.Lines), h.New+len(h.Lines))
	}
	if width < leastNumbered {
		return gutter{}
	}
	return gutter{digits: len(strconv.Itoa(most)), both: width >= leastBoth && f.From != "" && f.To != ""}
}

// cells returns the width of the gutter: numbers, + or -, and a blank after each.
func (g gutter) cells() int {
	n := 2
	if g.digits > 0 {
		n += g.digits + 1
	}
	if g.both {
		n += g.digits + 1
	}
	return n
}

// Gutter returns the width of the gutter of a diff, in cells.
func Gutter(f diff.File, width int) int { return gutterOf(f, width).cells() }

// numbers returns the line numbers as text, 0 for no number. A wrapped part of a line has a mark in their place.
func (g gutter) numbers(op diff.Op, oldLine, newLine int, wrapped bool) string {
	switch {
	case g.digits == 0 && !wrapped:
		return ""
	case g.digits == 0:
		return wrapMark
	case wrapped:
		return pane.AlignRight(wrapMark, g.cells()-3) + " "
	case g.both:
		return pane.AlignRight(number(oldLine), g.digits) + " " + pane.AlignRight(number(newLine), g.digits) + " "
	case op == diff.Removed:
		return pane.AlignRight(number(oldLine), g.digits) + " "
	}
	return pane.AlignRight(number(newLine), g.digits) + " "
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Drawing is a diff divided into rows. Row renders a row and compares its words only when called, because most rows of a large
// diff are not on the screen.
type Drawing struct {
	d    drawer
	fill bool
}

// Draw draws a diff in rows of at most width cells. It also returns how many of its lines were left out.
func (s Styles) Draw(f diff.File, width int, o Options) (rows []string, leftOut int) {
	d := s.Layout(f, width, o)
	rows = make([]string, d.Rows())
	for i := range rows {
		rows[i] = d.Row(i)
	}
	return rows, d.d.leftOut
}

// Layout divides a diff into rows of at most width cells.
func (s Styles) Layout(f diff.File, width int, o Options) *Drawing {
	d := drawer{inlineStyles: s.inline(), gutter: gutterOf(f, width), width: max(width, 1), most: o.Most}
	hunks := f.Hunks
	if o.Context >= 0 {
		hunks = nil
		for _, h := range f.Hunks {
			hunks = append(hunks, trim(h, o.Context)...)
		}
	}
	for i, h := range hunks {
		if i > 0 && !d.full() {
			d.addRow(row{op: diff.Kept, note: pane.AlignRight("⋯", d.cells()-3), gap: true})
		}
		d.addHunk(h)
	}
	if n := len(d.rows); d.leftOut > 0 && n > 0 && d.rows[n-1].gap {
		d.rows = d.rows[:n-1]
	}
	if f.Cut > 0 {
		d.addNote("… " + numbers.Count(f.Cut, "more line") + ", not recorded")
	}
	return &Drawing{d: d, fill: o.Fill}
}

// Rows returns the number of rows.
func (d *Drawing) Rows() int { return len(d.d.rows) }

// Cells returns the width of the widest row, in cells.
func (d *Drawing) Cells() int { return d.d.widest }

// FirstChange returns the index of the first row of a changed line, 0 if no line changed.
func (d *Drawing) FirstChange() int {
	return max(0, slices.IndexFunc(d.d.rows, func(r row) bool { return r.op != diff.Kept }))
}

// Row renders one row.
func (d *Drawing) Row(i int) string {
	r := d.d.rows[i]
	text, end := d.d.render(r), d.d.widest
	if d.fill {
		end = d.d.width
	}
	if r.op != diff.Kept && !d.d.row[r.op].Plain() {
		text += d.d.row[r.op].Render(strings.Repeat(" ", max(0, end-r.cells)))
	}
	return text
}

// trim splits a hunk where it has more than this many unchanged lines around a change, and leaves these lines out.
func trim(h diff.Hunk, context int) []diff.Hunk {
	near := make([]bool, len(h.Lines))
	for i, l := range h.Lines {
		if l.Op == diff.Kept {
			continue
		}
		for j := max(0, i-context); j <= min(len(near)-1, i+context); j++ {
			near[j] = true
		}
	}
	var out []diff.Hunk
	oldLine, newLine, inside := h.Old, h.New, false
	for i, l := range h.Lines {
		if near[i] && !inside {
			out = append(out, diff.Hunk{Old: oldLine, New: newLine})
		}
		if inside = near[i]; inside {
			last := &out[len(out)-1]
			last.Lines = append(last.Lines, l)
		}
		if l.Op != diff.Added {
			oldLine++
		}
		if l.Op != diff.Removed {
			newLine++
		}
	}
	return out
}

// inlineStyles are the styles with their escape sequences computed once.
type inlineStyles struct {
	mark, row, word map[diff.Op]pane.InlineStyle
	number, note    pane.InlineStyle
}

func (s Styles) inline() inlineStyles {
	styles := func(added, removed, kept lipgloss.Style) map[diff.Op]pane.InlineStyle {
		return map[diff.Op]pane.InlineStyle{diff.Added: pane.NewInlineStyle(added), diff.Removed: pane.NewInlineStyle(removed),
			diff.Kept: pane.NewInlineStyle(kept)}
	}
	return inlineStyles{
		mark:   styles(s.Added.Background(s.AddedRow.GetBackground()), s.Removed.Background(s.RemovedRow.GetBackground()), s.Number),
		row:    styles(s.AddedRow, s.RemovedRow, s.Context),
		word:   styles(s.AddedWord, s.RemovedWord, s.Context),
		number: pane.NewInlineStyle(s.Number), note: pane.NewInlineStyle(s.Note),
	}
}

// displayText makes a line of a file safe to draw: without its line feed, with tabs as blanks.
func displayText(text string) string {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	return pane.ExpandTabs(strings.ReplaceAll(plain.Text(text), "\n", "␍")) // plain.Text also ends lines at other characters
}

// Stat formats how many lines were added and removed: +3 −1.
func Stat(added, removed int) string {
	switch {
	case added == 0 && removed == 0:
		return "±0"
	case removed == 0:
		return "+" + numbers.Grouped(added)
	case added == 0:
		return "−" + numbers.Grouped(removed)
	}
	return "+" + numbers.Grouped(added) + " −" + numbers.Grouped(removed)
}

// Package diffview draws diffs: with line numbers, + and - as glyphs on tinted rows, and the words that changed
// within a line. Every place that shows a diff uses it.
//
// It guarantees that no line is wider than it may be, whatever the characters; that text of a file is made
// safe; and that a diff reads without color. Long lines wrap at words, behind a mark, and keep their indentation.
package diffview

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Styles are the looks of a diff. They must be inline: no padding, margin, border or width.
type Styles struct {
	Added, Removed         lipgloss.Style // the glyphs, and numbers of lines
	AddedRow, RemovedRow   lipgloss.Style // lines
	AddedWord, RemovedWord lipgloss.Style // what changed within a line
	Context, Number, Note  lipgloss.Style
}

// Options say how much of a diff is drawn.
type Options struct {
	Context int  // lines around changes at most; negative for all that the diff has
	Most    int  // rows at most, 0 for all
	Fill    bool // rows reach to the right edge, else as far as the widest
}

// All draws the whole diff.
var All = Options{Context: -1}

const (
	leastNumbered = 24 // cells from which on lines have numbers
	leastBoth     = 72 // and from which on both numbers
	tab           = 4
	goesOn        = "↳"
)

// gutter is what stands before the text of a line.
type gutter struct {
	digits int // of a number, 0 for none
	both   bool
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

// cells is the width of the gutter: numbers, the glyph, and a blank behind each.
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

// Gutter is how many cells of each row of a diff are no text of the file.
func Gutter(f diff.File, width int) int { return gutterOf(f, width).cells() }

// numbers writes the numbers of a line, 0 for none. A line that goes on has a mark in their place.
func (g gutter) numbers(op diff.Op, old, neu int, first bool) string {
	switch one := neu; {
	case g.digits == 0 && first:
		return ""
	case g.digits == 0:
		return goesOn
	case !first:
		return pad(goesOn, g.cells()-3) + " "
	case g.both:
		return pad(number(old), g.digits) + " " + pad(number(neu), g.digits) + " "
	default:
		if op == diff.Removed {
			one = old
		}
		return pad(number(one), g.digits) + " "
	}
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// pad puts blanks before a text.
func pad(text string, cells int) string {
	return strings.Repeat(" ", max(0, cells-ansi.StringWidth(text))) + text
}

// Drawing is a diff laid out in rows. The text of a row is made when it is asked for, and so is the comparison of its
// words: of a large diff little is in sight.
type Drawing struct {
	d    drawer
	fill bool
}

// Draw draws a diff in rows of at most width cells, and says how many of its lines have no row.
func (s Styles) Draw(f diff.File, width int, o Options) (rows []string, left int) {
	d := s.Lay(f, width, o)
	rows = make([]string, d.Rows())
	for i := range rows {
		rows[i] = d.Row(i)
	}
	return rows, d.d.left
}

// Lay lays a diff out in rows of at most width cells.
func (s Styles) Lay(f diff.File, width int, o Options) *Drawing {
	d := drawer{inks: s.inks(), gutter: gutterOf(f, width), width: max(width, 1), most: o.Most}
	hunks := trimmed(f.Hunks, o.Context)
	for i, h := range hunks {
		if i > 0 && !d.full() {
			d.put(row{op: diff.Kept, note: pad("⋯", d.cells()-3), gap: true})
		}
		d.hunk(h)
	}
	if n := len(d.out); d.left > 0 && n > 0 && d.out[n-1].gap {
		d.out = d.out[:n-1]
	}
	if f.Cut > 0 {
		d.note("… " + numbers.Count(f.Cut, "more line") + ", not recorded")
	}
	return &Drawing{d: d, fill: o.Fill}
}

// Rows is how many rows the diff takes.
func (d *Drawing) Rows() int { return len(d.d.out) }

// Cells is how many cells its widest row takes, not filled.
func (d *Drawing) Cells() int { return d.d.wide }

// FirstChange is the first row of a changed line, 0 without one.
func (d *Drawing) FirstChange() int {
	return max(0, slices.IndexFunc(d.d.out, func(r row) bool { return r.op != diff.Kept }))
}

// Row is one row.
func (d *Drawing) Row(i int) string {
	r := d.d.out[i]
	text, end := d.d.text(r), d.d.wide
	if d.fill {
		end = d.d.width
	}
	if r.op != diff.Kept && !d.d.row[r.op].Plain() {
		text += d.d.row[r.op].Render(strings.Repeat(" ", max(0, end-r.cells)))
	}
	return text
}

// trimmed is hunks with fewer lines around their changes.
func trimmed(hunks []diff.Hunk, context int) []diff.Hunk {
	if context < 0 {
		return hunks
	}
	var out []diff.Hunk
	for _, h := range hunks {
		out = append(out, trim(h, context)...)
	}
	return out
}

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
	old, neu, open := h.Old, h.New, false
	for i, l := range h.Lines {
		if near[i] && !open {
			out = append(out, diff.Hunk{Old: old, New: neu})
		}
		if open = near[i]; open {
			last := &out[len(out)-1]
			last.Lines = append(last.Lines, l)
		}
		if l.Op != diff.Added {
			old++
		}
		if l.Op != diff.Removed {
			neu++
		}
	}
	return out
}

// inks are the styles, worked out once.
type inks struct {
	mark, row, word map[diff.Op]pane.Ink
	number, note    pane.Ink
}

func (s Styles) inks() inks {
	ink := pane.NewInk
	return inks{
		mark:   map[diff.Op]pane.Ink{diff.Added: ink(s.Added.Inherit(ground(s.AddedRow))), diff.Removed: ink(s.Removed.Inherit(ground(s.RemovedRow))), diff.Kept: ink(s.Number)},
		row:    map[diff.Op]pane.Ink{diff.Added: ink(s.AddedRow), diff.Removed: ink(s.RemovedRow), diff.Kept: ink(s.Context)},
		word:   map[diff.Op]pane.Ink{diff.Added: ink(s.AddedWord), diff.Removed: ink(s.RemovedWord), diff.Kept: ink(s.Context)},
		number: ink(s.Number), note: ink(s.Note),
	}
}

// ground is the surface of a style alone.
func ground(s lipgloss.Style) lipgloss.Style {
	return lipgloss.NewStyle().Background(s.GetBackground())
}

// shown is a line of a file as it is drawn: safe, without its end, with its tabs as blanks.
func shown(text string) string {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	text = strings.ReplaceAll(plain.Text(text), "\n", "␍") // what else plain takes for the end of a line
	if !strings.Contains(text, "\t") {
		return text
	}
	var b strings.Builder
	cells := 0
	for i, piece := range strings.Split(text, "\t") {
		if i > 0 {
			n := tab - cells%tab
			b.WriteString(strings.Repeat(" ", n))
			cells += n
		}
		b.WriteString(piece)
		cells += width(piece)
	}
	return b.String()
}

// Stat writes how many lines were added and removed: +3 −1.
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

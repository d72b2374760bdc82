package diffview

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/diff"
	"plimsoll/tui/pane"
)

// drawer collects the rows of a diff and renders them.
type drawer struct {
	inlineStyles
	gutter
	width   int // cells of a row at most
	most    int // rows at most, 0 for all
	leftOut int // lines for which there was no row
	rows    []row
	widest  int // cells of the widest row
}

// row is one line of the screen: a part of a line of the file, or a note.
type row struct {
	op               diff.Op
	oldLine, newLine int // line numbers, 0 for none
	indent           string
	part             string // of the line, after the indentation
	at               int    // byte of the line at which the part begins
	wrapped          bool   // the line began in an earlier row
	pair             *pair  // nil for a line that replaces no other
	note             string // in place of a part of a line
	gap              bool   // the note marks lines that are not shown
	cells            int
	cut              bool // the row is wider than the screen: not even one character fits
}

// pair is a removed line and the added line that replaces it.
type pair struct {
	before, after  string
	compared       bool
	removed, added []span // the words that differ, once the lines are compared
}

// words returns the words of the removed or the added line that the other one does not have.
func (p *pair) words(op diff.Op) []span {
	if p == nil {
		return nil
	}
	if !p.compared {
		p.removed, p.added = changedWords(displayText(p.before), displayText(p.after))
		p.compared = true
	}
	if op == diff.Removed {
		return p.removed
	}
	return p.added
}

// pairs returns the pair of every line of a hunk, nil for a line without one. In a run of removed lines and the run of added
// lines after it, the first line pairs with the first, the second with the second.
func pairs(lines []diff.Line) []*pair {
	out := make([]*pair, len(lines))
	before, start := 0, 0 // where the previous run begins, and the run of the line
	for i, l := range lines {
		if i > 0 && lines[i-1].Op != l.Op {
			before, start = start, i
		}
		at := before + i - start
		if l.Op == diff.Added && at < start && lines[start-1].Op == diff.Removed {
			out[at] = &pair{before: lines[at].Text, after: l.Text}
			out[i] = out[at]
		}
	}
	return out
}

func (d *drawer) full() bool { return d.most > 0 && len(d.rows) >= d.most }

func (d *drawer) addRow(r row) {
	r.cells = width(r.note)
	if r.note == "" {
		r.cells = d.cells() + len(r.indent) + width(r.part)
	}
	if r.cells > d.width {
		r.cells, r.cut = d.width, true
	}
	d.rows, d.widest = append(d.rows, r), max(d.widest, r.cells)
}

// width returns the cells of a text without control characters.
func width(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

func (d *drawer) addNote(text string) {
	if !d.full() {
		d.addRow(row{op: diff.Kept, note: pane.Clip(strings.Repeat(" ", d.cells())+text, d.width)})
	}
}

func (d *drawer) addHunk(h diff.Hunk) {
	oldLine, newLine, paired := max(h.Old, 1), max(h.New, 1), pairs(h.Lines)
	for i, l := range h.Lines {
		if d.full() {
			d.leftOut += len(h.Lines) - i
			return
		}
		r := row{op: l.Op, pair: paired[i]}
		if l.Op != diff.Added {
			r.oldLine = oldLine
			oldLine++
		}
		if l.Op != diff.Removed {
			r.newLine = newLine
			newLine++
		}
		d.addLine(r, displayText(l.Text))
		if !strings.HasSuffix(l.Text, "\n") {
			d.addNote("no newline at the end of the file")
		}
	}
}

// addLine adds a line of the file in as many rows as it needs. r has what these rows share.
func (d *drawer) addLine(r row, text string) {
	room := max(1, d.width-d.cells())
	r.indent = text[:len(text)-len(strings.TrimLeft(text, " "))]
	if len(r.indent) > room/2 {
		r.indent = ""
	}
	r.at = len(r.indent)
	for _, r.part = range pane.WrapCode(text[r.at:], room-len(r.indent)) {
		if d.full() {
			return
		}
		d.addRow(r)
		r.at += len(r.part)
		r.wrapped = true
	}
}

// render draws a row, without the blanks that fill it.
func (d *drawer) render(r row) string {
	line := d.inlineStyles.note.Render(r.note)
	if r.note == "" {
		style, numbers := d.row[r.op], d.inlineStyles.number
		if r.op != diff.Kept {
			numbers = d.mark[r.op]
		}
		line = numbers.Render(d.numbers(r.op, r.oldLine, r.newLine, r.wrapped)) + d.mark[r.op].Render(string(r.op))
		if d.digits > 0 || !r.wrapped {
			line += style.Render(" ")
		}
		line += style.Render(r.indent) + d.renderPart(r)
	}
	if r.cut {
		line = ansi.Truncate(line, d.width, "")
	}
	return line
}

// renderPart draws the part of the line in a row, with the words that changed highlighted.
func (d *drawer) renderPart(r row) string {
	var b strings.Builder
	done := 0
	for _, c := range r.pair.words(r.op) {
		from, to := max(c.from-r.at, done), min(c.to-r.at, len(r.part))
		if from >= to {
			continue
		}
		b.WriteString(d.row[r.op].Render(r.part[done:from]) + d.word[r.op].Render(r.part[from:to]))
		done = to
	}
	b.WriteString(d.row[r.op].Render(r.part[done:]))
	return b.String()
}

package diffview

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/diff"
	"plimsoll/tui/pane"
)

// drawer makes rows.
type drawer struct {
	inks
	gutter
	width int
	most  int
	left  int // lines that found no place
	out   []row
	wide  int // cells of the widest
}

// row is one line of the screen: a note, or a part of a line of the file.
type row struct {
	op       diff.Op
	old, neu int // the numbers of the line
	indent   string
	part     string // of the line, after the indentation
	at       int    // where the part begins, a byte of the line
	goesOn   bool   // the line began in a row before
	pair     *pair  // nil for a line that took no other's place
	note     string
	gap      bool // it stands for lines that are not shown
	cells    int
	cut      bool // not even a character fits
}

// pair is a line and the one that took its place, or whose place it took.
type pair struct {
	line, other string
	compared    bool
	changed     []span // of the line, once it is compared
}

// words are the words of the line that changed.
func (p *pair) words() []span {
	if p == nil {
		return nil
	}
	if !p.compared {
		p.changed, p.compared = changedWords(shown(p.line), shown(p.other)), true
	}
	return p.changed
}

// begins is, for every line of a hunk, the first of the lines around it that were changed as it was.
func begins(lines []diff.Line) []int {
	out := make([]int, len(lines))
	for i := range lines {
		out[i] = i
		if i > 0 && lines[i-1].Op == lines[i].Op {
			out[i] = out[i-1]
		}
	}
	return out
}

// partners are, for every line of a hunk, the line that took its place or whose place it took: the one that stands as far
// into the lines added as the other into the lines removed before them. It is -1 for none.
func partners(lines []diff.Line) []int {
	first, out := begins(lines), make([]int, len(lines))
	for i := range out {
		out[i] = -1
	}
	for i, l := range lines {
		begin := first[i]
		if l.Op != diff.Added || begin == 0 || lines[begin-1].Op != diff.Removed {
			continue
		}
		if at := first[begin-1] + i - begin; at < begin {
			out[i], out[at] = at, i
		}
	}
	return out
}

func (d *drawer) full() bool { return d.most > 0 && len(d.out) >= d.most }

// put adds a row.
func (d *drawer) put(r row) {
	r.cells = width(r.note)
	if r.note == "" {
		r.cells = d.cells() + len(r.indent) + width(r.part)
	}
	if r.cells > d.width {
		r.cells, r.cut = d.width, true
	}
	d.out, d.wide = append(d.out, r), max(d.wide, r.cells)
}

// width is the cells of a text without control characters.
func width(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// note is a line that is no line of the file.
func (d *drawer) note(text string) {
	if !d.full() {
		d.put(row{op: diff.Kept, note: pane.Clip(strings.Repeat(" ", d.cells())+text, d.width)})
	}
}

func (d *drawer) hunk(h diff.Hunk) {
	old, neu, partner := max(h.Old, 1), max(h.New, 1), partners(h.Lines)
	for i, l := range h.Lines {
		if d.full() {
			d.left += len(h.Lines) - i
			return
		}
		a, b := old, neu
		switch l.Op {
		case diff.Added:
			a, neu = 0, neu+1
		case diff.Removed:
			b, old = 0, old+1
		default:
			old, neu = old+1, neu+1
		}
		r := row{op: l.Op, old: a, neu: b}
		if at := partner[i]; at >= 0 {
			r.pair = &pair{line: l.Text, other: h.Lines[at].Text}
		}
		d.line(r, shown(l.Text))
		if !strings.HasSuffix(l.Text, "\n") {
			d.note("no newline at the end of the file")
		}
	}
}

// line lays a line out, in as many rows as it takes.
func (d *drawer) line(r row, text string) {
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
		d.put(r)
		r.at += len(r.part)
		r.goesOn = true
	}
}

// text is a row as it is shown, not filled.
func (d *drawer) text(r row) string {
	line := d.inks.note.Render(r.note)
	if r.note == "" {
		look, numbers := d.row[r.op], d.inks.number
		if r.op != diff.Kept {
			numbers = d.mark[r.op]
		}
		line = numbers.Render(d.numbers(r.op, r.old, r.neu, !r.goesOn)) + d.mark[r.op].Render(string(r.op))
		if d.digits > 0 || !r.goesOn {
			line += look.Render(" ")
		}
		line += look.Render(r.indent) + d.marked(r)
	}
	if r.cut {
		line = ansi.Truncate(line, d.width, "")
	}
	return line
}

// marked is the text of a row, with the words that changed.
func (d *drawer) marked(r row) string {
	var b strings.Builder
	done := 0
	for _, c := range r.pair.words() {
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

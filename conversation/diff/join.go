package diff

import (
	"math"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diffs of one file that follow each other are joined without the file. Its text is kept as rows: lines
// that some diff showed, and runs of lines that none did. A diff that shows a line other than it was left
// says that somebody else changed the file in between, and begins another chain.

// row is a line that is known, or a run of lines of the original that are not.
type row struct {
	old   int // line of the original, the first of a run; 0 for one that was added
	run   int // lines; more than one only where they are not known
	text  string
	known bool
}

// toEnd is the run to the end of a file of unknown length.
const toEnd = math.MaxInt32

// chain is a file as diffs that follow each other left it.
type chain struct {
	begun         bool // a diff was added
	from, to      string
	before, after string
	rows          []row
	removed       map[int]string // lines of the original that are gone
}

func newChain(f File) *chain {
	c := &chain{from: f.From, before: f.Before, removed: map[int]string{}}
	if f.From != "" {
		c.rows = []row{{old: 1, run: toEnd}}
	}
	return c
}

// add applies a diff. It is false, and changes nothing, where the diff is of another text.
func (c *chain) add(f File) bool {
	if c.begun && (f.From == "" || c.after != "" && f.Before != "" && c.after != f.Before) {
		return false
	}
	next := chain{rows: slices.Clone(c.rows), removed: map[int]string{}}
	for _, h := range slices.Backward(f.Hunks) { // those before keep their places
		if !next.apply(h) {
			return false
		}
	}
	c.rows, c.to, c.after, c.begun = next.rows, f.To, f.After, true
	for line, text := range next.removed {
		c.removed[line] = text
	}
	return true
}

// at is the row that begins with a line of the text, counted from 1; a run is split there.
func (c *chain) at(line int) (int, bool) {
	for i := 0; i < len(c.rows); i++ {
		r := c.rows[i]
		if line == 1 {
			return i, true
		}
		if line <= r.run {
			head := row{old: r.old, run: line - 1}
			tail := row{old: r.old + line - 1, run: r.run - line + 1}
			c.rows = slices.Replace(c.rows, i, i+1, head, tail)
			return i + 1, true
		}
		line -= r.run
	}
	return len(c.rows), line == 1
}

func (c *chain) apply(h Hunk) bool {
	line := h.Old
	if old, _ := h.sizes(); old == 0 {
		line++ // it stands behind the line that is named
	}
	i, ok := c.at(max(line, 1))
	if !ok {
		return false
	}
	end := i
	var lines []row
	for _, l := range h.Lines {
		if l.Op == Added {
			lines = append(lines, row{run: 1, text: l.Text, known: true})
			continue
		}
		if end == len(c.rows) {
			return false
		}
		r := &c.rows[end]
		one := row{old: r.old, run: 1, text: l.Text, known: true}
		switch {
		case r.known && r.text != l.Text:
			return false
		case r.run > 1:
			r.old, r.run = r.old+1, r.run-1
		default:
			end++
		}
		if l.Op == Kept {
			lines = append(lines, one)
		} else if one.old > 0 {
			c.removed[one.old] = l.Text
		}
	}
	c.rows = slices.Replace(c.rows, i, end, lines...)
	return true
}

// context is how many lines around a change a diff shows.
const context = 3

// file is the diff from the original to the text as it was left.
func (c *chain) file() File {
	f := File{From: c.from, To: c.to, Before: c.before, After: c.after}
	w := writer{old: 1, new: 1, removed: c.removed}
	for _, r := range c.rows {
		if r.old == 0 {
			w.added = append(w.added, r.text)
			continue
		}
		w.change(r.old)
		if !r.known {
			w.pass(r.run)
			continue
		}
		w.keep(r.text)
	}
	w.change(math.MaxInt)
	w.end()
	f.Hunks = w.hunks
	return f
}

// writer makes hunks of lines.
type writer struct {
	old, new int // the next lines
	removed  map[int]string
	added    []string // since the last line that was kept
	hunk     Hunk     // being written
	kept     []string // lines since the last change, or since the last gap
	hunks    []Hunk
}

// change writes what changed before a line of the original.
func (w *writer) change(until int) {
	var gone []string
	for line := w.old; line < until; line++ {
		text, ok := w.removed[line]
		if !ok {
			break
		}
		gone = append(gone, text)
	}
	if len(gone) == 0 && len(w.added) == 0 {
		return
	}
	for _, l := range lines(gone, w.added) {
		if l.Op == Kept {
			w.keep(l.Text)
			continue
		}
		w.write(l)
	}
	w.added = nil
}

// write adds a changed line to the hunk, behind what was kept before it.
func (w *writer) write(l Line) {
	switch n := len(w.kept); {
	case len(w.hunk.Lines) > 0 && n <= 2*context:
		w.context(w.kept)
	default:
		w.end()
		before := w.kept[max(0, n-context):]
		w.hunk = Hunk{Old: w.old - len(before), New: w.new - len(before)}
		w.context(before)
	}
	w.kept = nil
	w.hunk.Lines = append(w.hunk.Lines, l)
	if l.Op == Added {
		w.new++
	} else {
		w.old++
	}
}

func (w *writer) context(texts []string) {
	for _, t := range texts {
		w.hunk.Lines = append(w.hunk.Lines, Line{Kept, t})
	}
}

func (w *writer) keep(text string) {
	w.kept = append(w.kept, text)
	w.old, w.new = w.old+1, w.new+1
}

// pass goes over lines that are not known, which end a hunk.
func (w *writer) pass(n int) {
	w.end()
	w.kept = nil
	w.old, w.new = w.old+n, w.new+n
}

// end closes the hunk that is being written.
func (w *writer) end() {
	if len(w.hunk.Lines) == 0 {
		return
	}
	w.context(w.kept[:min(context, len(w.kept))])
	if old, neu := w.hunk.sizes(); old == 0 {
		w.hunk.Old--
	} else if neu == 0 {
		w.hunk.New--
	}
	w.hunks, w.hunk = append(w.hunks, w.hunk), Hunk{}
}

// lines is the difference of lines that took the place of others: what is the same in both stays.
func lines(gone, come []string) []Line {
	var out []Line
	put := func(op Op, text string) {
		for l := range strings.Lines(text) {
			out = append(out, Line{op, l})
		}
	}
	before := strings.Join(gone, "")
	at := 0
	for _, e := range udiff.Lines(before, strings.Join(come, "")) {
		put(Kept, before[at:e.Start])
		put(Removed, before[e.Start:e.End])
		put(Added, e.New)
		at = e.End
	}
	put(Kept, before[at:])
	return out
}

package transcript

import (
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// A selection is a stretch of the visible lines, dragged with the mouse. While
// the button is down nothing moves; a selection ends when the view moves.
// Copied is the original text: every line is looked up in the text that its item was drawn from.

type selection struct {
	scroll   *scroll
	pressed  bool // the button is down
	on       bool // something is marked
	from, to cell // as dragged, in any order
	at       place
}

type cell struct{ x, y int }

// press begins a selection.
func (s *selection) press(x, y int) {
	s.scroll.settle()
	s.scroll.held = true
	at := cell{x, y}
	*s = selection{scroll: s.scroll, pressed: true, from: at, to: at, at: s.scroll.place}
}

// drag extends the selection to a cell, which may be outside. It does nothing without a press.
func (s *selection) drag(x, y int) {
	if !s.pressed {
		return
	}
	to := cell{max(x, 0), y}
	if y < 0 {
		to = cell{0, 0}
	}
	if y >= s.scroll.height {
		to = cell{s.scroll.items.width, s.scroll.height - 1}
	}
	s.to = to
	s.on = s.on || s.from != s.to
}

// release ends a press; what is marked stays.
func (s *selection) release() { s.pressed, s.scroll.held = false, false }

// clear unmarks text, and forgets a press.
func (s *selection) clear() {
	s.scroll.held = false
	*s = selection{scroll: s.scroll}
}

func (s *selection) ordered() (a, b cell) {
	if s.from.y > s.to.y || s.from.y == s.to.y && s.from.x > s.to.x {
		return s.to, s.from
	}
	return s.from, s.to
}

// marked is what is selected of row y: its text without style, and the cells [from, to) of it. No character is cut,
// and what is behind the text is left out.
func (s *selection) marked(y int, p place) (text string, from, to int) {
	text = ansi.Strip(s.scroll.items.text(p))
	a, b := s.ordered()
	if !s.on || y < a.y || y > b.y {
		return text, 0, 0
	}
	left, right := s.scroll.items.textFrom(p), 1<<30
	if y == a.y {
		left = max(left, a.x)
	}
	if y == b.y {
		right = b.x + 1
	}
	from = -1
	for x, rest := 0, text; rest != ""; {
		cluster, w := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		rest = rest[len(cluster):]
		if x+w > left && x < right {
			if from < 0 {
				from = x
			}
			to = x + w
		}
		x += w
	}
	return text, max(from, 0), to
}

// highlight marks the selected cells of lines.
func (s *selection) highlight(lines []string, rows []place) {
	if !s.on {
		return
	}
	for y, p := range rows {
		text, from, to := s.marked(y, p)
		if from < to {
			lines[y] = painted(lines[y], ansi.Cut(text, from, to), from, to, s.scroll.items.look.styles.Selected)
		}
	}
}

// painted puts a text in place of the cells [from, to) of a styled line.
func painted(line, text string, from, to int, s lipgloss.Style) string {
	return ansi.Cut(line, 0, from) + s.Render(text) + ansi.TruncateLeft(line, to, "")
}

// copied is the selected text: what stands in the original between the first and the last character of lines that follow
// each other there, and of other lines what is shown.
func (s *selection) copied(rows []place) string {
	x := s.scroll.items
	a, b := s.ordered()
	var out strings.Builder
	var from origin
	of, end, breaks := -1, -1, 0
	for y := max(0, a.y); y <= b.y && y < len(rows); y++ {
		p := rows[y]
		if p.top != of {
			from, of, end = x.origin(p.top), p.top, -1
		}
		line, at := p.offset-x.gap(p.top), -1
		if line >= 0 {
			if x.label(p.top, line) {
				continue
			}
			at = from.lines[line]
		}
		text, first, last := s.marked(y, p)
		part := ansi.Cut(text, first, last)
		letters, _ := squeeze(part)
		if letters == "" {
			breaks++
			continue
		}
		skipped := ansi.Cut(text, x.textFrom(p), first)
		before, _ := squeeze(skipped)
		at += len(before)
		switch {
		case from.lines[line] < 0:
			out.WriteString(strings.Repeat("\n", breaks) + strings.TrimRight(part, " "))
			end = -1
		case at == end:
			out.WriteString(from.between(end-1, at+len(letters))[1:])
			end = at + len(letters)
		default:
			out.WriteString(strings.Repeat("\n", breaks))
			switch {
			case before != "":
			case strings.Trim(skipped, " ") == "":
				out.WriteString(from.leading(at, " \t"+drawnBetween))
			default:
				out.WriteString(from.leading(at, " \t"))
			}
			out.WriteString(from.between(at, at+len(letters)))
			end = at + len(letters)
		}
		breaks = 1
	}
	return strings.Trim(out.String(), "\n")
}

// origin is the text that an entry was drawn from, and where its lines stand in it. Lines are compared by their letters:
// see squeeze.
type origin struct {
	text  string
	bytes []int // of the text, for every byte of its letters
	lines []int // the letter that each line begins with, -1 for a line that is not in the text
}

// mostMisses is how many lines of an entry are looked for in vain.
const mostMisses = 100

func (x *items) origin(i int) origin {
	o := origin{text: x.entries[i].item.source(&x.look)}
	letters, bytes := squeeze(o.text)
	o.bytes = bytes
	at, misses := 0, 0
	for n := range x.linesOf(i) {
		line, _ := squeeze(x.bare(place{i, n + x.gap(i)}))
		found := -1
		switch {
		case x.label(i, n):
		case strings.HasPrefix(letters[at:], line):
			found = at
		case misses < mostMisses:
			if found = strings.Index(letters, line); found < 0 {
				misses++
			}
		}
		if found >= 0 {
			at = found + len(line)
		}
		o.lines = append(o.lines, found)
	}
	return o
}

// between is the text from a letter to the one before another.
func (o *origin) between(from, to int) string { return o.text[o.bytes[from] : o.bytes[to-1]+1] }

// leading is what stands right before a letter, of some characters.
func (o *origin) leading(at int, of string) string {
	before := o.text[:o.bytes[at]]
	return before[len(strings.TrimRight(before, of)):]
}

// label reports whether a line of entry i names the language of code, rather than being text.
func (x *items) label(i, line int) bool { return x.look.markdown.Label(x.linesOf(i)[line]) }

// drawnBetween is what the screen draws between texts. A text may hold it, too.
const drawnBetween = "│─┼↳"

// squeeze is the letters of a text, without blanks and what the screen draws between them, and where in the text they are.
func squeeze(text string) (letters string, bytes []int) {
	var b strings.Builder
	for i, r := range text {
		if unicode.IsSpace(r) || strings.ContainsRune(drawnBetween, r) {
			continue
		}
		for n := range len(string(r)) {
			bytes = append(bytes, i+n)
		}
		b.WriteRune(r)
	}
	return b.String(), bytes
}

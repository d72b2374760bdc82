package transcript

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// A selection is a range of the visible text, dragged with the mouse. While the
// button is down the view does not move; when it moves, the selection is cleared.
// The copied text is the source text: every line is searched in the text that its item was drawn from.

type selection struct {
	scroll   *scroll
	pressed  bool  // the button is down
	active   bool  // text is selected
	from, to cell  // from is the cell of the press, to the cell of the mouse
	at       place // the top line of the view when the press came
}

type cell struct{ x, y int }

// clear ends the selection and a press.
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

// selectedPart returns the text of row y without style, and the selected cells [from, to) of it. No character is cut,
// and cells after the end of the text are not included.
func (s *selection) selectedPart(y int, p place) (text string, from, to int) {
	text = ansi.Strip(s.scroll.items.text(p))
	a, b := s.ordered()
	if !s.active || y < a.y || y > b.y {
		return text, 0, 0
	}
	left, right := s.scroll.items.textColumn(p), 1<<30
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
	if !s.active {
		return
	}
	for y, p := range rows {
		text, from, to := s.selectedPart(y, p)
		if from < to {
			selected := s.scroll.items.options.styles.Selected.Render(ansi.Cut(text, from, to))
			lines[y] = ansi.Cut(lines[y], 0, from) + selected + ansi.TruncateLeft(lines[y], to, "")
		}
	}
}

// copiedText returns the selected text. Lines that are adjacent in the source text are copied from there; a line that is
// not found in it is copied as shown.
func (s *selection) copiedText(rows []place) string {
	x := s.scroll.items
	a, b := s.ordered()
	var out strings.Builder
	var from origin
	of, end, breaks := -1, -1, 0
	for y := max(0, a.y); y <= b.y && y < len(rows); y++ {
		p := rows[y]
		if p.entry != of {
			from, of, end = x.origin(p.entry), p.entry, -1
		}
		line, at := p.offset-x.gap(p.entry), -1
		if line >= 0 {
			if x.label(p.entry, line) {
				continue
			}
			at = from.lines[line]
		}
		text, first, last := s.selectedPart(y, p)
		part := ansi.Cut(text, first, last)
		letters, _ := squeeze(part)
		if letters == "" {
			breaks++
			continue
		}
		skipped := ansi.Cut(text, x.textColumn(p), first)
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

// origin is the source text of an entry, and the position of each drawn line in it. Lines are compared by their letters:
// see squeeze.
type origin struct {
	text  string
	bytes []int // for every byte of the letters, its index in text
	lines []int // for every line, the index of its first letter; -1 for a line that is not in text
}

// maxMisses bounds the searches per entry that find nothing.
const maxMisses = 100

func (x *items) origin(i int) origin {
	o := origin{text: x.entries[i].item.source(&x.options)}
	letters, bytes := squeeze(o.text)
	o.bytes = bytes
	at, misses := 0, 0
	for n := range x.linesOf(i) {
		p := place{i, n + x.gap(i)}
		shown := ansi.Strip(x.text(p))
		line, _ := squeeze(ansi.Cut(shown, x.textColumn(p), ansi.StringWidth(shown)))
		found := -1
		switch {
		case x.label(i, n):
		case strings.HasPrefix(letters[at:], line):
			found = at
		case misses < maxMisses:
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

// between returns the text of the letters [from, to).
func (o *origin) between(from, to int) string { return o.text[o.bytes[from] : o.bytes[to-1]+1] }

// leading returns the longest text right before a letter that consists of the given characters.
func (o *origin) leading(at int, of string) string {
	before := o.text[:o.bytes[at]]
	return before[len(strings.TrimRight(before, of)):]
}

// label reports whether a line of entry i is the name of a code block's language.
func (x *items) label(i, line int) bool { return x.options.markdown.Label(x.linesOf(i)[line]) }

// drawnBetween holds the characters of drawn borders. Texts may contain them, too.
const drawnBetween = "│─┼↳"

// squeeze returns the letters of a text, without white space and drawn borders, and for every byte of them its index in the text.
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

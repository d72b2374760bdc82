package transcript

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// A selection is a stretch of the visible lines, dragged with the mouse. While
// the button is down nothing moves; a selection ends when the view moves.
// Copied is the original text: without margins, marks and padding, and with lines
// joined that only the width broke. Which those are is looked up in the text
// the lines were made from.

type selection struct {
	scroll   *scroll
	pressed  bool // the button is down
	on       bool // something is marked
	from, to cell // as dragged, in any order
	at       place
	clicks   clicks
}

type cell struct{ x, y int }

// press begins a selection: of a cell, or a word, or a line.
func (s *selection) press(x, y int, now time.Time) {
	s.scroll.settle()
	s.scroll.held = true
	at := cell{x, y}
	*s = selection{scroll: s.scroll, pressed: true, from: at, to: at, at: s.scroll.place, clicks: s.clicks}
	s.clicks.press(at, now)
	if rows := s.scroll.rows(); y >= 0 && y < len(rows) {
		s.clicked(rows)
	}
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
	*s = selection{scroll: s.scroll, clicks: s.clicks}
}

func (s *selection) ordered() (a, b cell) {
	if s.from.y > s.to.y || s.from.y == s.to.y && s.from.x > s.to.x {
		return s.to, s.from
	}
	return s.from, s.to
}

// span is the marked cells [from, to) of row y.
func (s *selection) span(y int) (from, to int) {
	a, b := s.ordered()
	if !s.on || y < a.y || y > b.y {
		return 0, 0
	}
	to = 1 << 30
	if y == a.y {
		from = a.x
	}
	if y == b.y {
		to = b.x + 1
	}
	return from, to
}

// marked is what is selected of row y: its text without style, and the cells
// [from, to) of it.
func (s *selection) marked(y int, p place) (text string, from, to int) {
	text = ansi.Strip(s.scroll.items.text(p))
	from, to = s.span(y)
	from = max(from, s.scroll.items.textFrom(p))
	from, to = whole(text, from, to)
	return text, from, to
}

// whole widens cells [from, to) of a text so that no character is cut, and
// leaves out what is behind the text.
func whole(text string, from, to int) (int, int) {
	x, a, b := 0, -1, 0
	for text != "" {
		cluster, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text = text[len(cluster):]
		if x+w > from && x < to {
			if a < 0 {
				a = x
			}
			b = x + w
		}
		x += w
	}
	return max(a, 0), b
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

// copied is the selected text.
func (s *selection) copied(rows []place) string {
	a, b := s.ordered()
	var out strings.Builder
	w, before := wording{of: -1}, -1
	for y := max(0, a.y); y <= b.y && y < len(rows); y++ {
		if s.label(rows[y]) {
			continue
		}
		part := s.part(y, rows[y])
		if before >= 0 {
			between := s.between(rows[before], rows[y], &w)
			if _, code := s.code(rows[y]); between != "\n" && !code {
				part = strings.TrimLeft(part, " ")
			}
			out.WriteString(between)
		}
		out.WriteString(part)
		before = y
	}
	return strings.Trim(out.String(), "\n")
}

// part is what is selected of row y, as it is copied.
func (s *selection) part(y int, p place) string {
	text, from, to := s.marked(y, p)
	if c, is := s.code(p); is {
		begins := s.scroll.items.textFrom(p)
		if from >= to {
			return ""
		}
		return c.text(from-begins, to-begins)
	}
	return strings.TrimRight(ansi.Cut(text, from, to), " ")
}

// code is where a line comes from, if it shows code of a reply.
func (s *selection) code(p place) (codeRow, bool) {
	r, line := s.reply(p)
	if r == nil {
		return codeRow{}, false
	}
	return r.codeAt(line)
}

// label reports whether a line names the language of code, rather than being text.
func (s *selection) label(p place) bool {
	r, line := s.reply(p)
	return r != nil && r.label(line)
}

// reply is the reply that a line is of, nil if it is of something else.
func (s *selection) reply(p place) (r *replyItem, line int) {
	x := s.scroll.items
	if line = p.offset - x.gap(p.top); line < 0 || x.entries[p.top].gone {
		return nil, 0
	}
	x.linesOf(p.top)
	r, _ = x.entries[p.top].item.(*replyItem)
	return r, line
}

// between is what stood in the text between a line and the next: a line break,
// or a blank or nothing where only the width broke it.
func (s *selection) between(p, q place, w *wording) string {
	const lineBreak = "\n"
	x := s.scroll.items
	if p.top != q.top || p.offset < x.gap(p.top) {
		return lineBreak
	}
	above, is := s.code(p)
	below, also := s.code(q)
	switch {
	case is && also && above.n == below.n:
		return ""
	case is || also:
		return lineBreak
	}
	before := strings.TrimRight(ansi.Strip(x.text(p)), " ")
	after := strings.TrimLeft(x.bare(q), " ")
	last, first := lastWord(before), firstWord(after)
	margin := x.begins(p.top, p.offset-x.gap(p.top))
	room := x.width - pane.Gutter(x.width) - margin
	if ansi.StringWidth(before) <= margin+markdown.Measure { // a line of prose, as a rule
		room = min(room, markdown.Measure)
	}
	full := ansi.StringWidth(before)+1+ansi.StringWidth(first) > margin+room
	if !full || last == "" || first == "" || strings.Contains(x.bare(p)+after, "│") { // columns of a table
		return lineBreak
	}
	it := x.entries[p.top].item
	if w.of != p.top {
		*w = wording{p.top, words(it.source())}
	}
	last, first = words(last), words(first)
	switch {
	case strings.Contains(w.text, last+" "+first):
		return " "
	case strings.Contains(w.text, last+first):
		return ""
	case strings.Contains(w.text, last+"\n"+first):
		return lineBreak
	}
	if _, ok := it.(*replyItem); ok {
		return " " // markup stood between
	}
	return lineBreak
}

// wording is the text of an entry as it is compared.
type wording struct {
	of   int
	text string
}

// wordBytes is how much of a word is looked up.
const wordBytes = 48

func lastWord(line string) string {
	line = strings.TrimRight(line, " ")
	return tail(line[strings.LastIndexByte(line, ' ')+1:], wordBytes)
}

func firstWord(line string) string {
	word, _, _ := strings.Cut(line, " ")
	return head(word, 1, wordBytes)
}

// words is a text as it is compared: without the marks of Markdown that are not
// shown, with single blanks, and with lines that begin with their text.
func words(text string) string {
	text = strings.NewReplacer("*", "", "_", "", "`", "", "~", "", `\`, "", "\t", " ").Replace(plain.Text(text))
	var b strings.Builder
	b.Grow(len(text))
	var before byte = '\n'
	for i := range len(text) {
		if c := text[i]; c != ' ' || before != ' ' && before != '\n' {
			b.WriteByte(c)
		}
		before = text[i]
	}
	return b.String()
}

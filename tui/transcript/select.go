package transcript

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// A selection is a stretch of the visible lines, dragged with the mouse. While
// the button is down nothing moves; a selection ends when the view moves.
// Copied is what was said: without margins, marks and padding, and with lines
// joined that only the width broke. Which those are is looked up in the text
// the lines were made from.

type selection struct {
	pressed  bool // the button is down
	on       bool // something is marked
	from, to cell // as dragged, in any order
	at       place
}

type cell struct{ x, y int }

func (s selection) ordered() (a, b cell) {
	if s.from.y > s.to.y || s.from.y == s.to.y && s.from.x > s.to.x {
		return s.to, s.from
	}
	return s.from, s.to
}

// span is the marked cells [from, to) of row y.
func (s selection) span(y int) (from, to int) {
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

// Press begins a selection at a cell of the transcript.
func (m *Model) Press(x, y int) {
	m.settle()
	m.selection = selection{pressed: true, from: cell{x, y}, to: cell{x, y}, at: m.at.place}
	m.dirty = true
}

// Drag extends the selection to a cell, which may be outside. It does nothing
// without a press.
func (m *Model) Drag(x, y int) {
	s := &m.selection
	if !s.pressed {
		return
	}
	to := cell{max(x, 0), y}
	if y < 0 {
		to = cell{0, 0}
	}
	if y >= m.height {
		to = cell{m.width, m.height - 1}
	}
	s.to = to
	s.on = s.on || s.from != s.to
	m.dirty = true
}

// Released is what came of a press.
type Released struct {
	Text string // selected, to be copied; "" for none
	Undo uint64 // the compaction that is to be taken back, by its epoch; 0 for none
	View uint64 // the event that is to be looked at in the history, 0 for none
}

// Release ends a press, wherever the mouse is. A click without a drag unfolds
// or folds the call under it.
func (m *Model) Release() Released {
	s := m.selection
	if !s.pressed {
		return Released{}
	}
	rows := m.rows()
	m.selection.pressed = false
	m.dirty = true
	if s.on {
		return Released{Text: m.copied(s, rows)}
	}
	m.selection = selection{}
	if s.from.y < 0 || s.from.y >= len(rows) {
		return Released{}
	}
	return m.click(rows[s.from.y], s.from.x)
}

// click is a click on a cell of a place: a call there unfolds or folds, and
// stays where it is. The line of an overlay, and what a recall is about, lead to
// the history.
func (m *Model) click(p place, x int) Released {
	if p.offset < m.gap(p.top) {
		return Released{}
	}
	switch it := m.entries[p.top].item.(type) {
	case *toolItem:
		if line := p.offset - m.gap(p.top); line == 0 && x-margin >= it.aboutAt[0] && x-margin < it.aboutAt[1] {
			if seq := m.leads(it.call); seq != 0 {
				return Released{View: seq}
			}
		}
		it.toggle()
		m.at.follow = false // settle follows again if the end is still in view
	case *outputItem:
		it.toggle()
		m.at.follow = false
	case *epochItem:
		return it.released(it.undoAt(x - margin))
	case *requestsItem:
		return it.passes[0].released(it.undoAt(p.offset-m.gap(p.top), x-margin))
	}
	return Released{}
}

// Selecting reports whether text is marked.
func (m *Model) Selecting() bool { return m.selection.on }

// ClearSelection unmarks text, and forgets a press whose release will not
// come.
func (m *Model) ClearSelection() {
	m.selection = selection{}
	m.dirty = true
}

// marked is what is selected of row y: its text without style, and the cells
// [from, to) of it.
func (m *Model) marked(s selection, y int, p place) (text string, from, to int) {
	text = ansi.Strip(m.text(p))
	from, to = s.span(y)
	from = max(from, m.textFrom(p))
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
func (m *Model) highlight(lines []string, rows []place) {
	if !m.selection.on {
		return
	}
	for y, p := range rows {
		text, from, to := m.marked(m.selection, y, p)
		if from < to {
			lines[y] = painted(lines[y], ansi.Cut(text, from, to), from, to, m.look.styles.Selected)
		}
	}
}

// painted puts a text in place of the cells [from, to) of a styled line.
func painted(line, text string, from, to int, s lipgloss.Style) string {
	return ansi.Cut(line, 0, from) + s.Render(text) + ansi.TruncateLeft(line, to, "")
}

// copied is the selected text.
func (m *Model) copied(s selection, rows []place) string {
	a, b := s.ordered()
	var out strings.Builder
	w := wording{of: -1}
	for y := max(0, a.y); y <= b.y && y < len(rows); y++ {
		text, from, to := m.marked(s, y, rows[y])
		part := strings.TrimRight(ansi.Cut(text, from, to), " ")
		if y > a.y && y > 0 {
			between := m.between(rows[y-1], rows[y], &w)
			if between != "\n" {
				part = strings.TrimLeft(part, " ")
			}
			out.WriteString(between)
		}
		out.WriteString(part)
	}
	return strings.Trim(out.String(), "\n")
}

// between is what stood in the text between a line and the next: a line break,
// or a blank or nothing where only the width broke it.
func (m *Model) between(p, q place, w *wording) string {
	const lineBreak = "\n"
	if p.top != q.top || p.offset < m.gap(p.top) {
		return lineBreak
	}
	before := ansi.Strip(m.text(p))
	after := strings.TrimLeft(m.bare(q), " ")
	last, first := lastWord(before), firstWord(after)
	full := ansi.StringWidth(before)+1+ansi.StringWidth(first) > margin+textWidth(m.width)
	if !full || last == "" || first == "" || strings.Contains(m.bare(p)+after, "│") { // columns of a table
		return lineBreak
	}
	it := m.entries[p.top].item
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

// bare is the text of a line without style, mark and indentation.
func (m *Model) bare(p place) string {
	text := ansi.Strip(m.text(p))
	return ansi.Cut(text, m.textFrom(p), ansi.StringWidth(text))
}

// textFrom is the cell at which the text of a line begins.
func (m *Model) textFrom(p place) int {
	if line := p.offset - m.gap(p.top); line >= 0 {
		return margin + m.entries[p.top].item.indent(line)
	}
	return 0
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

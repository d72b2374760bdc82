package transcript

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/transcript/markdown"
)

// What is copied of code is the code: with its tabs and its own line breaks, without the cells that set it off, the bars of
// quotes and the marks of lines that go on. For that the lines of a reply are compared with its code blocks, once something
// of them is selected: the blocks stand there in order, each line in one row or in several.

// codeRow is where a line of a reply comes from that shows code.
type codeRow struct {
	n, pad     int             // the line of code, counted through the reply; cells before the code
	line       string          // as it is in the source
	from, upTo int             // cells of it that the row stands for; at its end blanks may be missing
	begins     markdown.CodeAt // a place at or before from
	cells      int             // that the row shows
}

// text is what is in the cells [from, to) of a row.
func (c codeRow) text(from, to int) string {
	end := c.from + to
	if to >= c.cells {
		end = c.upTo
	}
	return markdown.CutCode(c.line, c.begins, c.from+from, end)
}

// Comparing costs no more than this many rows for each that there is, and so many for a reply of a few: code that was not
// found by then is copied as it is shown.
const (
	mostCompared  = 8
	leastCompared = 10_000
)

// codeRows finds the rows of code blocks in rendered lines.
func codeRows(lines []string, blocks []markdown.Code) map[int]codeRow {
	found, n := map[int]codeRow{}, 0
	rows := make([]string, len(lines))
	for i, l := range lines {
		rows[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	at, left := 0, leastCompared+mostCompared*len(rows)
	for _, b := range blocks {
		shown := make([]string, len(b.Lines))
		for i, l := range b.Lines {
			shown[i] = markdown.ShownCode(l)
		}
		for i := at; i < len(rows) && left > 0; i++ {
			m := &matching{rows: rows, at: i, pad: -1, n: n}
			matches := m.block(b.Lines, shown)
			if left -= 1 + len(m.found); !matches {
				continue
			}
			for j := range m.found {
				c := &m.found[j]
				if j > 0 && m.found[j-1].n == c.n {
					c.begins = m.found[j-1].begins.Skip(c.line, c.from)
				}
				found[i+j] = *c
			}
			at = m.at
			break
		}
		n += len(b.Lines)
	}
	return found
}

// matching compares rows with the lines of a code block.
type matching struct {
	rows  []string
	at, n int
	pad   int // cells before the code, -1 before they are known
	found []codeRow
}

// block reports whether the rows are those of a block, as far as they go: a reply may be arriving.
func (m *matching) block(lines, shown []string) bool {
	for i, line := range lines {
		if i > 0 && m.at == len(m.rows) {
			break
		}
		if !m.line(line, shown[i]) {
			return false
		}
		m.n++
	}
	return m.pad >= 0
}

// line takes the rows of one line, which is shown so where there is room.
func (m *matching) line(line, shown string) bool {
	from := 0
	for rest := shown; ; {
		if m.at == len(m.rows) {
			return false
		}
		row := m.rows[m.at]
		if m.pad < 0 && shown != "" {
			m.pad = padBefore(row, shown)
		}
		if m.pad < 0 && shown != "" {
			return false
		}
		text := ansi.Cut(row, max(m.pad, 0), len(row))
		if shown == "" {
			text = strings.Trim(row, " "+string(quoteBar))
		}
		goesOn := len(rest) < len(shown)
		if goesOn && text != "" { // blanks at the end of the row before are missing
			missing := max(0, blanks(rest)-blanks(text))
			rest = rest[missing:]
			from += missing
		}
		if !strings.HasPrefix(rest, text) || text == "" && shown != "" && !goesOn {
			return false
		}
		if n := len(m.found); goesOn && n > 0 {
			m.found[n-1].upTo = from
		}
		rest = rest[len(text):]
		cells := ansi.StringWidth(text)
		m.found = append(m.found, codeRow{n: m.n, pad: max(m.pad, 0), line: line, from: from, upTo: 1 << 30, cells: cells})
		from += cells
		m.at++
		if rest == "" {
			return true
		}
	}
}

// blanks is how many blanks a text begins with.
func blanks(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// padBefore is the cells before the code in a row that begins a line, -1 if it does not.
func padBefore(row, shown string) int {
	for at, c := range row {
		if text := row[at:]; strings.HasPrefix(shown, text) {
			return ansi.StringWidth(row[:at])
		}
		if c != ' ' && c != quoteBar {
			break
		}
	}
	return -1
}

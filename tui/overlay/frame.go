package overlay

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/pane"
)

// A dialog's box: the title in the upper border, what can be done in the lower
// one. Every line is cut or padded to the box, so that no text can push the
// border, however wide the terminal's characters.

// page is what a dialog shows: lines that fit what lay gave it.
type page struct {
	title  string
	lines  []string // may be styled
	hints  []string // what can be done, by the keys; the first are shown first
	where  string   // what part of a longer text is in sight
	danger bool
	cursor *point // where one types, if one does
}

// point is a cell of a page: column and line.
type point struct{ x, y int }

// padding is the number of blanks between the border and the text.
func padding(width int) int {
	if width < 30 {
		return 0
	}
	return 1
}

// box draws a page at a width, borders included.
func (s Styles) box(p page, width int) []string {
	border := s.Border
	if p.danger {
		border = s.Danger
	}
	pad := strings.Repeat(" ", padding(width))
	side, end := border.Render("│")+pad, pad+border.Render("│")
	lines := make([]string, 0, len(p.lines)+2)
	lines = append(lines, edge("╭", "╮", []string{p.title}, "", width, border, s.Title))
	for _, line := range p.lines {
		text := pane.Fit(line, inner(width))
		// A mark that has no character of its own joins the blank beside it.
		text += strings.Repeat(" ", max(0, width-ansi.StringWidth(side+text+end)))
		lines = append(lines, side+text+end)
	}
	return append(lines, edge("╰", "╯", p.hints, p.where, width, border, s.Detail))
}

// inner is the number of cells a line of a box has.
func inner(width int) int { return max(width-2-2*padding(width), 1) }

// edge is a horizontal border with labels at its left and a mark at its right
// end. Labels that do not fit are left out; without a mark the first is cut.
func edge(left, right string, labels []string, mark string, width int, border, style lipgloss.Style) string {
	room := width - 2
	if mark != "" {
		mark = ansi.Truncate(" "+mark+" ", max(room-2, 0), "")
	}
	room -= ansi.StringWidth(mark)
	label := ""
	for i, l := range labels {
		switch {
		case l == "" || room < 6 || mark != "" && ansi.StringWidth(l) > room-4:
		case i == 0:
			label = " " + ansi.Truncate(l, room-4, "…")
		case label != "" && ansi.StringWidth(label)+3+ansi.StringWidth(l) <= room-3:
			label += " · " + l
		}
	}
	if label != "" {
		label += " "
	}
	line := room - ansi.StringWidth(label)
	head := min(line, 1)
	return border.Render(left+strings.Repeat("─", head)) + style.Render(label) +
		border.Render(strings.Repeat("─", max(line-head, 0))) + style.Render(mark) + border.Render(right)
}

// ruler is how a terminal measures and cuts lines.
type ruler struct {
	width    func(string) int
	truncate func(s string, width int, tail string) string
	behind   func(s string, cells int, prefix string) string // what is left after cells
}

// Terminals measure by cluster or by code point; see Settle.
var (
	clusters   = ruler{ansi.StringWidth, ansi.Truncate, ansi.TruncateLeft}
	codePoints = ruler{ansi.StringWidthWc, truncateWc, ansi.TruncateLeftWc}
)

// truncateWc cuts by code point. The library leaves whole what fits by cluster,
// so the text is made longer than that first.
func truncateWc(s string, width int, tail string) string {
	if ansi.StringWidthWc(s) <= width {
		return s
	}
	return ansi.TruncateWc(s+strings.Repeat(" ", width+1), width, tail)
}

// over lays lines onto a screen at a cell. The screen's lines keep their width
// and looks on both sides.
func (r ruler) over(screen []string, lines []string, x, y int) {
	for i, line := range lines {
		if y+i >= len(screen) {
			return
		}
		under := screen[y+i]
		w, end := r.width(under), x+r.width(line)
		left := r.truncate(under, x, "")
		left += "\x1b[m" + strings.Repeat(" ", max(0, x-r.width(left)))
		right := ""
		if w > end {
			right = r.behind(under, end, "")
			// A wide character the box cuts in half leaves a blank.
			if r.width(right) > w-end {
				right = r.behind(under, end+1, "")
			}
			right = strings.Repeat(" ", max(0, w-end-r.width(right))) + right
		}
		screen[y+i] = left + line + right
	}
}

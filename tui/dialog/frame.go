package dialog

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/themes"
	"plimsoll/tui/pane"
)

// The box of a dialog is as wide as its content. The title is above the content, the
// hints for keys below; on a low screen both are in the border. Every line is cut or
// padded to the box, so that no text can move the border, whatever width the terminal
// gives its characters.

// page is the content of a dialog: lines that fit the size passed to layout.
type page struct {
	title  string
	lines  []string // may be styled
	hints  []string // what keys do; the first are shown first
	where  string   // which part of a long text is visible
	danger bool
	chosen int    // the selected line, counted from 1; 0 for none
	cursor *point // the text cursor, or nil
}

// point is a cell of a page: column and line.
type point struct{ x, y int }

// minAiryHeight is the height of a screen from which dialogs are airy: title and hints
// have lines of their own, separated from the content by blank lines.
const minAiryHeight = 20

// roomy is the height of a dialog from which it has blank lines and one answer a
// line.
const roomy = 12

// minCells is the minimum width of a dialog's lines, maxBreadth the maximum width of a
// dialog with borders, and inputCells the width of lines to type in.
const (
	minCells   = 36
	maxBreadth = 100
	inputCells = 60
)

// room is the space for a dialog on a screen.
type room struct {
	width, height int  // of the screen
	tight         bool // not airy
}

func (r room) airy() bool { return r.height >= minAiryHeight && !r.tight }

// padding is the number of blanks between the border and the text.
func (r room) padding() int {
	switch {
	case r.width < 30:
		return 0
	case r.width < 60:
		return 1
	}
	return 2
}

// frameCells is the number of cells in a line that are not for text.
func (r room) frameCells() int { return 2 + 2*r.padding() }

func (r room) linesAbove() int {
	if r.airy() {
		return 3
	}
	return 1
}

// widest is the maximum width of a line of content.
func (r room) widest() int {
	outer := r.width
	if r.width >= 60 {
		outer = min(r.width-4, maxBreadth)
	}
	return max(outer-r.frameCells(), 1)
}

func (r room) maxLines() int {
	if r.airy() {
		return r.height - 2 - 2*r.linesAbove()
	}
	return max(r.height-2, 1)
}

// foot is the width of the hints and of the position in a long text.
func (r room) foot(p page) int {
	n := ansi.StringWidth(strings.Join(p.hints, " · "))
	if p.where != "" {
		n += 3 + ansi.StringWidth(p.where)
	}
	if !r.airy() {
		n += 4
	}
	return n
}

// draw draws a page with a box around it; cells is the width of its lines without borders.
func draw(s themes.Styles, p page, cells int, r room) []string {
	border := s.Rule
	if p.danger {
		border = s.Error
	}
	width, body, chosen := cells+r.frameCells(), p.lines, p.chosen
	above, below, where := p.title, hintsIn(p, width-6), p.where
	if r.airy() {
		body = append([]string{s.Title.Render(pane.Clip(p.title, cells)), ""}, body...)
		body = append(body, "", s.Faint.Render(pane.Between(hintsIn(p, cells), p.where, cells)))
		chosen += 2
		above, below, where = "", "", ""
	}
	pad := strings.Repeat(" ", r.padding())
	line := border.Render("│")
	lines := make([]string, 0, len(body)+2)
	lines = append(lines, edge("╭", "╮", above, "", width, border, s.Title))
	for i, text := range body {
		side := pad
		if p.chosen > 0 && i == chosen-1 && pad != "" { // the whole row is selected
			side = s.Selected.Render(pad)
		}
		text = pane.Fit(text, cells)
		// A combining mark at the edge joins the character beside it, so the whole row is measured.
		text += strings.Repeat(" ", max(0, cells+2+2*len(pad)-ansi.StringWidth("│"+pad+text+pad+"│")))
		lines = append(lines, line+side+text+side+line)
	}
	lines = append(lines, edge("╰", "╯", below, where, width, border, s.Faint))
	surface := pane.NewSurface(s.Raised)
	for i, line := range lines {
		lines[i] = surface.Under(line)
	}
	return lines
}

// hintsIn returns as many hints as fit beside the position.
func hintsIn(p page, cells int) string {
	if p.where != "" {
		cells -= ansi.StringWidth(p.where) + 3
	}
	return pane.Joined(p.hints, cells)
}

// edge draws a horizontal border with a label at its left and a mark at its right end.
func edge(left, right, label, mark string, width int, border, style lipgloss.Style) string {
	room := width - 2
	if mark != "" {
		mark = ansi.Truncate(" "+mark+" ", max(room-2, 0), "")
		room -= ansi.StringWidth(mark)
	}
	if room < 6 {
		label = ""
	}
	if label != "" {
		label = " " + ansi.Truncate(label, room-4, "…") + " "
	}
	line := room - ansi.StringWidth(label)
	head := min(line, 1)
	return border.Render(left+strings.Repeat("─", head)) + style.Render(label) +
		border.Render(strings.Repeat("─", max(line-head, 0))) + style.Render(mark) + border.Render(right)
}

// ruler measures and cuts lines as a terminal does.
type ruler struct {
	width    func(string) int
	truncate func(s string, width int, tail string) string
	behind   func(s string, cells int, prefix string) string // the rest after cells
}

// Terminals measure by grapheme cluster or by code point; see SetLineFilter.
var (
	clusters   = ruler{ansi.StringWidth, ansi.Truncate, ansi.TruncateLeft}
	codePoints = ruler{ansi.StringWidthWc, truncateWc, ansi.TruncateLeftWc}
)

// truncateWc cuts by code point. The library does not cut a text that fits by
// cluster, so the text is made longer first.
func truncateWc(s string, width int, tail string) string {
	if ansi.StringWidthWc(s) <= width {
		return s
	}
	return ansi.TruncateWc(s+strings.Repeat(" ", width+1), width, tail)
}

// over draws lines over a screen at a cell. The rest of the screen's lines keeps its
// width and styles.
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
			// A wide character that the box covers by half becomes a blank.
			if r.width(right) > w-end {
				right = r.behind(under, end+1, "")
			}
			right = strings.Repeat(" ", max(0, w-end-r.width(right))) + right
		}
		screen[y+i] = left + line + right
	}
}

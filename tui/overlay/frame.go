package overlay

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/themes"
	"plimsoll/tui/pane"
)

// A dialog's box, as wide as what it shows: the title above it, what can be done below
// it, all on one surface. Where there is little height both stand in the border. Every
// line is cut or padded to the box, so that no text can push the border, however wide
// the terminal's characters.

// page is what a dialog shows: lines that fit what lay gave it.
type page struct {
	title  string
	lines  []string // may be styled
	hints  []string // what can be done, by the keys; the first are shown first
	where  string   // what part of a longer text is in sight
	danger bool
	chosen int    // the line that is selected, from 1 on; 0 for none
	cursor *point // where one types, if one does
}

// point is a cell of a page: column and line.
type point struct{ x, y int }

// leastAiry is the height of a screen from which on dialogs have air: title and hints
// in lines of their own, apart from what stands between them.
const leastAiry = 20

// roomy is how many lines a dialog needs to be set with blank lines and one
// answer to a line.
const roomy = 12

// leastCells is how wide a dialog is that has little to show, breadth how wide dialogs
// get, borders included, and toWrite how many cells there are to write an answer in.
const (
	leastCells = 36
	breadth    = 100
	toWrite    = 60
)

// room is what a screen leaves to a dialog.
type room struct {
	width, height int  // of the screen
	tight         bool // without air
}

func (r room) airy() bool { return r.height >= leastAiry && !r.tight }

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

// around is the cells of a line that are not for text.
func (r room) around() int { return 2 + 2*r.padding() }

// above is the lines before the first one of a page.
func (r room) above() int {
	if r.airy() {
		return 3
	}
	return 1
}

// widest is the cells of a line at most.
func (r room) widest() int {
	outer := r.width
	if r.width >= 60 {
		outer = min(r.width-4, breadth)
	}
	return max(outer-r.around(), 1)
}

// most is the lines of a page at most.
func (r room) most() int {
	if r.airy() {
		return r.height - 2 - 2*r.above()
	}
	return max(r.height-2, 1)
}

// foot is the cells that hints take, and where one is.
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

// draw draws a page with lines of so many cells, borders not included.
func draw(s themes.Styles, p page, cells int, r room) []string {
	border := s.Overlay.Border
	if p.danger {
		border = s.Text.Error
	}
	width, body, chosen := cells+r.around(), p.lines, p.chosen
	above, below, where := p.title, hintsIn(p, width-6), p.where
	if r.airy() {
		body = append([]string{s.Overlay.Title.Render(pane.Clip(p.title, cells)), ""}, body...)
		body = append(body, "", s.Text.Faint.Render(pane.Between(hintsIn(p, cells), p.where, cells)))
		chosen += 2
		above, below, where = "", "", ""
	}
	pad := strings.Repeat(" ", r.padding())
	line := border.Render("│")
	lines := make([]string, 0, len(body)+2)
	lines = append(lines, edge("╭", "╮", above, "", width, border, s.Overlay.Title))
	for i, text := range body {
		side := pad
		if p.chosen > 0 && i == chosen-1 && pad != "" { // the whole row is
			side = s.Overlay.Selected.Render(pad)
		}
		text = pane.Fit(text, cells)
		// A mark that has no character of its own joins what stands beside it.
		text += strings.Repeat(" ", max(0, cells+2+2*len(pad)-ansi.StringWidth("│"+pad+text+pad+"│")))
		lines = append(lines, line+side+text+side+line)
	}
	lines = append(lines, edge("╰", "╯", below, where, width, border, s.Text.Faint))
	surface := pane.NewSurface(s.Overlay.Raised)
	for i, line := range lines {
		lines[i] = surface.Under(line)
	}
	return lines
}

// hintsIn is as many hints as there is room for beside where one is.
func hintsIn(p page, cells int) string {
	text := ""
	if p.where != "" {
		cells -= ansi.StringWidth(p.where) + 3
	}
	for _, h := range p.hints {
		next := text
		if text != "" {
			next += " · "
		}
		if next += h; text == "" || ansi.StringWidth(next) <= cells {
			text = next
		}
	}
	return text
}

// edge is a horizontal border with a label at its left and a mark at its right end.
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

package overlay

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

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
	grows  bool   // there is more than is in sight: without air there is room for more
	chosen int    // the line that is selected, from 1 on; 0 for none
	cursor *point // where one types, if one does
}

// point is a cell of a page: column and line.
type point struct{ x, y int }

// leastAiry is the height of a screen from which on dialogs have air: title and hints
// in lines of their own, apart from what stands between them.
const leastAiry = 20

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

// breadth is how wide dialogs get, borders included.
const breadth = 100

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

// mostBeside is the lines of a page at most that leaves the lower end of the screen in
// sight.
func (r room) mostBeside() int {
	const below = 7 // the line above the dialog, and composer, gauge and hints below it
	return max(r.most()-below+2, min(r.most(), 4))
}

// leastCells is how wide a dialog is that has little to show.
const leastCells = 36

// fitting is the cells of a line of a dialog that needs so many for what it shows.
func (r room) fitting(cells int, p page) int {
	cells = max(cells, ansi.StringWidth(p.title), r.foot(p), leastCells)
	return min(cells, r.widest())
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

// box draws a page with lines of so many cells, borders not included.
func (s Styles) box(p page, cells int, r room) []string {
	border := s.Border
	if p.danger {
		border = s.Danger
	}
	width, body, chosen := cells+r.around(), p.lines, p.chosen
	above, below, where := []string{p.title}, p.hints, p.where
	if r.airy() {
		body = append([]string{s.Title.Render(pane.Clip(p.title, cells)), ""}, body...)
		body = append(body, "", s.hintLine(p, cells))
		chosen += 2
		above, below, where = nil, nil, ""
	}
	pad := strings.Repeat(" ", r.padding())
	line := border.Render("│")
	lines := make([]string, 0, len(body)+2)
	lines = append(lines, edge("╭", "╮", above, "", width, border, s.Title))
	for i, text := range body {
		side := pad
		if p.chosen > 0 && i == chosen-1 && pad != "" { // the whole row is
			side = s.Selected.Render(pad)
		}
		text = pane.Fit(text, cells)
		// A mark that has no character of its own joins the blank beside it.
		text += strings.Repeat(" ", max(0, cells-ansi.StringWidth(pad+text+pad)+2*len(pad)))
		lines = append(lines, line+side+text+side+line)
	}
	lines = append(lines, edge("╰", "╯", below, where, width, border, s.Hint))
	surface := pane.NewSurface(s.Raised)
	for i, line := range lines {
		lines[i] = surface.Under(line)
	}
	return lines
}

// hintLine is the last line of a page: as many hints as there is room for, and where
// one is.
func (s Styles) hintLine(p page, cells int) string {
	left, text := cells, ""
	if p.where != "" {
		left -= ansi.StringWidth(p.where) + 3
	}
	for _, h := range p.hints {
		next := text
		if text != "" && h != "" {
			next += " · "
		}
		if next += h; text != "" && ansi.StringWidth(next) > left {
			continue
		}
		text = next
	}
	return s.Hint.Render(pane.Between(text, p.where, cells))
}

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

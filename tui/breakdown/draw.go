package breakdown

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// hardGlyph is the mark of the hard line; the gauge of the main screen does not show this line.
const hardGlyph = "◆"

// Len returns the number of rows.
func (m *Model) Len() int { return len(m.rows) }

// Lines draws a row. The first row of a part has the heading of the part above it.
func (m *Model) Lines(n int, selected bool, width int) []string {
	r, s := &m.rows[n], &m.styles
	var out []string
	if r.part != "" && m.rows[n-1].part != r.part {
		if m.list.Height >= roomy {
			out = append(out, "")
		}
		out = append(out, pane.Clip("  "+s.Title.Render(r.part), width))
	}
	for i, l := range m.draw(r, max(width-2, 1)) {
		switch {
		case r.gauge && selected && i == 0: // it keeps its colors
			out = append(out, pane.Clip("❯ "+l, width))
		case r.gauge || !selected:
			out = append(out, pane.Clip("  "+l, width))
		case i == 0:
			out = append(out, s.Selected.Render(pane.Fit("❯ "+ansi.Strip(l), width)))
		default:
			out = append(out, s.Selected.Render(pane.Fit("│ "+ansi.Strip(l), width)))
		}
	}
	return out
}

// draw draws a row without the marks at its left.
func (m *Model) draw(r *row, width int) []string {
	switch {
	case r.gauge:
		return m.gauge(width)
	case r.part == partFills:
		return []string{m.categoryLine(r, width)}
	case r.item.Label != "":
		return []string{m.itemLine(r, width)}
	case r.name == "next":
		return pane.Each(m.styles.Text, pane.Wrap(r.note, min(width, 110)))
	case r.value == "":
		return []string{m.styles.Muted.Render(pane.Clip("  "+r.name, width))}
	}
	return m.factLines(r, width)
}

// factLines draws a row of a name, a value, and the note if there is room.
func (m *Model) factLines(r *row, width int) []string {
	const aligned = 60 // width from which the notes are in a column
	s, glyph := &m.styles, "  "
	switch r.name {
	case "load line":
		glyph = s.Gauge.Load.Render(pane.LoadGlyph) + " "
	case "hard line":
		glyph = s.Gauge.Hard.Render(hardGlyph) + " "
	case "reserve":
		glyph = s.Gauge.Reserve.Render(pane.ReserveGlyph) + " "
	}
	name := min(17, max(8, width-10))
	out := glyph + s.Text.Render(pane.Fit(r.name, name-2)+r.value)
	used := name + ansi.StringWidth(r.value)
	at := used + 2
	if width >= aligned {
		at = max(at, name+16)
	} else if at+ansi.StringWidth(r.note) > width {
		return []string{out}
	}
	notes := pane.Each(s.Muted, pane.Wrap(r.note, width-at))
	return pane.Columns([]string{out}, notes, "", at, len(notes))
}

// categoryLine draws a category with its bar, its tokens and its share of the window, which a whole bar stands for.
func (m *Model) categoryLine(r *row, width int) string {
	const name, mostBar, leastBar = 16, 90, 8
	glyph, text := m.bar.Run(int(r.category), 1), m.styles.Text
	if r.name == "free" {
		glyph = m.styles.Dimmed.Render(pane.FreeGlyph)
	}
	numbers := pane.AlignRight(r.value, 7) + pane.AlignRight(r.note, 7)
	cells := width - ansi.StringWidth(numbers)
	bar := ""
	if room := min(cells-name-2, mostBar); room >= leastBar {
		scale := pane.Scale(m.content.Reading) // as the gauge above
		cells, bar = name, m.bar.Length(r.category, r.tokens, scale, room)+"  "
		if r.name == "free" {
			bar = pane.Fit(m.bar.Run(pane.CellFree, r.tokens*room/scale), room+2)
		}
	}
	return glyph + " " + text.Render(pane.Fit(r.name, min(cells, name)-2)) + bar + text.Render(numbers)
}

// itemLine draws one of the heaviest items: its name, how it is sent if not in full, its turn and its tokens.
func (m *Model) itemLine(r *row, width int) string {
	const leastName = 30 // cells that the name keeps before a column is left out
	s, numbers := &m.styles, pane.AlignRight(r.value, 8)
	turn, state := "", ""
	switch {
	case r.item.Event == 0:
	case m.turnsFromZero:
		turn = fmt.Sprint("turn ", r.item.Turn)
	default:
		turn = "turn " + pane.Turn(r.item.Turn)
	}
	if r.item.State != projection.StateVerbatim {
		state = safe(r.item.State.Word())
	}
	name := width - 2 - ansi.StringWidth(numbers) // cells of the name
	if name-11 >= leastName {
		name -= 11
		numbers = s.Muted.Render(pane.AlignRight(turn, 11)) + s.Text.Render(numbers)
	}
	badge, ok := m.states[r.item.State]
	if !ok {
		badge = s.Muted
	}
	if name-12 >= leastName {
		name -= 12
		numbers = "  " + badge.Render(pane.Fit(state, 10)) + numbers
		return m.bar.Run(int(r.category), 1) + " " + s.Text.Render(pane.Fit(r.name, name)) + numbers
	}
	return m.bar.Run(int(r.category), 1) + " " + pane.Between(s.Text.Render(pane.Clip(r.name, name)), badge.Render(state), name) + numbers
}

// gauge draws the numbers, the bar as on the main screen, and the marks of the load line and the hard line, with their names.
func (m *Model) gauge(width int) []string {
	r, s := &m.content.Reading, &m.styles
	level := [...]lipgloss.Style{pane.Normal: s.Muted, pane.Loaded: s.Gauge.Load, pane.Blocked: s.Gauge.Hard}[pane.LevelOf(*r, r.Used)]
	used, draft := pane.Tokens(r.Used), ""
	if r.Estimated {
		used = pane.About(r.Used)
	}
	if r.AfterSend > r.Used {
		draft = pane.About(r.AfterSend) + " with the draft"
	}
	if r.Window.IsKnown() {
		used += " of " + pane.Tokens(r.Window.Tokens) + " tokens · " + pane.Fullness(*r)
		if draft != "" {
			draft += " · " + pane.Share(*r, r.AfterSend)
		}
	} else {
		used += " tokens, the window is unknown"
	}
	out := []string{level.Render(used)}
	if draft != "" && ansi.StringWidth(used+draft)+3 <= width {
		out[0] = pane.Between(level.Render(used), s.Muted.Render(draft), width)
	}
	n := width - 2
	if n < 1 {
		return out
	}
	end := pane.NewInlineStyle(level.UnsetReverse()) // in reverse, an end would look like a filled cell
	bar := end.Render("▕") + m.bar.Draw(pane.Cells(*r, pane.Scale(*r), n), end) + end.Render("▏")
	out = append(out, bar)
	if m.list.Height >= roomy {
		out = append(out, bar)
	}
	if !r.Window.IsKnown() || r.LoadLine == 0 {
		return out
	}
	at := func(tokens int) int { return 1 + pane.CellOf(tokens, pane.Scale(*r), n) }
	load, hard := at(r.LoadLine), at(r.HardLine)
	names := " " + pane.LoadGlyph + " compacts here · " + hardGlyph + " requests wait"
	if load < ansi.StringWidth(names)+3 { // the rows below name them too
		names = ""
	}
	marks := s.Muted.Render(pane.Fit(names, load)) + s.Gauge.Load.Render(pane.LoadGlyph)
	if r.HardLine > 0 && hard > load {
		marks += strings.Repeat(" ", hard-load-1) + s.Gauge.Hard.Render(hardGlyph)
	}
	return append(out, marks)
}

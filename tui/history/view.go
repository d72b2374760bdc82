package history

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// The frame: the totals above the rows, how the row with the cursor is sent below them, and
// the keys.

// View draws the history in exactly its lines and cells.
func (m *Model) View() string {
	v := m.paneContent()
	v.Frame.Status, v.Frame.Hints, v.Frame.Where = m.status(), m.hints(), m.positionText()
	return m.list.View(pane.StylesOf(m.draw.styles.Styles), v)
}

// placeholder is the text in place of the rows while there are none.
func (m *Model) placeholder() []string {
	s := &m.draw.styles
	if r := m.document.request; r != nil && r.err != nil {
		return pane.Each(s.Error, pane.Wrap("  "+plain.Text(r.err.Error()), m.list.Width-2))
	} else if r != nil && r.pending {
		return []string{s.Muted.Render("  building…")}
	}
	title, text := "No messages yet.", "Every message appears here, next to what the model is sent of it."
	if m.document.side == sideCompactions {
		title = "No compactions yet."
		text = "Every compaction is listed here with what it saved and cost, failed ones, pins and undone turns too. " +
			"At the load line one is made automatically."
	}
	lines := pane.Each(s.Muted, pane.Wrap(text, min(pane.Within(m.list.Width), markdown.MaxProseWidth)))
	return pane.Inset(append([]string{s.Text.Render(title), ""}, lines...), m.list.Width)
}

// paneContent is the list of rows with its frame, and the details of a compaction beside it; a text while there are no rows.
func (m *Model) paneContent() pane.Content {
	k := m.keys
	keys := pane.ListDetailKeys{Moves: k.Moves, Help: k.Help, Close: k.Cancel, Listed: []any{k.Moves, k}}
	v := pane.Content{Frame: m.frame(), Keys: keys, Rows: m.draw}
	switch it, ok := m.currentRow(); {
	case !ok:
		v.Body = m.placeholder()
	case m.showsDetailsBeside():
		beside := pane.AsideWidth(m.list.Width, false)
		v.Aside = m.draw.details(it.at, m.draw.Lines(m.selected(), false, pane.RowWidth(m.list.Width)-divider-beside)[0], beside)
	case m.list.Width >= leastDetail && (m.document.side != sideBoth || m.document.modified && m.list.Width >= leastThree):
		v.Aside = m.draw.inFull(m.selected(), pane.AsideWidth(m.list.Width, false))
	}
	return v
}

// leastDetail is the width from which all of the row with the cursor is beside the rows, leastThree that beside two columns.
const (
	leastDetail = 150
	leastThree  = 190
)

// showsDetailsBeside reports whether the details of the row with the cursor are at the right.
func (m *Model) showsDetailsBeside() bool {
	return m.document.side == sideCompactions && m.document.request == nil && pane.AsideWidth(m.list.Width, false) > 0
}

// frame is the part around the rows. Its height does not depend on the row with the cursor.
func (m *Model) frame() pane.Frame {
	f := pane.Frame{Title: "History", Detail: m.tabs(), Status: " "}
	if t := plain.Line(m.document.Title); t != "" {
		f.Title += "  " + t
	}
	if r := m.document.request; r != nil {
		place := fmt.Sprintf("%d of %d", r.sent.Number, len(m.document.Requests))
		f.Detail = "[as sent in request " + place + "]"
		if m.list.Width < leastColumns {
			f.Title, f.Detail = "Request "+place, "[as sent]"
		}
		f.Lines = []string{m.draw.styles.Muted.Render(r.description(m.draw.zone)), r.verdict(&m.draw.styles)}
		return f
	}
	if m.document.side == sideCompactions {
		f.Title, f.Detail = strings.Replace(f.Title, "History", "Ledger", 1), ""
		if len(m.document.items) > 0 {
			f.Lines = []string{m.draw.styles.Muted.Render(m.document.compactionTotals())}
		}
		return f
	}
	columns, room := "", pane.RowWidth(m.list.Width)
	if room >= leastNames {
		columns = m.draw.rightColumns("", "event", "tokens", room)
	}
	f.Lines = []string{pane.Between(m.draw.styles.Muted.Render(m.document.totalsLine()), columns, pane.Within(m.list.Width))}
	if notes := m.document.View.Notes; len(notes) > 0 {
		text := plain.Line(notes[0])
		if more := len(notes) - 1; more > 0 {
			text += " (and " + numbers.Count(more, "more note") + ")"
		}
		f.Lines = append(f.Lines, m.draw.styles.Warning.Render(text))
	}
	return f
}

// tabs are the sides, the shown one in brackets. On a narrow screen it is the only one.
func (m *Model) tabs() string {
	if m.list.Width < leastColumns {
		return "[" + m.document.side.String() + "]"
	}
	var parts []string
	for s := range sides {
		name := " " + s.String() + " "
		if s == m.document.side {
			name = "[" + s.String() + "]"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " ")
}

// prompt is the text before the field of the search.
const prompt = "/ "

// status is the line above the keys.
func (m *Model) status() string {
	s := &m.draw.styles
	if m.search.typing {
		m.search.field.SetSize(pane.Within(m.list.Width)-len(prompt)-len("no match  "), 1)
		line := s.Title.Render(prompt) + strings.Join(m.search.field.View(), "")
		if m.search.isActive && len(m.search.matches()) == 0 {
			line = pane.Between(line, s.Warning.Render("no match"), pane.Within(m.list.Width))
		}
		return line
	}
	style, text := s.Muted, ""
	if m.asking != "" {
		style, text = s.Text, m.asking
	} else if m.list.Helping() {
		text = "any other key closes the help"
	} else if it, ok := m.currentRow(); ok {
		text = m.draw.explainRow(it)
	}
	return style.Render(pane.Clip(plain.Line(text), pane.Within(m.list.Width))) + " "
}

// Cursor returns the place of the cursor in the field of the search, nil while that is closed.
func (m *Model) Cursor() *tea.Cursor {
	if !m.search.typing {
		return nil
	}
	x, _ := m.search.field.Cursor()
	f := m.frame()
	y := f.Top(m.list.Height) + f.Body(m.list.Height)
	if f.Top(m.list.Height) > 1+len(f.Lines) { // there are rules
		y++
	}
	return tea.NewCursor(min(pane.Gutter(m.list.Width)+len(prompt)+x, m.list.Width-1), min(y, m.list.Height-1))
}

// positionText is the number of the row with the cursor, or of the match.
func (m *Model) positionText() string {
	n := len(m.document.items)
	at := m.selected()
	switch {
	case n == 0:
		return ""
	case m.search.isActive:
		found := m.search.matches()
		if i, ok := slices.BinarySearch(found, at); ok {
			return fmt.Sprintf("match %d of %d", i+1, len(found))
		}
		return numbers.Count(len(found), "row") + " with a match"
	}
	if e := m.document.event(m.document.items[at]); e != nil && m.list.Width >= leastColumns {
		return fmt.Sprintf("turn %s · %d of %d", pane.Turn(e.Turn), at+1, n)
	}
	return fmt.Sprintf("%d of %d", at+1, n)
}

// hints are the most important keys in the current state.
func (m *Model) hints() []string {
	k := m.keys
	switch {
	case m.search.typing:
		return []string{pane.Hint("keep", k.Open), pane.Hint("end", k.Cancel)}
	case m.document.request != nil:
		return []string{pane.Hint("step", k.PreviousRequest, k.NextRequest), pane.Hint("back", k.Cancel),
			pane.Hint("keys", k.Help), pane.Hint("open", k.Open), pane.Hint("copy", k.Copy)}
	case len(m.document.items) == 0 && m.document.side == sideCompactions:
		return []string{pane.Hint("preview a compaction", k.Preview), pane.Hint("close", k.Close)}
	case m.document.side == sideCompactions:
		return []string{pane.Hint("open", k.Open), pane.Hint("undo", k.Undo), pane.Hint("redo", k.Redo),
			pane.Hint("close", k.Close), pane.Hint("keys", k.Help), pane.Hint("go there", k.Jump),
			pane.Hint("preview a compaction", k.Preview)}
	}
	out := []string{pane.Hint("open", k.Open), pane.Hint("keys", k.Help), pane.Hint("side", k.Side), pane.Hint("close", k.Close)}
	if it, ok := m.currentRow(); ok && m.draw.isOpen(it) {
		switch {
		case m.document.enterTarget(it) != 0:
			out[0] = pane.Hint("go to the original", k.Open)
		case m.document.isCutResult(it):
			out[0] = pane.Hint("all of it", k.Open)
		}
	}
	if m.search.isActive {
		out = append([]string{pane.Hint("match", k.Next, k.Previous)}, out...)
	}
	if m.document.ReadOnly == "" {
		out = append(out, pane.Hint("pin", k.Pin), pane.Hint("shorten", k.Mask), pane.Hint("undo", k.Undo), pane.Hint("redo", k.Redo))
	}
	return append(out, pane.Hint("requests", k.PreviousRequest, k.NextRequest), pane.Hint("search", k.Search),
		pane.Hint("copy", k.Copy), pane.Hint("fork", k.Fork))
}

package search

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/find"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// New returns the view.
func New(o Options) *Model {
	m := &Model{options: o, line: edit.NewField(oneLine, 0)}
	m.SetSize(1, 1)
	return m
}

// SetSize gives the view its place.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 1)
	m.sheet.SetSize(m.width, m.height)
	m.line.SetSize(max(pane.Within(m.width)-len(prompt), 2), 1)
	m.redraw()
	m.layOut()
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) {
	m.options.Styles = s
	m.redraw()
}

// SetQuery puts a text into the line, as if it had been typed. Nothing is asked for.
func (m *Model) SetQuery(text string) {
	m.line.SetText(oneLine(text), true)
	m.parse()
}

// Show shows what was found. Where it is only said that a search goes on, the hits
// that are there stay until others come.
func (m *Model) Show(found Content) {
	if found.Busy && len(found.Hits) == 0 && len(m.found.Hits) > 0 {
		m.found.Busy = true
		return
	}
	if found.Now.IsZero() {
		found.Now = time.Now()
	}
	foundBy := ""
	query, err := find.Parse(found.Query)
	if err == nil {
		foundBy = query.String()
	}
	if foundBy != m.foundBy {
		m.sheet.ToTop(m)
	}
	m.found, m.query, m.foundBy = found, query, foundBy
	m.hitsFrom, m.columns = map[int]int{}, columnsOf(found)
	for i, h := range found.Hits {
		if i > 0 && h.Conversation == found.Hits[i-1].Conversation {
			continue
		}
		n := i
		for n < len(found.Hits) && found.Hits[n].Conversation == h.Conversation {
			n++
		}
		m.hitsFrom[i] = n - i
	}
	m.redraw()
	m.layOut()
}

// layOut gives the list the room that is left for it.
func (m *Model) layOut() {
	m.sheet.Fit(m.shown())
	m.keepInSight()
}

// redraw forgets how rows look.
func (m *Model) redraw() { m.drawn = make([][]string, len(m.found.Hits)) }

// keepInSight keeps the cursor in sight, where rows or their place have changed.
func (m *Model) keepInSight() {
	if row := m.sheet.Selected(m); row >= 0 {
		m.sheet.Select(m, row)
	}
}

// parse reads the query in the line.
func (m *Model) parse() {
	query, err := find.Parse(m.line.Text())
	m.typed, m.problem = query.String(), ""
	if err != nil && !errors.Is(err, find.ErrEmpty) {
		m.problem = err.Error()
	}
	m.layOut()
}

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	action := m.sheet.Update(msg, m.shown, m.options.Keys.moves(), []pane.Command{
		{On: m.options.Keys.Close, Do: func() pane.Action { return pane.Closed{} }},
		{On: m.options.Keys.Open, Do: m.open},
	})
	if action != (pane.Ignored{}) || !m.line.Update(msg, m.options.Keys.Edit) {
		return action
	}
	before := m.typed
	m.parse()
	if m.typed == before || m.typed == "" {
		return nil
	}
	return Query{Text: m.line.Text()}
}

// open asks for the hit with the cursor.
func (m *Model) open() pane.Action {
	row := m.sheet.Selected(m)
	if row < 0 || m.stale() {
		return nil
	}
	h := m.found.Hits[row]
	return Open{Conversation: h.Conversation, Event: h.Event, Query: m.found.Query}
}

// oneLine is what is typed or pasted, safe and on one line.
func oneLine(text string) string {
	if len(text) > edit.MostInLine {
		text = text[:edit.MostInLine]
		for !utf8.ValidString(text) && len(text) > edit.MostInLine-utf8.UTFMax {
			text = text[:len(text)-1]
		}
	}
	return plain.Line(strings.TrimRight(text, "\r\n"))
}

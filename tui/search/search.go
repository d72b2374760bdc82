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

// Hits belong to the query that found them. Rules:
//
//   - while those of another one are on their way the old ones stay, and it is said
//     that they are old; none of them is opened then
//   - with an empty line there is nothing to show
//   - hits that are added to those of the same query move nothing
//   - what could not be read is told with the hits, and where there are none

// Styles are the looks of the view. All are inline: no padding, margin, border or
// width. Match is for the places that were found.
type Styles struct{ pane.Styles }

// Options is what the view is made of.
type Options struct {
	Styles Styles
	Keys   *KeyMap
}

// Hit is a place where a text was found. Its texts are not made safe.
type Hit struct {
	Conversation string // ID
	Title        string
	Event        uint64 // Seq
	Turn         int
	Time         time.Time
	Who          string    // user, assistant, reasoning, title, or the tool's name
	Excerpt      string    // the text around the place
	At           find.Span // of the place in Excerpt
	Stored       bool      // it is in the full text of a result that was cut
}

// Content is what was found.
type Content struct {
	Query         string
	Hits          []Hit // those of a conversation beside each other
	Conversations int   // that were searched
	More          bool  // there are more hits than these
	Unread        int   // conversations that could not be read to the end
	Damaged       int   // events and full texts that were passed over, as they cannot be read
	Took          time.Duration
	Err           string    // why nothing was searched, "" if it was
	Busy          bool      // it is being searched
	Now           time.Time // ages are told against it; zero is the time of Show
}

// Model is the view. It is for one goroutine.
type Model struct {
	o             Options
	width, height int

	line   *edit.Field
	asked  string // the query of the line as it reads, "" for none
	wrong  string // why the line is no query, "" if it is one or empty
	sheet  pane.Sheet
	found  Content
	query  find.Query // of found
	of     string     // as it reads
	starts map[int]int
	wide   columns
	drawn  [][]string // rows as they are without the cursor, nil where they have to be drawn
}

// New returns the view.
func New(o Options) *Model {
	m := &Model{o: o, line: edit.NewField(oneLine, 0)}
	m.SetSize(1, 1)
	return m
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

// SetSize gives the view its place.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 1)
	m.sheet.SetSize(m.width, m.height)
	m.line.SetSize(max(m.width-1-len(prompt), 2), 1)
	m.redraw()
	m.lay()
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) {
	m.o.Styles = s
	m.redraw()
}

// SetQuery puts a text into the line, as if it had been typed. Nothing is asked for.
func (m *Model) SetQuery(text string) {
	m.line.SetText(oneLine(text), true)
	m.read()
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
	of := ""
	query, err := find.Parse(found.Query)
	if err == nil {
		of = query.String()
	}
	if of != m.of {
		m.sheet.ToTop(m)
	}
	m.found, m.query, m.of = found, query, of
	m.starts, m.wide = map[int]int{}, columnsOf(found)
	for i, h := range found.Hits {
		if i > 0 && h.Conversation == found.Hits[i-1].Conversation {
			continue
		}
		n := i
		for n < len(found.Hits) && found.Hits[n].Conversation == h.Conversation {
			n++
		}
		m.starts[i] = n - i
	}
	m.redraw()
	m.lay()
}

// lay gives the list the room that is left for it.
func (m *Model) lay() {
	m.sheet.Fit(m.shown())
	m.keep()
}

// redraw forgets how rows look.
func (m *Model) redraw() { m.drawn = make([][]string, len(m.found.Hits)) }

// keep keeps the cursor in sight, where rows or their place have changed.
func (m *Model) keep() {
	if row := m.sheet.Selected(m); row >= 0 {
		m.sheet.Select(m, row)
	}
}

// old reports whether what is shown is of another query than the line.
func (m *Model) old() bool { return m.asked != m.of }

// read reads the line.
func (m *Model) read() {
	query, err := find.Parse(m.line.Text())
	m.asked, m.wrong = query.String(), ""
	if err != nil && !errors.Is(err, find.ErrEmpty) {
		m.wrong = err.Error()
	}
	m.lay()
}

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	action := m.sheet.Update(msg, m.shown, m.o.Keys.moves(), []pane.Command{
		{On: m.o.Keys.Close, Do: func() pane.Action { return pane.Closed{} }},
		{On: m.o.Keys.Open, Do: m.open},
	})
	if action != (pane.Ignored{}) || !m.line.Update(msg, m.o.Keys.Edit) {
		return action
	}
	before := m.asked
	m.read()
	if m.asked == before || m.asked == "" {
		return nil
	}
	return Query{Text: m.line.Text()}
}

// open asks for the hit with the cursor.
func (m *Model) open() pane.Action {
	row := m.sheet.Selected(m)
	if row < 0 || m.old() {
		return nil
	}
	h := m.found.Hits[row]
	return Open{Conversation: h.Conversation, Event: h.Event, Query: m.found.Query}
}

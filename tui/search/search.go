package search

import (
	"errors"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/find"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Hits belong to the query that found them. Rules:
//
//   - while those of another query are on their way the old ones stay, marked as such;
//     none of them can be opened
//   - with an empty line there is nothing to show
//   - hits that are added to those of the same query move nothing
//   - what could not be read is listed with the hits, and where there are none

// Styles are the looks of the view. All are inline: no padding, margin, border or
// width. Match is for the places that were found.
type Styles struct{ pane.Styles }

// Options is what the view is made of.
type Options struct {
	Styles Styles
	Keys   *KeyMap
}

// Content is what was found.
type Content struct {
	Query         string
	Hits          []find.Hit // those of a conversation follow each other
	Conversations int        // that were searched
	More          bool       // there are more hits than these
	Unread        int        // conversations that could not be read to the end
	Damaged       int        // events and full texts that were skipped, as they cannot be read
	Took          time.Duration
	Err           string    // why nothing was searched, "" if it was
	Busy          bool      // it is being searched
	Now           time.Time // ages count from it; zero is the time of Show
}

type (
	// Query asks for the hits of another text, which is a query. It comes with every
	// change: whoever searches waits until typing stops.
	Query struct{ Text string }

	// Open asks for the conversation of a hit, at its event.
	Open struct {
		Conversation string // ID
		Event        uint64 // Seq
		Query        string // that found it, to highlight
	}
)

// KeyMap is every key of the view. None is a letter: those go into the line.
type KeyMap struct {
	Open  key.Binding
	Close key.Binding

	Up, Down, PageUp, PageDown, First, Last key.Binding

	Edit edit.Keys // of the line
}

// DefaultKeyMap is the keys as they are without configuration.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	return KeyMap{
		Open:     bind("enter", "open the conversation at this place", "enter"),
		Close:    bind("esc", "close", "esc"),
		Up:       bind("↑", "the hit above (also ctrl+p)", "up", "ctrl+p"),
		Down:     bind("↓", "the hit below (also ctrl+n)", "down", "ctrl+n"),
		PageUp:   bind("pgup", "a page up", "pgup"),
		PageDown: bind("pgdn", "a page down", "pgdown"),
		First:    bind("ctrl+home", "the first hit", "ctrl+home"),
		Last:     bind("ctrl+end", "the last hit", "ctrl+end"),
		Edit:     edit.LineKeys(),
	}
}

// Model is the view. It is for one goroutine.
type Model struct {
	options       Options
	width, height int

	line    *edit.Field
	typed   string // the query in the line, "" for none
	problem string // why the line is no query, "" if it is one or empty
	sheet   pane.Sheet

	found   Content
	query   find.Query // of found
	foundBy string     // the same in words
}

// New returns the view.
func New(o Options) *Model {
	m := &Model{options: o, line: edit.NewLine(plain.Line, edit.MostInLine)}
	m.SetSize(1, 1)
	return m
}

// stale reports whether what is shown was found by another query than the one in the line.
func (m *Model) stale() bool { return m.typed != m.foundBy }

// SetSize gives the view its place.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 1)
	m.sheet.SetSize(m.width, m.height)
	m.line.SetSize(max(pane.Within(m.width)-len(prompt), 2), 1)
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.options.Styles = s }

// SetQuery puts a text into the line, as if it had been typed. Nothing is asked for.
func (m *Model) SetQuery(text string) {
	m.line.SetText(plain.Line(text), true)
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
}

// parse reads the query in the line.
func (m *Model) parse() {
	query, err := find.Parse(m.line.Text())
	m.typed, m.problem = query.String(), ""
	if err != nil && !errors.Is(err, find.ErrEmpty) {
		m.problem = err.Error()
	}
}

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	k := m.options.Keys
	action := m.sheet.Update(msg, m.shown, []pane.Command{{On: k.Open, Do: m.open}})
	if paste, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: strings.TrimRight(paste.Content[:min(len(paste.Content), edit.MostInLine)], "\r\n")}
	}
	if action != (pane.Ignored{}) || !m.line.Update(msg, k.Edit) {
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

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
//   - until the hits of a new query arrive, the old ones stay, and cannot be opened
//   - without a query there are no hits
//   - more hits of the same query leave cursor and scroll position as they are
//   - conversations that could not be read are counted above the hits

// Found is the result of a search.
type Found struct {
	Query         string
	Hits          []find.Hit // grouped by conversation
	Conversations int        // how many were searched
	More          bool       // there are more hits than the limit
	Unread        int        // conversations that could not be read to the end
	Damaged       int        // events and full texts that were skipped because they are damaged
	Took          time.Duration
}

// Content is the content of the view.
type Content struct {
	Found
	Err  string    // why the search failed, "" if it did not
	Busy bool      // the search is still running
	Now  time.Time // the time from which ages are computed
}

type (
	// Query asks for the hits of another query. It is returned after every change: the
	// parent waits until typing stops.
	Query struct{ Text string }

	// Open asks for the conversation of a hit, at its event.
	Open struct {
		Conversation string // ID
		Event        uint64 // Seq
		Query        string // that found it, to highlight
	}
)

// KeyMap holds the keys of the view. None is a letter: letters go into the field.
type KeyMap struct {
	Open  key.Binding
	Close key.Binding

	Up, Down, PageUp, PageDown, First, Last key.Binding

	Edit edit.Keys // of the field
}

// DefaultKeyMap returns the default keys, as docs/keys.md lists them.
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
	styles pane.Styles
	keys   *KeyMap

	field   *edit.Field
	typed   string // the query in the field, normalised; "" for none
	problem string // why the text in the field is no query, "" if it is one or empty
	list    pane.ListDetail

	found   Content
	query   find.Query // of found
	foundBy string     // the same, normalised like typed
}

// New returns the view.
func New(keys *KeyMap) *Model {
	return &Model{keys: keys, field: edit.NewLine(plain.Line, edit.MaxInLine)}
}

// stale reports whether the hits are of another query than the one in the field.
func (m *Model) stale() bool { return m.typed != m.foundBy }

// SetSize sets the size of the view, in cells.
func (m *Model) SetSize(width, height int) {
	m.list.SetSize(width, height)
	m.field.SetSize(max(pane.Within(width)-len(prompt), 2), 1)
}

// SetStyles changes the styles.
func (m *Model) SetStyles(s pane.Styles) { m.styles = s }

// SetQuery puts a text into the field. It returns no Query: the parent searches by itself.
func (m *Model) SetQuery(text string) {
	m.field.SetText(plain.Line(text), true)
	m.parse()
}

// Show shows the result of a search. While the search is busy and has no hits yet, the old
// hits stay.
func (m *Model) Show(found Content) {
	if found.Busy && len(found.Hits) == 0 && len(m.found.Hits) > 0 {
		m.found.Busy = true
		return
	}
	foundBy := ""
	query, err := find.Parse(found.Query)
	if err == nil {
		foundBy = query.String()
	}
	if foundBy != m.foundBy {
		m.list.ToTop(m)
	}
	m.found, m.query, m.foundBy = found, query, foundBy
}

// parse reads the query in the field.
func (m *Model) parse() {
	query, err := find.Parse(m.field.Text())
	m.typed, m.problem = query.String(), ""
	if err != nil && !errors.Is(err, find.ErrEmpty) {
		m.problem = err.Error()
	}
}

// Update handles a message and returns what the parent has to do.
func (m *Model) Update(msg tea.Msg) pane.Action {
	k := m.keys
	action := m.list.Update(msg, m.paneContent, []pane.Command{{On: k.Open, Do: m.open}})
	if paste, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: strings.TrimRight(paste.Content[:min(len(paste.Content), edit.MaxInLine)], "\r\n")}
	}
	if action != (pane.Ignored{}) || !m.field.Update(msg, k.Edit) {
		return action
	}
	before := m.typed
	m.parse()
	if m.typed == before || m.typed == "" {
		return nil
	}
	return Query{Text: m.field.Text()}
}

func (m *Model) open() pane.Action {
	row := m.list.Selected(m)
	if row < 0 || m.stale() {
		return nil
	}
	h := m.found.Hits[row]
	return Open{Conversation: h.Conversation, Event: h.Event, Query: m.found.Query}
}

package breakdown

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation/plain"
	"plimsoll/themes"
	"plimsoll/tui/pane"
)

// The view is a list of rows. The content may change with every token: the cursor stays on its row, also when that row moves.
// The panel with the explanation of a row takes lines from the list, and leaves it at least two.

// Content is the content of a view.
type Content struct {
	Breakdown inspect.Breakdown // changes only when an event is appended
	Reading   meter.Reading     // changes also while a reply streams and while the user types

	Title    string // of the conversation
	Model    string
	Priced   string // source of the prices: "reported", or the date of the catalogue; "" unknown
	Cold     bool   // the provider's cache of the conversation has expired
	ColdAt   string // when it expires, for a sentence; "" unknown
	Paused   bool   // no model is asked for summaries automatically
	ReadOnly bool
	Pinned   map[uint64]bool // the pinned events
}

// Model is the view. Only the goroutine of the screen may use it.
type Model struct {
	styles themes.Styles
	states map[projection.State]lipgloss.Style // of the word that says how an item is sent
	bar    *pane.Bar
	keys   *KeyMap

	list     pane.ListDetail
	content  Content
	rows     []row
	explains bool // the panel is open

	turnsFromZero bool // turns count from 0, as for commands of the shell
}

// roomy is the height from which the view has empty lines.
const roomy = 20

// New returns a view without content.
func New(keys *KeyMap) *Model {
	m := &Model{keys: keys}
	m.Show(Content{Reading: meter.Reading{CachedShare: -1}})
	return m
}

// SetSize sets the size of the view, in cells.
func (m *Model) SetSize(width, height int) { m.list.SetSize(width, height) }

// SetStyles changes the styles, and the glyphs of the segments.
func (m *Model) SetStyles(s themes.Styles, glyphs pane.Glyphs) {
	m.styles, m.states, m.bar = s, pane.StateStyles(s.State), pane.NewBar(pane.SegmentBarStyles(s, glyphs))
}

// Show replaces the content. The cursor stays on its row.
func (m *Model) Show(c Content) {
	on := m.selected().id()
	m.content = c
	m.rows = m.content.rows(m.rows[:0])
	for i := range m.rows {
		if m.rows[i].id() == on {
			m.list.Keep(i)
			return
		}
	}
}

// Text draws all rows of a view without colors, for output outside the screen. No line is wider than width cells.
func Text(c Content, width int) string {
	m := New(nil)
	m.SetStyles(themes.Styles{}, pane.Patterns())
	m.turnsFromZero = true
	m.SetSize(width, roomy)
	m.Show(c)
	var b strings.Builder
	for i := range m.rows {
		for _, line := range m.Lines(i, false, width) {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}

// View draws the view in exactly its lines and cells.
func (m *Model) View() string { return m.list.View(pane.StylesOf(m.styles), m.paneContent()) }

func (m *Model) paneContent() pane.Content {
	f := m.frame()
	return pane.Content{Frame: f, Keys: pane.ListDetailKeys{Moves: m.keys.Moves, Close: m.keys.Close}, Rows: m, Panel: m.panel(f)}
}

func (m *Model) frame() pane.Frame {
	k, it := m.keys, m.selected().item
	f := pane.Frame{Title: "Context"}
	if t := safe(m.content.Title); t != "" {
		f.Title += " · " + t
	}
	const leastDetail = 32 // width from which the model is named
	if m.list.Width >= leastDetail {
		f.Detail = pane.Clip(safe(m.content.Model), m.list.Width/2)
	}
	what := "explain"
	if m.explains {
		what = "hide this"
	}
	if it.Event != 0 {
		f.Hints = []string{pane.Hint("go there", k.Jump)}
	}
	f.Hints = append(f.Hints, pane.Hint(what, k.Explain), pane.Hint("close", k.Close))
	if it.Event != 0 && !m.content.ReadOnly {
		pin := "pin"
		if m.content.Pinned[it.Event] {
			pin = "unpin"
		}
		f.Hints = append(f.Hints, pane.Hint(pin, k.Pin), pane.Hint("shorten", k.Mask))
	}
	if !m.content.ReadOnly {
		f.Hints = append(f.Hints, pane.Hint("preview a compaction", k.Preview))
	}
	f.Where = strconv.Itoa(m.list.Selected(m)+1) + "/" + strconv.Itoa(len(m.rows))
	return f
}

// panel is the explanation of the row with the cursor.
func (m *Model) panel(f pane.Frame) []string {
	const leastList = 2
	room := f.Body(m.list.Height) - leastList - 1 // below the rule
	if !m.explains || room < 1 {
		return nil
	}
	r := m.selected()
	head, edge := "── "+r.name+" ", pane.Gutter(m.list.Width)
	head += strings.Repeat("─", max(0, m.list.Width-2*edge-ansi.StringWidth(head)))
	panel := []string{strings.Repeat(" ", edge) + m.styles.Rule.Render(pane.Clip(head, m.list.Width-2*edge))}
	for _, l := range pane.Fold(pane.Wrap(r.doc, m.list.Width-4), room, m.list.Width-4) {
		panel = append(panel, "  "+m.styles.Text.Render(l))
	}
	return panel
}

// Update handles a message and returns what the parent has to do.
func (m *Model) Update(msg tea.Msg) pane.Action {
	return m.list.Update(msg, m.paneContent, []pane.Command{
		{On: m.keys.Explain, Do: func() pane.Action { m.explains = !m.explains; return nil }},
		{On: m.keys.Preview, Do: func() pane.Action { return pane.Preview{} }},
		{On: m.keys.Jump, Do: func() pane.Action {
			if it := m.selected().item; it.Event != 0 {
				return pane.Jump{Event: it.Event}
			}
			return m.noItem("gone to")
		}},
		{On: m.keys.Pin, Do: m.pin},
		{On: m.keys.Mask, Do: m.mask},
	})
}

func (m *Model) selected() row {
	if i := m.list.Selected(m); i >= 0 {
		return m.rows[i]
	}
	return row{}
}

// noItem says why a key for items does nothing in this row. participle is what the key does, such as "pinned".
func (m *Model) noItem(participle string) pane.Action {
	if m.selected().item.Label != "" {
		return pane.Snackbar{Text: "The system prompt and the tools go with every request: they cannot be " + participle + "."}
	}
	return pane.Snackbar{Text: "Only one of the heaviest items can be " + participle + ": move to it first."}
}

func (m *Model) pin() pane.Action {
	it := m.selected().item
	switch {
	case it.Event == 0:
		return m.noItem("pinned")
	case m.content.ReadOnly:
		return readOnly
	}
	return pane.Pin{Events: []uint64{it.Event}, Pinned: !m.content.Pinned[it.Event]}
}

func (m *Model) mask() pane.Action {
	it := m.selected().item
	switch {
	case it.Event == 0:
		return m.noItem("shortened")
	case m.content.ReadOnly:
		return readOnly
	case it.State == projection.StateMasked:
		return pane.Snackbar{Text: "It is shortened already."}
	case it.State == projection.StateSummarised || it.State == projection.StateDropped:
		return pane.Snackbar{Text: "It is no longer sent in full: there is nothing left to shorten."}
	case it.Kind != projection.Results && it.Kind != projection.Calls:
		return pane.Snackbar{Text: "Only tool results and call arguments can be shortened."}
	case m.content.Pinned[it.Event]:
		return pane.Snackbar{Text: "It is pinned: unpin it first."}
	}
	return pane.Mask{Events: []uint64{it.Event}}
}

var readOnly = pane.Snackbar{Text: "This conversation is read only."}

// safe makes a text of a model, tool or file safe to draw, on one line.
func safe(text string) string {
	const longest = 2000 // no screen has room for more
	return plain.Line(text[:min(len(text), longest)])
}

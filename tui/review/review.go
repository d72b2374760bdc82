package review

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// The text is shown and edited with its control characters made visible. Only an edit replaces
// the text of the model by the text on the screen.

// Content is a summary that waits for the user. Its texts may have control characters.
type Content struct {
	Text             string // as the model wrote it
	Appendix         string // the program's note that follows it, "" for none
	FromTurn, ToTurn int    // the turns that it replaces, both included
	Covers           int    // tokens of what it replaces
	Tokens           int    // of Text, 0 if unknown
	Model            string // that wrote it
	Focus            string // of the request, "" for none
	RequestWaits     bool   // a request waits until this summary is applied or discarded
}

type (
	// Applied asks to apply the summary with this text.
	Applied struct{ Text string }

	// Discarded asks to discard the summary.
	Discarded struct{}

	// Editor asks to open the text in the user's editor. The parent returns the result with SetText.
	Editor struct{ Text string }
)

// KeyMap holds the keys of the view.
type KeyMap struct {
	Accept key.Binding
	GiveUp key.Binding
	Close  key.Binding
	Change key.Binding
	Editor key.Binding // also while the text is edited
	Help   key.Binding

	Moves pane.Moves

	// While the text is edited.
	Done key.Binding
	Edit edit.Keys
}

// DefaultKeyMap returns the default keys, as docs/keys.md lists them.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	return KeyMap{
		Accept: bind("enter", "apply the summary", "enter"),
		GiveUp: bind("x", "discard the summary (press twice)", "x"),
		Close:  bind("esc", "close and keep it pending", "esc", "q"),
		Change: bind("e", "change the text here", "e"),
		Editor: bind("ctrl+g", "change it in $EDITOR", "ctrl+g"),
		Help:   bind("?", "these keys", "?"),

		Moves: pane.DefaultMoves(),

		Done: bind("esc", "end changing (also ctrl+s)", "esc", "ctrl+s"),
		Edit: edit.DefaultKeys(),
	}
}

// Model is the view. It is for one goroutine.
type Model struct {
	styles   pane.Styles
	keys     *KeyMap
	estimate func(text string) int
	content  Content
	text     string // the current text
	tokens   int    // of text

	editing    bool
	edit       *edit.Field
	discarding bool // the next press of the key to discard discards the summary
	list       pane.ListDetail
}

// New returns the view. estimate estimates the tokens of a text.
func New(keys *KeyMap, estimate func(text string) int) *Model {
	return &Model{keys: keys, estimate: estimate, edit: edit.NewField(plain.Text, 0)}
}

// SetSize sets the size of the view, in cells.
func (m *Model) SetSize(width, height int) { m.list.SetSize(width, height) }

// SetStyles changes the styles.
func (m *Model) SetStyles(s pane.Styles) { m.styles = s }

// Show shows a summary. If it is the one that is shown already, its edits stay.
func (m *Model) Show(c Content) {
	was := m.content
	m.content = c
	if c.Text == was.Text && c.Appendix == was.Appendix && c.FromTurn == was.FromTurn && c.ToTurn == was.ToTurn {
		return
	}
	m.editing, m.discarding = false, false
	m.list.Reset()
	m.resetText()
}

// resetText drops the edits.
func (m *Model) resetText() {
	m.setText(m.content.Text)
	if m.content.Tokens > 0 {
		m.tokens = m.content.Tokens
	}
}

// Text returns the current text, edits included.
func (m *Model) Text() string {
	m.readField()
	return m.text
}

// SetText sets the text that the user's editor returned. A difference only in the line
// feeds at its end, which editors add, is not an edit.
func (m *Model) SetText(text string) {
	if strings.TrimRight(text, "\n") == strings.TrimRight(m.text, "\n") {
		return
	}
	m.setText(text)
	if m.editing {
		m.edit.SetText(plain.Text(text), false)
	}
}

func (m *Model) setText(text string) { m.text, m.tokens = text, m.estimate(text) }

// readField takes the text from the field, if that was edited. An edit that was undone does not count.
func (m *Model) readField() {
	switch shown := m.edit.Text(); {
	case !m.editing || shown == plain.Text(m.text):
	case shown == plain.Text(m.content.Text):
		m.resetText()
	default:
		m.setText(shown)
	}
}

// problem says why the text cannot be applied, "" if it can.
func (m *Model) problem() string {
	switch c := m.content; {
	case strings.TrimSpace(m.text) == "":
		return "the summary is empty; write one or discard it"
	case c.Covers > 0 && m.tokens >= c.Covers:
		return "the summary is longer than what it replaces; shorten or discard it"
	}
	return ""
}

// Update handles a message and returns what the parent has to do.
func (m *Model) Update(msg tea.Msg) pane.Action {
	if m.editing {
		return m.change(msg)
	}
	_, pressed := msg.(tea.KeyPressMsg)
	commands := m.commands(m.discarding)
	m.discarding = m.discarding && !pressed
	return m.list.Update(msg, m.paneContent, commands)
}

// commands are the keys of the view. discarding says that the last key was the one to discard the summary.
func (m *Model) commands(discarding bool) []pane.Command {
	keys := m.keys
	return []pane.Command{
		{On: keys.Accept, Do: func() pane.Action {
			if why := m.problem(); why != "" {
				return pane.Snackbar{Text: why, Failure: true}
			}
			return Applied{Text: m.text}
		}},
		{On: keys.GiveUp, Do: func() pane.Action {
			if discarding {
				return Discarded{}
			}
			m.discarding = true
			return nil
		}},
		{On: keys.Change, Do: func() pane.Action {
			m.editing = true
			m.edit.SetText(plain.Text(m.text), false)
			return nil
		}},
		{On: keys.Editor, Do: func() pane.Action { return Editor{Text: m.text} }},
	}
}

// change handles a message while the text is edited.
func (m *Model) change(msg tea.Msg) pane.Action {
	k, _ := msg.(tea.KeyPressMsg)
	switch keys := m.keys; {
	case key.Matches(k, keys.Done):
		m.readField()
		m.editing = false
		return nil
	case key.Matches(k, keys.Editor):
		m.readField()
		return Editor{Text: m.text}
	}
	// mostPasted is the longest text, in bytes, that pastes can make: far longer than any summary, and short enough to type in
	// without a delay.
	const mostPasted = 256 << 10
	m.sizeField()
	room := mostPasted - len(m.edit.Text())
	paste, pasted := msg.(tea.PasteMsg)
	if pasted && room <= 0 {
		return tooLong
	}
	m.edit.MaxPaste = room
	if _, wheel := msg.(tea.MouseWheelMsg); !wheel && !m.edit.Update(msg, m.keys.Edit) {
		return pane.Ignored{}
	}
	m.readField()
	if pasted && len(paste.Content) > room {
		return tooLong
	}
	return nil
}

var tooLong = pane.Snackbar{Text: "not all was pasted: a summary can have at most 256 KB here", Failure: true}

// View draws the view.
func (m *Model) View() string { return m.list.View(m.styles, m.paneContent()) }

// paneContent is the summary, or the field in which it is edited.
func (m *Model) paneContent() pane.Content {
	k := m.keys
	keys := pane.ListDetailKeys{Moves: k.Moves, Help: k.Help, Close: k.Close, Listed: []any{k, k.Moves}}
	v := pane.Content{Frame: m.frame(), Keys: keys}
	if !m.editing {
		v.Body = m.body()
		return v
	}
	m.sizeField()
	v.Body = pane.Inset(pane.Each(m.styles.Text, m.edit.View()), m.list.Width)
	v.Frame.Where = pane.Range(m.edit.Scrolled(), v.Frame.Body(m.list.Height), m.edit.Rows())
	return v
}

func (m *Model) sizeField() { m.edit.SetSize(pane.Within(m.list.Width), m.frame().Body(m.list.Height)) }

// Cursor returns the place of the cursor, nil while nothing is edited.
func (m *Model) Cursor() *tea.Cursor {
	if !m.editing {
		return nil
	}
	m.sizeField()
	m.edit.View()
	x, y := m.edit.Cursor()
	c := tea.NewCursor(min(pane.Gutter(m.list.Width)+x, m.list.Width-1), min(m.frame().Top(m.list.Height)+y, m.list.Height-1))
	c.Shape = tea.CursorBar
	return c
}

// frame is the title, the keys and the lines above the text: its tokens, those of what it replaces, and warnings.
func (m *Model) frame() pane.Frame {
	s, keys, c := m.styles, m.keys, m.content
	f := pane.Frame{Title: "Summary of " + pane.Turns(c.FromTurn, c.ToTurn), Detail: plain.Line(c.Model)}
	f.Hints = []string{
		pane.Hint("apply", keys.Accept), pane.Hint("keep pending", keys.Close), pane.Hint("change", keys.Change),
		pane.Hint("discard", keys.GiveUp), pane.Hint("$EDITOR", keys.Editor), pane.Hint("help", keys.Help),
	}
	if m.editing {
		f.Hints = []string{pane.Hint("done", keys.Done), pane.Hint("in $EDITOR", keys.Editor)}
	}
	if m.discarding {
		f.Status = s.Warning.Render(keys.GiveUp.Help().Key + " again discards the summary")
	}
	addLine := func(style lipgloss.Style, text string) {
		f.Lines = append(f.Lines, pane.Each(style, pane.Wrap(text, pane.Within(m.list.Width)))...)
	}
	size := pane.About(m.tokens) + " tokens"
	if c.Covers > 0 {
		size += " replace " + pane.About(c.Covers) + ", " + pane.Percent(m.tokens, c.Covers)
	}
	if m.text != c.Text {
		size = "changed by you · " + size
	}
	addLine(s.Text, size)
	if why := m.problem(); why != "" {
		addLine(s.Error, why)
	}
	if c.RequestWaits {
		addLine(s.Warning, "a request is waiting for it")
	}
	if focus := plain.Line(c.Focus); focus != "" {
		f.Lines = append(f.Lines, s.Muted.Render("focus: "+focus))
	}
	return f
}

// body is the summary and the program's note.
func (m *Model) body() []string {
	s, room := m.styles, pane.Within(m.list.Width)
	lines := pane.Each(s.Text, pane.Wrap(plain.Text(m.text), room))
	if m.content.Appendix != "" {
		lines = append(lines, "")
		lines = append(lines, pane.Each(s.Detail, pane.Wrap("Plimsoll adds, not editable:", room))...)
		lines = append(lines, pane.Each(s.Muted, pane.Wrap(plain.Text(m.content.Appendix), room))...)
	}
	return pane.Inset(lines, m.list.Width)
}

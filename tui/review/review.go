package review

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	compact "plimsoll/compact/edit"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// A text is shown with what is hostile in it made visible, and is edited so. Only if
// something was changed does what was shown take the place of what was written.

// Options is what the view is made of.
type Options struct {
	Styles pane.Styles
	Keys   *KeyMap
	// Estimate is how many tokens a text comes to.
	Estimate func(text string) int
}

// Content is a summary that waits for the user. Its texts are not made safe.
type Content struct {
	Text             string // as the model wrote it
	Appendix         string // what the program adds, "" for nothing
	FromTurn, ToTurn int    // covered, both included
	Covers           int    // tokens that it stands for
	Tokens           int    // of Text, 0 where nobody has counted them
	Model            string // that wrote it
	Focus            string // that it was asked for, "" for none
	Held             bool   // a request waits for it
}

type (
	// Taken says that the summary is to take effect with this text.
	Taken struct{ Text string }

	// GivenUp says that the summary is not wanted.
	GivenUp struct{}

	// Editor asks for the text in the user's editor; SetText brings it back.
	Editor struct{ Text string }
)

// KeyMap is every key of the view.
type KeyMap struct {
	Accept key.Binding
	GiveUp key.Binding
	Close  key.Binding
	Change key.Binding
	Editor key.Binding // also while the text is changed
	Help   key.Binding

	Up, Down, PageUp, PageDown, Top, End key.Binding // scroll

	// While the text is changed here.
	Done key.Binding
	Edit edit.Keys
}

// DefaultKeyMap is the keys as they are without configuration.
func DefaultKeyMap() KeyMap {
	bind, moves := pane.Bind, pane.DefaultMoves()
	return KeyMap{
		Accept: bind("enter", "apply the summary", "enter"),
		GiveUp: bind("x", "discard the summary (press twice)", "x"),
		Close:  bind("esc", "close and keep it pending", "esc", "q"),
		Change: bind("e", "change the text here", "e"),
		Editor: bind("ctrl+g", "change it in $EDITOR", "ctrl+g"),
		Help:   bind("?", "these keys", "?"),

		Up: moves.Up, Down: moves.Down, PageUp: moves.PageUp, PageDown: moves.PageDown, Top: moves.Top, End: moves.End,

		Done: bind("esc", "end changing (also ctrl+s)", "esc", "ctrl+s"),
		Edit: edit.DefaultKeys(),
	}
}

// Model is the view. It is for one goroutine.
type Model struct {
	o             Options
	width, height int

	content Content
	text    string // the current text
	tokens  int    // of text

	editing bool
	edit    *edit.Field
	giving  bool // up, on the next press
	sheet   pane.Sheet
}

// New returns the view.
func New(o Options) *Model {
	m := &Model{o: o, edit: edit.NewField(plain.Text, 0)}
	m.SetSize(1, 1)
	return m
}

// SetSize gives the view its place.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 1)
	m.sheet.SetSize(m.width, m.height)
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s pane.Styles) { m.o.Styles = s }

// Show shows a summary. Of one that was shown before, what was changed in it stays.
func (m *Model) Show(c Content) {
	was := m.content
	m.content = c
	if c.Text == was.Text && c.Appendix == was.Appendix && c.FromTurn == was.FromTurn && c.ToTurn == was.ToTurn {
		return
	}
	m.editing, m.giving = false, false
	m.sheet.Reset()
	m.asWritten()
}

// asWritten goes back to the text of the model.
func (m *Model) asWritten() {
	m.setText(m.content.Text)
	if m.content.Tokens > 0 {
		m.tokens = m.content.Tokens
	}
}

// Text is the current text.
func (m *Model) Text() string {
	m.settle()
	return m.text
}

// SetText takes a text that comes back from the user's editor. Line feeds at its end,
// which editors add, change nothing.
func (m *Model) SetText(text string) {
	if strings.TrimRight(text, "\n") == strings.TrimRight(m.text, "\n") {
		return
	}
	m.setText(text)
	if m.editing {
		m.edit.SetText(plain.Text(text), false)
	}
}

func (m *Model) setText(text string) { m.text, m.tokens = text, m.o.Estimate(text) }

// settle takes over what was changed here. A change that was undone does not count.
func (m *Model) settle() {
	switch shown := m.edit.Text(); {
	case !m.editing || shown == plain.Text(m.text):
	case shown == plain.Text(m.content.Text):
		m.asWritten()
	default:
		m.setText(shown)
	}
}

// wrong says why the text cannot stand for what it covers, "" if nothing is against it
// here.
func (m *Model) wrong() string {
	switch c := m.content; {
	case strings.TrimSpace(m.text) == "":
		return "the summary is empty; write one or discard it"
	case c.Covers > 0 && m.tokens >= c.Covers:
		return "the summary is longer than what it replaces; shorten or discard it"
	}
	return ""
}

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	if m.editing {
		return m.change(msg)
	}
	_, pressed := msg.(tea.KeyPressMsg)
	commands := m.commands(m.giving)
	m.giving = m.giving && !pressed
	return m.sheet.Update(msg, m.shown, commands)
}

// commands are the keys of the view. giving says that the one before was to give the summary up.
func (m *Model) commands(giving bool) []pane.Command {
	keys := m.o.Keys
	return []pane.Command{
		{On: keys.Accept, Do: func() pane.Action {
			if why := m.wrong(); why != "" {
				return pane.Say{Text: why, Bad: true}
			}
			return Taken{Text: m.text}
		}},
		{On: keys.GiveUp, Do: func() pane.Action {
			if giving {
				return GivenUp{}
			}
			m.giving = true
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

// change deals with a message while the text is changed.
func (m *Model) change(msg tea.Msg) pane.Action {
	k, _ := msg.(tea.KeyPressMsg)
	switch keys := m.o.Keys; {
	case key.Matches(k, keys.Done):
		m.settle()
		m.editing = false
		return nil
	case key.Matches(k, keys.Editor):
		m.settle()
		return Editor{Text: m.text}
	}
	// mostPasted is what pastes may make the text grow to, in bytes: far more than any summary has, and no more than can be
	// typed in without a delay.
	const mostPasted = 256 << 10
	m.place()
	room := mostPasted - len(m.edit.Text())
	paste, pasted := msg.(tea.PasteMsg)
	if pasted && room <= 0 {
		return tooLong
	}
	m.edit.Most = room
	if _, wheel := msg.(tea.MouseWheelMsg); !wheel && !m.edit.Update(msg, m.o.Keys.Edit) {
		return pane.Ignored{}
	}
	m.settle()
	if pasted && len(paste.Content) > room {
		return tooLong
	}
	return nil
}

var tooLong = pane.Say{Text: "not all was pasted: a summary can have at most 256 KB here", Bad: true}

// View draws the view.
func (m *Model) View() string { return m.sheet.View(m.o.Styles, m.shown()) }

// shown is the summary, or the field in which it is edited.
func (m *Model) shown() pane.Shown {
	k := m.o.Keys
	moves := pane.Moves{Up: k.Up, Down: k.Down, PageUp: k.PageUp, PageDown: k.PageDown, Top: k.Top, End: k.End}
	keys := pane.SheetKeys{Moves: moves, Help: k.Help, Close: k.Close, Listed: [][]key.Binding{pane.BindingsIn(k)}}
	v := pane.Shown{Frame: m.frame(), Keys: keys}
	if !m.editing {
		v.Body = m.body()
		return v
	}
	m.place()
	v.Body = m.edit.View()
	for i, l := range v.Body {
		v.Body[i] = pane.Margin(m.width) + m.o.Styles.Text.Render(l)
	}
	v.Frame.Where = pane.Range(m.edit.Scrolled(), v.Frame.Body(m.height), m.edit.Rows())
	return v
}

// place gives the text that is changed its place.
func (m *Model) place() { m.edit.SetSize(pane.Within(m.width), m.frame().Body(m.height)) }

// Cursor is where the cursor is, nil for nowhere.
func (m *Model) Cursor() *tea.Cursor {
	if !m.editing {
		return nil
	}
	m.place()
	m.edit.View()
	x, y := m.edit.Cursor()
	c := tea.NewCursor(min(pane.Gutter(m.width)+x, m.width-1), min(m.frame().Top(m.height)+y, m.height-1))
	c.Shape = tea.CursorBar
	return c
}

// frame is what stands around the body: how long the text is against what it stands for, and what is to be known of it.
func (m *Model) frame() pane.Frame {
	s, keys, c := m.o.Styles, m.o.Keys, m.content
	f := pane.Frame{Title: "Summary of " + compact.Range{From: c.FromTurn, To: c.ToTurn}.String(), Detail: plain.Line(c.Model)}
	f.Hints = []string{
		pane.Hint("apply", keys.Accept), pane.Hint("keep pending", keys.Close), pane.Hint("change", keys.Change),
		pane.Hint("discard", keys.GiveUp), pane.Hint("$EDITOR", keys.Editor), pane.Hint("help", keys.Help),
	}
	if m.editing {
		f.Hints = []string{pane.Hint("done", keys.Done), pane.Hint("in $EDITOR", keys.Editor)}
	}
	if m.giving {
		f.Status = s.Warning.Render(keys.GiveUp.Help().Key + " again discards the summary")
	}
	say := func(style lipgloss.Style, text string) {
		f.Lines = append(f.Lines, pane.Each(style, pane.Wrap(text, pane.Within(m.width)))...)
	}
	size := pane.About(m.tokens) + " tokens"
	if c.Covers > 0 {
		size += " replace " + pane.About(c.Covers) + ", " + pane.Percent(m.tokens, c.Covers)
	}
	if m.text != c.Text {
		size = "changed by you · " + size
	}
	say(s.Text, size)
	if why := m.wrong(); why != "" {
		say(s.Error, why)
	}
	if c.Held {
		say(s.Warning, "a request is waiting for it")
	}
	if focus := plain.Line(c.Focus); focus != "" {
		f.Lines = append(f.Lines, s.Muted.Render("focus: "+focus))
	}
	return f
}

// body is the summary and what the program adds to it.
func (m *Model) body() []string {
	s, room := m.o.Styles, pane.Within(m.width)
	lines := pane.Each(s.Text, pane.Wrap(plain.Text(m.text), room))
	if m.content.Appendix != "" {
		lines = append(lines, "")
		lines = append(lines, pane.Each(s.Detail, pane.Wrap("Plimsoll's note; not editable:", room))...)
		lines = append(lines, pane.Each(s.Muted, pane.Wrap(plain.Text(m.content.Appendix), room))...)
	}
	for i, l := range lines {
		lines[i] = pane.Margin(m.width) + l
	}
	return lines
}

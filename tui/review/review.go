package review

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/compact"
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

// Model is the view. It is for one goroutine.
type Model struct {
	o             Options
	width, height int

	content Content
	text    string // as it is by now
	tokens  int    // of text

	editing bool
	edit    *edit.Field
	helping bool
	giving  bool // up, on the next press
	page    pane.Page
	lines   []string
}

// New returns the view.
func New(o Options) *Model {
	return &Model{o: o, width: 1, height: 1, edit: edit.NewField(plain.Text, 0)}
}

// SetSize gives the view its place.
func (m *Model) SetSize(width, height int) {
	m.width, m.height, m.lines = max(width, 1), max(height, 1), nil
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s pane.Styles) { m.o.Styles, m.lines = s, nil }

// Show shows a summary. Of one that was shown before, what was changed in it stays.
func (m *Model) Show(c Content) {
	was := m.content
	m.content, m.lines = c, nil
	if c.Text == was.Text && c.Appendix == was.Appendix && c.FromTurn == was.FromTurn && c.ToTurn == was.ToTurn {
		return
	}
	m.editing, m.helping, m.giving = false, false, false
	m.page.ToTop()
	m.asWritten()
}

// asWritten goes back to the text of the model.
func (m *Model) asWritten() {
	m.setText(m.content.Text)
	if m.content.Tokens > 0 {
		m.tokens = m.content.Tokens
	}
}

// Text is the text as it is by now.
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

func (m *Model) setText(text string) {
	m.text, m.lines = text, nil
	m.tokens = m.o.Estimate(text)
}

// settle takes over what was changed here. A change that was taken back is none.
func (m *Model) settle() {
	switch shown := m.edit.Text(); {
	case !m.editing || shown == plain.Text(m.text):
	case shown == plain.Text(m.content.Text):
		m.asWritten()
	default:
		m.setText(shown)
	}
}

// changed reports whether the text is not the one that was written.
func (m *Model) changed() bool { return m.text != m.content.Text }

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	if m.editing {
		return m.change(msg)
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		giving := m.giving
		m.giving = false
		return m.press(msg, giving)
	case tea.MouseWheelMsg:
		m.scrolls(msg)
		return nil
	}
	return pane.Ignored{}
}

// press carries out a key. giving says that the one before was to give it up.
func (m *Model) press(k tea.KeyPressMsg, giving bool) pane.Action {
	keys := m.o.Keys
	switch {
	case key.Matches(k, keys.Help):
		m.helping = !m.helping
		m.page.ToTop()
	case key.Matches(k, keys.Close):
		if !m.helping {
			return pane.Closed{}
		}
		m.helping = false
		m.page.ToTop()
	case m.scrolls(k):
	case m.helping:
		return pane.Ignored{}
	case key.Matches(k, keys.Accept):
		return m.accept()
	case key.Matches(k, keys.GiveUp):
		if giving {
			return GivenUp{}
		}
		m.giving = true
	case key.Matches(k, keys.Change):
		m.editing = true
		m.edit.SetText(plain.Text(m.text), false)
	case key.Matches(k, keys.Editor):
		return Editor{Text: m.text}
	default:
		return pane.Ignored{}
	}
	return nil
}

// accept takes the summary in, if it says something and makes room.
func (m *Model) accept() pane.Action {
	if why := m.wrong(); why != "" {
		return pane.Say{Text: why, Bad: true}
	}
	return Taken{Text: m.text}
}

// wrong says why the text cannot stand for what it covers, "" if nothing is against it
// here.
func (m *Model) wrong() string {
	switch c := m.content; {
	case strings.TrimSpace(m.text) == "":
		return "the summary is empty: write what is to be kept, or give it up"
	case c.Covers > 0 && m.tokens >= c.Covers:
		return "the summary is longer than what it stands for: shorten it, or give it up"
	}
	return ""
}

// doubt says what may be against the text, "" for nothing.
func (m *Model) doubt() string {
	if most := int(compact.AcceptedShare * float64(m.content.Covers)); most > 0 && m.tokens > most {
		return "it may be too long: at most " + pane.About(most) + " tokens are taken"
	}
	return ""
}

// change deals with a message while the text is changed.
func (m *Model) change(msg tea.Msg) pane.Action {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch keys := m.o.Keys; {
		case key.Matches(k, keys.Done):
			m.settle()
			m.editing = false
			return nil
		case key.Matches(k, keys.Editor):
			m.settle()
			return Editor{Text: m.text}
		}
	}
	m.place()
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		return nil
	case tea.PasteMsg:
		return m.paste(msg)
	}
	if !m.edit.Update(msg, m.o.Keys.Edit) {
		return pane.Ignored{}
	}
	m.settle()
	return nil
}

// mostPasted is what pastes may make the text grow to, in bytes: far more than any
// summary has, and no more than can be typed in without a delay.
const mostPasted = 256 << 10

// paste takes a paste in, or as much of it as there is room for, and says so.
func (m *Model) paste(msg tea.PasteMsg) pane.Action {
	const bound = "a summary has at most 256 KB here"
	room := mostPasted - len(m.edit.Text())
	if room <= 0 {
		return pane.Say{Text: "nothing was pasted: " + bound, Bad: true}
	}
	m.edit.Most = room
	m.edit.Update(msg, m.o.Keys.Edit)
	m.settle()
	if len(msg.Content) > room {
		return pane.Say{Text: "only the beginning was pasted: " + bound, Bad: true}
	}
	return nil
}

// scrolls reports whether a message was for the page.
func (m *Model) scrolls(msg tea.Msg) bool {
	k := m.o.Keys
	moves := pane.Moves{Up: k.Up, Down: k.Down, PageUp: k.PageUp, PageDown: k.PageDown, Top: k.Top, End: k.End}
	return m.page.Update(msg, moves, len(m.body()), m.frame().Body(m.height))
}

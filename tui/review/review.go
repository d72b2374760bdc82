package review

import (
	"strings"

	"plimsoll/compact/summary"
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
	text    string // the current text
	tokens  int    // of text

	editing bool
	edit    *edit.Field
	giving  bool // up, on the next press
	reader  pane.Reader
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
	m.editing, m.giving = false, false
	m.reader.Reset()
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

func (m *Model) setText(text string) {
	m.text, m.lines = text, nil
	m.tokens = m.o.Estimate(text)
}

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

// changed reports whether the text is not the one that was written.
func (m *Model) changed() bool { return m.text != m.content.Text }

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

// doubt says what may be against the text, "" for nothing.
func (m *Model) doubt() string {
	if most := int(summary.AcceptedShare * float64(m.content.Covers)); most > 0 && m.tokens > most {
		return "it may be too long: the limit is " + pane.About(most) + " tokens"
	}
	return ""
}

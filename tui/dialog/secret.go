package dialog

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Secret is a text that formatting does not reveal, so that it never gets into logs or errors.
type Secret struct{ text string }

// NewSecret wraps a secret text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the text.
func (s Secret) Reveal() string { return s.text }

// String and GoString hide the text.
func (s Secret) String() string   { return "hidden" }
func (s Secret) GoString() string { return "hidden" }

// SecretOptions configure a SecretLine.
type SecretOptions struct {
	Title string
	Text  string // the question, above the line
	Doing string // shown while the secret is checked
	Enter string // hint for the key to accept
	// Try gets the entered secret; Leave is called when the line is closed.
	Try   func(Secret) pane.Action
	Leave func()
}

// SecretLine asks for a secret. It shows dots, the length and the end of the secret. It
// stays open while the secret is checked: Failed shows why that failed. The secret
// cannot be copied or restored by undo or yank.
type SecretLine struct {
	o     SecretOptions
	text  []byte // the entered secret
	doing bool
	why   string // why the check failed, may be ""

	config        config
	width, height int
	lines         []string // Text, wrapped
}

// NewSecretLine returns an empty line.
func NewSecretLine(o SecretOptions) *SecretLine {
	o.Title, o.Text, o.Doing = plain.Line(o.Title), strings.TrimSpace(plain.Text(o.Text)), plain.Line(o.Doing)
	return &SecretLine{o: o}
}

// Failed ends the check and shows why it failed. The entered text stays, to be
// corrected.
func (s *SecretLine) Failed(why string) {
	s.doing, s.why = false, strings.TrimSpace(plain.Text(why))
}

// wipe overwrites and removes the entered text.
func (s *SecretLine) wipe() {
	clear(s.text)
	s.text = s.text[:0]
}

func (s *SecretLine) asks() bool { return false }

func (s *SecretLine) dismiss() pane.Action {
	s.wipe()
	s.o.Leave()
	return nil
}

func (s *SecretLine) layout(l config, width, height int) int {
	s.config, s.width, s.height = l, width, height
	s.lines = pane.WrapHanging(s.o.Text, width)
	return max(inputCells, widest(width, s.lines...))
}

func (s *SecretLine) update(msg tea.Msg) (pane.Action, bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if s.why != "" && !s.doing { // a paste replaces a secret that failed
			s.wipe()
		}
		s.add(strings.TrimSpace(msg.Content))
		return nil, false
	case tea.KeyPressMsg:
		return s.press(msg)
	}
	return unusedAction(msg), false
}

// press handles a key. While the secret is checked only the key to close works.
func (s *SecretLine) press(k tea.KeyPressMsg) (pane.Action, bool) {
	keys := s.config.keys
	switch {
	case k.Text == "" && key.Matches(k, keys.Answers.Close):
		return s.dismiss(), true
	case s.doing:
		return unusedAction(k), false
	case k.Text != "":
		s.add(k.Text)
	case key.Matches(k, keys.Answers.Accept):
		if len(s.text) == 0 {
			return nil, false
		}
		s.doing, s.why = true, ""
		return s.o.Try(NewSecret(string(s.text))), false
	case key.Matches(k, keys.Edit.Backspace):
		_, n := utf8.DecodeLastRune(s.text)
		s.text = s.text[:len(s.text)-n]
	case key.Matches(k, keys.Edit.CutToStart, keys.Edit.CutWordLeft, keys.Edit.CutToBlank):
		s.wipe()
	default:
		return unusedAction(k), false
	}
	return nil, false
}

// maxSecret bounds the entered text, in bytes.
const maxSecret = 8 << 10

// add appends typed or pasted text.
func (s *SecretLine) add(text string) {
	if s.doing || len(s.text)+len(text) > maxSecret {
		return
	}
	s.text, s.why = append(s.text, text...), ""
}

const (
	shownEnd    = 4  // number of shown characters at the end
	shownIfLong = 20 // minimum length of a secret whose end is shown
)

// description returns the length and the end of the secret, so that the user can check that
// it is the right one.
func (s *SecretLine) description() string {
	n := utf8.RuneCount(s.text)
	switch {
	case n == 0:
		return ""
	case n < shownIfLong:
		return fmt.Sprintf("%d characters", n)
	}
	text := []rune(string(s.text))
	return fmt.Sprintf("%d characters, ends in %s", n, plain.Line(string(text[n-shownEnd:])))
}

func (s *SecretLine) page() page {
	st, told := s.config.styles, s.description()
	var gap, below []string
	if s.height >= roomy {
		gap = []string{""}
	}
	switch {
	case s.doing:
		below = append(gap, st.Muted.Render(pane.Clip(s.o.Doing, s.width)))
	case s.why != "":
		below = append(gap, pane.Each(st.Diff.Removed, pane.WrapHanging(s.why, s.width))...)
	}
	room := max(s.height-1-len(gap)-len(below), 0)
	lines := append(pane.Each(st.Text, s.lines[:min(len(s.lines), room)]), gap...)
	at, dots := len(lines), max(0, min(utf8.RuneCount(s.text), s.width-4-len(told)-2))
	detail := "  " + told
	if len(s.text) == 0 {
		detail = "paste it here; it stays hidden"
	}
	line := st.Title.Render("> ") + st.Text.Render(strings.Repeat("•", dots)) + st.Muted.Render(detail)
	p := page{title: s.o.Title, lines: append(append(lines, pane.Clip(line, s.width)), below...),
		hints: []string{hint("close", s.config.keys.Answers.Close)}}
	if !s.doing {
		p.cursor = &point{2 + dots, at}
		p.hints = append([]string{hint(s.o.Enter, s.config.keys.Answers.Accept)}, p.hints...)
	}
	return p
}

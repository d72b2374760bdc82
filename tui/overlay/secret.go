package overlay

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Secret is a text that no format, log or error shows.
type Secret struct{ text string }

// NewSecret returns a text that stays hidden.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal is the text.
func (s Secret) Reveal() string { return s.text }

// String and GoString show nothing of it.
func (s Secret) String() string   { return "hidden" }
func (s Secret) GoString() string { return "hidden" }

// SecretOptions are what a SecretLine is made with.
type SecretOptions struct {
	Title string
	Text  string // what is asked for, above the line
	Doing string // what is said while it is tried
	Enter string // what the key to accept does, in a few words
	// Try hands over what was entered; Leave is told that the line is closed.
	Try   func(Secret) pane.Action
	Leave func()
}

// SecretLine asks for a secret, and shows dots, its length and its end. It stays open
// while what was entered is tried: Failed says why that did not work. Nothing of the
// secret can be undone, yanked or copied.
type SecretLine struct {
	o     SecretOptions
	text  []byte // what was entered, ASCII or not
	doing bool
	why   string // it failed, "" if it did not

	look          look
	width, height int
	lines         []string // Text, wrapped
}

// NewSecretLine returns an empty line.
func NewSecretLine(o SecretOptions) *SecretLine {
	o.Title, o.Text, o.Doing = plain.Line(o.Title), strings.TrimSpace(plain.Text(o.Text)), plain.Line(o.Doing)
	return &SecretLine{o: o}
}

// Failed says that what was entered was tried and why it is of no use. It stays, to be
// mended.
func (s *SecretLine) Failed(why string) {
	s.doing, s.why = false, strings.TrimSpace(plain.Text(why))
}

// wipe forgets what was entered.
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

func (s *SecretLine) lay(l look, width, height int) int {
	s.look, s.width, s.height = l, width, height
	s.lines = pane.WrapHanging(s.o.Text, width)
	return max(toWrite, widest(width, s.lines...))
}

func (s *SecretLine) update(msg tea.Msg) (pane.Action, bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if s.why != "" && !s.doing { // another one takes the place of what failed
			s.wipe()
		}
		s.add(strings.TrimSpace(msg.Content))
		return nil, false
	case tea.KeyPressMsg:
		return s.press(msg)
	}
	return leftover(msg), false
}

// press handles a key. While it is tried only the key to close is one.
func (s *SecretLine) press(k tea.KeyPressMsg) (pane.Action, bool) {
	keys := s.look.keys
	switch {
	case k.Text == "" && key.Matches(k, keys.Answers.Close):
		return s.dismiss(), true
	case s.doing:
		return leftover(k), false
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
		return leftover(k), false
	}
	return nil, false
}

// mostSecret bounds what is entered, in bytes.
const mostSecret = 8 << 10

// add adds what was typed or pasted.
func (s *SecretLine) add(text string) {
	if s.doing || len(s.text)+len(text) > mostSecret {
		return
	}
	s.text, s.why = append(s.text, text...), ""
}

const (
	shownEnd    = 4  // characters at the end that are shown
	shownIfLong = 20 // of a secret with so many
)

// told is how long the secret is and how it ends, so that one sees whether it is the one
// that was meant.
func (s *SecretLine) told() string {
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
	st, told := s.look.styles, s.told()
	var gap, below []string
	if s.height >= roomy {
		gap = []string{""}
	}
	switch {
	case s.doing:
		below = append(gap, st.Overlay.Detail.Render(pane.Clip(s.o.Doing, s.width)))
	case s.why != "":
		below = append(gap, pane.Each(st.Diff.Removed, pane.WrapHanging(s.why, s.width))...)
	}
	room := max(s.height-1-len(gap)-len(below), 0)
	lines := append(pane.Each(st.Overlay.Text, s.lines[:min(len(s.lines), room)]), gap...)
	at, dots := len(lines), max(0, min(utf8.RuneCount(s.text), s.width-4-len(told)-2))
	detail := "  " + told
	if len(s.text) == 0 {
		detail = "paste it here; it stays hidden"
	}
	line := st.Frame.HelpKey.Render("> ") + st.Overlay.Text.Render(strings.Repeat("•", dots)) + st.Overlay.Detail.Render(detail)
	p := page{title: s.o.Title, lines: append(append(lines, pane.Clip(line, s.width)), below...), hints: []string{hint("close", s.look.keys.Answers.Close)}}
	if !s.doing {
		p.cursor = &point{2 + dots, at}
		p.hints = append([]string{hint(s.o.Enter, s.look.keys.Answers.Accept)}, p.hints...)
	}
	return p
}

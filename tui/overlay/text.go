package overlay

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Text is a page to read: what a command has to say.
type Text struct {
	id, title, body string

	look look
	text pager
}

// NewText returns a page. Tables keep their columns where they fit.
func NewText(id, title, body string) *Text {
	return &Text{id: id, title: plain.Line(title), body: strings.TrimRight(plain.Text(body), "\n")}
}

func (t *Text) asks() bool { return false }

func (t *Text) lay(l look, width, height int) int {
	t.look = l
	lines := pane.WrapHanging(t.body, width)
	t.text.set(lines, min(len(lines), height))
	return widest(width, lines...)
}

func (t *Text) update(msg tea.Msg) pane.Action { return read(msg, t.id, &t.text, t.look.keys) }

func (t *Text) page() page {
	p := page{title: t.title, where: t.text.where(), hints: readHints(&t.text, t.look.keys)}
	for _, line := range t.text.visible() {
		p.lines = append(p.lines, t.look.styles.Text.Render(line))
	}
	return p
}

// read scrolls and closes a page.
func read(msg tea.Msg, id string, text *pager, keys KeyMap) pane.Action {
	if k, ok := msg.(tea.KeyPressMsg); ok && key.Matches(k, keys.Answers.Close, keys.Answers.Accept) {
		return Dismissed{ID: id}
	}
	if text.update(msg, keys.Moves, true) {
		return nil
	}
	return leftover(msg)
}

func readHints(text *pager, keys KeyMap) []string {
	hints := []string{hint("close", keys.Answers.Close)}
	if text.where() != "" {
		hints = append(hints, hint("scroll", keys.Moves.PageDown))
	}
	return hints
}

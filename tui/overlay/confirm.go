package overlay

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// ConfirmOptions are what a Confirm is made with.
type ConfirmOptions struct {
	ID       string
	Title    string
	Question string
	Yes, No  string // what the answers say; "yes" and "no" if empty
	Danger   bool   // it cannot be undone: no is selected at first
}

// Confirm asks yes or no. Closing it is no.
type Confirm struct {
	o    ConfirmOptions
	look look
	text pager
	sel  int // 0: yes
	tall bool
	size int
}

// NewConfirm returns a question.
func NewConfirm(o ConfirmOptions) *Confirm {
	c := &Confirm{o: o}
	c.o.Title, c.o.Question = plain.Line(o.Title), strings.TrimSpace(plain.Text(o.Question))
	c.o.Yes, c.o.No = plain.Line(o.Yes), plain.Line(o.No)
	if o.Yes == "" {
		c.o.Yes = "yes"
	}
	if o.No == "" {
		c.o.No = "no"
	}
	if o.Danger {
		c.sel = 1
	}
	return c
}

func (c *Confirm) asks() bool { return true }

func (c *Confirm) lay(l look, width, height int) int {
	c.look, c.size, c.tall = l, width, height >= roomy
	lines := pane.WrapHanging(c.o.Question, width)
	answers, _ := c.answers()
	c.text.set(lines, min(len(lines), height-len(answers)))
	return max(widest(width, lines...), breadthOf(c.choices()))
}

func (c *Confirm) update(msg tea.Msg) pane.Action {
	k, ok := msg.(tea.KeyPressMsg)
	keys := c.look.keys
	if ok {
		switch {
		case key.Matches(k, keys.Answers.Yes):
			return Confirmed{ID: c.o.ID, Yes: true}
		case key.Matches(k, keys.Answers.No, keys.Answers.Close):
			return Confirmed{ID: c.o.ID}
		case key.Matches(k, keys.Answers.Accept):
			return Confirmed{ID: c.o.ID, Yes: c.sel == 0}
		case k.Text == "" && key.Matches(k, keys.Moves.Next, keys.Moves.Previous, keys.Moves.Up, keys.Moves.Down):
			c.sel = 1 - c.sel
			return nil
		}
	}
	if c.text.update(msg, keys.Moves, true) {
		return nil
	}
	return leftover(msg)
}

func (c *Confirm) choices() []choice {
	keys := c.look.keys.Answers
	return []choice{
		{key: keys.Yes.Help().Key, long: c.o.Yes, short: c.o.Yes},
		{key: keys.No.Help().Key, long: c.o.No, short: c.o.No},
	}
}

func (c *Confirm) answers() (lines []string, chosen int) {
	lines, chosen = c.look.styles.choices(c.choices(), c.sel, c.size, c.tall)
	if c.tall {
		lines, chosen = append([]string{""}, lines...), chosen+1
	}
	return lines, chosen
}

func (c *Confirm) page() page {
	p := page{title: c.o.Title, where: c.text.where(), danger: c.o.Danger}
	for _, line := range c.text.visible() {
		p.lines = append(p.lines, c.look.styles.Text.Render(line))
	}
	answers, chosen := c.answers()
	if chosen > 0 {
		p.chosen = len(p.lines) + chosen
	}
	p.lines = append(p.lines, answers...)
	p.hints = []string{hint("choose", c.look.keys.Answers.Accept), hint("no", c.look.keys.Answers.Close)}
	return p
}

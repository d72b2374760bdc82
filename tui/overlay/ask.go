package overlay

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Ask puts a question of the model to the user: one of some options, or an
// answer of the user's own. Closing it is no answer.
type Ask struct {
	id       string
	question string
	options  []string // as they were given
	labels   []string // as they are shown

	look          look
	width, height int
	text          pager // the question
	list          pager // the options, one line each
	sel           int   // len(options): the user's own answer
	own           *edit.Field
}

// NewAsk returns a question with the answers offered, which may be none.
func NewAsk(id, question string, options []string) *Ask {
	a := &Ask{id: id, own: newLine(""), question: strings.TrimSpace(plain.Text(question)), options: options}
	for i, o := range options {
		number := "   "
		if i < 9 {
			number = strconv.Itoa(i+1) + "  "
		}
		a.labels = append(a.labels, number+plain.Line(o))
	}
	return a
}

func (a *Ask) asks() bool { return true }

func (a *Ask) lay(l look, width, height int) int {
	a.look, a.width, a.height = l, width, height
	gaps := 0
	if height >= roomy {
		gaps = 2
	}
	// The own answer has a line, the question half of the rest or what the
	// options leave.
	rest := max(height-1-gaps, 2)
	question := pane.WrapHanging(a.question, width)
	forOptions := min(len(a.labels), max(rest/2, rest-len(question)))
	a.text.set(question, min(len(question), rest-forOptions))
	a.list.set(a.labels, forOptions)
	a.list.reveal(min(a.sel, max(len(a.labels)-1, 0)))
	return max(toWrite, widest(width, question...), 2+widest(width, a.labels...))
}

// toWrite is how many cells there are to write an answer in, where there is room.
const toWrite = 60

func (a *Ask) update(msg tea.Msg) pane.Action {
	k, isKey := msg.(tea.KeyPressMsg)
	keys := a.look.keys
	if isKey && k.Text == "" {
		switch {
		case key.Matches(k, keys.Answers.Accept):
			return a.answer()
		case key.Matches(k, keys.Answers.Close):
			return Dismissed{ID: a.id}
		case key.Matches(k, keys.Moves.Up):
			a.choose(a.sel - 1)
			return nil
		case key.Matches(k, keys.Moves.Down):
			a.choose(a.sel + 1)
			return nil
		}
	}
	if isKey && a.sel < len(a.options) {
		if n, err := strconv.Atoi(k.Text); err == nil && n >= 1 && n <= min(9, len(a.options)) {
			a.choose(n - 1)
			return a.answer()
		}
		if k.Text == "" && a.text.update(msg, keys.Moves, false) {
			return nil
		}
	}
	if typed(a.own, msg, keys.Edit) {
		a.choose(len(a.options))
		return nil
	}
	if a.text.update(msg, keys.Moves, false) {
		return nil
	}
	return leftover(msg)
}

// choose selects an option or the own answer.
func (a *Ask) choose(i int) {
	a.sel = max(0, min(i, len(a.options)))
	if a.sel < len(a.options) {
		a.list.reveal(a.sel)
	}
}

func (a *Ask) answer() pane.Action {
	if a.sel < len(a.options) {
		return Answered{ID: a.id, Text: a.options[a.sel]}
	}
	if own := strings.TrimSpace(a.own.Text()); own != "" {
		return Answered{ID: a.id, Text: own}
	}
	return nil
}

func (a *Ask) page() page {
	s := a.look.styles
	var lines []string
	gap := func() {
		if a.height >= roomy {
			lines = append(lines, "")
		}
	}
	for _, line := range a.text.visible() {
		lines = append(lines, s.Text.Render(line))
	}
	gap()
	chosen := 0
	for i, label := range a.list.visible() {
		mark, style := "  ", s.Item
		if a.list.top+i == a.sel {
			mark, style, chosen = "❯ ", s.Selected, len(lines)+1
		}
		if len(a.labels) > 0 {
			lines = append(lines, style.Render(pane.Fit(mark+label, a.width)))
		}
	}
	if len(a.labels) > 0 {
		gap()
	}
	mark := "  "
	if a.sel == len(a.options) {
		mark = "❯ "
	}
	shown, x := a.own.Line(max(a.width-2, 1))
	if a.own.Text() == "" {
		shown = s.Detail.Render(pane.Fit("your own answer", a.width-2))
	} else {
		shown = s.Text.Render(shown)
	}
	lines = append(lines, s.Selected.Render(mark)+shown)
	p := page{title: "The model asks", lines: lines, where: a.text.where(), chosen: chosen}
	p.hints = []string{hint("answer", a.look.keys.Answers.Accept), hint("no answer", a.look.keys.Answers.Close)}
	p.cursor = &point{2 + x, len(lines) - 1}
	return p
}

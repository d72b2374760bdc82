package dialog

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Ask asks the user a question. The answer is one of some options or a typed text.
type Ask struct {
	title, question string
	options         []option
	danger          bool
	numbered        bool                                     // digits choose the options
	asked           bool                                     // the user opened it with a key: keys typed at once are for it
	answer          func(option int, own string) pane.Action // option is -1 if it was dismissed

	accept, leave string // hints for the keys to accept and to close

	config        config
	width, height int
	text          pager // the question
	list          pager // the options, one line each
	sel           int   // len(options): the user's own answer
	own           *edit.Field
}

// option is one of the answers.
type option struct {
	label string
	keys  func(a Answers) []key.Binding // the keys that choose it
}

// NewAsk returns a question of the model with the answers that it offers, which may be empty.
// ok is false if the dialog was closed.
func NewAsk(question string, options []string, answer func(text string, ok bool) pane.Action) *Ask {
	a := &Ask{title: "The model asks", question: strings.TrimSpace(plain.Text(question)), own: newLine(""), numbered: true,
		accept: "answer", leave: "no answer"}
	for _, o := range options {
		a.options = append(a.options, option{label: plain.Line(o)})
	}
	a.answer = func(option int, own string) pane.Action {
		if option >= 0 && option < len(options) {
			own = options[option]
		}
		return answer(own, option >= 0)
	}
	return a
}

// NewLine returns a line to fill in, which begins with a text.
func NewLine(title, question, text string, done func(text string) pane.Action) *Ask {
	a := NewAsk(question, nil, func(text string, ok bool) pane.Action {
		if !ok {
			return nil
		}
		return done(text)
	})
	a.title, a.own, a.asked, a.accept, a.leave = title, newLine(text), true, "accept", "leave it"
	return a
}

// NewConfirm returns a question for yes or no, about something that cannot be undone: no is selected at first. Closing it is no.
func NewConfirm(title, question, yes, no string, answer func(yes bool) pane.Action) *Ask {
	a := NewChoice(title, question, []string{yes}, no, func(yes int) pane.Action { return answer(yes == 0) })
	a.numbered, a.danger, a.sel = false, true, 1
	return a
}

// NewChoice returns a text with a question as its title, several yeses and a no, all numbered. answer gets the
// index of the yes, or -1 for the no. Closing it is no.
func NewChoice(title, text string, yes []string, no string, answer func(yes int) pane.Action) *Ask {
	a := &Ask{title: plain.Line(title), question: strings.TrimSpace(plain.Text(text)), numbered: true, accept: "choose", leave: "no"}
	for i, label := range append(slices.Clone(yes), no) {
		o := option{label: plain.Line(label)}
		switch i {
		case 0:
			o.keys = func(a Answers) []key.Binding { return []key.Binding{a.Yes} }
		case len(yes):
			o.keys = func(a Answers) []key.Binding { return []key.Binding{a.No, a.Close} }
		}
		a.options = append(a.options, o)
	}
	a.answer = func(option int, _ string) pane.Action {
		if option == len(yes) {
			option = -1
		}
		return answer(option)
	}
	return a
}

func (a *Ask) asks() bool           { return !a.asked }
func (a *Ask) dismiss() pane.Action { return a.answer(-1, "") }

func (a *Ask) labels() (list []string) {
	for i, o := range a.options {
		name := " "
		switch {
		case !a.numbered:
			name = o.keys(a.config.keys.Answers)[0].Help().Key
		case i < 9:
			name = strconv.Itoa(i + 1)
		}
		list = append(list, name+"  "+o.label)
	}
	return list
}

func (a *Ask) layout(l config, width, height int) int {
	a.config, a.width, a.height = l, width, height
	// The own answer has a line, the question half of the rest or what the options leave.
	rest, labels := max(height-2*pane.CountTrue(height >= roomy)-pane.CountTrue(a.own != nil), 2), a.labels()
	var question []string
	if a.question != "" {
		question = pane.WrapHanging(a.question, width)
	}
	forOptions := min(len(labels), max(rest/2, rest-len(question)))
	a.text.set(question, min(len(question), rest-forOptions))
	a.list.set(labels, forOptions)
	a.list.reveal(min(a.sel, max(len(labels)-1, 0)))
	return max(inputCells*pane.CountTrue(a.own != nil), widest(width, question...), 2+widest(width, labels...))
}

func (a *Ask) update(msg tea.Msg) (pane.Action, bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	keys := a.config.keys
	if i := a.optionFor(k); i >= 0 {
		return a.answer(i, ""), true
	}
	if isKey && (k.Text == "" || a.own == nil) {
		to := -1
		switch {
		case key.Matches(k, keys.Answers.Accept):
			return a.accepted()
		case key.Matches(k, keys.Answers.Close):
			return a.dismiss(), true
		case a.own == nil && key.Matches(k, keys.Moves.Down, keys.Moves.Next):
			to = (a.sel + 1) % len(a.options)
		case a.own == nil && key.Matches(k, keys.Moves.Up, keys.Moves.Previous):
			to = (a.sel + len(a.options) - 1) % len(a.options)
		case key.Matches(k, keys.Moves.Up):
			to = max(a.sel-1, 0)
		case key.Matches(k, keys.Moves.Down):
			to = a.sel + 1
		}
		if to >= 0 {
			a.choose(to)
			return nil, false
		}
	}
	onOption := isKey && k.Text == "" && a.sel < len(a.options) // then the keys to scroll do not edit
	if onOption && a.text.update(msg, keys.Moves, false) {
		return nil, false
	}
	if a.own != nil && typed(a.own, msg, keys.Edit) {
		a.choose(len(a.options))
		return nil, false
	}
	if a.text.update(msg, keys.Moves, false) {
		return nil, false
	}
	return unusedAction(msg), false
}

// optionFor returns the option that a key chooses, or -1.
func (a *Ask) optionFor(k tea.KeyPressMsg) int {
	n, err := strconv.Atoi(k.Text)
	if err == nil && a.numbered && a.sel < len(a.options) && n >= 1 && n <= min(9, len(a.options)) {
		return n - 1
	}
	return slices.IndexFunc(a.options, func(o option) bool {
		return o.keys != nil && key.Matches(k, o.keys(a.config.keys.Answers)...)
	})
}

// choose selects an option or the typed answer.
func (a *Ask) choose(i int) {
	a.sel = max(0, min(i, len(a.options)-pane.CountTrue(a.own == nil)))
	if a.sel < len(a.options) {
		a.list.reveal(a.sel)
	}
}

// accepted gives the selected answer. A typed answer must not be empty.
func (a *Ask) accepted() (pane.Action, bool) {
	if a.sel < len(a.options) {
		return a.answer(a.sel, ""), true
	}
	own := strings.TrimSpace(a.own.Text())
	if own == "" {
		return nil, false
	}
	return a.answer(a.sel, own), true
}

func (a *Ask) page() page {
	s := a.config.styles
	lines := pane.Each(s.Text, a.text.visible())
	gap := func(is bool) {
		if is && a.height >= roomy {
			lines = append(lines, "")
		}
	}
	p := page{title: a.title, where: a.text.where(), danger: a.danger,
		hints: []string{hint(a.accept, a.config.keys.Answers.Accept), hint(a.leave, a.config.keys.Answers.Close)}}
	gap(a.question != "")
	for i, label := range a.list.visible() {
		mark, style := "  ", s.Text
		if a.list.Top+i == a.sel {
			mark, style, p.chosen = "❯ ", s.Selected, len(lines)+1
		}
		if len(a.options) > 0 {
			lines = append(lines, style.Render(pane.Fit(mark+label, a.width)))
		}
	}
	if a.own != nil {
		gap(len(a.options) > 0)
		mark := "  "
		if a.sel == len(a.options) {
			mark = s.Selected.Render("❯ ")
		}
		shown, x := a.own.Line(max(a.width-2, 1))
		if a.own.Text() == "" {
			shown = s.Muted.Render(pane.Fit("your own answer", a.width-2))
		}
		p.cursor = &point{2 + x, len(lines)}
		lines = append(lines, mark+shown)
	}
	p.lines = lines
	return p
}

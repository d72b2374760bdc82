package overlay

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/plain"
	"plimsoll/tui/diffview"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Approve asks whether a tool call may run. It shows the diff or the command,
// all of it, the rule that an answer for longer than once grants, and as many
// answers as the call may have. No may carry a reason.
type Approve struct {
	id     string
	title  string
	body   string
	change *diff.File // nil for what is no edit
	grants []conversation.Grant
	rule   grantedRule

	look          look
	width, height int
	head          []string // of the title, the lines that always stand there
	text          pager
	drawn         []drawnDiff // at the last widths
	gaps          bool        // blank lines part what the dialog shows
	begun         bool        // it was laid out before
	read          bool        // the end of the text was in sight
	again         string      // the key that showed the end instead of allowing what was not read
	sel           int
	why           *edit.Field // the reason being written
}

// endShown tells the stack that a key showed the end instead of allowing.
type endShown struct{}

// drawnDiff is a diff laid out at a width.
type drawnDiff struct {
	*diffview.Drawing
	width int
}

// keptWidths is at how many widths a diff is kept: a dialog is laid out at the widest and at its own.
const keptWidths = 2

// roomy is how many lines a dialog needs to be set with blank lines and one
// answer to a line.
const roomy = 12

// NewApprove returns a question about a reviewed call. A call that no rule is
// offered for can be allowed once only.
func NewApprove(id string, r conversation.Review) *Approve {
	a := &Approve{id: id, title: plain.Line(plain.Marked(r.Title)), body: plain.Text(plain.Marked(r.Command)),
		grants: []conversation.Grant{conversation.GrantOnce, conversation.GrantNo}, rule: grantedRule{offer: r.Offer}}
	if r.Diff != "" {
		a.body = plain.Text(plain.Marked(strings.ReplaceAll(r.Diff, "\r\n", "\n")))
		if f, ok := diff.Parse(a.body); ok {
			a.change = &f
			a.title += "  " + diffview.Stat(f.Stat())
		}
	}
	a.body = strings.TrimRight(a.body, "\n")
	a.title = strings.TrimSuffix(a.title, " "+a.body) // a command stands below
	if len(r.Offer.Rules) > 0 {
		a.grants = []conversation.Grant{
			conversation.GrantOnce, conversation.GrantRun, conversation.GrantAlways, conversation.GrantNo,
		}
	}
	return a
}

func (a *Approve) asks() bool { return true }

func (a *Approve) lay(l look, width, height int) int {
	if a.look.styled != l.styled {
		a.drawn = nil
	}
	a.look = l
	a.width, a.height = width, height
	title := pane.WrapHanging(a.title, width)
	n := min(len(title), max(1, height/4))
	a.head = title[:n]
	lines := rendered(l.styles.Title, slices.Clone(title[n:])) // a longer title goes on where it can be scrolled
	body, cells := a.bodyRows()
	lines = append(lines, body...)
	first := 0
	if a.change != nil {
		d := a.diffRows()
		cells, first = d.Cells(), d.FirstChange()
		a.text.more, a.text.draw = d.Rows(), d.Row
	}
	all := len(lines) + a.text.more
	for _, a.gaps = range []bool{height >= roomy, false} {
		answers, _ := a.answers()
		room := height - len(a.heading()) - len(answers) - len(a.ruleLines())
		a.text.set(lines, min(all, room))
		if all <= room {
			break
		}
	}
	if !a.begun && a.change != nil && n == len(title) { // where not all fits, the first change does
		a.text.scroll(max(0, first-1) - a.text.top)
	}
	return max(toWrite, breadthOf(a.choices()), widest(width, a.head...), widest(width, a.ruleLines()...), widest(width, title[n:]...), cells)
}

// bodyRows is the command, and how many cells it takes; a diff is drawn apart.
func (a *Approve) bodyRows() (rows []string, cells int) {
	if a.change != nil || a.body == "" {
		return nil, 0
	}
	rows = cut(a.body, a.width)
	return rendered(a.look.styles.Command, rows), widest(a.width, rows...)
}

// diffRows is the diff at the dialog's width.
func (a *Approve) diffRows() *diffview.Drawing {
	if i := slices.IndexFunc(a.drawn, func(d drawnDiff) bool { return d.width == a.width }); i >= 0 {
		return a.drawn[i].Drawing
	}
	d := a.look.styles.Diff.Lay(*a.change, a.width, diffview.Options{Context: -1, Fill: true})
	a.drawn = append(a.drawn[max(0, len(a.drawn)-keptWidths+1):], drawnDiff{d, a.width})
	return d
}

// ruleLines are the lines about the rule, without its cursor.
func (a *Approve) ruleLines() []string {
	lines, _ := a.ruleBlock()
	return lines
}

// ruleBlock is the rule with a blank line above it, where there is room for both
// the rule and what is to be approved.
func (a *Approve) ruleBlock() (lines []string, cursor *point) {
	if a.why != nil {
		return nil, nil
	}
	answers, _ := a.answers()
	most := max(a.height/3, min(2, a.height-len(a.heading())-len(answers)-1))
	lines, cursor = a.rule.lines(a.look, a.width, most)
	if len(lines) == 0 || !a.gaps {
		return lines, cursor
	}
	if cursor != nil {
		cursor.y++
	}
	return append([]string{""}, lines...), cursor
}

func (a *Approve) update(msg tea.Msg) pane.Action {
	a.begun, a.read = true, a.read || a.text.atEnd()
	k, isKey := msg.(tea.KeyPressMsg)
	switch {
	case a.why != nil:
		return a.explain(msg, k)
	case a.rule.editor != nil:
		return a.editRule(msg)
	}
	keys := a.look.keys
	if isKey && len(a.rule.offer.Rules) > 0 && key.Matches(k, keys.Answers.Edit) {
		a.rule.edit()
		a.lay(a.look, a.width, a.height)
		return nil
	}
	if isKey {
		for i, grant := range a.grants {
			if key.Matches(k, a.binding(grant)) {
				a.sel = i
				return a.answer(a.binding(grant))
			}
		}
		switch {
		case key.Matches(k, keys.Answers.Accept):
			return a.answer(keys.Answers.Accept)
		case key.Matches(k, keys.Answers.Close):
			return Approved{ID: a.id, Grant: conversation.GrantNo}
		case key.Matches(k, keys.Moves.Next, keys.Moves.Down) && k.Text == "":
			a.sel = min(a.sel+1, len(a.grants)-1)
			return nil
		case key.Matches(k, keys.Moves.Previous, keys.Moves.Up) && k.Text == "":
			a.sel = max(a.sel-1, 0)
			return nil
		}
	}
	return a.scroll(msg)
}

// editRule handles a message while the rule is edited.
func (a *Approve) editRule(msg tea.Msg) pane.Action {
	editor := a.rule.editor
	taken, changed := a.rule.update(msg, a.look.keys)
	if !taken {
		return a.scroll(msg)
	}
	a.lay(a.look, a.width, a.height)
	if changed {
		return EditedRules{ID: a.id, Rules: editor.texts()}
	}
	return nil
}

// Judged says what edited rules let run, or why they cannot be granted. Word
// that comes late, about rules as they are not any more, changes nothing.
func (a *Approve) Judged(rules []string, offer conversation.Offer, err error) {
	a.rule.judge(rules, offer, err)
	a.lay(a.look, a.width, a.height)
}

// scroll scrolls the text: letters scroll lines, arrows choose.
func (a *Approve) scroll(msg tea.Msg) pane.Action {
	if a.text.update(msg, a.look.keys.Moves, true) {
		return nil
	}
	return leftover(msg)
}

// answer gives the selected answer; a no is asked for its reason first. Before what
// was not read to its end is allowed, the end is shown.
func (a *Approve) answer(by key.Binding) pane.Action {
	if a.grants[a.sel] == conversation.GrantNo {
		a.why = newLine("")
		a.lay(a.look, a.width, a.height)
		return nil
	}
	if !a.read {
		a.again = by.Help().Key
		a.lay(a.look, a.width, a.height)
		a.text.scroll(a.text.len())
		return endShown{}
	}
	answer := Approved{ID: a.id, Grant: a.grants[a.sel]}
	if answer.Grant != conversation.GrantOnce {
		answer.Rules = a.rule.offer.Rules
	}
	return answer
}

// explain handles a message while the reason is written.
func (a *Approve) explain(msg tea.Msg, k tea.KeyPressMsg) pane.Action {
	keys := a.look.keys
	switch {
	case key.Matches(k, keys.Answers.Accept):
		return Approved{ID: a.id, Grant: conversation.GrantNo, Reason: strings.TrimSpace(a.why.Text())}
	case key.Matches(k, keys.Answers.Close) && k.Text == "":
		a.why = nil
		a.lay(a.look, a.width, a.height)
		return nil
	case typed(a.why, msg, keys.Edit):
		return nil
	}
	return a.scroll(msg)
}

func (a *Approve) page() page {
	lines := append(a.heading(), a.text.visible()...)
	p := page{title: "Allow this?", where: a.text.where(), grows: a.text.where() != ""}
	answers, chosen := a.answers()
	if chosen > 0 {
		p.chosen = len(lines) + chosen
	}
	rule, cursor := a.ruleBlock()
	if cursor != nil {
		p.cursor = &point{cursor.x, len(lines) + len(answers) + cursor.y}
	}
	if a.why != nil {
		shown, x := a.why.Line(a.width)
		answers[len(answers)-1] = a.look.styles.Text.Render(shown)
		p.cursor = &point{x, len(lines) + len(answers) - 1}
		p.hints = []string{hint("no", a.look.keys.Answers.Accept), hint("back", a.look.keys.Answers.Close)}
	} else {
		p.hints = a.hints()
	}
	p.lines = slices.Concat(lines, answers, rule)
	return p
}

// hints are what the keys do, the most needed first.
func (a *Approve) hints() []string {
	keys := a.look.keys.Answers
	if a.rule.editor != nil {
		return []string{hint("use this rule", keys.Accept), hint("leave it", keys.Close)}
	}
	hints := []string{hint("choose", keys.Accept), hint("deny", keys.Close)}
	if a.text.where() != "" {
		hints = append(hints, hint("scroll", a.look.keys.Moves.PageDown))
	}
	if len(a.rule.offer.Rules) > 0 {
		hints = append(hints, hint("edit the rule", keys.Edit))
	}
	return hints
}

// heading says what wants to run.
func (a *Approve) heading() []string {
	var lines []string
	for _, line := range a.head {
		lines = append(lines, a.look.styles.Title.Render(line))
	}
	if a.gaps && a.body != "" {
		lines = append(lines, "")
	}
	return lines
}

// answers are the lines below the text, and which of them is selected, from 1 on.
func (a *Approve) answers() (lines []string, chosen int) {
	switch {
	case a.again != "":
		lines = append(lines, a.look.styles.Warning.Render(pane.Clip("Read the end; "+a.again+" again allows it.", a.width)))
	case a.gaps:
		lines = append(lines, "")
	}
	if a.why != nil {
		return append(lines, a.look.styles.Detail.Render("Reason (the model reads it, optional):"), ""), 0
	}
	choices, chosen := a.look.styles.choices(a.choices(), a.sel, a.width, a.height >= roomy)
	if chosen > 0 {
		chosen += len(lines)
	}
	return append(lines, choices...), chosen
}

// choices are the answers that the call may have.
func (a *Approve) choices() []choice {
	choices := make([]choice, len(a.grants))
	for i, grant := range a.grants {
		b := a.binding(grant)
		choices[i] = choice{key: b.Help().Key, long: b.Help().Desc, short: brief[grant]}
	}
	return choices
}

// brief names the answers where there is little room.
var brief = map[conversation.Grant]string{
	conversation.GrantOnce: "once", conversation.GrantRun: "run", conversation.GrantAlways: "always", conversation.GrantNo: "no",
}

func (a *Approve) binding(grant conversation.Grant) key.Binding {
	k := a.look.keys.Answers
	switch grant {
	case conversation.GrantOnce:
		return k.Once
	case conversation.GrantRun:
		return k.Run
	case conversation.GrantAlways:
		return k.Always
	}
	return k.No
}

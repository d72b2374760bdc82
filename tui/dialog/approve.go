package dialog

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/plain"
	"plimsoll/tui/diffview"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Approve asks whether a tool call may run. It shows the whole diff or command, the
// answers that the call can have, and the rule that an answer for longer than once grants,
// as it is written and in words. The rule can be edited, and a denial can have a
// reason.
type Approve struct {
	title      string
	body       string
	change     *diff.File // nil if the call is not an edit
	grants     []conversation.Grant
	offer      conversation.Offer // without rules, the call can only be allowed once
	checkRules func(rules []string) (conversation.Offer, error)
	answer     func(conversation.Answer) pane.Action

	config        config
	width, height int
	head          []string // the lines of the title that do not scroll
	text          pager
	drawing       *diffview.Drawing // laid out for drawnAt cells and styles number drawnIn
	drawnAt       int
	drawnIn       int
	gaps          bool   // blank lines separate the parts
	gotMessage    bool   // it got a message before
	read          bool   // the end of the text was visible
	again         string // the key that showed the end of the text instead of allowing the call
	sel           int
	why           *edit.Field // the reason for a denial while it is written; else nil
	rule          *edit.Field // the rule while it is edited, one text a line; else nil
	edited        conversation.Offer
	wrong         error // why the edited rule cannot be granted
}

// NewApprove returns a question about a reviewed call. A call without an offered
// rule can be allowed only once. checkRules returns what edited rules would allow.
func NewApprove(r conversation.Review, checkRules func(rules []string) (conversation.Offer, error), answer func(conversation.Answer) pane.Action) *Approve {
	a := &Approve{
		title: plain.Line(plain.MarkInvisible(r.Title)), body: plain.Text(plain.MarkInvisible(r.Command)),
		offer: r.Offer, checkRules: checkRules, answer: answer,
		grants: []conversation.Grant{conversation.GrantOnce, conversation.GrantNo},
	}
	if r.Diff != "" {
		a.body = plain.Text(plain.MarkInvisible(strings.ReplaceAll(r.Diff, "\r\n", "\n")))
		if f, ok := diff.Parse(a.body); ok {
			a.change = &f
			a.title += "  " + diffview.Stat(f.Stat())
		}
	}
	a.body = strings.TrimRight(a.body, "\n")
	a.title = strings.TrimSuffix(a.title, " "+a.body) // the command is shown below
	if len(r.Offer.Rules) > 0 {
		a.grants = []conversation.Grant{
			conversation.GrantOnce, conversation.GrantRun, conversation.GrantAlways, conversation.GrantNo,
		}
	}
	return a
}

func (a *Approve) asks() bool { return true }
func (a *Approve) dismiss() pane.Action {
	return a.answer(conversation.Answer{Grant: conversation.GrantNo})
}

func (a *Approve) layout(l config, width, height int) int {
	a.config, a.width, a.height = l, width, height
	s := l.styles
	title := pane.WrapHanging(a.title, width)
	n := min(len(title), max(1, height/4))
	a.head = title[:n]
	lines, cells, first := pane.Each(s.Dialog.Title, title[n:]), 0, 0 // the rest of a long title scrolls with the text
	if a.change != nil {
		if a.drawing == nil || a.drawnAt != width || a.drawnIn != l.styled {
			a.drawing = diffview.Styles(s.Diff).Layout(*a.change, width, diffview.Options{Context: -1, Fill: true})
			a.drawnAt, a.drawnIn = width, l.styled
		}
		cells, first = a.drawing.Cells(), a.drawing.FirstChange()
		a.text.more, a.text.draw = a.drawing.Rows(), a.drawing.Row
	} else if a.body != "" {
		rows := cut(a.body, width)
		cells = widest(width, rows...)
		lines = append(lines, pane.Each(s.Tool.Subject, rows)...)
	}
	all := len(lines) + a.text.more
	for _, a.gaps = range []bool{height >= roomy, false} {
		answers, _ := a.answers()
		rule, _ := a.ruleBlock()
		room := height - len(a.heading()) - len(answers) - len(rule)
		a.text.set(lines, min(all, room))
		if all <= room {
			break
		}
	}
	if !a.gotMessage && a.change != nil && n == len(title) { // show the first change if not all fits
		a.text.scroll(max(0, first-1) - a.text.top)
	}
	rule, _ := a.ruleBlock()
	answers, _ := a.answers()
	return max(inputCells, widest(width, slices.Concat(answers, title, rule)...), cells)
}

func (a *Approve) update(msg tea.Msg) (pane.Action, bool) {
	a.gotMessage, a.read = true, a.read || a.text.top+a.text.height >= a.text.len()
	var action pane.Action
	done := false
	switch {
	case a.why != nil:
		action, done = a.explain(msg)
	case a.rule != nil:
		action = a.editRule(msg)
	default:
		action, done = a.choose(msg)
	}
	a.layout(a.config, a.width, a.height)
	if action == (endShown{}) {
		a.text.scroll(a.text.len())
	}
	return action, done
}

// choose handles a message while an answer is chosen.
func (a *Approve) choose(msg tea.Msg) (pane.Action, bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	if !isKey {
		return a.scroll(msg), false
	}
	keys := a.config.keys
	for i, grant := range a.grants {
		if key.Matches(k, a.binding(grant)) {
			a.sel = i
			return a.answerWith(a.binding(grant))
		}
	}
	switch {
	case len(a.offer.Rules) > 0 && key.Matches(k, keys.Answers.Edit):
		a.beginRule()
	case key.Matches(k, keys.Answers.Accept):
		return a.answerWith(keys.Answers.Accept)
	case key.Matches(k, keys.Answers.Close):
		return a.dismiss(), true
	case key.Matches(k, keys.Moves.Next, keys.Moves.Down) && k.Text == "":
		a.sel = min(a.sel+1, len(a.grants)-1)
	case key.Matches(k, keys.Moves.Previous, keys.Moves.Up) && k.Text == "":
		a.sel = max(a.sel-1, 0)
	default:
		return a.scroll(msg), false
	}
	return nil, false
}

// scroll scrolls the text: letters scroll lines, arrows choose.
func (a *Approve) scroll(msg tea.Msg) pane.Action {
	if a.text.update(msg, a.config.keys.Moves, true) {
		return nil
	}
	return unusedAction(msg)
}

// answerWith gives the selected answer. A denial first asks for its reason. A call whose text
// was not read to its end is not allowed yet: the end is shown first.
func (a *Approve) answerWith(by key.Binding) (pane.Action, bool) {
	answer := conversation.Answer{Grant: a.grants[a.sel]}
	switch {
	case answer.Grant == conversation.GrantNo:
		a.why = newLine("")
		return nil, false
	case !a.read:
		a.again = by.Help().Key
		return endShown{}, false
	case answer.Grant != conversation.GrantOnce:
		answer.Rules = a.offer.Rules
	}
	return a.answer(answer), true
}

// explain handles a message while the reason for a denial is written.
func (a *Approve) explain(msg tea.Msg) (pane.Action, bool) {
	k, _ := msg.(tea.KeyPressMsg)
	keys := a.config.keys
	switch {
	case key.Matches(k, keys.Answers.Accept):
		return a.answer(conversation.Answer{Grant: conversation.GrantNo, Text: strings.TrimSpace(a.why.Text())}), true
	case key.Matches(k, keys.Answers.Close) && k.Text == "":
		a.why = nil
	case typed(a.why, msg, keys.Edit):
	default:
		return a.scroll(msg), false
	}
	return nil, false
}

// beginRule begins to edit the rule. A rule with characters that cannot be shown
// unchanged cannot be edited.
func (a *Approve) beginRule() {
	rules := a.offer.Rules
	if slices.ContainsFunc(rules, func(r string) bool { return plain.Line(plain.MarkInvisible(r)) != r }) {
		return
	}
	a.rule = edit.NewField(plain.Text, edit.MaxInLine)
	a.rule.SetText(strings.Join(rules, "\n"), true)
	a.edited, a.wrong = a.offer, nil
}

// editRule handles a message while the rule is edited.
func (a *Approve) editRule(msg tea.Msg) pane.Action {
	k, _ := msg.(tea.KeyPressMsg)
	keys, before := a.config.keys, a.rule.Text()
	switch {
	case key.Matches(k, keys.Answers.Accept):
		if a.wrong == nil {
			a.rule, a.offer = nil, a.edited
		}
	case key.Matches(k, keys.Answers.Close) && k.Text == "":
		a.rule = nil
	case !typed(a.rule, msg, keys.Edit):
		return a.scroll(msg)
	case a.rule.Text() != before:
		a.edited, a.wrong = a.checkRules(strings.Split(a.rule.Text(), "\n"))
	}
	return nil
}

// ruleBlock draws the rule below the answers, as far as the height allows: its texts,
// what they allow, and a warning. cursor is the text cursor while the rule is
// edited.
func (a *Approve) ruleBlock() (lines []string, cursor *point) {
	answers, _ := a.answers()
	most := max(a.height/3, min(2, a.height-len(a.heading())-len(answers)-1))
	if a.why != nil || len(a.offer.Rules) == 0 || most < 1 {
		return nil, nil
	}
	s, offer, keys := a.config.styles, a.offer, a.config.keys.Answers
	caption := "Rule for " + keys.Run.Help().Key + " and " + keys.Always.Help().Key + ":"
	if a.rule != nil {
		offer, caption = a.edited, "Edit the rule:"
	}
	if a.gaps {
		lines = append(lines, "")
	}
	if most > 3 {
		lines = append(lines, s.Dialog.Detail.Render(pane.Clip(caption, a.width)))
		most--
	}
	means, warning := pane.WrapHanging("allows "+plain.Line(plain.MarkInvisible(offer.Meaning)), a.width), []string(nil)
	switch {
	case a.rule != nil && a.wrong != nil:
		means, warning = nil, pane.WrapHanging("! "+plain.Line(a.wrong.Error()), a.width)
	case offer.Warning != "":
		warning = pane.WrapHanging("! "+plain.Line(offer.Warning), a.width)
	}
	warning = warning[:min(len(warning), most-1)] // the warning is left out last
	most -= len(warning)
	texts, cursor := a.ruleTexts(max(1, most-min(1, len(means))))
	if cursor != nil {
		cursor.y += len(lines)
	}
	means = means[:min(len(means), max(most-len(texts), 0))]
	lines = append(append(lines, pane.Each(s.Tool.Subject, texts)...), pane.Each(s.Dialog.Text, means)...)
	return append(lines, pane.Each(s.Diff.Removed, warning)...), cursor
}

func (a *Approve) ruleTexts(height int) (lines []string, cursor *point) {
	if a.rule != nil {
		a.rule.SetSize(a.width, height)
		lines = a.rule.View()
		x, y := a.rule.Cursor()
		return lines, &point{x, y}
	}
	for _, r := range a.offer.Rules {
		lines = append(lines, cut(plain.Line(plain.MarkInvisible(strings.ReplaceAll(r, "\n", "␊"))), a.width)...)
	}
	if len(lines) > height { // the command or the file above shows the rest
		lines = append(lines[:height-1], ansi.Truncate(lines[height-1], a.width-1, "")+"…")
	}
	return lines, nil
}

func (a *Approve) page() page {
	lines := append(a.heading(), a.text.visible()...)
	p := page{title: "Allow this?", where: a.text.where(), hints: a.hints()}
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
		answers[len(answers)-1] = a.config.styles.Dialog.Text.Render(shown)
		p.cursor = &point{x, len(lines) + len(answers) - 1}
	}
	p.lines = slices.Concat(lines, answers, rule)
	return p
}

// hints returns what the keys do, the most needed first.
func (a *Approve) hints() []string {
	keys := a.config.keys.Answers
	switch {
	case a.why != nil:
		return []string{hint("no", keys.Accept), hint("back", keys.Close)}
	case a.rule != nil:
		return []string{hint("use this rule", keys.Accept), hint("leave it", keys.Close)}
	}
	hints := []string{hint("choose", keys.Accept), hint("deny", keys.Close)}
	if a.text.where() != "" {
		hints = append(hints, hint("scroll", a.config.keys.Moves.PageDown))
	}
	if len(a.offer.Rules) > 0 {
		hints = append(hints, hint("edit the rule", keys.Edit))
	}
	return hints
}

func (a *Approve) heading() []string {
	lines := pane.Each(a.config.styles.Dialog.Title, a.head)
	if a.gaps && a.body != "" {
		lines = append(lines, "")
	}
	return lines
}

// answers draws the lines below the text: one for each answer, or a single line with short
// names. chosen is the selected line, counted from 1.
func (a *Approve) answers() (lines []string, chosen int) {
	s := a.config.styles
	switch {
	case a.again != "":
		lines = append(lines, s.Diff.Removed.Render(pane.Clip("Read the end; "+a.again+" again allows it.", a.width)))
	case a.gaps:
		lines = append(lines, "")
	}
	if a.why != nil {
		return append(lines, s.Dialog.Detail.Render(pane.Clip("Reason (the model reads it, optional):", a.width)), ""), 0
	}
	row := ""
	for i, grant := range a.grants {
		mark, style, b := " ", s.Dialog.Item, a.binding(grant).Help()
		if i == a.sel {
			mark, style = "❯", s.Dialog.Selected
		}
		if a.height >= roomy {
			lines = append(lines, style.Render(pane.Clip(mark+" "+b.Key+"  "+b.Desc, a.width)))
			continue
		}
		if cell := mark + b.Key + " " + shortLabels[grant] + " "; row != "" && ansi.StringWidth(row+cell) > a.width {
			lines, row = append(lines, row), style.Render(cell)
		} else {
			row += style.Render(cell)
		}
	}
	if row != "" {
		return append(lines, row), 0
	}
	return lines, len(lines) - len(a.grants) + a.sel + 1
}

// shortLabels holds the short names of answers for low screens.
var shortLabels = map[conversation.Grant]string{
	conversation.GrantOnce: "once", conversation.GrantRun: "run", conversation.GrantAlways: "always", conversation.GrantNo: "no",
}

func (a *Approve) binding(grant conversation.Grant) key.Binding {
	k := a.config.keys.Answers
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

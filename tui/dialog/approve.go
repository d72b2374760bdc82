package dialog

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/plain"
	"plimsoll/tui/diffview"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Approve asks whether a tool call may run. It shows the diff or command, one line of answers, and the rule that an answer for
// longer than once grants, as it is written and in words. A key of its own widens the rule, the arrow keys only narrow it: none
// makes an answer grant more. The rule can be written, too. A command can be changed before it runs, and a denial can have a
// reason.
type Approve struct {
	title      string
	body       string
	command    string     // that can be changed; "" for other calls
	change     *diff.File // nil if the call is not an edit
	grants     []conversation.Grant
	noReason   bool
	offers     []conversation.Offer                             // each wider than the one before; without any, the call can only be allowed once
	level      int                                              // of the offer that is shown
	checkRules func(rules []string) (conversation.Offer, error) // nil: the rules cannot be changed
	answer     func(conversation.Answer) pane.Action
	waiting    []string // titles of other calls that wait
	together   int      // how many of them and this one can be answered together; 0 for none
	all        func() pane.Action
	isGroup    bool // it asks about several calls: closing it answers none

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
	again         string // the key that showed more of the text instead of allowing the call
	sel           int

	field  *edit.Field // what is typed; else nil
	use    fieldUse
	edited conversation.Offer
	wrong  error // why the edited rule cannot be granted
}

// fieldUse is what is typed in an Approve.
type fieldUse int

const (
	writesReason  fieldUse = iota // of a denial
	writesRule                    // one text a line
	writesCommand                 // that runs instead
)

// NewApprove returns a question about a reviewed call. A call without an offered
// rule can be allowed only once. checkRules returns what edited rules would allow.
func NewApprove(r conversation.Review, checkRules func(rules []string) (conversation.Offer, error), answer func(conversation.Answer) pane.Action) *Approve {
	a := &Approve{
		title: Spoken(r.Title), body: plain.Text(plain.MarkInvisible(r.Command)), noReason: r.NoReason, checkRules: checkRules,
		answer: answer, grants: []conversation.Grant{conversation.GrantOnce, conversation.GrantNo},
	}
	if r.Changeable && a.body == r.Command {
		a.command = r.Command
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
		a.offers = append([]conversation.Offer{r.Offer}, r.Wider...)
		a.grants = []conversation.Grant{
			conversation.GrantOnce, conversation.GrantRun, conversation.GrantAlways, conversation.GrantNo,
		}
	}
	if r.Passing {
		a.grants, a.checkRules = []conversation.Grant{conversation.GrantOnce, conversation.GrantConversation, conversation.GrantNo}, nil
	}
	return a
}

// NewApproveAll returns a question about several calls of one kind, which are allowed once or denied together.
func NewApproveAll(reviews []conversation.Review, answer func(conversation.Answer) pane.Action) *Approve {
	var parts []string
	for i, r := range reviews {
		one := NewApprove(r, nil, nil)
		parts = append(parts, strings.TrimRight(fmt.Sprintf("%d  %s\n%s", i+1, one.title, one.body), "\n"))
	}
	a := NewApprove(conversation.Review{Title: fmt.Sprintf("%d calls, together", len(reviews))}, nil, answer)
	a.body, a.isGroup = strings.Join(parts, "\n"), true
	return a
}

// SetWaiting lists the titles of other calls that wait. together is how many calls, with this one, can be answered together,
// which all begins; 0 for none.
func (a *Approve) SetWaiting(titles []string, together int, all func() pane.Action) {
	a.waiting, a.together, a.all = titles, together, all
}

// shown returns a text that was written by others on one line.
func shown(text string) string {
	return plain.Line(plain.MarkInvisible(strings.ReplaceAll(text, "\n", "␊")))
}

// Spoken is the title of a call, sanitised, with the verb of its tool as in the transcript.
func Spoken(title string) string {
	tool, about, _ := strings.Cut(shown(title), " ")
	return strings.TrimSpace(conversation.ToolVerb(tool, false) + " " + about)
}

func (a *Approve) asks() bool { return true }
func (a *Approve) dismiss() pane.Action {
	if a.isGroup {
		return nil
	}
	return a.answer(conversation.Answer{Grant: conversation.GrantNo})
}

func (a *Approve) layout(l config, width, height int) int {
	if width != a.width && !a.read { // other lines stand where the text was read to
		a.text.Top = 0
	}
	a.config, a.width, a.height = l, width, height
	s := l.styles
	title := pane.WrapHanging(a.title, width)
	n := min(len(title), max(1, height/4))
	a.head = title[:n]
	if a.titleFits() {
		a.head = nil
	}
	lines, cells, first := pane.Each(s.Title, title[n:]), 0, 0 // the rest of a long title scrolls with the text
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
		lines = append(lines, pane.Each(s.Text, rows)...)
	}
	all := len(lines) + a.text.more
	var below []string
	for _, a.gaps = range []bool{height >= roomy, false} {
		below, _ = a.below()
		room := height - len(a.heading()) - len(below)
		a.text.set(lines, min(all, room))
		if all <= room {
			break
		}
	}
	if !a.gotMessage && a.change != nil && n == len(title) { // show the first change if not all fits
		a.text.scroll(max(0, first-1) - a.text.Top)
	}
	return max(inputCells, widest(width, slices.Concat(below, title)...), cells)
}

// titleFits reports whether the title stands on the line of the question.
func (a *Approve) titleFits() bool {
	return a.config.flow && ansi.StringWidth(askedHere+a.title) <= a.width-10
}

func (a *Approve) update(msg tea.Msg) (pane.Action, bool) {
	a.gotMessage, a.read = true, a.read || a.text.atEnd()
	var action pane.Action
	done, seen := false, a.text.height
	if a.field != nil {
		action, done = a.typeInto(msg)
	} else {
		action, done = a.choose(msg)
	}
	a.layout(a.config, a.width, a.height)
	if action == (moreShown{}) {
		a.text.scroll(min(seen, a.text.height))
		action = moreShown{end: a.text.atEnd()}
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
	case a.checkRules != nil && len(a.offers) > 0 && key.Matches(k, keys.Answers.Rule):
		a.begin(writesRule, a.offers[a.level].Rules...)
	case a.command != "" && key.Matches(k, keys.Answers.Edit) && !a.read:
		a.again = keys.Answers.Edit.Help().Key
		return moreShown{}, false
	case a.command != "" && key.Matches(k, keys.Answers.Edit):
		a.begin(writesCommand, a.command)
	case a.together > 0 && key.Matches(k, keys.Answers.Together):
		return a.all(), false
	case key.Matches(k, keys.Answers.Accept):
		return a.answerWith(keys.Answers.Accept)
	case key.Matches(k, keys.Answers.Close):
		return a.dismiss(), true
	case key.Matches(k, keys.Moves.Next):
		a.sel = min(a.sel+1, len(a.grants)-1)
	case key.Matches(k, keys.Moves.Previous):
		a.sel = max(a.sel-1, 0)
	case len(a.offers) > 1 && key.Matches(k, keys.Answers.Wider):
		a.level = min(a.level+1, len(a.offers)-1)
	case key.Matches(k, keys.Moves.Down) && k.Text == "":
		a.level = max(a.level-1, 0)
	default:
		return a.scroll(msg), false
	}
	return nil, false
}

// scroll scrolls the text: letters scroll lines, arrows change the rule.
func (a *Approve) scroll(msg tea.Msg) pane.Action {
	if a.text.update(msg, a.config.keys.Moves, true) {
		return nil
	}
	return unusedAction(msg)
}

// answerWith gives the selected answer. A denial first asks for its reason. A call whose text
// was not read to its end is not allowed yet: its next lines are shown.
func (a *Approve) answerWith(by key.Binding) (pane.Action, bool) {
	answer := conversation.Answer{Grant: a.grants[a.sel]}
	switch {
	case answer.Grant == conversation.GrantNo && a.noReason:
	case answer.Grant == conversation.GrantNo:
		a.field, a.use = newLine(""), writesReason
		return nil, false
	case !a.read:
		a.again = by.Help().Key
		return moreShown{}, false
	case answer.Grant != conversation.GrantOnce:
		answer.Rules = a.offers[a.level].Rules
	}
	return a.answer(answer), true
}

// begin begins to edit texts. Those with characters that cannot be shown unchanged cannot be edited.
func (a *Approve) begin(use fieldUse, texts ...string) {
	if slices.ContainsFunc(texts, func(t string) bool { return !plain.ShownExactly(t) }) {
		return
	}
	a.field, a.use = edit.NewField(plain.Text, edit.MaxInLine), use
	a.field.SetText(strings.Join(texts, "\n"), true)
	if use == writesRule {
		a.edited, a.wrong = a.offers[a.level], nil
	}
}

// typeInto handles a message while something is typed.
func (a *Approve) typeInto(msg tea.Msg) (pane.Action, bool) {
	k, _ := msg.(tea.KeyPressMsg)
	keys, before := a.config.keys, a.field.Text()
	switch {
	case key.Matches(k, keys.Answers.Accept):
		return a.accept()
	case key.Matches(k, keys.Answers.Close) && k.Text == "":
		a.field = nil
	case !typed(a.field, msg, keys.Edit):
		return a.scroll(msg), false
	case a.use == writesRule && a.field.Text() != before:
		a.edited, a.wrong = a.checkRules(strings.Split(a.field.Text(), "\n"))
	}
	return nil, false
}

// accept uses what was typed.
func (a *Approve) accept() (pane.Action, bool) {
	text := strings.TrimSpace(a.field.Text())
	switch {
	case a.use == writesReason:
		return a.answer(conversation.Answer{Grant: conversation.GrantNo, Text: text}), true
	case a.use == writesCommand && text != "" && text != strings.TrimSpace(a.command):
		return a.answer(conversation.Answer{Grant: conversation.GrantOnce, Command: text}), true
	case a.use == writesRule && a.wrong != nil:
		return nil, false
	case a.use == writesRule:
		a.offers[a.level] = a.edited
	}
	a.field = nil
	return nil, false
}

// fieldLabels say what is typed.
var fieldLabels = map[fieldUse]string{
	writesReason: "Reason (the model reads it, optional):", writesRule: "Edit the rule:", writesCommand: "Run instead (the model is told):",
}

// below draws what is below the text: what else waits, the answers and the rule, or what is typed. cursor is the text cursor
// while something is typed.
func (a *Approve) below() (lines []string, cursor *point) {
	s := a.config.styles
	room := max(a.height-len(a.heading())-2, 1) // beside a line of the text and the answers
	note := "Read on; " + a.again + " again shows more."
	if a.read || a.text.atEnd() {
		does := [...]string{"allows", "changes"}[pane.CountTrue(a.again == a.config.keys.Answers.Edit.Help().Key)]
		note = "Read the end; " + a.again + " again " + does + " it."
	}
	switch {
	case a.again != "":
		lines = append(lines, s.Diff.Removed.Render(pane.Clip(note, a.width)))
	case a.gaps:
		lines = append(lines, "")
	}
	if a.field != nil {
		lines = append(lines, s.Muted.Render(pane.Clip(fieldLabels[a.use], a.width)))
		a.field.SetSize(a.width, max(1, min(room-len(lines), a.height/3)))
		x, y := 0, len(lines)
		view := a.field.View()
		if a.use == writesReason {
			line, at := a.field.Line(a.width)
			view, x = []string{s.Text.Render(line)}, at
		} else {
			cx, cy := a.field.Cursor()
			x, y = cx, y+cy
		}
		lines = append(lines, view...)
		if a.use == writesRule {
			lines = append(lines, a.meaning(a.edited, room-len(lines))...)
		}
		return lines, &point{x, y}
	}
	answers, together := a.answers()
	if len(a.waiting) > 0 && room > 2 {
		more := fmt.Sprintf("%s+%d waiting: %s", together, len(a.waiting), strings.Join(a.waiting, " · "))
		lines = append(lines, s.Faint.Render(pane.Clip(more, a.width)))
	}
	lines = append(lines, answers...)
	if len(a.offers) == 0 {
		return lines, nil
	}
	offer, texts := a.offers[a.level], []string(nil)
	for _, r := range offer.Rules {
		texts = append(texts, shown(r))
	}
	keys, arrows := a.config.keys.Answers, ""
	if a.level < len(a.offers)-1 {
		arrows = "  " + keys.Wider.Help().Key + " wider"
	}
	if a.level > 0 {
		arrows = "  ↓ narrower" + arrows
	}
	rule := keys.Run.Help().Key + " and " + keys.Always.Help().Key + [...]string{" add ", " add the rule "}[pane.CountTrue(a.width >= inputCells)] + strings.Join(texts, " + ")
	if a.grants[1] == conversation.GrantConversation {
		rule = keys.Run.Help().Key + " adds the rule " + texts[0]
	}
	rows := cut(rule, a.width-ansi.StringWidth(arrows))
	most := len(texts) // the command or the file above shows the rest of an exact rule
	if offer.Warning != "" {
		most = max(1, min(room-2, a.height/4))
	}
	if len(rows) > most {
		rows = append(rows[:most-1], ansi.Truncate(rows[most-1], a.width-1-ansi.StringWidth(arrows), "")+"…")
	}
	rows[len(rows)-1] += arrows
	lines = append(lines, pane.Each(s.Text, rows)...)
	return append(lines, a.meaning(offer, room-len(rows)-1)...), nil
}

// meaning says in at most so many lines what rules allow, and warns of wide ones. The warning is left out last.
func (a *Approve) meaning(offer conversation.Offer, most int) []string {
	s := a.config.styles
	allows := [...]string{"which allows ", "allows "}[pane.CountTrue(a.field != nil)]
	means, warning := pane.WrapHanging(allows+shown(offer.Meaning), a.width), []string(nil)
	switch {
	case a.field != nil && a.wrong != nil:
		means, warning = nil, pane.WrapHanging("! "+plain.Line(a.wrong.Error()), a.width)
	case offer.Warning != "":
		warning = pane.WrapHanging("! "+shown(offer.Warning), a.width)
	}
	warning = warning[:max(0, min(len(warning), most))]
	means = means[:max(0, min(len(means), most-len(warning)))]
	return append(pane.Each(s.Muted, means), pane.Each(s.Diff.Removed, warning)...)
}

// askedHere begins the title.
const askedHere = "Allow this?"

func (a *Approve) page() page {
	lines := append(a.heading(), a.text.visible()...)
	p := page{title: askedHere, where: a.text.where(), hints: a.hints()}
	if a.titleFits() {
		p.title += "  " + a.title
	}
	below, cursor := a.below()
	if cursor != nil {
		p.cursor = &point{cursor.x, len(lines) + cursor.y}
	}
	p.lines = append(lines, below...)
	return p
}

// hints returns what the keys do, the most needed first.
func (a *Approve) hints() []string {
	keys := a.config.keys.Answers
	if a.field != nil {
		accept := map[fieldUse]string{writesReason: "no", writesRule: "use this rule", writesCommand: "run it"}[a.use]
		return []string{hint(accept, keys.Accept), hint("back", keys.Close)}
	}
	hints := []string{hint("choose", keys.Accept), hint("deny", keys.Close)}
	if a.isGroup {
		hints[1] = hint("one by one", keys.Close)
	}
	if a.command != "" {
		hints = append(hints, hint("change it", keys.Edit))
	}
	if len(a.offers) > 0 && a.checkRules != nil {
		hints = append(hints, hint("write the rule", keys.Rule))
	}
	switch {
	case a.config.flow && a.text.where() != "":
		hints = append(hints, hint("full", keys.Full))
	case a.text.where() != "":
		hints = append(hints, hint("scroll", a.config.keys.Moves.PageDown))
	}
	return hints
}

func (a *Approve) heading() []string {
	lines := pane.Each(a.config.styles.Title, a.head)
	if a.gaps && a.body != "" {
		lines = append(lines, "")
	}
	return lines
}

// answers draws the answers side by side. The one for several calls is returned as text if it does not fit beside them.
func (a *Approve) answers() (lines []string, together string) {
	s, row, long := a.config.styles, "", pane.CountTrue(a.width >= inputCells)
	add := func(cell string, style lipgloss.Style) {
		if row != "" && ansi.StringWidth(row+strings.TrimRight(cell, " ")) > a.width {
			lines, row = append(lines, row), ""
		}
		row += style.Render(ansi.Truncate(cell, a.width-ansi.StringWidth(row), "")) // the blank after the last answer may not fit
	}
	for i, grant := range a.grants {
		mark, style := "  "[:1+long], s.Text
		if i == a.sel {
			mark, style = "❯ ", s.Selected
		}
		add(mark+a.binding(grant).Help().Key+" "+answerLabels[grant][long]+" ", style)
	}
	if a.together > 0 {
		cell := fmt.Sprintf("%s all %d", a.config.keys.Answers.Together.Help().Key, a.together)
		if ansi.StringWidth(row+cell)+2 <= a.width {
			row += s.Text.Render(" " + cell + " ")
		} else {
			together = cell + " · "
		}
	}
	return append(lines, row), together
}

// answerLabels holds the short and the long names of answers.
var answerLabels = map[conversation.Grant][2]string{
	conversation.GrantOnce: {"once", "once"}, conversation.GrantRun: {"session", "until I quit"}, conversation.GrantAlways: {"always", "always here"}, conversation.GrantNo: {"no", "no"},
	conversation.GrantConversation: {"here", "in this conversation"},
}

func (a *Approve) binding(grant conversation.Grant) key.Binding {
	k := a.config.keys.Answers
	return map[conversation.Grant]key.Binding{
		conversation.GrantOnce: k.Once, conversation.GrantRun: k.Run, conversation.GrantConversation: k.Run,
		conversation.GrantAlways: k.Always, conversation.GrantNo: k.No,
	}[grant]
}

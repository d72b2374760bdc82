package overlay

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// The rule that an approval for longer than once grants. The dialog shows it as
// it is written and in words, and lets the user edit it. What an edited rule lets run is judged outside the dialog: see
// EditedRules and Approve.Judged.

// grantedRule is the rule of an approval: the one that was offered, or as it was edited.
type grantedRule struct {
	offer  conversation.Offer // without rules, nothing can be granted
	editor *ruleEditor        // nil unless the rule is edited
}

// ruleEditor is a rule being edited, a line for each of its texts.
type ruleEditor struct {
	lines  []*edit.Field
	at     int
	offer  conversation.Offer // what the texts mean, as far as they are judged
	err    error              // why they cannot be granted
	judged []string           // the texts that offer and err are about
	accept bool               // Enter came before the judgement
}

// edit begins to edit the rule. A rule with a character that a line cannot show
// as it is stays as offered.
func (g *grantedRule) edit() bool {
	rules := g.offer.Rules
	if slices.ContainsFunc(rules, func(r string) bool { return plain.Line(plain.Marked(r)) != r }) {
		return false
	}
	e := &ruleEditor{offer: g.offer, judged: rules}
	for _, r := range rules {
		e.lines = append(e.lines, newLine(r))
	}
	g.editor = e
	return true
}

func (e *ruleEditor) texts() []string {
	texts := make([]string, len(e.lines))
	for i, l := range e.lines {
		texts[i] = l.Text()
	}
	return texts
}

// upToDate reports whether the judgement is about the texts as they are.
func (e *ruleEditor) upToDate() bool { return slices.Equal(e.judged, e.texts()) }

// judged takes in what edited texts mean. It reports whether they replace the
// rule now, because Enter was pressed before.
func (g *grantedRule) judge(rules []string, offer conversation.Offer, err error) bool {
	e := g.editor
	if e == nil || !slices.Equal(rules, e.texts()) {
		return false
	}
	e.judged, e.offer, e.err = rules, offer, err
	if err != nil {
		e.accept = false
	}
	return e.accept && g.apply()
}

// apply makes the edited texts the rule. They must be judged, and be right.
func (g *grantedRule) apply() bool {
	e := g.editor
	if !e.upToDate() || e.err != nil {
		return false
	}
	g.editor, g.offer = nil, e.offer
	return true
}

// update handles a message while the rule is edited. It reports whether the
// message was for it, and whether the texts changed.
func (g *grantedRule) update(msg tea.Msg, keys KeyMap) (taken, changed bool) {
	e := g.editor
	k, _ := msg.(tea.KeyPressMsg)
	switch {
	case key.Matches(k, keys.Answers.Accept):
		e.accept = !g.apply() && e.err == nil
	case key.Matches(k, keys.Answers.Close) && k.Text == "":
		g.editor = nil
	case len(e.lines) > 1 && k.Text == "" && key.Matches(k, keys.Moves.Up):
		e.at = max(e.at-1, 0)
	case len(e.lines) > 1 && k.Text == "" && key.Matches(k, keys.Moves.Down):
		e.at = min(e.at+1, len(e.lines)-1)
	default:
		before := e.lines[e.at].Text()
		if !typed(e.lines[e.at], msg, keys.Edit) {
			return false, false
		}
		changed = e.lines[e.at].Text() != before
		e.accept = e.accept && !changed
	}
	return true, changed
}

// lines draws the rule at a width in at most height lines: its texts, what they
// let run, and why to think twice. The cursor is where one types.
func (g *grantedRule) lines(l look, width, height int) (lines []string, cursor *point) {
	if len(g.offer.Rules) == 0 || height < 1 {
		return nil, nil
	}
	if height > 3 {
		lines = append(lines, l.styles.Detail.Render(pane.Clip(g.caption(l.keys.Answers), width)))
	}
	means, warning := g.meaning(width)
	room := height - len(lines)
	warning = warning[:min(len(warning), max(room-1, 0))] // of what has no room the warning goes last
	room -= len(warning)
	texts, cursor := g.texts(width, max(1, room-min(1, len(means))))
	if cursor != nil {
		cursor.y += len(lines)
	}
	means = means[:min(len(means), max(room-len(texts), 0))]
	lines = append(lines, rendered(l.styles.Command, texts)...)
	lines = append(lines, rendered(l.styles.Text, means)...)
	return append(lines, rendered(l.styles.Warning, warning)...), cursor
}

// texts are the texts of the rule in at most height lines.
func (g *grantedRule) texts(width, height int) (lines []string, cursor *point) {
	if e := g.editor; e != nil {
		first := max(0, e.at-height+1)
		for i := first; i < min(len(e.lines), first+height); i++ {
			shown, x := e.lines[i].Line(width)
			if i == e.at {
				cursor = &point{x, len(lines)}
			}
			lines = append(lines, shown)
		}
		return lines, cursor
	}
	for _, r := range g.offer.Rules {
		lines = append(lines, cut(plain.Line(plain.Marked(strings.ReplaceAll(r, "\n", "␊"))), width)...)
	}
	if len(lines) > height { // the command or the file above it tells the rest
		lines = append(lines[:height-1], ansi.Truncate(lines[height-1], width-1, "")+"…")
	}
	return lines, nil
}

// caption says which answers grant the rule.
func (g *grantedRule) caption(keys Answers) string {
	if g.editor != nil {
		return "Edit the rule:"
	}
	return "Rule for " + keys.Run.Help().Key + " and " + keys.Always.Help().Key + ":"
}

// meaning is what the rule lets run, and why to think twice; of an edited rule
// that cannot be granted, why not.
func (g *grantedRule) meaning(width int) (means, warning []string) {
	offer := g.offer
	if e := g.editor; e != nil {
		switch {
		case !e.upToDate():
			return []string{"…"}, nil
		case e.err != nil:
			return nil, pane.WrapHanging("! "+plain.Line(e.err.Error()), width)
		}
		offer = e.offer
	}
	means = pane.WrapHanging("allows "+plain.Line(plain.Marked(offer.Means)), width)
	if offer.Warning != "" {
		warning = pane.WrapHanging("! "+plain.Line(offer.Warning), width)
	}
	return means, warning
}

func rendered(style lipgloss.Style, lines []string) []string {
	for i, l := range lines {
		lines[i] = style.Render(l)
	}
	return lines
}

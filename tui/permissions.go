package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// What runs without asking: the permission mode and the rules in force. The list
// shows each rule as it is written, and revokes those that a key granted.

// Items of the list are named by a word and what it is about.
const (
	itemMode = "mode "
	itemRule = "rule " // and its number in rulesMsg
)

// rulesMsg brings the rules in force.
type rulesMsg struct {
	asked int
	rules []conversation.Rule
	err   error // some could not be read
}

// revokedMsg says that a rule was revoked, or why not.
type revokedMsg struct {
	rule conversation.Rule
	err  error
}

// judgedMsg brings what edited rules let run.
type judgedMsg struct {
	dialog *overlay.Approve
	rules  []string
	offer  conversation.Offer
	err    error
}

// slashPermissions lists what runs without asking, or changes the mode.
func (m *Model) slashPermissions(args string) tea.Cmd {
	if args == "" {
		return m.loadRules()
	}
	mode := conversation.Mode(args)
	if !slices.Contains(conversation.Modes(), mode) {
		return m.say(fmt.Sprintf("there is no mode %q; the modes are plan, ask, auto-edit and yolo", args), true)
	}
	return m.setMode(mode)
}

func (m *Model) loadRules() tea.Cmd {
	ctx, approvals, asked := m.ctx, m.talk.Session, m.hands.pressed
	if !m.talk.open || m.talk.ReadOnly != "" {
		return m.say("nothing runs in a conversation that is only read", true)
	}
	return func() tea.Msg {
		rules, err := approvals.Rules(ctx)
		return rulesMsg{asked, rules, err}
	}
}

// pickRule lists the modes and the rules. What could not be read is told beside
// the rest.
func (m *Model) pickRule(msg rulesMsg) tea.Cmd {
	if !m.still(msg.asked) {
		return m.say("the rules are listed: /permissions shows them", false)
	}
	var items []overlay.Item
	for _, mode := range conversation.Modes() {
		items = append(items, overlay.Item{
			ID: itemMode + string(mode), Title: "mode " + string(mode), Detail: modeHelp(mode), Current: mode == m.talk.Mode,
		})
	}
	m.talk.rules = msg.rules
	for i, r := range msg.rules {
		title := "allow " + r.Text
		if r.Deny {
			title = "deny " + r.Text
		}
		items = append(items, overlay.Item{ID: itemRule + strconv.Itoa(i), Title: title, Detail: m.ruleNote(r)})
	}
	m.pick(overlay.PickerOptions{ID: dialogRules, Title: "Permissions: the mode, and the rules in force", Items: items})
	return m.miss(msg.err)
}

// ruleNote says in a few words where a rule comes from and when it was used.
func (m *Model) ruleNote(r conversation.Rule) string {
	var words []string
	switch r.Origin {
	case conversation.RuleConfigured:
		words = append(words, "configuration")
	case conversation.RuleGranted:
		words = append(words, "always")
	case conversation.RuleOfThisRun:
		words = append(words, "this run")
	}
	if !r.Used.IsZero() {
		words = append(words, "used "+pane.Age(m.options.Now(), r.Used))
	}
	if r.Wide {
		words = append(words, "wide")
	}
	return strings.Join(words, " · ")
}

// rulePicked acts on an item of the list: it changes the mode, or shows a rule.
func (m *Model) rulePicked(item string) tea.Cmd {
	if mode, ok := strings.CutPrefix(item, itemMode); ok {
		return m.setMode(conversation.Mode(mode))
	}
	r, ok := m.ruleNamed(item)
	if !ok {
		return nil
	}
	if r.ID == "" {
		at := "your configuration"
		if r.Where != "" {
			at = r.Where
		}
		m.show("Rule", m.ruleText(r)+"\n\nTo end it, remove it from "+at+".")
		return nil
	}
	m.push(overlay.NewConfirm(overlay.ConfirmOptions{ID: dialogRevoke + strings.TrimPrefix(item, itemRule), Title: "Rule",
		Question: m.ruleText(r), Yes: "revoke it", No: "keep it", Danger: true}))
	return nil
}

// ruleNamed is the rule of an item, false if it is not there any more.
func (m *Model) ruleNamed(item string) (conversation.Rule, bool) {
	i, err := strconv.Atoi(strings.TrimPrefix(item, itemRule))
	if err != nil || i < 0 || i >= len(m.talk.rules) {
		return conversation.Rule{}, false
	}
	return m.talk.rules[i], true
}

// ruleText is all there is to say about a rule.
func (m *Model) ruleText(r conversation.Rule) string {
	verb := "allows "
	if r.Deny {
		verb = "denies "
	}
	lines := []string{r.Text, verb + r.Means}
	if r.Warning != "" {
		lines = append(lines, "! "+r.Warning)
	}
	lines = append(lines, "")
	row := func(name, value string) {
		if value != "" {
			lines = append(lines, fmt.Sprintf("%-8s %s", name, value))
		}
	}
	row("from", strings.TrimSpace(originWords(r.Origin)+" "+r.Where))
	row("holds in", orEverywhere(r.Workspace))
	if !r.Granted.IsZero() {
		row("granted", r.Granted.Local().Format("2006-01-02 15:04"))
	}
	if r.Used.IsZero() {
		row("used", "not yet, as far as is known")
	} else {
		row("used", r.Used.Local().Format("2006-01-02 15:04"))
	}
	return strings.Join(lines, "\n")
}

func originWords(o conversation.RuleOrigin) string {
	switch o {
	case conversation.RuleGranted:
		return "a key (always)"
	case conversation.RuleOfThisRun:
		return "a key (until Plimsoll quits)"
	}
	return "configuration"
}

func orEverywhere(workspace string) string {
	if workspace == "" {
		return "every workspace"
	}
	return workspace
}

// revoke ends a rule that a key granted.
func (m *Model) revoke(item string) tea.Cmd {
	r, ok := m.ruleNamed(item)
	if !ok {
		return nil
	}
	ctx, approvals := m.ctx, m.talk.Session
	return func() tea.Msg { return revokedMsg{r, approvals.Revoke(ctx, r)} }
}

// revoked says what came of it.
func (m *Model) revoked(msg revokedMsg) tea.Cmd {
	if msg.err != nil {
		return m.miss(msg.err)
	}
	return m.say("revoked: "+msg.rule.Text, false)
}

// judge asks what edited rules of an approval let run.
func (m *Model) judge(edited overlay.EditedRules) tea.Cmd {
	dialog, ok := m.overlays.Top().(*overlay.Approve)
	callID, about := strings.CutPrefix(edited.ID, aboutCall)
	if !ok || !about {
		return nil
	}
	approvals := m.talk.Session
	return func() tea.Msg {
		offer, err := approvals.Judge(callID, edited.Rules)
		return judgedMsg{dialog, edited.Rules, offer, err}
	}
}

// setMode changes what runs without asking.
func (m *Model) setMode(mode conversation.Mode) tea.Cmd {
	if !m.talk.open || m.talk.ReadOnly != "" {
		return nil
	}
	m.talk.Mode = mode
	m.talk.Session.SetMode(mode)
	return m.say("permissions: "+string(mode)+" · "+modeHelp(mode), false)
}

func modeHelp(mode conversation.Mode) string {
	switch mode {
	case conversation.ModePlan:
		return "reads only"
	case conversation.ModeAutoEdit:
		return "edits files without asking"
	case conversation.ModeYolo:
		return "never asks"
	}
	return "asks before changes and commands"
}

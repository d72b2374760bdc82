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

// Title and permissions of the conversation. Permissions are what runs without asking:
// the mode and the rules in force. The list shows each rule as it is written, and
// revokes those that a key granted.

// Items of the list are named by a word and what it is about.
const (
	itemMode = "mode "
	itemRule = "rule " // and its number in rulesMsg
)

// rename gives the conversation a title.
func (s *session) rename(title string) pane.Action {
	switch {
	case title == "":
		return refuse("usage: /rename TITLE")
	case s.readOnly():
		return refuse("this conversation cannot be renamed here")
	}
	s.Session.Rename(title)
	return nil
}

// delete asks whether to remove the conversation.
func (s *session) delete() pane.Action {
	if s.readOnly() {
		return refuse("this conversation cannot be deleted here")
	}
	return openDialog{overlay.NewConfirm(overlay.ConfirmOptions{ID: dialogDelete, Title: "Delete",
		Question: "Delete this conversation permanently? This cannot be undone.",
		Yes:      "delete it", No: "keep it", Danger: true})}
}

// permissions lists what runs without asking, or changes the mode.
func (s *session) permissions(args string, asked int) pane.Action {
	mode := conversation.Mode(args)
	switch {
	case args == "" && s.readOnly():
		return refuse("this conversation is read only; nothing runs in it")
	case args == "":
		return s.env.loadRules(s.Session, asked)
	case !slices.Contains(conversation.Modes(), mode):
		return refuse(fmt.Sprintf("there is no mode %q; the modes are plan, ask, auto-edit and yolo", args))
	}
	return s.setMode(mode)
}

// setMode changes what runs without asking.
func (s *session) setMode(mode conversation.Mode) pane.Action {
	if s.readOnly() {
		return nil
	}
	s.Mode = mode
	s.Session.SetMode(mode)
	return say("permissions: " + string(mode) + " · " + modeHelp(mode))
}

// nextMode is the mode after the one in force.
func (s *session) nextMode() conversation.Mode {
	modes := conversation.Modes()
	return modes[(slices.Index(modes, s.Mode)+1)%len(modes)]
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

// listRules lists the modes and the rules.
func (s *session) listRules(rules []conversation.Rule) pane.Action {
	var items []overlay.Item
	for _, mode := range conversation.Modes() {
		items = append(items, overlay.Item{
			ID: itemMode + string(mode), Title: "mode " + string(mode), Detail: modeHelp(mode), Current: mode == s.Mode,
		})
	}
	s.rules = rules
	for i, r := range rules {
		title := "allow " + r.Text
		if r.Deny {
			title = "deny " + r.Text
		}
		items = append(items, overlay.Item{ID: itemRule + strconv.Itoa(i), Title: title, Detail: ruleNote(r)})
	}
	return open(overlay.PickerOptions{ID: dialogRules, Title: "Permissions", Items: items})
}

// ruleNote says in a few words where a rule comes from.
func ruleNote(r conversation.Rule) string {
	var words []string
	switch r.Origin {
	case conversation.RuleConfigured:
		words = append(words, "configuration")
	case conversation.RuleGranted:
		words = append(words, "always")
	case conversation.RuleOfThisRun:
		words = append(words, "this run")
	}
	if r.Warning != "" {
		words = append(words, "wide")
	}
	return strings.Join(words, " · ")
}

// pickRule acts on an item of the list: it changes the mode, or shows a rule.
func (s *session) pickRule(item string) pane.Action {
	if mode, ok := strings.CutPrefix(item, itemMode); ok {
		return s.setMode(conversation.Mode(mode))
	}
	r, ok := s.ruleNamed(item)
	if !ok {
		return nil
	}
	if r.ID == "" {
		at := "your configuration"
		if r.Where != "" {
			at = r.Where
		}
		return page("Rule", ruleText(r)+"\n\nTo end it, remove it from "+at+".")
	}
	return openDialog{overlay.NewConfirm(overlay.ConfirmOptions{ID: dialogRevoke + strings.TrimPrefix(item, itemRule), Title: "Rule",
		Question: ruleText(r), Yes: "revoke it", No: "keep it", Danger: true})}
}

// ruleNamed is the rule of an item, false if it is not there any more.
func (s *session) ruleNamed(item string) (conversation.Rule, bool) {
	i, err := strconv.Atoi(strings.TrimPrefix(item, itemRule))
	if err != nil || i < 0 || i >= len(s.rules) {
		return conversation.Rule{}, false
	}
	return s.rules[i], true
}

// revoke ends a rule that a key granted.
func (s *session) revoke(item string) tea.Cmd {
	r, ok := s.ruleNamed(item)
	if !ok {
		return nil
	}
	return s.env.revoke(s.Session, r)
}

// ruleText is all there is to say about a rule.
func ruleText(r conversation.Rule) string {
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

package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// Title and permissions of the conversation. Permissions are the mode and the rules in
// force, which decide what runs without approval. The list shows each rule as it is
// written, and revokes granted rules.

func (s *session) rename(title string) pane.Action {
	switch {
	case title == "":
		return refusal("usage: /rename TITLE")
	case s.readOnly():
		return refusal("this conversation cannot be renamed here")
	}
	s.Session.Rename(title)
	return nil
}

// confirmDelete asks whether to remove the conversation.
func (s *session) confirmDelete() pane.Action {
	if s.readOnly() {
		return refusal("this conversation cannot be deleted here")
	}
	return confirm("Delete", "Delete this conversation permanently? This cannot be undone.", "delete it", "keep it", func() pane.Action {
		return openConversation{s.env.Backend.Delete, openRequest{keepsDraft: true}}
	})
}

// permissionsCommand lists what runs without approval, or changes the mode.
func (s *session) permissionsCommand(args string) pane.Action {
	mode, agent := conversation.ParseMode(args), s.Session
	switch {
	case args == "" && s.readOnly():
		return refusal("this conversation is read only; nothing runs in it")
	case args == "":
		return readAction(func(ctx context.Context) (show, late func() pane.Action, err error) {
			rules, unread := agent.Rules(ctx) // unread is shown with the rules that could be read
			late = func() pane.Action { return textSnackbar("the rules are listed: /permissions shows them") }
			return func() pane.Action { return actionList{s.listRules(rules), requestFailed{unread}} }, late, nil
		})
	case !slices.Contains(conversation.Modes(), mode):
		return refusal(fmt.Sprintf("there is no mode %q; the modes are plan, ask, edits, auto and yolo", args))
	}
	return s.setMode(mode)
}

// setMode switches to a mode that the user named, but asks about the plan first.
func (s *session) setMode(mode conversation.Mode) pane.Action {
	switch {
	case mode == conversation.ModeYolo && s.NoYolo:
		return refusal(noYolo)
	case mode != conversation.ModePlan && s.canCarryOut():
		return offerPlan{mode}
	}
	switched := s.switchMode(mode)
	s.setWorkMode(s.Mode)
	return switched
}

// cycleMode switches to the next mode, but asks about the plan first.
func (s *session) cycleMode() pane.Action {
	if s.canCarryOut() {
		return offerPlan{s.modeBeforePlan()}
	}
	modes := conversation.Modes()
	if s.NoYolo {
		modes = modes[:len(modes)-1]
	}
	return s.switchMode(modes[(slices.Index(modes, s.Mode)+1)%len(modes)])
}

func (s *session) switchMode(mode conversation.Mode) pane.Action {
	if s.readOnly() {
		return nil
	}
	s.Mode = mode
	s.Session.SetMode(mode)
	help := modeHelp[mode]
	if mode == conversation.ModeAuto && !s.Confined {
		help = autoUnconfined
	}
	return textSnackbar("permissions: " + string(mode) + " · " + help)
}

// What is said of modes where commands cannot be confined.
const (
	autoUnconfined = "commands cannot be confined here, so they are asked about"
	noYolo         = "yolo is off: commands cannot be confined here; permissions.mode: yolo in your configuration allows it"
)

// modeHelp says what each mode lets the model do.
var modeHelp = map[conversation.Mode]string{
	conversation.ModePlan:  "reads only",
	conversation.ModeAsk:   "asks before changes and commands",
	conversation.ModeEdits: "edits files without asking",
	conversation.ModeAuto:  "edits files, and runs commands in the sandbox",
	conversation.ModeYolo:  "never asks",
}

func (s *session) listRules(rules []conversation.Rule) pane.Action {
	var items []dialog.Item
	for _, mode := range conversation.Modes() {
		items = append(items, dialog.Item{
			ID: string(mode), Title: "mode " + string(mode), Columns: []string{modeHelp[mode]}, Current: mode == s.Mode,
		})
	}
	for i, r := range rules {
		title, note := "allow "+r.Text, originWords[r.Origin].brief
		if r.Deny {
			title = "deny " + r.Text
		}
		if r.Warning != "" {
			note += " · wide"
		}
		items = append(items, dialog.Item{ID: strconv.Itoa(i), Title: title, Columns: []string{note}})
	}
	return open(dialog.PickerOptions{Title: "Permissions", Items: items, Choose: func(item, _ string) pane.Action {
		if i, err := strconv.Atoi(item); err == nil {
			return s.showRule(rules[i])
		}
		return s.setMode(conversation.Mode(item))
	}})
}

// originWords say where a rule comes from, in a list and in a sentence.
var originWords = map[conversation.RuleOrigin]struct{ brief, full string }{
	conversation.RuleConfigured: {"configuration", "configuration"},
	conversation.RuleGranted:    {"always", "a key (always)"},
	conversation.RuleOfThisRun:  {"this run", "a key (until Plimsoll quits)"},
	conversation.RulePassing:    {"this conversation", "a key (until the conversation is left)"},
}

// showRule shows a rule. A granted rule it revokes after a confirmation.
func (s *session) showRule(r conversation.Rule) pane.Action {
	if r.ID == "" {
		return openDialog{dialog.NewText("Rule", ruleText(r)+"\n\nTo end it, remove it from "+cmp.Or(r.Location, "your configuration")+".")}
	}
	agent := s.Session
	return confirm("Rule", ruleText(r), "revoke it", "keep it", func() pane.Action {
		return s.env.tryAsync(func(ctx context.Context) error { return agent.Revoke(ctx, r) }, func(err error) pane.Action {
			if err != nil {
				return requestFailed{err}
			}
			return actionList{textSnackbar("revoked: " + r.Text), readSettings{}}
		})
	})
}

func ruleText(r conversation.Rule) string {
	verb := "allows "
	if r.Deny {
		verb = "denies "
	}
	lines := []string{r.Text, verb + r.Meaning}
	if r.Warning != "" {
		lines = append(lines, "! "+r.Warning)
	}
	lines = append(lines, "")
	row := func(name, value string) {
		if value != "" {
			lines = append(lines, fmt.Sprintf("%-8s %s", name, value))
		}
	}
	row("from", strings.TrimSpace(originWords[r.Origin].full+" "+r.Location))
	row("holds in", cmp.Or(r.Workspace, "every workspace"))
	if !r.Granted.IsZero() {
		row("granted", r.Granted.Local().Format("2006-01-02 15:04"))
	}
	return strings.Join(lines, "\n")
}

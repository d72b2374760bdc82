package tui_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// withRules opens the screen with one rule of each origin in force.
func withRules(r *rig, _ *tui.Options) {
	now := time.Now()
	r.rules = []conversation.Rule{
		{ID: "g1", Text: "run_command(go test *)", Meaning: "commands of the form go test *", Warning: "runs this project's own code",
			Origin: conversation.RuleGranted, Location: "/home/u/grants.json", Workspace: "/src/app", Granted: now.Add(-48 * time.Hour)},
		{ID: "r2", Text: "edit(./a.go)", Meaning: "edits of a.go", Origin: conversation.RuleOfThisRun, Workspace: "/src/app", Granted: now},
		{Text: "run_command(git *)", Meaning: "commands of the form git *", Warning: "wide", Origin: conversation.RuleConfigured, Location: "/home/u/config.yaml:12"},
		{Text: "run_command(rm *)", Meaning: "commands of the form rm *", Deny: true, Origin: conversation.RuleConfigured, Location: "/home/u/config.yaml:14"},
	}
}

func TestPermissionsListTheRulesInForce(t *testing.T) {
	screen(t, withRules, func(r *rig) {
		r.submit("/permissions")
		r.wantCalls("first rules")
		r.wantText("mode ask ✓", "allow run_command(go test *)", "always · wide", "this run", "configuration · wide", "deny run_command(rm *)")
		r.typeText("mode plan")
		r.press("enter")
		r.wantCalls("first mode plan")
	})
}

func TestPermissionsRevokeGrantedRules(t *testing.T) {
	screen(t, withRules, func(r *rig) {
		r.submit("/permissions")
		r.typeText("go test")
		r.press("enter")
		r.wantText("run_command(go test *)", "! runs this project's own code", "/home/u/grants.json", "/src/app", "revoke it")
		r.calls = nil
		r.wait(time.Second)
		r.press("enter") // the selected answer keeps the rule
		r.wantCalls()
		r.submit("/permissions")
		r.typeText("go test")
		r.press("enter")
		r.wait(time.Second)
		r.calls = nil
		r.press("y")
		r.wantCalls("first revoke g1")
		r.wantText("revoked: run_command(go test *)")
	})
}

func TestReadablePermissionsAreListed(t *testing.T) {
	screen(t, withRules, func(r *rig) {
		r.failing["rules"] = errors.New("grants.json is damaged at line 3")
		r.submit("/permissions")
		r.wantText("deny run_command(rm *)", "grants.json is damaged at line 3")
	})
}

func TestTheModeIsShownOnANarrowTerminal(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.sendUpdates(updates.SummariesPaused{Paused: true})
		for width, note := range map[int]bool{100: true, 30: true, 20: false, 10: false} {
			r.resize(width, 20)
			last := r.lines()[19]
			if !strings.HasSuffix(last, "ask") || strings.Contains(last, "summaries paused") != note {
				t.Errorf("%d cells wide: %q", width, last)
			}
		}
	})
}

package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/permission"
	"plimsoll/tools/sandbox"
)

// confined opens a Box with a sandbox, whose questions go to a channel; so do the answers.
func confined(t *testing.T) (b *tools.Box, elsewhere string, asked chan conversation.Review, answers chan conversation.Answer, events jobEvents) {
	t.Helper()
	elsewhere, asked, answers = filepath.Join(t.TempDir(), "made"), make(chan conversation.Review, 1), make(chan conversation.Answer, 1)
	events, record := recordJobs()
	b, _ = open(t, nil, record, with(permission.Config{Mode: conversation.ModeAuto}), func(o *tools.Options) {
		o.Sandbox = sandbox.New(sandbox.Config{Workspace: o.Workspace, Home: o.Workspace})
		t.Cleanup(func() { _ = o.Sandbox.Close() })
		o.AskOutside = func(ctx context.Context, _ string, review conversation.Review) (conversation.Answer, bool) {
			asked <- review
			select {
			case a := <-answers:
				return a, true
			case <-ctx.Done():
				return conversation.Answer{}, false
			}
		}
		if !o.Sandbox.Active() {
			t.Skip("this system confines nothing")
		}
	})
	return b, elsewhere, asked, answers, events
}

func TestACommandThatTheSandboxKeptRunsOutsideIfTheUserSaysSo(t *testing.T) {
	t.Parallel()
	b, elsewhere, asked, answers, _ := confined(t)
	made := command("mkdir " + elsewhere)
	answers <- conversation.Answer{Grant: conversation.GrantNo, Text: "not there"}
	if out := run(t, b, "run_command", made); out.Status != conversation.ResultError || !strings.HasSuffix(out.Text, "The user did not allow it to run outside the sandbox. The user says: not there") {
		t.Errorf("%s: %s", out.Status, out.Text)
	}
	if r := <-asked; r.Command != "mkdir "+elsewhere || !strings.Contains(r.Title, "kept it from opening "+elsewhere) || !r.Passing {
		t.Errorf("asked %+v", r)
	}
	answers <- conversation.Answer{Grant: conversation.GrantConversation}
	if text := succeed(t, b, "run_command", made); !strings.HasPrefix(text, "In the sandbox it was kept from opening "+elsewhere+". The user approved that it runs outside:\nexit code 0") {
		t.Error(text)
	}
	if r := <-asked; r.Offer.Rules[0] != "outside(mkdir "+elsewhere+")" {
		t.Errorf("offered %+v", r.Offer)
	}
	if err := os.Remove(elsewhere); err != nil {
		t.Fatal(err)
	}
	b.SetMode(conversation.ModeAsk)
	if got := need(t, b, "run_command", made); got != runs {
		t.Errorf("a granted command %s", got)
	}
	if text := succeed(t, b, "run_command", made); !strings.HasPrefix(text, "Outside the sandbox, as the user approved for this conversation:\nexit code 0") {
		t.Error(text)
	}
	b.SetMode(conversation.ModePlan)
	if got := need(t, b, "run_command", made); got != never {
		t.Errorf("in plan mode it %s", got)
	}
	rules, err := b.Rules(t.Context())
	if err != nil || len(rules) != 1 || rules[0].Origin != conversation.RulePassing {
		t.Fatal(err, rules)
	}
	if err := b.Revoke(t.Context(), rules[0]); err != nil || b.IsOutside("mkdir "+elsewhere) {
		t.Error(err, "it still runs outside")
	}
}

func TestABackgroundCommandThatTheSandboxKeptGoesOnOutside(t *testing.T) {
	t.Parallel()
	b, elsewhere, asked, answers, events := confined(t)
	background := map[string]any{"command": "echo try; mkdir " + elsewhere, "background": true}
	succeed(t, b, "run_command", background)
	events.started(t)
	<-asked
	if text := succeed(t, b, "run_command", map[string]any{"id": "p1"}); !strings.Contains(text, "p1 is running: it waits for the user, because the sandbox kept it from opening "+elsewhere) {
		t.Error(text)
	}
	answers <- conversation.Answer{Grant: conversation.GrantOnce}
	if e := events.ended(t); e.ID != "p1" || e.How != "exit code 0" {
		t.Errorf("it ended: %+v", e)
	}
	if text := succeed(t, b, "run_command", map[string]any{"id": "p1"}); !strings.Contains(text, "The user approved that it runs outside:]\ntry") {
		t.Error(text)
	}
	succeed(t, b, "run_command", background) // it is there: no question
	events.started(t)
	if e := events.ended(t); e.How != "exit code 1" {
		t.Errorf("it ended: %+v", e)
	}
	if err := os.Remove(elsewhere); err != nil {
		t.Fatal(err)
	}
	succeed(t, b, "run_command", background)
	events.started(t)
	<-asked
	if err := b.Jobs().End("p3"); err != nil { // with the question
		t.Fatal(err)
	}
	if e := events.ended(t); e.By != conversation.EndedByUser {
		t.Errorf("it ended: %+v", e)
	}
	succeed(t, b, "run_command", background)
	events.started(t)
	<-asked
	b.Jobs().Close()
	if e := events.ended(t); e.By != conversation.EndedByProgram {
		t.Errorf("it ended: %+v", e)
	}
}

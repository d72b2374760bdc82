package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/grants"
	"plimsoll/tools/permission"
)

func command(c string) map[string]any { return map[string]any{"command": c} }

// offered are the rules offered for a call.
func offered(t *testing.T, b *tools.Box, name string, args map[string]any) []string {
	t.Helper()
	o := b.Review(t.Context(), call(t, name, args)).Offer
	if o.Means == "" || len(o.Rules) == 0 {
		t.Errorf("%v: the offer says nothing: %+v", args, o)
	}
	return o.Rules
}

var grantFiles = map[string]string{"a.txt": "x", "d/b.txt": "x", "d/e/c.txt": "x", ".env": "x", "d/.env": "x", "d/AGENTS.md": "x", "k.pem": "x", "d/x.go": "package d"}

func TestTheOfferIsExactlyThisCall(t *testing.T) {
	t.Parallel()
	b, dir := open(t, grantFiles, with(permission.Config{Approval: map[string]permission.Approval{"todo_write": permission.ApprovalAsk}}))
	if err := os.Symlink("d/b.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args map[string]any
		want []string
	}{
		{"run_command", command("go test ./d"), []string{"run_command(go test ./d)"}},
		{"run_command", command("git status && git log"), []string{"run_command(git status && git log)"}},
		{"run_command", command("go vet ./..."), []string{"run_command(go vet ./...)"}},
		{"run_command", command("bash x.sh\u00a0"), []string{"run_command(bash x.sh\u00a0)"}},
		{"run_command", command("go test -exec x ./d"), []string{"run_command(go test -exec x ./d)"}},
		{"run_command", command("make test"), []string{"run_command(make test)"}},
		{"run_command", command("npm run lint"), []string{"run_command(npm run lint)"}},
		{"run_command", command("python3 *.py"), []string{`run_command(python3 \*.py)`}},
		{"run_command", command("echo a > b"), []string{"run_command(echo a > b)"}},
		{"modify_file", map[string]any{"path": "d/e/c.txt", "old": "x", "new": "y"}, []string{"edit(d/e/c.txt)"}},
		{"create_file", map[string]any{"path": "new.txt", "content": "y"}, []string{"edit(./new.txt)"}},
		{"modify_file", map[string]any{"path": "d/AGENTS.md", "old": "x", "new": "y"}, []string{"edit(d/AGENTS.md)"}},
		{"modify_file", map[string]any{"path": "link", "old": "x", "new": "y"}, []string{"edit(./link)", "edit(d/b.txt)"}},
		{"read_file", map[string]any{"path": ".env"}, []string{"read_file(./.env)"}},
		{"http_request", map[string]any{"url": "https://example.com/a?b=*"}, []string{`http_request(GET https://example.com/a?b=\*)`}},
		{"http_request", map[string]any{"url": "http://H:81/a", "method": "PUT"}, []string{"http_request(PUT http://h:81/a)"}},
		{"todo_write", map[string]any{"todos": []any{}}, []string{"todo_write"}},
	} {
		if diff := cmp.Diff(c.want, offered(t, b, c.name, c.args)); diff != "" {
			t.Errorf("%v: %s", c.args, diff)
		}
	}
}

// boxIn opens a workspace with a store of grants.
func boxIn(t *testing.T, dir string, store *grants.Store) *tools.Box {
	t.Helper()
	b, err := tools.New(tools.Options{Workspace: dir, Grants: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestGrantsHoldInEveryConversationOfTheWorkspaceAndThereOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args map[string]any
	}{
		{"run_command", command("go test ./d")}, {"run_command", command("make 'a b' && ls *.txt")}, {"run_command", command("go list ...")}, {"run_command", command("bash x.sh\u00a0")},
		{"modify_file", map[string]any{"path": "d/b.txt", "old": "x", "new": "y"}}, {"read_file", map[string]any{"path": "d/.env"}},
		{"http_request", map[string]any{"url": "https://example.com/a/"}},
	} {
		for grant, want := range map[conversation.Grant]struct{ here, next, later conversation.Need }{
			conversation.GrantOnce:   {asks, asks, asks},
			conversation.GrantNo:     {asks, asks, asks},
			conversation.GrantRun:    {runs, runs, asks},
			conversation.GrantAlways: {runs, runs, runs},
		} {
			file := filepath.Join(t.TempDir(), "state", "grants.json")
			store := grants.New(file, nil)
			first, dir := open(t, grantFiles, func(o *tools.Options) { o.Grants = store })
			_, other := open(t, grantFiles)
			rules := offered(t, first, c.name, c.args)
			if err := first.Allow(t.Context(), call(t, c.name, c.args), grant, rules); err != nil {
				t.Errorf("%v granted as %v: %v", c.args, rules, err)
			}
			for what, b := range map[string]struct {
				box  *tools.Box
				want conversation.Need
			}{
				"this conversation":                {first, want.here},
				"the next one of this run":         {boxIn(t, dir, store), want.next},
				"a later run":                      {boxIn(t, dir, grants.New(file, nil)), want.later},
				"another workspace":                {boxIn(t, other, store), asks},
				"another workspace in a later run": {boxIn(t, other, grants.New(file, nil)), asks},
			} {
				if got := need(t, b.box, c.name, c.args); got != b.want {
					t.Errorf("%v granted %s: in %s it is %s, want %s", c.args, grant, what, got, b.want)
				}
			}
		}
	}
}

func TestWithoutRulesTheOfferIsGranted(t *testing.T) {
	t.Parallel()
	b, _ := open(t, grantFiles)
	if err := b.Allow(t.Context(), call(t, "run_command", command("go test ./d")), conversation.GrantRun, nil); err != nil {
		t.Fatal(err)
	}
	for c, want := range map[string]conversation.Need{"go test ./d": runs, "go test ./...": asks} {
		if got := need(t, b, "run_command", command(c)); got != want {
			t.Errorf("%s: %s, want %s", c, got, want)
		}
	}
}

func TestRulesAreJudgedBeforeTheyAreGranted(t *testing.T) {
	t.Parallel()
	b, _ := open(t, grantFiles)
	ask := call(t, "run_command", command("go test ./d"))
	b.Review(t.Context(), ask)
	for rule, want := range map[string]struct {
		err     string
		wide    bool
		warning string
	}{
		"run_command(go test ./d)":      {"", false, ""},
		"run_command(go test *)":        {"", true, "wide"},
		"run_command(go *)":             {"", true, "wide"},
		"run_command":                   {"", true, "wide"},
		"run_command(go test ./e)":      {err: "does not cover"},
		"run_command(git log *)":        {err: "does not cover"},
		"run_command(go test ./d":       {err: "parenthesis"},
		"edit(**)":                      {err: "does not cover"},
		"runcommand(go test ./d)":       {err: "did you mean"},
		"http_request(https://a.test/)": {err: "does not cover"},
	} {
		o, err := b.Judge(ask.ID, []string{rule})
		if want.err != "" {
			if err == nil || !strings.Contains(err.Error(), want.err) {
				t.Errorf("%s: %v, want %q", rule, err, want.err)
			}
			if err := b.Allow(t.Context(), ask, conversation.GrantRun, []string{rule}); err == nil {
				t.Errorf("%s is granted", rule)
			}
			continue
		}
		if err != nil || o.Wide != want.wide || !strings.Contains(o.Warning, want.warning) || !cmp.Equal(o.Rules, []string{rule}) {
			t.Errorf("%s: %+v, %v", rule, o, err)
		}
	}
	if _, err := b.Judge("another", []string{"run_command"}); err == nil {
		t.Error("a call that does not wait is judged")
	}
	if got := need(t, b, "run_command", command("go test ./d")); got != asks {
		t.Errorf("judging granted something: %s", got)
	}
}

func TestAGrantThatCannotBeKeptHoldsWhileTheProgramRuns(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	if err := b.Allow(t.Context(), call(t, "run_command", command("ls")), conversation.GrantAlways, nil); err == nil {
		t.Error("no error")
	}
	if got := need(t, b, "run_command", command("ls")); got != runs {
		t.Errorf("got %s", got)
	}
}

func TestRulesInForceAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	store := grants.New(filepath.Join(t.TempDir(), "grants.json"), func() time.Time { return now })
	b, dir := open(t, grantFiles, func(o *tools.Options) {
		o.Grants = store
		o.Permissions = permission.Config{Allow: []string{"run_command(ls *)"}, Deny: []string{"read_file(.env)"},
			Where: func(list, rule string) string { return list + ":" + rule }}
	})
	grant := func(c string, g conversation.Grant) {
		t.Helper()
		if err := b.Allow(t.Context(), call(t, "run_command", command(c)), g, nil); err != nil {
			t.Fatal(err)
		}
	}
	grant("make a", conversation.GrantAlways)
	grant("make b", conversation.GrantRun)
	now = now.Add(time.Hour)
	need(t, b, "run_command", command("make a"))
	rules, err := b.Rules(t.Context())
	if err != nil || len(rules) != 4 {
		t.Fatalf("%v %v", rules, err)
	}
	want := []conversation.Rule{
		{Text: "run_command(make a)", Means: "exactly this command", Origin: conversation.RuleGranted,
			Where: store.Path(), Workspace: b.Workspace(), Granted: now.Add(-time.Hour), Used: now},
		{Text: "run_command(make b)", Means: "exactly this command", Origin: conversation.RuleOfThisRun,
			Workspace: b.Workspace(), Granted: now.Add(-time.Hour)},
	}
	for i, w := range want {
		w.ID = rules[i].ID
		if diff := cmp.Diff(w, rules[i]); diff != "" || w.ID == "" {
			t.Error(diff)
		}
	}
	if r := rules[2]; !r.Wide || r.Origin != conversation.RuleConfigured || r.Where != "allow:run_command(ls *)" || r.ID != "" || r.Deny {
		t.Errorf("%+v", r)
	}
	if r := rules[3]; !r.Deny || r.Where != "deny:read_file(.env)" {
		t.Errorf("%+v", r)
	}
	if err := b.Revoke(t.Context(), rules[2]); err == nil || !strings.Contains(err.Error(), "allow:run_command(ls *)") {
		t.Errorf("a rule of the configuration: %v", err)
	}
	for i, c := range []string{"make a", "make b"} {
		if err := b.Revoke(t.Context(), rules[i]); err != nil {
			t.Fatal(err)
		}
		if got := need(t, b, "run_command", command(c)); got != asks {
			t.Errorf("%s after its rule was revoked: %s", c, got)
		}
	}
	if got := need(t, boxIn(t, dir, grants.New(store.Path(), nil)), "run_command", command("make a")); got != asks {
		t.Errorf("a later run still has the rule: %s", got)
	}
}

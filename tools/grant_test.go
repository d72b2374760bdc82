package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/grants"
	"plimsoll/tools/permission"
	"plimsoll/tools/recall"
)

func command(c string) map[string]any { return map[string]any{"command": c} }

// offered returns the rules offered for a call.
func offered(t *testing.T, b *tools.Box, name string, args map[string]any) []string {
	t.Helper()
	o := b.Review(t.Context(), call(t, name, args)).Offer
	if o.Meaning == "" || len(o.Rules) == 0 {
		t.Errorf("%v: the offer says nothing: %+v", args, o)
	}
	return o.Rules
}

var grantFiles = map[string]string{"a.txt": "x", "d/b.txt": "x", "d/e/c.txt": "x", ".env": "x", "d/.env": "x", "d/AGENTS.md": "x", "k.pem": "x", "d/x.go": "package d"}

func TestTheOfferedRuleCoversExactlyThisCall(t *testing.T) {
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
			store := grants.New(file)
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
				"a later run":                      {boxIn(t, dir, grants.New(file)), want.later},
				"another workspace":                {boxIn(t, other, store), asks},
				"another workspace in a later run": {boxIn(t, other, grants.New(file)), asks},
			} {
				if got := need(t, b.box, c.name, c.args); got != b.want {
					t.Errorf("%v granted %s: in %s it is %s, want %s", c.args, grant, what, got, b.want)
				}
			}
		}
	}
}

func TestRulesAreCheckedBeforeTheyAreGranted(t *testing.T) {
	t.Parallel()
	b, _ := open(t, grantFiles)
	ask := call(t, "run_command", command("go test ./d"))
	b.Review(t.Context(), ask)
	for rule, want := range map[string]string{ // a warning, or an error
		"run_command(go test ./d)":      "",
		"run_command(go test *)":        "wide",
		"run_command(go *)":             "wide",
		"run_command":                   "wide",
		"run_command(go test ./e)":      "does not cover",
		"run_command(git log *)":        "does not cover",
		"run_command(go test ./d":       "parenthesis",
		"edit(**)":                      "does not cover",
		"runcommand(go test ./d)":       "there is no tool",
		"http_request(https://a.test/)": "does not cover",
	} {
		o, err := b.CheckRules(ask.ID, []string{rule})
		message := o.Warning
		if err != nil {
			message = err.Error()
		}
		if !strings.Contains(message, want) || (want == "") != (message == "") || err == nil && !cmp.Equal(o.Rules, []string{rule}) {
			t.Errorf("%s: %+v, %v, want %q", rule, o, err, want)
		}
		if want != "" && want != "wide" && b.Allow(t.Context(), ask, conversation.GrantRun, []string{rule}) == nil {
			t.Errorf("%s is granted", rule)
		}
	}
	if _, err := b.CheckRules("another", []string{"run_command"}); err == nil {
		t.Error("the rules of a call that does not wait are checked")
	}
	if got := need(t, b, "run_command", command("go test ./d")); got != asks {
		t.Errorf("judging granted something: %s", got)
	}
}

func TestARuleForRequestsOrFilesIsExactOnlyWithoutWildcards(t *testing.T) {
	t.Parallel()
	b, _ := open(t, map[string]string{"a*b.txt": "x", "d/[x].ts": "x"})
	get := call(t, "http_request", map[string]any{"url": "https://a.test/b", "method": "PUT"})
	for rule, exact := range map[string]bool{
		"http_request(PUT https://a.test/b)": true,
		"http_request(https://a.test/b)":     false,
		"http_request(PUT https://a.test)":   false,
		"http_request(https://a.test)":       false,
		"http_request(PUT *://a.test/b)":     false,
		"http_request(PUT https://*.test/b)": false,
		"http_request(PUT https://a.test/*)": false,
	} {
		b.Review(t.Context(), get)
		o, err := b.CheckRules(get.ID, []string{rule})
		if err != nil || (o.Warning == "") != exact || strings.Contains(o.Meaning, "exactly") != exact {
			t.Errorf("%s: %+v, %v", rule, o, err)
		}
	}
	for name, wide := range map[string]string{"a*b.txt": "edit(./a*b.txt)", "d/[x].ts": "edit(d/[[]x].ts)"} {
		edit := call(t, "modify_file", map[string]any{"path": name, "old": "x", "new": "y"})
		if o := b.Review(t.Context(), edit).Offer; o.Warning != "" || o.Meaning != "exactly this file" {
			t.Errorf("%s: %+v", name, o)
		}
		if o, err := b.CheckRules(edit.ID, []string{wide}); err != nil || o.Warning == "" {
			t.Errorf("%s: %+v, %v", wide, o, err)
		}
	}
}

func TestRulesInForceAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	store := grants.New(filepath.Join(t.TempDir(), "grants.json"))
	b, dir := open(t, grantFiles, func(o *tools.Options) {
		o.Grants = store
		o.Permissions = permission.Config{Allow: []string{"run_command(ls *)"}, Deny: []string{"read_file(.env)"},
			Where: func(list, rule string) string { return list + ":" + rule }}
	})
	commands := []string{"make a", "make b"}
	for i, g := range []conversation.Grant{conversation.GrantAlways, conversation.GrantRun} {
		if err := b.Allow(t.Context(), call(t, "run_command", command(commands[i])), g, nil); err != nil { // without rules, the offer
			t.Fatal(err)
		}
	}
	rules, err := b.Rules(t.Context())
	if err != nil || len(rules) != 4 {
		t.Fatalf("%v %v", rules, err)
	}
	want := []conversation.Rule{
		{Text: "run_command(make a)", Meaning: "exactly this command", Origin: conversation.RuleGranted, Location: store.Path(), Workspace: b.Workspace()},
		{Text: "run_command(make b)", Meaning: "exactly this command", Origin: conversation.RuleOfThisRun, Workspace: b.Workspace()},
		{Text: "run_command(ls *)", Meaning: "commands of the form ls *", Warning: rules[2].Warning, Origin: conversation.RuleConfigured, Location: "allow:run_command(ls *)"},
		{Text: "read_file(.env)", Meaning: "files named .env in any folder", Deny: true, Origin: conversation.RuleConfigured, Location: "deny:read_file(.env)"},
	}
	for i, r := range rules {
		if r.Granted.IsZero() != (i > 1) || (r.ID == "") != (i > 1) {
			t.Errorf("%+v", r)
		}
		want[i].ID, want[i].Granted = r.ID, r.Granted
	}
	if diff := cmp.Diff(want, rules); diff != "" || rules[2].Warning == "" {
		t.Error(diff)
	}
	if err := b.Revoke(t.Context(), rules[2]); err == nil || !strings.Contains(err.Error(), "allow:run_command(ls *)") {
		t.Errorf("a rule of the configuration: %v", err)
	}
	for i, c := range commands {
		if err := b.Revoke(t.Context(), rules[i]); err != nil {
			t.Fatal(err)
		}
		if got := need(t, b, "run_command", command(c)); got != asks {
			t.Errorf("%s after its rule was revoked: %s", c, got)
		}
	}
	if got := need(t, boxIn(t, dir, grants.New(store.Path())), "run_command", command("make a")); got != asks {
		t.Errorf("a later run still has the rule: %s", got)
	}
}

// pastCommands is an archive of a conversation that ran commands.
type pastCommands struct {
	recall.Archive
	events []conversation.Event
}

func (p pastCommands) Events(context.Context) ([]conversation.Event, error) { return p.events, nil }

func TestAWiderRuleSaysWhatItWouldHaveAllowed(t *testing.T) {
	t.Parallel()
	var archive pastCommands
	for _, c := range []string{"go test ./a", "go test ./b && rm -rf build", "go vet ./a", "rm -rf build"} {
		ran := call(t, "run_command", command(c))
		ran.ID = c
		archive.events = append(archive.events, conversation.Event{Body: conversation.AssistantMessage{Calls: []conversation.ToolCall{ran}}})
	}
	b, _ := open(t, grantFiles, func(o *tools.Options) { o.Archive = archive })
	rules := func(name string, args map[string]any) (all []string) {
		for _, o := range b.Review(t.Context(), call(t, name, args)).Wider {
			all = append(all, strings.Join(o.Rules, " + ")+": "+o.Warning)
		}
		return all
	}
	const wide, of = ": wide: it lets more run than this call", " of the 4 other commands of this conversation"
	for _, c := range []struct {
		name string
		args map[string]any
		want []string
	}{
		{"run_command", command("go test ./d"), []string{"run_command(go test ./d *): wide: it would have allowed 0" + of,
			"run_command(go test *): wide: it would have allowed 1" + of + ", among them: go test ./a",
			"run_command(go *): wide: it would have allowed 2" + of + ", among them: go test ./a · go vet ./a"}},
		{"run_command", command("rm x; go y"), []string{"run_command(rm x *) + run_command(go y *): wide: it would have allowed 0" + of,
			"run_command(rm *) + run_command(go *): wide: it would have allowed 4" + of + ", among them: go test ./a · go test ./b && rm -rf build · go vet ./a"}},
		{"run_command", command("echo $(date)"), nil},
		{"modify_file", map[string]any{"path": "d/e/c.txt", "old": "x", "new": "y"}, []string{"edit(d/e/**)" + wide, "edit(d/**)" + wide, "edit(**)" + wide}},
		{"modify_file", map[string]any{"path": "d/AGENTS.md", "old": "x", "new": "y"}, nil},
		{"http_request", map[string]any{"url": "https://example.com/a/b"}, []string{"http_request(GET https://example.com/*)" + wide}},
	} {
		if diff := cmp.Diff(c.want, rules(c.name, c.args)); diff != "" {
			t.Errorf("%v: %s", c.args, diff)
		}
	}
}

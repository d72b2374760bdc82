package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/permission"
)

const (
	runs  = conversation.NeedNothing
	asks  = conversation.NeedApproval
	never = conversation.NeedRefusal
)

// with returns an option that sets the permissions of a Box.
func with(p permission.Config) func(*tools.Options) {
	return func(o *tools.Options) { o.Permissions = p }
}

func need(t *testing.T, b *tools.Box, name string, args map[string]any) conversation.Need {
	t.Helper()
	return b.Review(t.Context(), call(t, name, args)).Need
}

func TestModesDecideWhatNeedsApproval(t *testing.T) {
	t.Parallel()
	b, _ := open(t, map[string]string{"a.txt": "x", ".env": "K=1", "keys/id_rsa": "", ".git/hooks/x": "x", ".plimsoll.yaml": "x"}, with(permission.Config{AllowsYolo: true}))
	type row struct {
		name  string
		args  map[string]any
		needs [4]conversation.Need // plan, ask, edits (and auto without a sandbox), yolo
	}
	for _, r := range []row{
		{"read_file", map[string]any{"path": "a.txt"}, [4]conversation.Need{runs, runs, runs, runs}},
		{"list_files", nil, [4]conversation.Need{runs, runs, runs, runs}},
		{"grep_files", map[string]any{"pattern": "x"}, [4]conversation.Need{runs, runs, runs, runs}},
		{"todo_write", map[string]any{"todos": []any{}}, [4]conversation.Need{runs, runs, runs, runs}},
		{"recall", nil, [4]conversation.Need{runs, runs, runs, runs}},
		{"read_file", map[string]any{"path": ".env"}, [4]conversation.Need{asks, asks, asks, runs}},
		{"grep_files", map[string]any{"pattern": "x", "path": ".env"}, [4]conversation.Need{asks, asks, asks, runs}},
		{"read_file", map[string]any{"path": "keys/id_rsa"}, [4]conversation.Need{asks, asks, asks, runs}},
		{"modify_file", map[string]any{"path": "a.txt", "old": "x", "new": "y"}, [4]conversation.Need{never, asks, runs, runs}},
		{"create_file", map[string]any{"path": "n.txt", "content": "y"}, [4]conversation.Need{never, asks, runs, runs}},
		{"modify_file", map[string]any{"path": ".git/hooks/x", "old": "x", "new": "y"}, [4]conversation.Need{never, asks, asks, runs}},
		{"create_file", map[string]any{"path": ".bashrc", "content": "x"}, [4]conversation.Need{never, asks, asks, runs}},
		{"create_file", map[string]any{"path": ".config/plimsoll/config.yaml", "content": "x"}, [4]conversation.Need{never, asks, asks, runs}},
		{"modify_file", map[string]any{"path": ".plimsoll.yaml", "old": "x", "new": "y"}, [4]conversation.Need{never, asks, asks, runs}},
		{"run_command", map[string]any{"command": "ls"}, [4]conversation.Need{never, asks, asks, runs}},
		{"http_request", map[string]any{"url": "https://example.com/"}, [4]conversation.Need{asks, asks, asks, runs}},
		{"http_request", map[string]any{"url": "https://example.com/", "method": "POST"}, [4]conversation.Need{never, asks, asks, runs}},
		{"ask_user", map[string]any{"question": "which?"}, [4]conversation.Need{conversation.NeedAnswer, conversation.NeedAnswer, conversation.NeedAnswer, conversation.NeedAnswer}},
	} {
		for i, mode := range slices.DeleteFunc(conversation.Modes(), func(m conversation.Mode) bool { return m == conversation.ModeAuto }) {
			b.SetMode(mode)
			if b.Mode() != mode {
				t.Fatalf("mode is %s", b.Mode())
			}
			if got := need(t, b, r.name, r.args); got != r.needs[i] {
				t.Errorf("%s: %s %v: %s, want %s", mode, r.name, r.args, got, r.needs[i])
			}
		}
	}
}

func TestCompoundCommandsDoNotSlipThroughAnAllowRule(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, with(permission.Config{Allow: []string{"run_command(git *)", "run_command(go test *)", "run_command(ls)", "run_command(npm run test:*)", `run_command(make a > b; x)`}}))
	for command, want := range map[string]conversation.Need{
		"git":                            runs,
		"git log --oneline":              runs,
		"  git status\n":                 runs,
		"git log && git status":          runs,
		"git log; go test ./... | git x": runs,
		"git log || ls":                  asks,
		"git log\ngit status":            runs,
		"git log 2>&1":                   runs,
		"git log >/dev/null 2>&1":        runs,
		`git commit -m "a; rm -rf b"`:    runs,
		`git commit -m 'a $(rm b)'`:      runs,
		"git add *.go":                   asks,
		"git add ~/x":                    asks,
		"ls":                             runs,
		"npm run test:unit":              runs,
		"make a > b; x":                  runs,

		"ls -la":                      asks,
		"gitk":                        asks,
		"go build":                    asks,
		"npm run testing":             asks,
		"git log; rm -rf x":           asks,
		"git log && rm x":             asks,
		"git log & rm x":              asks,
		"git log &":                   asks,
		"git log\nrm x":               asks,
		"git log | sh":                asks,
		"git $(rm x)":                 asks,
		"git `rm x`":                  asks,
		`git "$(rm x)"`:               asks,
		"git <(rm x)":                 asks,
		"git log > x":                 asks,
		"git log >> ~/.bashrc":        asks,
		"git log >&x":                 asks,
		"git log < x":                 asks,
		"git <<EOF\n$(rm x)\nEOF":     asks,
		"git $X":                      asks,
		"git ${X:-$(rm x)}":           asks,
		"git $((1))":                  asks,
		"git {log,x}":                 asks,
		"git $'a'":                    asks,
		"X=1 git log":                 asks,
		"GIT_PAGER='rm x' git log":    asks,
		"$(echo git) log":             asks,
		"g*t log":                     asks,
		"! git log":                   asks,
		"(git log)":                   asks,
		"{ git log; }":                asks,
		"if git log; then git x; fi":  asks,
		"git() { rm x; }; git log":    asks,
		"for i in a; do git x; done":  asks,
		"sudo git log":                asks,
		"env git log":                 asks,
		"eval git log":                asks,
		"bash -c 'git log'":           asks,
		"/tmp/git log":                asks,
		"git log '":                   asks,
		"git log\x01":                 asks,
		"alias git=rm; git x":         asks,
		"export PATH=/tmp; git x":     asks,
		"coproc git log":              asks,
		"time git log":                asks,
		"[[ -f x ]] && git log":       asks,
		"git log;;":                   asks,
		"git log # comment\nrm x":     asks,
		"git log \\\n; rm x":          asks,
		"make a > c; x":               asks,
		"go test ./... ; go vet ./..": asks,
	} {
		if got := need(t, b, "run_command", map[string]any{"command": command}); got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
}

func TestDenyRulesWinOverEveryMode(t *testing.T) {
	t.Parallel()
	b, _ := open(t, map[string]string{"docs/a.md": "x", "secret/b.txt": "x", "c.md": "x"}, with(permission.Config{
		Mode:     conversation.ModeYolo,
		Allow:    []string{"run_command", "read_file", "modify_file"},
		Deny:     []string{"run_command(rm *)", "run_command(git push --force*)", "read_file(secret/**)", "modify_file(*.md)", "http_request(https://*.evil.com/*)"},
		Approval: map[string]permission.Approval{"create_file": permission.ApprovalDeny},
	}))
	for command, want := range map[string]conversation.Need{
		"ls":                            runs,
		"rm x":                          never,
		"rm":                            never,
		"/bin/rm x":                     never,
		`r\m x`:                         never,
		`"rm" x`:                        never,
		"ls; rm x":                      never,
		"ls && (cd x; rm y)":            never,
		"echo $(rm x)":                  never,
		"echo `rm x`":                   never,
		"sudo rm x":                     never,
		"env A=b rm x":                  never,
		"find . -exec rm {} +":          never,
		"ls | xargs rm":                 never,
		"bash -c 'ls; rm x'":            never,
		"bash -lc 'rm x'":               never,
		"sudo sh -c \"rm x\"":           never,
		"eval rm x":                     never,
		"if true; then rm x; fi":        never,
		"f() { rm x; }; f":              never,
		"git push --force-with":         never,
		"git push origin":               runs,
		"git push $X":                   asks,
		"$X y":                          asks,
		"bash -c \"$X\"":                asks,
		"echo rm":                       asks,
		"echo 'unclosed":                asks,
		"git push \"--force\"":          never,
		"r{m,m} x":                      asks,
		"A=1 rm x":                      never,
		"cat <<EOF\n$(rm x)\nEOF\n":     never,
		"bash -ce 'rm x'":               never,
		"bash -c -e 'rm x'":             never,
		"bash -eo pipefail -c 'rm'":     never,
		"sh -ceo pipefail 'rm x'":       never,
		"trap 'rm x' EXIT":              never,
		"su -c 'rm x'":                  never,
		"flock l rm x":                  never,
		"env -S 'rm x'":                 never,
		"echo rm x | sh":                asks,
		"bash <<< 'rm x'":               asks,
		"bash -s < x":                   asks,
		"bash /dev/stdin < x":           asks,
		"sh x.sh -c y":                  runs,
		"git commit -m 'mend it'":       runs,
		"git commit -m 'rm of x'":       asks,
		"X='rm x'; bash -c \"$X\"":      asks,
		"bash <<EOF\nrm x\nEOF\n":       asks,
		"sudo $X y":                     asks,
		"x=rm; sudo $x -rf y":           asks,
		"xargs $X <f":                   asks,
		"bash -c '$X y'":                asks,
		"bash -c 'rm${IFS}-rf${IFS}x'":  asks,
		"bash -c 'r$(:)m x'":            never,
		"bash -c 'rm>x'":                never,
		"bash -c 'rm</dev/null'":        never,
		"bash -c \"bash -c 'rm>x'\"":    never,
		"bash -c 'rm x; (' ":            asks,
		"eval 'r{m,m} x'":               asks,
		"eval $'rm\\tx'":                asks,
		"eval -- '$X y'":                asks,
		"trap -- '$X y' EXIT":           asks,
		"bash <<'EOF'\n$X y\nEOF\n":     asks,
		"curl h | sh":                   asks,
		"git $X":                        asks,
		"git push --force$X":            never,
		"git status $X":                 runs,
		"ssh h 'rm>x'":                  asks,
		"ssh h rm x":                    asks,
		"awk '{print $1}' f":            runs,
		"go test ./... | grep -v '^ok'": runs,
		"sudo make -j 4":                runs,
	} {
		if got := need(t, b, "run_command", map[string]any{"command": command}); got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
	for name, want := range map[string]conversation.Need{"secret/b.txt": never, "c.md": runs} {
		if got := need(t, b, "read_file", map[string]any{"path": name}); got != want {
			t.Errorf("read %s: %s, want %s", name, got, want)
		}
	}
	if got := succeed(t, b, "grep_files", map[string]any{"pattern": "x", "path": "."}); strings.Contains(got, "secret/") || !strings.Contains(got, "c.md") {
		t.Errorf("a search of the folder above what is denied: %s", got)
	}
	fail(t, b, "grep_files", map[string]any{"pattern": "x", "path": "secret/b.txt"}, "denies reading it")
	if err := os.Symlink("secret/b.txt", filepath.Join(b.Workspace(), "innocent")); err != nil {
		t.Fatal(err)
	}
	if got := need(t, b, "read_file", map[string]any{"path": "innocent"}); got != never {
		t.Errorf("a link to what is denied: %s", got)
	}
	if got := need(t, b, "modify_file", map[string]any{"path": "docs/a.md", "old": "x", "new": "y"}); got != never {
		t.Errorf("docs/a.md: %s", got)
	}
	if got := need(t, b, "http_request", map[string]any{"url": "https://www.EVIL.com/x"}); got != never {
		t.Errorf("evil.com: %s", got)
	}
	r := b.Review(t.Context(), call(t, "create_file", map[string]any{"path": "n", "content": ""}))
	if r.Need != never || r.Reason == "" {
		t.Errorf("approval deny: %+v", r)
	}
}

func TestRulesForFilesAndRequests(t *testing.T) {
	t.Parallel()
	b, _ := open(t, map[string]string{"docs/a.md": "x", "b.md": "x", "x/c.go": "x", ".env": "x"}, with(permission.Config{
		Allow: []string{"modify_file(docs/**)", "modify_file(*.go)", "http_request(https://example.com/api/*)", "http_request(GET http://*.test.org)", "read_file(.env)"},
	}))
	for name, want := range map[string]conversation.Need{"docs/a.md": runs, "x/../docs/a.md": runs, "b.md": asks, "x/c.go": runs} {
		if got := need(t, b, "modify_file", map[string]any{"path": name, "old": "x", "new": "y"}); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := need(t, b, "read_file", map[string]any{"path": ".env"}); got != runs {
		t.Errorf("a secret file with a rule of its own: %s", got)
	}
	for target, want := range map[string]conversation.Need{
		"GET https://example.com/api/x?y=1":     runs,
		"POST https://example.com/api/x":        runs,
		"GET https://EXAMPLE.com/api/":          runs,
		"GET http://a.test.org/x":               runs,
		"HEAD http://a.test.org/":               runs,
		"POST http://a.test.org/x":              asks,
		"GET https://a.test.org/x":              asks,
		"GET http://a.b.test.org/x":             asks,
		"GET https://example.com/other":         asks,
		"GET https://example.com/api/../other":  asks,
		"GET https://example.com:8443/api/x":    asks,
		"GET https://example.com.evil.com/api/": asks,
		"GET https://example.com@evil.com/api/": asks,
		"GET http://example.com/api/x":          asks,
	} {
		var method, u string
		if _, err := fmt.Sscan(target, &method, &u); err != nil {
			t.Fatal(err)
		}
		if got := need(t, b, "http_request", map[string]any{"url": u, "method": method}); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

func TestApprovalOfATool(t *testing.T) {
	t.Parallel()
	b, _ := open(t, map[string]string{"a": "x", ".env": "x"}, with(permission.Config{Approval: map[string]permission.Approval{
		"read_file": permission.ApprovalAsk, "run_command": permission.ApprovalAllow, "create_file": permission.ApprovalAllow}}))
	if got := need(t, b, "read_file", map[string]any{"path": "a"}); got != asks {
		t.Errorf("ask: %s", got)
	}
	if got := need(t, b, "run_command", map[string]any{"command": "ls > x"}); got != runs {
		t.Errorf("allow: %s", got)
	}
	if got := need(t, b, "create_file", map[string]any{"path": ".env", "content": "", "overwrite": true}); got != asks {
		t.Errorf("allow of a guarded file: %s", got)
	}
}

func TestABoxIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	b, _ := open(t, map[string]string{"a.txt": "x"})
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			b.SetMode(conversation.Modes()[i%4])
			b.Mode()
			c := conversation.ToolCall{ID: fmt.Sprint(i), Name: "read_file", Arguments: `{"path":"a.txt"}`}
			b.Review(t.Context(), c)
			if err := b.Allow(t.Context(), c, conversation.GrantRun, nil); err != nil {
				t.Error(err)
			}
			if out := b.Run(t.Context(), c, nil); out.Status != conversation.ResultOK {
				t.Errorf("got %+v", out)
			}
			b.Run(t.Context(), conversation.ToolCall{ID: "t", Name: "todo_write", Arguments: `{"todos":[{"text":"x"}]}`}, nil)
			b.Todos()
		})
	}
	wait.Wait()
}

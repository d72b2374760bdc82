package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/permission"
)

func text(name string) tools.CommandParameter {
	return tools.CommandParameter{Name: name}
}

func withCommand(command string, parameters ...tools.CommandParameter) func(*tools.Options) {
	return func(o *tools.Options) {
		o.Commands = []tools.CommandTool{{Name: "own", Command: command, Parameters: parameters}}
	}
}

func TestCommandToolQuotesItsArguments(t *testing.T) {
	t.Parallel()
	flag := tools.CommandParameter{Name: "loud", Type: "boolean", Flag: "--loud"}
	list := tools.CommandParameter{Name: "files", Type: "array"}
	count := tools.CommandParameter{Name: "n", Type: "integer", Flag: "-n"}
	joined := text("name")
	joined.Flag = "--name="
	for _, c := range []struct {
		command    string
		parameters []tools.CommandParameter
		args       map[string]any
		want       string // the command that is shown, asked about and run
	}{
		{"go test {pkg}", []tools.CommandParameter{text("pkg")}, map[string]any{"pkg": "./a b; rm x"}, "go test './a b; rm x'"},
		{"go test {pkg}", []tools.CommandParameter{text("pkg")}, map[string]any{"pkg": "it's $(x) `y` \\ \n z"}, "go test 'it'\\''s $(x) `y` \\ \n z'"},
		{"go test {pkg} -v", []tools.CommandParameter{text("pkg")}, map[string]any{}, "go test  -v"},
		{"go test -run={pkg}; echo ok", []tools.CommandParameter{text("pkg")}, map[string]any{}, "go test ; echo ok"},
		{"go test -run={pkg}; echo ok", []tools.CommandParameter{text("pkg")}, map[string]any{"pkg": ""}, "go test -run=''; echo ok"},
		{"x {loud} {n} {name}", []tools.CommandParameter{flag, count, joined}, map[string]any{"loud": true, "n": -3, "name": "-a"}, "x --loud -n '-3' --name='-a'"},
		{"x {loud}", []tools.CommandParameter{flag}, map[string]any{"loud": false}, "x"},
		{"x {files}", []tools.CommandParameter{list}, map[string]any{"files": []string{"a b", "c"}}, "x 'a b' 'c'"},
		{"x -- {pkg}", []tools.CommandParameter{text("pkg")}, map[string]any{"pkg": "-rf"}, "x -- '-rf'"},
		{`awk '{print $1}' {pkg} # {why}`, []tools.CommandParameter{text("pkg")}, map[string]any{"pkg": "a"}, `awk '{print $1}' 'a' # {why}`},
		{`git show HEAD@{1} \{x} {pkg}`, []tools.CommandParameter{text("pkg")}, map[string]any{"pkg": "a"}, `git show HEAD@{1} \{x} 'a'`},
	} {
		b, _ := open(t, nil, withCommand(c.command, c.parameters...))
		if got := b.Review(t.Context(), call(t, "own", c.args)).Command; got != c.want {
			t.Errorf("%s with %v: %q, want %q", c.command, c.args, got, c.want)
		}
	}
}

func TestCommandToolRefusesArgumentsThatAreOptions(t *testing.T) {
	t.Parallel()
	list := tools.CommandParameter{Name: "files", Type: "array"}
	b, _ := open(t, nil, withCommand("echo -- x; echo {word} {files}", text("word"), list))
	for _, args := range []map[string]any{{"word": "-rf"}, {"files": []string{"a", "--all"}}, {"word": "a\x00b"}} {
		if out := run(t, b, "own", args); out.Status != conversation.ResultError {
			t.Errorf("%v ran: %s", args, out.Text)
		}
	}
	if text := succeed(t, b, "own", map[string]any{"word": "a; echo b", "files": []string{"$HOME"}}); !strings.Contains(text, "\na; echo b $HOME") {
		t.Errorf("the command printed %q", text)
	}
}

// Each of these places would let an argument be read as code, or is a mistake.
func TestCommandToolIsRefusedWhereItCannotQuote(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		`grep "{x}" a`: "outside quotes", "grep '{x}' a": "outside quotes", "echo `cat {x}`": "outside quotes", "ls # {x}": "outside quotes",
		"echo $(({x}))": "((", "cat <<E\nE\necho {x}": "<<", "echo ${A:-{x}}": "${", `echo $'it\'s' {x} 'b'`: "$'", "echo": "write {x}",
		"echo {x} {y}": `no parameter "y"`, "": "empty", "echo {x} 'a": "not closed",
	} {
		_, err := tools.New(tools.Options{Workspace: t.TempDir(), Commands: []tools.CommandTool{{Name: "own", Command: command, Parameters: []tools.CommandParameter{text("x")}}}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "tools.own.command: ") {
			t.Errorf("%q: %v, want an error with %q", command, err, want)
		}
	}
	if _, err := tools.New(tools.Options{Workspace: t.TempDir(), Commands: []tools.CommandTool{{Name: "read_file", Command: "x"}}}); err == nil {
		t.Error("a command tool took the name of a built-in one")
	}
}

func TestCommandToolIsConfined(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, withCommand("echo x >{path}", text("path")), func(o *tools.Options) {
		o.Sandbox = boxOf(o.Workspace)
		t.Cleanup(func() { _ = o.Sandbox.Close() })
	})
	outside := filepath.Join(t.TempDir(), "x")
	out := run(t, b, "own", map[string]any{"path": outside})
	if _, err := os.Stat(outside); err == nil && boxOf(t.TempDir()).Active() {
		t.Errorf("it wrote outside: %s", out.Text)
	}
	if text := succeed(t, b, "own", map[string]any{"path": "inside"}); !strings.Contains(text, "exit code 0") {
		t.Errorf("it cannot write inside: %s", text)
	}
}

func TestCommandToolIsJudgedAsItsCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules permission.Config
		want  conversation.Need
	}{
		{permission.Config{}, asks},
		{permission.Config{Mode: conversation.ModePlan}, never},
		{permission.Config{Allow: []string{"own"}}, runs},
		{permission.Config{Allow: []string{"own(make 'all')"}}, runs},
		{permission.Config{Allow: []string{"own(make *)"}}, runs},
		{permission.Config{Allow: []string{"run_command(make *)"}}, runs},
		{permission.Config{Allow: []string{"own(make 'other')"}}, asks},
		{permission.Config{Approval: map[string]permission.Approval{"own": permission.ApprovalAllow}}, runs},
		{permission.Config{Mode: conversation.ModeYolo, Deny: []string{"run_command(make *)"}}, never},
		{permission.Config{Allow: []string{"own"}, Deny: []string{"run_command"}}, runs}, // the shell alone is denied
		{permission.Config{Mode: conversation.ModeYolo, Deny: []string{"own"}}, never},
	} {
		b, _ := open(t, nil, with(c.rules), withCommand("make {x}", text("x")))
		if got := need(t, b, "own", map[string]any{"x": "all"}); got != c.want {
			t.Errorf("%+v: needs %q, want %q", c.rules, got, c.want)
		}
	}
	b, _ := open(t, nil, withCommand("make {x}", text("x")))
	one := call(t, "own", map[string]any{"x": "a*b"})
	if err := b.Allow(t.Context(), one, conversation.GrantRun, nil); err != nil {
		t.Fatal(err)
	}
	if got := b.Review(t.Context(), one).Need; got != runs {
		t.Errorf("a granted call needs %q", got)
	}
	if got := need(t, b, "own", map[string]any{"x": "acb"}); got != asks {
		t.Errorf("the grant covers another call: %q", got)
	}
}

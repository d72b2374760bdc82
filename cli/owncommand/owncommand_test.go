package owncommand_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/cli/owncommand"
	"plimsoll/conversation"
)

func TestExpandPutsInArgumentsFilesAndOutputs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body, args string
		outputs    []string
		commands   []string
		mentions   []string
		want       string
	}{
		"all arguments":              {body: "Fix $ARGUMENTS now.", args: " a  b ", want: "Fix a  b now."},
		"words":                      {body: "$1, $2, $3.", args: `one "two and" three`, want: "one, two and, three."},
		"a quote in a word":          {body: "$1 $2|$3", args: `don't "stop`, want: `don't "stop|`},
		"missing words":              {body: "a $1 b $9.", want: "a  b ."},
		"no place":                   {body: "Summarize.\n", args: "the tests", want: "Summarize.\n\nthe tests"},
		"no place, no arguments":     {body: "Summarize.", args: "  ", want: "Summarize."},
		"not a placeholder":          {body: "$15 $0 $HOME $ARGUMENTSX $", want: "$15 $0 $HOME $ARGUMENTSX $"},
		"escaped":                    {body: `\$1 and \$ARGUMENTS, \$5x`, args: "a", want: "$1 and $ARGUMENTS, $5x\n\na"},
		"arguments are not read":     {body: "<$ARGUMENTS>", args: "$1 !`rm -rf` x", want: "<$1 !`rm -rf` x>"},
		"a command":                  {body: "Status: !`git status`\nDiff:\n!`git diff`", outputs: []string{"clean\n", "\n+a\n"}, commands: []string{"git status", "git diff"}, want: "Status: clean\nDiff:\n+a"},
		"outputs are not read":       {body: "!`cat x` $1", args: "a", outputs: []string{"$1 !`id` @b.go"}, commands: []string{"cat x"}, want: "$1 !`id` @b.go a"},
		"no command in a word":       {body: "Wow!`ls` and `ls` and !`  `", want: "Wow!`ls` and `ls` and !`  `"},
		"arguments are quoted":       {body: "!`git show $1 $ARGUMENTS`", args: "'a b; rm x' c", commands: []string{"git show 'a b; rm x' 'a b; rm x' c"}},
		"quoted in double quotes":    {body: "!`echo \"<$1>\" \\\"$2`", args: "'$(id)`\"' 'x y'", commands: []string{"echo \"<\\$(id)\\`\\\">\" \\\"'x y'"}},
		"quoted in single quotes":    {body: "!`echo '$1' \\$1`", args: `it's`, commands: []string{`echo 'it'\''s' $1`}},
		"files":                      {body: "See @a.go, (@b/c.go:3-9) and @\"d e.go\". Not me@x.org.", mentions: []string{"a.go", "b/c.go:3-9", "d e.go"}, want: "See @a.go, (@b/c.go:3-9) and @\"d e.go\". Not me@x.org."},
		"a file named by arguments":  {body: "See @$1 and $2.", args: "x.go @y.go", mentions: []string{"x.go", "y.go"}, want: "See @x.go and @y.go."},
		"a file once":                {body: "@a @a.", mentions: []string{"a"}, want: "@a @a."},
		"an argument with a command": {body: "!`cat $1`", args: "`id`", commands: []string{"cat '`id`'"}},
	} {
		e := owncommand.Expand(c.body, c.args)
		if d := cmp.Diff(c.commands, e.Commands); d != "" {
			t.Errorf("%s: commands (-want +got): %s", name, d)
		}
		if d := cmp.Diff(c.mentions, e.Mentions); d != "" {
			t.Errorf("%s: mentions (-want +got): %s", name, d)
		}
		if got := e.Message(c.outputs); got != c.want {
			t.Errorf("%s: the message is %q, want %q", name, got, c.want)
		}
	}
}

func TestParseReadsTheFrontMatter(t *testing.T) {
	t.Parallel()
	got, err := owncommand.Parse("---\r\ndescription: Look\x1b[2J at it\nargument-hint: [FILE] [HOW]\nallowed-tools: Bash(git:*)\nmodel: openai/x\npreset: jp\nversion: 1\n---\nLook.\n")
	if err != nil {
		t.Fatal(err)
	}
	got.Text = ""
	want := owncommand.Command{Body: "Look.", Description: "Look␛[2J at it", Arguments: "[FILE] [HOW]", Model: "openai/x", Preset: "jp", Ignored: []string{"allowed-tools", "version"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got): %s", d)
	}
	if want := "chooses which model gets your conversation, and changes what is sent of your conversation"; got.Needs() != want {
		t.Errorf("it %s, want %s", got.Needs(), want)
	}
	plain, err := owncommand.Parse("# Fix it\n\nAll of it.")
	if err != nil || plain.Description != "Fix it" || plain.Needs() != "" {
		t.Errorf("%+v %v", plain, err)
	}
	for text, want := range map[string]string{"---\nmodel: x\n---\n \n": "no text", "---\nmodel: x\n": "closing line", "": "no text"} {
		if _, err := owncommand.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindNamesCommandsAndPassesOverTheRest(t *testing.T) {
	t.Parallel()
	user, work, outside := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"secret.md": "secret", "linked.md": "linked"})
	write(t, user, map[string]string{"Review PR.md": "a", "help.md": "b", "git/log.md": "c", ".hidden/x.md": "d", "9.md": "e", "notes.txt": "f",
		"big.md": strings.Repeat("x", 64<<10+1), "empty.md": "", "a/b/c/d/e/f/deep.md": "g"})
	write(t, work, map[string]string{".claude/commands/git/log.md": "h", ".claude/commands/own.md": "i", ".claude/commands/help.md": "j"})
	for from, to := range map[string]string{filepath.Join(outside, "linked.md"): filepath.Join(user, "linked.md"),
		filepath.Join(outside, "secret.md"): filepath.Join(work, ".claude/commands/secret.md")} {
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	list, err := owncommand.Find([]owncommand.Folder{{Path: user, Origin: owncommand.User}, {Path: filepath.Join(work, "none"), Origin: owncommand.Workspace},
		{Path: filepath.Join(work, ".claude/commands"), Origin: owncommand.Workspace}}, work, func(name string) bool { return name == "help" })
	var got []string
	for _, c := range list {
		got = append(got, c.Name+" "+string(c.Origin)+" "+c.Body)
	}
	want := []string{"review-pr user a", "git:log user c", "user:help user b", "linked user linked", "workspace:git:log workspace h", "workspace:help workspace j", "own workspace i"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got): %s", d)
	}
	for _, text := range []string{"9.md: a command's name begins with a letter", "big.md: it is larger than 64 KiB", "empty.md: it has no text", "secret.md: "} {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("the error does not say %q: %v", text, err)
		}
	}
	if c, ok := owncommand.Named(list, "GIT:Log"); !ok || c.Path != filepath.Join(user, "git/log.md") {
		t.Errorf("it finds %+v", c)
	}
}

func TestFindIsLimited(t *testing.T) {
	t.Parallel()
	dir, files := t.TempDir(), map[string]string{}
	for i := range 210 {
		files["c"+strings.Repeat("x", i)+".md"] = "a"
	}
	write(t, dir, files)
	list, err := owncommand.Find([]owncommand.Folder{{Path: dir, Origin: owncommand.User}}, dir, func(string) bool { return false })
	if len(list) != 200 || err == nil || !strings.Contains(err.Error(), "more than 200 commands") {
		t.Errorf("%d commands, %v", len(list), err)
	}
}

// fakeTools answers calls by their arguments.
type fakeTools struct {
	needs map[string]conversation.Need // by a part of the arguments
	ran   []string
}

func (f *fakeTools) NeedOf(_ context.Context, call conversation.ToolCall) (conversation.Need, string, error) {
	for part, need := range f.needs {
		if strings.Contains(call.Arguments, part) {
			return need, "a rule denies it", nil
		}
	}
	return conversation.NeedNothing, "", nil
}

func (f *fakeTools) Run(_ context.Context, call conversation.ToolCall, _ func(string)) conversation.Outcome {
	f.ran = append(f.ran, call.Arguments)
	if strings.Contains(call.Arguments, "false") {
		return conversation.Outcome{Status: conversation.ResultError, Text: "exit code 1, 1ms\nno"}
	}
	return conversation.Outcome{Status: conversation.ResultOK, Text: "exit code 0, 1ms\nyes"}
}

func TestMessageJudgesEverythingBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	needs := map[string]conversation.Need{"ask": conversation.NeedApproval, "deny": conversation.NeedRefusal, ".env": conversation.NeedApproval}
	for name, c := range map[string]struct {
		body     string
		origin   owncommand.Origin
		trusted  bool
		approved []string
		want     string // the message, or a part of the error
		ran      int
	}{
		"allowed":              {body: "!`a` !`false`", want: "yes exit code 1, 1ms\nno", ran: 2},
		"asked":                {body: "!`a` !`ask x`", want: "error: /x runs a command: ask x"},
		"approved":             {body: "!`a` !`ask x`", approved: []string{"ask x"}, want: "yes yes", ran: 2},
		"another was approved": {body: "!`ask x`", approved: []string{"ask"}, want: "error: /x runs a command: ask x"},
		"refused":              {body: "!`a` !`deny`", approved: []string{"deny"}, want: "error: not sent: deny is refused: a rule denies it"},
		"a file that asks":     {body: "!`a` @.env:1-2", want: "error: /x sends a file: @.env:1-2"},
		"files":                {body: "@a.go and @gone", want: "@a.go and @gone\n<a.go>"},
		"not trusted":          {body: "!`a`", origin: owncommand.Workspace, want: "error: not sent: /x runs commands"},
		"trusted":              {body: "!`a`", origin: owncommand.Workspace, trusted: true, want: "yes", ran: 1},
		"only a text":          {body: "hello", origin: owncommand.Workspace, want: "hello"},
		"too many":             {body: strings.Repeat(" !`a`", 21), want: "error: more than 20 commands"},
	} {
		tools := &fakeTools{needs: needs}
		m := owncommand.Maker{Tools: tools, Limit: conversation.ArrivalCap{Chars: 1000}, Trusted: func(string) bool { return c.trusted },
			Attach: func(_ context.Context, path string) (string, error) {
				if path == "gone" {
					return "", fs.ErrNotExist
				}
				return "\n<" + path + ">", nil
			}}
		if c.origin == "" {
			c.origin = owncommand.User
		}
		got, notes, err := m.Message(t.Context(), owncommand.Command{Name: "x", Origin: c.origin, Body: c.body, Ignored: []string{"tools"}}, "", c.approved)
		want, isError := strings.CutPrefix(c.want, "error: ")
		switch {
		case isError && (err == nil || !strings.Contains(err.Error(), want)), !isError && (err != nil || got != want):
			t.Errorf("%s: %q, %v, want %s", name, got, err, c.want)
		case len(tools.ran) != c.ran:
			t.Errorf("%s: it ran %v", name, tools.ran)
		case !isError && !strings.Contains(strings.Join(notes, "\n"), "/x: tools: without effect here"):
			t.Errorf("%s: the notes are %q", name, notes)
		}
	}
}

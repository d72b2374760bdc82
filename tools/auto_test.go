package tools_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/permission"
)

func autoMode(confined bool, c permission.Config) func(*tools.Options) {
	c.Mode, c.Confined = conversation.ModeAuto, func() bool { return confined }
	return with(c)
}

func TestAutoRunsCommandsThatAreConfined(t *testing.T) {
	t.Parallel()
	rules := permission.Config{Deny: []string{"run_command(rm *)"}, Approval: map[string]permission.Approval{"todo_write": permission.ApprovalAsk}}
	files := map[string]string{"a.txt": "x", ".env": "x"}
	inside, _ := open(t, files, autoMode(true, rules))
	outside, _ := open(t, files, autoMode(false, rules))
	for _, c := range []struct {
		name     string
		args     map[string]any
		confined conversation.Need
		free     conversation.Need // without a sandbox
	}{
		{"run_command", command("make && ./x > y"), runs, asks},
		{"run_command", command("rm a.txt"), never, never},
		{"run_command", command("ssh host rm x"), asks, asks},
		{"modify_file", map[string]any{"path": "a.txt", "old": "x", "new": "y"}, runs, runs},
		{"modify_file", map[string]any{"path": ".env", "old": "x", "new": "y"}, asks, asks},
		{"http_request", map[string]any{"url": "https://example.com/"}, asks, asks},
		{"todo_write", map[string]any{"todos": []any{}}, asks, asks},
	} {
		if got := need(t, inside, c.name, c.args); got != c.confined {
			t.Errorf("%v in the sandbox: %s, want %s", c.args, got, c.confined)
		}
		if got := need(t, outside, c.name, c.args); got != c.free {
			t.Errorf("%v without a sandbox: %s, want %s", c.args, got, c.free)
		}
	}
	if always, _ := open(t, files, autoMode(true, permission.Config{Approval: map[string]permission.Approval{"run_command": permission.ApprovalAsk}})); need(t, always, "run_command", command("ls")) != asks {
		t.Error("a command runs although the configuration asks about it")
	}
}

// Where the sandbox keeps commands from a part only, auto mode asks about them, and nothing else changes.
func TestAutoAsksWhereTheSandboxIsPartial(t *testing.T) {
	t.Parallel()
	asked := 0
	b, _ := open(t, map[string]string{"a.txt": "x"}, with(permission.Config{Mode: conversation.ModeAuto, Allow: []string{"run_command(ls)"},
		Confined: func() bool { return true }, Whole: func() bool { asked++; return false }}))
	edit := map[string]any{"path": "a.txt", "old": "x", "new": "y"}
	if need(t, b, "modify_file", edit) != runs || need(t, b, "run_command", command("ls")) != runs || asked > 0 {
		t.Errorf("the sandbox was looked at %d times, or an edit or an allowed command is asked about", asked)
	}
	if need(t, b, "run_command", command("make")) != asks || asked != 1 {
		t.Error("a command runs unasked in a partial sandbox")
	}
}

// Yolo cannot be switched to where nothing confines commands, unless the configuration allows it.
func TestYoloNeedsASandboxOrTheConfiguration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config permission.Config
		want   conversation.Mode
	}{
		"nothing confines": {permission.Config{Mode: conversation.ModeEdits}, conversation.ModeEdits},
		"a sandbox":        {permission.Config{Confined: func() bool { return true }}, conversation.ModeYolo},
		"allowed":          {permission.Config{AllowsYolo: true}, conversation.ModeYolo},
	} {
		b, _ := open(t, nil, with(c.config))
		if b.SetMode(conversation.ModeYolo); b.Mode() != c.want {
			t.Errorf("%s: the mode is %s, want %s", name, b.Mode(), c.want)
		}
	}
	b, _ := open(t, nil, with(permission.Config{Mode: conversation.ModeYolo}))
	b.SetMode(conversation.ModeAsk)
	if b.SetMode(conversation.ModeYolo); b.Mode() != conversation.ModeYolo {
		t.Error("the mode in which the configuration begins cannot be switched back to")
	}
}

// The conversations of the end-to-end tests ask in auto a third of what they ask by default, or less.
func TestAutoAsksAThirdOfWhatAskAsks(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("../e2e/*_test.go")
	if err != nil || len(sources) == 0 {
		t.Fatal(err, sources)
	}
	calls := regexp.MustCompile(`commandCall\("\w+", ("(?:[^"\\\\]|\\\\.)*")|"run_command", object\{"command": ("(?:[^"\\\\]|\\\\.)*")|"(?:create_file|modify_file)", object\{"path": ("(?:[^"\\\\]|\\\\.)*")`)
	asked := map[conversation.Mode]int{}
	for _, mode := range []conversation.Mode{conversation.ModeAsk, conversation.ModeEdits, conversation.ModeAuto} {
		b, _ := open(t, nil, with(permission.Config{Mode: mode, Confined: func() bool { return true }}))
		for _, source := range sources {
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range calls.FindAllStringSubmatch(string(text), -1) {
				name, args := "run_command", map[string]any{}
				for _, quoted := range m[1:3] {
					if c, err := strconv.Unquote(quoted); err == nil {
						args["command"] = c
					}
				}
				if path, err := strconv.Unquote(m[3]); err == nil {
					name, args = "create_file", map[string]any{"path": path, "content": "x"}
				}
				if need(t, b, name, args) == asks {
					asked[mode]++
				}
			}
		}
	}
	t.Logf("questions: %v", asked)
	if asked[conversation.ModeAsk] < 20 || 3*asked[conversation.ModeAuto] > asked[conversation.ModeAsk] {
		t.Errorf("questions by mode: %v", asked)
	}
}

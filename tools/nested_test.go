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
)

var nestedFiles = map[string]string{"AGENTS.md": "top", "a/AGENTS.md": "Rules of a.\n@more.md", "a/more.md": "More of a.", "a/b/CLAUDE.md": "Rules of b.", "a/b/c.txt": "text", "d.txt": "d"}

// brought returns the paths of the instructions that an outcome records.
func brought(out conversation.Outcome) string {
	var paths []string
	for _, e := range out.Events {
		paths = append(paths, e.(conversation.InstructionsLoaded).Path)
	}
	return strings.Join(paths, " ")
}

func TestFileToolsBringTheInstructionsOfFoldersOnce(t *testing.T) {
	t.Parallel()
	b, dir := open(t, nestedFiles)
	if out := run(t, b, "read_file", map[string]any{"path": "d.txt"}); brought(out) != "" {
		t.Errorf("at the top: %s", brought(out))
	}
	out := run(t, b, "read_file", map[string]any{"path": "a/b/c.txt"})
	if got := brought(out); got != "a/AGENTS.md a/more.md a/b/CLAUDE.md" {
		t.Errorf("brought %s", got)
	}
	for _, want := range []string{"1\ttext\n", "[Instructions from a/AGENTS.md, for files below a.", "Rules of a.", "More of a.", "for files below a/b.", "the project's own text"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("%q is not in\n%s", want, out.Text)
		}
	}
	if e := out.Events[0].(conversation.InstructionsLoaded); len(e.Hash) != 64 || e.Size == (conversation.Size{}) || e.Call == "" {
		t.Errorf("%+v", e)
	}
	for _, again := range []conversation.Outcome{
		run(t, b, "read_file", map[string]any{"path": "a/b/c.txt"}),
		run(t, b, "create_file", map[string]any{"path": "a/new.txt", "content": "x"}),
		run(t, b, "modify_file", map[string]any{"path": "a/new.txt", "old": "x", "new": "y"}),
	} {
		if brought(again) != "" || strings.Contains(again.Text, "Instructions from") {
			t.Errorf("again: %s", again.Text)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a/more.md"), []byte("Changed."), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(t, b, "read_file", map[string]any{"path": "a/new.txt"}); brought(out) != "a/more.md" || !strings.Contains(out.Text, "Changed.") {
		t.Errorf("changed: %s", out.Text)
	}
}

func TestAResumedConversationKnowsItsInstructions(t *testing.T) {
	t.Parallel()
	first, _ := open(t, nestedFiles)
	out := run(t, first, "read_file", map[string]any{"path": "a/b/c.txt"})
	loaded := map[string]conversation.InstructionsLoaded{}
	for _, e := range out.Events {
		loaded[e.(conversation.InstructionsLoaded).Path] = e.(conversation.InstructionsLoaded)
	}
	for name, c := range map[string]struct {
		text   string
		stored bool
		want   string
	}{
		"sent in full":      {out.Text, true, ""},
		"not stored yet":    {"", false, ""},
		"masked":            {"[masked]", true, "a/AGENTS.md a/more.md a/b/CLAUDE.md"},
		"cut after the top": {out.Text[:strings.Index(out.Text, "More of a.")], true, "a/b/CLAUDE.md"},
	} {
		b, _ := open(t, nestedFiles, func(o *tools.Options) {
			o.Instructions, o.ResultNow = loaded, func(context.Context, string) (string, bool) { return c.text, c.stored }
		})
		if got := brought(run(t, b, "read_file", map[string]any{"path": "a/b/c.txt"})); got != c.want {
			t.Errorf("%s: brought %q", name, got)
		}
	}
}

func TestInstructionsStandBeforeAResultThatIsCut(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nestedFiles, func(o *tools.Options) { o.ResultChars = func() int { return 100 } })
	if out := run(t, b, "read_file", map[string]any{"path": "a/b/c.txt"}); !strings.HasPrefix(out.Text, "[Instructions from a/AGENTS.md,") || !strings.HasSuffix(out.Text, "1\ttext\n") {
		t.Errorf("%s", out.Text)
	}
}

func TestInstructionsThatAreReadOrDeniedAreLeftOut(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nestedFiles, with(permission.Config{Deny: []string{"read_file(a/b/CLAUDE.md)"}}))
	if out := run(t, b, "read_file", map[string]any{"path": "a/AGENTS.md"}); brought(out) != "a/more.md" {
		t.Errorf("the file itself: %s", brought(out))
	}
	if out := run(t, b, "read_file", map[string]any{"path": "a/b/c.txt"}); brought(out) != "a/AGENTS.md" {
		t.Errorf("denied: %s", brought(out))
	}
}

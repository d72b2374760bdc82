package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"plimsoll/config"

	"github.com/google/go-cmp/cmp"
)

const rule = `run_command(go test *)`

func TestAllowAddsWhereTheUserWouldHave(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ file, want string }{
		"no section": {
			"model: a/b # mine\n",
			"model: a/b # mine\n\npermissions:\n  allow:\n    - \"run_command(go test *)\"\n",
		},
		"only comments": {
			"# nothing yet\n",
			"# nothing yet\n\npermissions:\n  allow:\n    - \"run_command(go test *)\"\n",
		},
		"nothing": {
			"",
			"permissions:\n  allow:\n    - \"run_command(go test *)\"\n",
		},
		"a section without the list": {
			"permissions: # careful\n    # a mode\n    mode: plan\nmodel: a/b\n",
			"permissions: # careful\n    allow:\n      - \"run_command(go test *)\"\n    # a mode\n    mode: plan\nmodel: a/b\n",
		},
		"a section commented out": {
			"permissions:\n  # mode: plan\nmodel: a/b\n",
			"permissions:\n  allow:\n    - \"run_command(go test *)\"\n  # mode: plan\nmodel: a/b\n",
		},
		"the list of the example": {
			"permissions:\n  # Calls.\n  allow: [] # none\n  deny: [recall]\n",
			"permissions:\n  # Calls.\n  allow: # none\n    - \"run_command(go test *)\"\n  deny: [recall]\n",
		},
		"an empty list at the end": {
			"permissions:\n  allow: []",
			"permissions:\n  allow:\n    - \"run_command(go test *)\"",
		},
		"a list commented out": {
			"permissions:\n  allow:\n    # - recall\n  mode: plan\n",
			"permissions:\n  allow:\n    - \"run_command(go test *)\"\n    # - recall\n  mode: plan\n",
		},
		"lines": {
			"permissions:\n  allow:\n  # reading\n  - recall # harmless\n  - 'read_file(docs/**)'   \n\n  mode: plan\n",
			"permissions:\n  allow:\n  # reading\n  - recall # harmless\n  - 'read_file(docs/**)'   \n  - \"run_command(go test *)\"\n\n  mode: plan\n",
		},
		"lines, the last one long": {
			"permissions:\n  allow:\n    - >-\n      run_command(a\n      b)\n  mode: plan\n",
			"permissions:\n  allow:\n    - \"run_command(go test *)\"\n    - >-\n      run_command(a\n      b)\n  mode: plan\n",
		},
		"one line": {
			"permissions: {mode: plan, allow: [recall, \"read_file(ä, b)\"]} # all\n",
			"permissions: {mode: plan, allow: [recall, \"read_file(ä, b)\", \"run_command(go test *)\"]} # all\n",
		},
		"brackets over several lines": {
			"permissions:\n  allow: [\n    recall, # one\n    todo_read, # two\n  ]\n",
			"permissions:\n  allow: [\"run_command(go test *)\",\n    recall, # one\n    todo_read, # two\n  ]\n",
		},
		"braces without the list": {
			"permissions: {mode: plan}\n",
			"permissions: {allow: [\"run_command(go test *)\"], mode: plan}\n",
		},
		"empty braces": {
			"permissions: {}\nmodel: a/b\n",
			"permissions: {allow: [\"run_command(go test *)\"]}\nmodel: a/b\n",
		},
		"everything in braces": {
			"{model: a/b}\n",
			"{permissions: {allow: [\"run_command(go test *)\"]}, model: a/b}\n",
		},
		"a written null": {
			"permissions: ~ # none\n",
			"permissions: {allow: [\"run_command(go test *)\"]} # none\n",
		},
		"a marked document": {
			"---\nmodel: a/b\n...\n",
			"---\npermissions:\n  allow:\n    - \"run_command(go test *)\"\nmodel: a/b\n...\n",
		},
		"the line endings of Windows": {
			"\xef\xbb\xbfpermissions:\r\n  allow: []\r\nmodel: a/b\r\n",
			"\xef\xbb\xbfpermissions:\r\n  allow:\r\n    - \"run_command(go test *)\"\r\nmodel: a/b\r\n",
		},
		"a section inside another": {
			"compaction:\n  summary: {instructions: 'permissions:'}\npermissions:\n  allow: [recall]",
			"compaction:\n  summary: {instructions: 'permissions:'}\npermissions:\n  allow: [recall, \"run_command(go test *)\"]",
		},
		"there already": {
			"permissions: {allow: [recall, run_command(go test *)]}\n",
			"permissions: {allow: [recall, run_command(go test *)]}\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := write(t, t.TempDir(), "config.yaml", tt.file)
			if err := config.Allow(path, []string{rule}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, read(t, path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAllowWritesTheExampleSoThatItLoads(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "config.yaml", read(t, exampleFile))
	for _, r := range []string{rule, "recall"} {
		if err := config.Allow(path, []string{r}); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.Replace(read(t, exampleFile), "  allow: []\n", "  allow:\n    - \"run_command(go test *)\"\n    - \"recall\"\n", 1)
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAllowMakesTheFilePrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "config.yaml")
	if err := config.Allow(path, []string{rule, rule, "recall"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{rule, "recall"}, parse(t, read(t, path)).Permissions.Allow); diff != "" {
		t.Error(diff)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for at, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if st, err := os.Stat(at); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", at, st.Mode().Perm(), want, err)
		}
	}
}

func TestAllowKeepsLinkAndMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real := write(t, dir, "dotfiles/config.yaml", "model: a/b\n")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "config.yaml")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if err := config.Allow(link, []string{rule}); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(real)
	if err != nil || st.Mode().Perm() != 0o640 || len(parse(t, read(t, real)).Permissions.Allow) != 1 {
		t.Errorf("the linked file: %v, mode %v\n%s", err, st.Mode(), read(t, real))
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", st, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(real)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAllowLeavesFilesItCannotChange(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file string
		want error // nil = Problems
	}{
		"a problem elsewhere":   {"modle: a/b\n", nil},
		"not YAML":              {"permissions: [\n", nil},
		"an alias":              {"tools:\n  a: {identifiers: &l [x]}\npermissions:\n  allow: *l\n", config.ErrByHand},
		"a section from merges": {"<<: {permissions: {mode: plan}}\n", config.ErrByHand},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := write(t, dir, "config.yaml", tt.file)
			err := config.Allow(path, []string{rule})
			var problems config.Problems
			if tt.want != nil && !errors.Is(err, tt.want) || tt.want == nil && !errors.As(err, &problems) {
				t.Errorf("error %v", err)
			}
			if tt.want != nil && !strings.Contains(err.Error(), `"run_command(go test *)"`) {
				t.Errorf("the error does not say what to add: %v", err)
			}
			if left, _ := os.ReadDir(dir); read(t, path) != tt.file || len(left) != 1 {
				t.Errorf("the folder is not what it was: %v\n%s", left, read(t, path))
			}
		})
	}
}

func TestAllowRefusesWhatIsNoRule(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	for _, bad := range []string{"", "  \n", "run_command(\xff)"} {
		if err := config.Allow(path, []string{rule, bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if err := config.Allow(path, nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}

func TestAllowKeepsEveryCharacterOfARule(t *testing.T) {
	t.Parallel()
	rules := []string{
		"run_command(printf '%s\\n' \"a: b\" # c)", "run_command(a\nb\tc\r\n)", "run_command(\x00\x07\x7f\u0085\u200e\u202e\U0001f6a2)",
		"null", "true", "12", "- a", "*x", "&x", "!x", "{a: b}", "read_file(日本/**)",
	}
	for _, file := range []string{"model: a/b\n", "permissions: {allow: [recall]}\n"} {
		path := write(t, t.TempDir(), "config.yaml", file)
		if err := config.Allow(path, rules); err != nil {
			t.Fatal(err)
		}
		got := parse(t, read(t, path)).Permissions.Allow
		if diff := cmp.Diff(rules, slices.DeleteFunc(got, func(r string) bool { return r == "recall" })); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestAllowFromManyAtOnceLeavesAWholeFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	var wg sync.WaitGroup
	for _, r := range []string{"recall", "todo_read", "todo_write", "read_file"} {
		wg.Go(func() {
			if err := config.Allow(path, []string{r}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	parse(t, read(t, path)) // whole and valid, whoever came last
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// FuzzAllow checks that whatever the file holds, it is changed in permissions.allow only, or not at all.
func FuzzAllow(f *testing.F) {
	for _, seed := range []string{
		"permissions:\n  allow: [a]\n", "permissions: {allow: [] }", "a: &b\n  - c\n", "permissions:\n- a\n", "? permissions\n: allow:\n",
		"permissions:\n  allow:\n  - |\n    a\n\n", "{\"permissions\": {\"allow\": null}}", "model: |\n  a\n ", "\xef\xbb\xbf[]", "permissions: &p\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		path := write(t, dir, "config.yaml", text)
		before, problems := config.Parse(path, []byte(text))
		err := config.Allow(path, []string{rule})
		now := read(t, path)
		switch {
		case err != nil && now != text:
			t.Fatalf("%v, but the file changed:\n%s", err, now)
		case err != nil:
			return
		case problems != nil:
			t.Fatalf("a file with problems was changed:\n%s", now)
		}
		after := parse(t, now)
		if !slices.Contains(after.Permissions.Allow, rule) {
			t.Fatalf("the rule is missing:\n%s", now)
		}
		after.Permissions.Allow, before.Permissions.Allow = nil, nil
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatal(diff)
		}
	})
}

package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/config"
)

// edited is a file after a change, which is written to the disk on the way.
func edited(t *testing.T, text string, changes ...config.Change) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if text != "" {
		path = write(t, t.TempDir(), "config.yaml", text)
	}
	e, err := config.NewEdit(path, changes, nil)
	if err != nil {
		return "", err
	}
	if err := e.Write(); err != nil {
		t.Fatal(err)
	}
	return read(t, path), nil
}

func TestEditChangesNothingButTheKey(t *testing.T) {
	t.Parallel()
	ratio := config.Change{Key: "compaction.trigger_ratio", Value: "0.7"}
	for name, c := range map[string]struct {
		was, is string
		change  config.Change
	}{
		"no file":              {"", "compaction:\n  trigger_ratio: 0.7\n", ratio},
		"no end of line":       {"model: \"\"", "model: \"\"\ncompaction:\n  trigger_ratio: 0.7\n", ratio},
		"comments and order":   {"# mine\ncompaction:\n  keep_last: 4 # four\n  trigger_ratio: 0.8   # why\n\n# the end\nlog: {level: warn}\n", "# mine\ncompaction:\n  keep_last: 4 # four\n  trigger_ratio: 0.7   # why\n\n# the end\nlog: {level: warn}\n", ratio},
		"into a section":       {"compaction:\n    keep_last: 4\n    # last\nui:\n  mouse: false\n", "compaction:\n    keep_last: 4\n    trigger_ratio: 0.7\n    # last\nui:\n  mouse: false\n", ratio},
		"behind a #":           {"compaction:\n  # Profile.\n  #default_profile: default\n\n  # The load line.\n  #trigger_ratio: 0.85\n\nlog:\n", "compaction:\n  # Profile.\n  #default_profile: default\n\n  # The load line.\n  trigger_ratio: 0.7\n\nlog:\n", ratio},
		"deeper behind a #":    {"compaction:\n  #enabled: true\n  auto:\n    # x\n    #enabled: true\n  evict:\n    #target: auto\n", "compaction:\n  #enabled: true\n  auto:\n    # x\n    enabled: false\n  evict:\n    #target: auto\n", config.Change{Key: "compaction.auto.enabled", Value: "false"}},
		"an empty section":     {"compaction: # later\nlog:\n  level: warn\n", "compaction: # later\n  auto:\n    enabled: false\nlog:\n  level: warn\n", config.Change{Key: "compaction.auto.enabled", Value: "false"}},
		"braces":               {"ui: {theme: 'dark', mouse: true} # looks\n", "ui: {theme: 'dark', mouse: false} # looks\n", config.Change{Key: "ui.mouse", Value: "false"}},
		"into braces":          {"compaction: {auto: {min_turns: 2}}\n", "compaction: {auto: {min_turns: 2, enabled: false}}\n", config.Change{Key: "compaction.auto.enabled", Value: "false"}},
		"quotes":               {"ui:\n  \"theme\": \"dark\" # \"quoted\"\n", "ui:\n  \"theme\": light # \"quoted\"\n", config.Change{Key: "ui.theme", Value: "light"}},
		"a list in brackets":   {"permissions:\n  allow: [read_file, 'run_command(go test *)'] # ok\n", "permissions:\n  allow: [] # ok\n", config.Change{Key: "permissions.allow", Value: "[]"}},
		"a list below":         {"permissions:\n  allow: # mine\n    # tests\n    - read_file\n    - grep_files\n  mode: ask\n", "permissions:\n  allow: [\"run_command(go test *)\"] # mine\n  mode: ask\n", config.Change{Key: "permissions.allow", Value: `["run_command(go test *)"]`}},
		"a list at the margin": {"permissions:\n  deny:\n  - read_file\n  mode: ask\n", "permissions:\n  deny: []\n  mode: ask\n", config.Change{Key: "permissions.deny", Value: "[]"}},
		"a long text":          {"compaction:\n  summary:\n    instructions: |\n      a\n\n      # b\n      c\n    retries: 2\n", "compaction:\n  summary:\n    instructions: short\n    retries: 2\n", config.Change{Key: "compaction.summary.instructions", Value: "short"}},
		"a name with a dot":    {"providers:\n  #local:\n  #  wire: chat\n", "providers:\n  openai:\n    models:\n      \"gpt-5.6\":\n        effort: high\n  #local:\n  #  wire: chat\n", config.Change{Key: `providers.openai.models."gpt-5.6".effort`, Value: "high"}},
		"unset":                {"compaction:\n  keep_last: 4\n  # load\n  trigger_ratio: 0.8\nlog:\n  level: warn\n", "compaction:\n  keep_last: 4\n  # load\nlog:\n  level: warn\n", config.Change{Key: "compaction.trigger_ratio", Value: "0.85", Unset: true}},
		"unset what is not":    {"log:\n  level: warn\n", "log:\n  level: warn\n", config.Change{Key: "compaction.trigger_ratio", Value: "0.85", Unset: true}},
		"windows":              {"ui:\r\n  mouse: true # m\r\n", "ui:\r\n  mouse: false # m\r\n", config.Change{Key: "ui.mouse", Value: "false"}},
		"mixed line ends":      {"ui:\n  mouse: true\r\nlog:\r  level: warn\n", "ui:\n  mouse: false\r\nlog:\r  level: warn\n", config.Change{Key: "ui.mouse", Value: "false"}},
		"old line ends":        {"ui:\r  mouse: true\rlog:\r  level: warn", "ui:\r  mouse: true\rlog:\r  level: warn\rcompaction:\r  trigger_ratio: 0.7\r", ratio},
		"unset the last line":  {"\ufeffui:\n  theme: dark\r\n  mouse: true", "\ufeffui:\n  theme: dark\r\n", config.Change{Key: "ui.mouse", Value: "true", Unset: true}},
		"wide letters":         {"model: \"日本\" # 語\nui: {theme: dark} # 語\n", "model: \"日本\" # 語\nui: {theme: dark, mouse: false} # 語\n", config.Change{Key: "ui.mouse", Value: "false"}},
	} {
		if got, err := edited(t, c.was, c.change); err != nil || got != c.is {
			t.Errorf("%s: got\n%s\nwant\n%s\n%v", name, got, c.is, err)
		}
	}
}

// Whatever ends its lines has, an edit leaves every byte of the lines alone that it does not tell.
func TestEditKeepsLineEnds(t *testing.T) {
	t.Parallel()
	keys := []config.Change{{Key: "ui.mouse", Value: "false"}, {Key: "ui.theme", Value: "dark"}, {Key: "ui.mouse", Value: "true", Unset: true},
		{Key: "compaction.auto.enabled", Value: "false"}, {Key: "permissions.allow", Value: "[]"}, {Key: "log.level", Value: "warn"}}
	sections := []string{"ui:\n  mouse: true\n", "ui: {mouse: true}\n", "permissions:\n  allow:\n  - read_file\n  - grep_files\n", "compaction:\n  #keep_last: 0\n  auto:\n    min_turns: 2\n",
		"log:\n  level: info # x\n", "compaction:\n"}
	cut := regexp.MustCompile(`[^\r\n]*(\r\n|\r|\n)`)
	rapid.Check(t, func(r *rapid.T) {
		var text strings.Builder
		seen := map[string]bool{}
		for n, s := range rapid.SliceOfN(rapid.SampledFrom(sections), 1, 5).Draw(r, "sections") {
			if name, _, _ := strings.Cut(s, ":"); !seen[name] {
				seen[name] = true
				for i, line := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
					fmt.Fprint(&text, line, rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(r, "end"),
						"# ", n, ".", i, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(r, "end"))
				}
			}
		}
		path := write(t, t.TempDir(), "config.yaml", text.String())
		e, err := config.NewEdit(path, []config.Change{rapid.SampledFrom(keys).Draw(r, "key")}, nil)
		if err == nil {
			err = e.Write()
		}
		if err != nil {
			r.Fatal(err)
		}
		data := read(t, path)
		was, is := cut.FindAllString(text.String(), -1), cut.FindAllString(data, -1)
		for _, l := range slices.Backward(e.Lines) {
			if l.Added {
				is = slices.Delete(is, l.Number-1, l.Number)
			} else {
				was = slices.Delete(was, l.Number-1, l.Number)
			}
		}
		if !slices.Equal(was, is) {
			r.Errorf("other lines changed:\n%q\nis now\n%q", text.String(), data)
		}
	})
}

// Of writers at once exactly those whose change is in the file say that they wrote it.
func TestEditsAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	for range 60 {
		write(t, filepath.Dir(path), "config.yaml", "ui:\n  mouse: true\n")
		changes := []config.Change{{Key: "ui.mouse", Value: "false"}, {Key: "log.level", Value: "warn"}, {Key: "ui.theme", Value: "dark"}}
		errs := make([]error, len(changes))
		var start, done sync.WaitGroup
		start.Add(1)
		for i, c := range changes {
			e, err := config.NewEdit(path, []config.Change{c}, nil)
			if err != nil {
				t.Fatal(err)
			}
			done.Go(func() {
				start.Wait()
				errs[i] = e.Write()
			})
		}
		start.Done()
		done.Wait()
		written, ok := read(t, path), 0
		for i, c := range changes {
			if errs[i] == nil {
				ok++
			} else if !errors.Is(errs[i], config.ErrChanged) && !errors.Is(errs[i], config.ErrBusy) {
				t.Error(errs[i])
			}
			if in := strings.Contains(written, c.Value); in != (errs[i] == nil) {
				t.Errorf("%s: error %v, and the file is %q", c.Key, errs[i], written)
			}
		}
		if ok != 1 {
			t.Fatalf("%d of %d were written: %v", ok, len(changes), errs)
		}
	}
}

// The file that config init writes takes every key in the line where its default stands.
func TestEditTakesEveryKeyOfTheExample(t *testing.T) {
	t.Parallel()
	example := read(t, exampleFile)
	var set []config.Change
	for _, s := range load(t, config.LoadOptions{}).Settings() {
		set = append(set, config.Change{Key: s.Key, Value: s.Value})
	}
	out, err := edited(t, example, set...)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := strings.Count(example, "\n"), strings.Count(out, "\n"); a != b {
		t.Errorf("%d lines became %d: every default has its line in the example", a, b)
	}
	if diff := cmp.Diff(config.Default(), parse(t, out), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the values were not written as they are:\n%s", diff)
	}
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, says string
		change     config.Change
	}{
		"a file with a mistake": {"compaction:\n  triger_ratio: 0.7\n", "unknown key", config.Change{Key: "ui.mouse", Value: "false"}},
		"no YAML":               {"ui: [\n", "config.yaml", config.Change{Key: "ui.mouse", Value: "false"}},
		"a wrong value":         {"", "not a ratio", config.Change{Key: "compaction.trigger_ratio", Value: "85"}},
		"an unknown key":        {"", "unknown key", config.Change{Key: "compaction.triger_ratio", Value: "0.5"}},
		"lines that cross":      {"compaction:\n  hard_ratio: 0.8\n", "must be above", config.Change{Key: "compaction.trigger_ratio", Value: "0.9"}},
		"an alias":              {"tools:\n  read_file: {exempt: &yes true}\nui:\n  mouse: *yes\n", "by hand", config.Change{Key: "ui.mouse", Value: "false"}},
		"shared keys":           {"tools:\n  a: &a\n    exempt: true\n  b: *a\n", "by hand", config.Change{Key: "tools.b.exempt", Value: "false"}},
	} {
		if _, err := edited(t, c.text, c.change); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
}

func TestEditWritesOnlyWhatItWasMadeFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := write(t, dir, "real.yaml", "ui:\n  mouse: true\n"), filepath.Join(dir, "config.yaml")
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	e, err := config.NewEdit(link, []config.Change{{Key: "ui.mouse", Value: "false"}, {Key: "log.level", Value: "warn"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Line{{Number: 2, Text: "  mouse: true"}, {Number: 2, Added: true, Text: "  mouse: false"},
		{Number: 3, Added: true, Text: "log:"}, {Number: 4, Added: true, Text: "  level: warn"}}
	if !slices.Equal(e.Lines, want) {
		t.Errorf("lines %v, want %v", e.Lines, want)
	}
	write(t, dir, "real.yaml", "ui:\n  mouse: true # another\n")
	if err := e.Write(); !errors.Is(err, config.ErrChanged) {
		t.Errorf("error %v, want that the file was changed", err)
	}
	write(t, dir, "real.yaml", "ui:\n  mouse: true\n")
	write(t, dir, ".plimsoll-real.yaml", "left by a killed write, and longer than the file is")
	if err := e.Write(); err != nil {
		t.Fatal(err)
	}
	st, err := os.Lstat(link)
	if err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced (%v)", err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("the mode of the file changed (%v, %v)", st.Mode(), err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".plimsoll-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/config"
)

// saveAndRead saves settings and returns the settings file without its first line.
func saveAndRead(t *testing.T, user string, set map[string]string) string {
	t.Helper()
	path, err := config.SaveSettings(config.LoadOptions{File: user}, set)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v (%v)", st, err)
	}
	_, lines, _ := strings.Cut(read(t, path), "\n")
	return lines
}

func TestSavedSettingsWinOverTheUsersFile(t *testing.T) {
	t.Parallel()
	user := write(t, t.TempDir(), "mine.yaml", "ui: {mouse: false}\ncompaction: {keep_last: 5}\n")
	steps := []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"compaction.trigger_ratio": "0.6", "compaction.keep_last": "7", "ui.theme": "dark"}, "compaction:\n  keep_last: 7\n  trigger_ratio: 0.6\nui:\n  theme: dark\n"},
		{map[string]string{"compaction.keep_last": "5", "permissions.allow": `["run_command(go test *)"]`}, "compaction:\n  trigger_ratio: 0.6\npermissions:\n  allow:\n  - run_command(go test *)\nui:\n  theme: dark\n"},
		{map[string]string{"ui.theme": "auto", "permissions.allow": "[]", "ui.mouse": "true"}, "compaction:\n  trigger_ratio: 0.6\nui:\n  mouse: true\n"},
		{map[string]string{"compaction.preset": "jp", "compaction.trigger_ratio": "0.75", "ui.mouse": "false"}, "compaction:\n  preset: jp\n"}, // the preset has the same ratio
		{map[string]string{`providers.openai.models."gpt-5.6".effort`: "high", "compaction.preset": "plimsoll"}, "providers:\n  openai:\n    models:\n      gpt-5.6:\n        effort: high\n"},
	}
	for _, s := range steps {
		if got := saveAndRead(t, user, s.set); got != s.want {
			t.Errorf("with %v the file is\n%s\nwant\n%s", s.set, got, s.want)
		}
	}
	l := load(t, config.LoadOptions{File: user})
	o := l.Origins[`providers.openai.models."gpt-5.6".effort`]
	if o.Layer != config.LayerSettings || o.File != config.SettingsFile(user) || o.Line != 6 || filepath.Base(o.File) != "mine.settings.yaml" {
		t.Errorf("it comes from %+v", o)
	}
}

// Every value can be saved in the form in which Settings returns it, and is unchanged after loading.
func TestEverySettingCanBeSaved(t *testing.T) {
	t.Parallel()
	user, set := filepath.Join(t.TempDir(), "config.yaml"), map[string]string{}
	write(t, filepath.Dir(user), "config.yaml", "")
	for _, s := range load(t, config.LoadOptions{Overrides: []string{"compaction.preset=jp"}}).Settings() {
		set[s.Key] = s.Value
	}
	set["compaction.preset"] = "plimsoll" // so that every other value needs a line
	saveAndRead(t, user, set)
	for _, s := range load(t, config.LoadOptions{File: user}).Settings() {
		if s.Value != set[s.Key] {
			t.Errorf("%s is %s, want %s", s.Key, s.Value, set[s.Key])
		}
	}
}

func TestInvalidSettingsAreNotSaved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ user, own, key, value, says string }{
		"a file with a mistake":    {"compaction: {triger_ratio: 0.7}", "", "ui.mouse", "false", "unknown key"},
		"its own with a mistake":   {"", "ui: {mouze: false}", "ui.mouse", "false", "unknown key"},
		"a wrong value":            {"", "", "compaction.trigger_ratio", "85", "not a ratio"},
		"an unknown key":           {"", "", "compaction.triger_ratio", "0.5", "unknown key"},
		"lines of both that cross": {"compaction: {hard_ratio: 0.88}", "", "compaction.trigger_ratio", "0.9", "must be above"},
	} {
		dir := t.TempDir()
		user := write(t, dir, "c.yaml", c.user)
		write(t, dir, "c.settings.yaml", c.own)
		if _, err := config.SaveSettings(config.LoadOptions{File: user}, map[string]string{c.key: c.value}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.says)
		}
	}
}

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/cli/console"
	"plimsoll/cli/screen"
	"plimsoll/cli/setup"
	"plimsoll/tui"
)

// The chat asks once about a workspace's file. The answer is valid for that content only.
func TestTheChatAsksOnceAboutAWorkspacesFile(t *testing.T) {
	t.Parallel()
	for name, yes := range map[string]bool{"yes": true, "no": false} {
		home, dir, data := t.TempDir(), t.TempDir(), t.TempDir()
		env := map[string]string{"HOME": home, "PLIMSOLL_NO_PROBE": "1"}
		lookup := func(v string) (string, bool) { value, ok := env[v]; return value, ok }
		write := func(text string) {
			if err := os.WriteFile(filepath.Join(dir, ".plimsoll.yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		begin := func() (*screen.Host, func() error) {
			a := newApp(console.Env{Dir: dir, Lookup: lookup, Stderr: &strings.Builder{}}, setup.Flags{Data: data, Demo: true})
			if err := a.Settings.Configure(); err != nil {
				t.Fatal(err)
			}
			h := screen.NewHost(a.Agents, screen.ChatOptions{})
			return h, func() error { h.Close(); return a.Resources.Close() }
		}
		write("compaction: {default_profile: heavy}\nproviders: {x: {key_command: [evil]}}\n")
		h, end := begin()
		_, err := h.Open(t.Context())
		var question *tui.Consent
		if !errors.As(err, &question) || !strings.Contains(question.Question, "compaction.default_profile: heavy") ||
			!strings.Contains(question.Question, "keys: providers.x.key_command: it is passed over") {
			t.Fatalf("%s: no question: %v", name, err)
		}
		answer, want := question.Decline, "default"
		if yes {
			answer, want = question.Open, "heavy"
		}
		talk, err := answer(t.Context())
		if err != nil || talk.Profile != want {
			t.Errorf("%s: the profile is %q, %v; want %q", name, talk.Profile, err, want)
		}
		notes := strings.Join(talk.Notes, "\n")
		if strings.Count(notes, "never names the program") != 1 || strings.Contains(notes, "config trust") == yes {
			t.Errorf("%s: the notes are %s", name, notes)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		h, end = begin()
		if talk, err = h.Open(t.Context()); err != nil || talk.Profile != want {
			t.Errorf("%s, started again: the profile is %q, %v; want %q", name, talk.Profile, err, want)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		write("compaction: {default_profile: light}\n")
		h, end = begin()
		if _, err = h.Open(t.Context()); !errors.As(err, &question) {
			t.Errorf("%s: another content is not asked about: %v", name, err)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}

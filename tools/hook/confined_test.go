package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/tools/hook"
	"plimsoll/tools/sandbox"
	"plimsoll/tools/sandbox/proxy"
)

// A hook writes in the workspace and not elsewhere; one that failed for the sandbox says what to set.
func TestHooksAreConfined(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	workspace := filepath.Join(home, "ws")
	if err := os.Mkdir(workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(sandbox.Config{Workspace: workspace, Home: home, Network: sandbox.NetworkOff, Path: filepath.SplitList(os.Getenv("PATH"))})
	if !box.Active() {
		t.Skip("this system confines nothing")
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	hooks := []config.Hook{{Command: "echo x >in"}, {Command: "echo x >../out; exit 1"}}
	r := hook.New(hook.Options{Hooks: map[string][]config.Hook{conversation.HookTurnEnd: hooks}, Workspace: workspace, Environ: os.Environ(),
		Confine: func(config.Hook) (*sandbox.Program, error) { return box.Program("the hook's ", proxy.Options{}, false) }})
	ran := r.Run(t.Context(), conversation.HookInput{Moment: conversation.HookTurnEnd}).Ran
	if len(ran) != 2 || ran[0].Failed || !strings.Contains(ran[1].Reason, "kept it from opening "+home+"/out; the hook's sandbox: off lets it") {
		t.Errorf("%+v", ran)
	}
	if _, err := os.Stat(filepath.Join(home, "out")); err == nil {
		t.Error("a hook wrote outside")
	}
}

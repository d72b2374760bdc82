package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The load line moves while the user edits the setting. The change is stored in a file, and the next start reads it.
func TestSettingIsPreviewedStoredAndLoaded(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, project)
	term := p.start(defaultSize)
	term.awaitText("This is the demo model: not an AI.", "32.8k")
	term.slashCommand("/settings")
	term.awaitText("  Settings", "❯ Model", "Automatic compaction", " settings ›")
	term.press("tab")
	first := term.awaitText("  Settings · Compaction", "❯ Automatic compaction", "from     preset plimsoll")
	term.press("down", "down", "down", "down")
	term.awaitText("❯ Compacts at", "default  85%")
	term.press("enter", "ctrl+u")
	term.typeText("850")
	term.awaitText("such as 0.85 for 85%")
	term.press("ctrl+u")
	term.typeText("60")
	tried := term.awaitText("‹ 60% ›", "then ", "Load line 28k → 19.7k")
	if was, is := strings.Index(first.row(1), "▲"), strings.Index(tried.row(1), "▲"); is < 0 || is >= was {
		t.Errorf("the load line was at %d and is at %d:\n%s", was, is, tried.text)
	}
	term.press("esc")
	if s := term.awaitText("now ", " tokens, about 25,"); s.has("not kept") {
		t.Errorf("a rejected value changed something:\n%s", s.text)
	}
	term.press("enter", "ctrl+u")
	term.typeText("0.6")
	term.awaitText("then ", "Load line 28k → 19.7k")
	term.press("enter")
	term.awaitText("now ", "60% •", "this conversation", "1 change not kept")
	term.typeText("s")
	term.awaitText("kept in ", ", line 3")
	term.press("esc")
	term.awaitText("❯ Compaction")
	term.press("esc")
	term.awaitIdle("compacts at 19.7k")
	p.quit(term)

	path := filepath.Join(p.env["XDG_CONFIG_HOME"], "plimsoll", "config.settings.yaml")
	if text, err := os.ReadFile(path); !strings.HasSuffix(string(text), "\ncompaction:\n  trigger_ratio: 0.6\n") {
		t.Errorf("the file is %q (%v)", text, err)
	}
	term = p.start(defaultSize)
	term.awaitIdle("compacts at 19.7k")
	term.slashCommand("/settings")
	term.awaitText("❯ Model")
	term.press("down", "down", "down", "down", "down", "down", "down")
	if s := term.awaitText("❯ Compacts at", ", line 3"); s.has("not kept") {
		t.Errorf("a stored value counts as a change:\n%s", s.text)
	}
	term.typeText("q")
	term.awaitIdle()
	p.quit(term)
}

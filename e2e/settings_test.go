package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The load line moves while one changes it, the change is kept in a file, and the next
// start reads it.
func TestASettingIsTriedWrittenAndReadAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, project)
	term := p.start(usual)
	term.see("This is the demo model: not an AI.", "32.8k")
	term.command("/settings")
	first := term.see("  Settings", "❯ enabled", "from     preset plimsoll")
	term.key("down", "down", "down", "down")
	term.see("❯ trigger_ratio", "default  0.85")
	term.key("enter", "ctrl+u")
	term.typed("85")
	term.see("such as 0.85 for 85%")
	term.key("ctrl+u")
	term.typed("0.6")
	tried := term.see("‹ 0.6 ›", "then ", "Load line 28k → 19.7k", "▲60%")
	if was, is := strings.Index(first.row(1), "▲"), strings.Index(tried.row(1), "▲"); is < 0 || is >= was {
		t.Errorf("the load line stood at %d and stands at %d:\n%s", was, is, tried.text)
	}
	term.key("esc")
	if s := term.see("now ", "▲85%"); s.has("not kept") {
		t.Errorf("a value that was given up changed something:\n%s", s.text)
	}
	term.key("enter", "ctrl+u")
	term.typed("0.6")
	term.see("then ", "▲60%")
	term.key("enter")
	term.see("now ", "▲60%", "0.6 •", "this conversation", "1 change not kept")
	term.typed("s")
	term.see("kept in ", ", line 3")
	term.typed("q")
	term.idle("▲60%")
	p.quits(term)

	path := filepath.Join(p.env["XDG_CONFIG_HOME"], "plimsoll", "config.settings.yaml")
	if text, err := os.ReadFile(path); !strings.HasSuffix(string(text), "\ncompaction:\n  trigger_ratio: 0.6\n") {
		t.Errorf("the file is %q (%v)", text, err)
	}
	term = p.start(usual)
	term.idle("▲60%")
	term.command("/settings")
	term.see("❯ enabled")
	term.key("down", "down", "down", "down")
	if s := term.see("❯ trigger_ratio", ", line 3"); s.has("not kept") {
		t.Errorf("what was written counts as a change:\n%s", s.text)
	}
	term.typed("q")
	term.idle()
	p.quits(term)
}

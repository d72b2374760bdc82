package tui_test

import (
	"testing"

	"plimsoll/tui"
	"plimsoll/tui/composer"
)

func TestCommandsAreFoundWhateverTheirCase(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.write("/COMP")
		r.has("/compact")
		r.press("ctrl+c")
		r.calls = nil
		r.enter("/New")
		r.did("new")
		r.enter("/CLEAR") // another name of it
		r.did("new")
	})
}

func TestASuggestionIsNear(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"init": "", "quti": "quit", "exti": "exit", "mcp": "", "Sned": "send", "contxet": "context"} {
		if got := composer.Nearest(word, []string{"quit", "exit", "context", "send", "rename"}); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if _, err := tui.DefaultKeyMap().Rebind(map[string][]string{"sned": {"enter"}}); err == nil || len(err.Error()) > 80 {
		t.Errorf("an unknown action says: %v", err)
	}
}

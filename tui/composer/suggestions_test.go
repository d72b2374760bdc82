package composer_test

import (
	"strings"
	"testing"

	"plimsoll/tui/composer"
	"plimsoll/tui/pane"
)

func TestSuggestions(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.Suggest("Next: try", []string{"one", "/quit"})
	if view := strip(m.View()); !strings.Contains(view, "Next: try") {
		t.Errorf("the placeholder is not shown:\n%s", view)
	}
	for _, want := range []string{"one", "/quit", "one"} {
		press(t, m, "tab")
		wantDraft(t, m, want)
	}
	press(t, m, "ctrl+_")
	wantDraft(t, m, "/quit")
	m.Clear()
	for draft, want := range map[string]pane.Action{
		"1": composer.Submit{Text: "one"}, "2": composer.Command{Name: "quit", Line: "/quit"}, " 2": composer.Submit{Text: " 2"}, "3": composer.Submit{Text: "3"},
		"0": composer.Submit{Text: "0"}, "12": composer.Submit{Text: "12"}, "1 2": composer.Submit{Text: "1 2"},
	} {
		write(m, draft)
		wantDraft(t, m, draft)
		wantAction(t, press(t, m, "enter"), want)
		wantDraft(t, m, "")
	}
}

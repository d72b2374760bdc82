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

// Where there is one suggestion only, and while a turn runs, nothing is chosen.
func TestSuggestionsTakeNothing(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.Suggest("Next: one", []string{"one"})
	write(m, "1")
	wantAction(t, press(t, m, "enter"), composer.Submit{Text: "1"})
	m.SetBusy(true)
	press(t, m, "tab")
	wantDraft(t, m, "")
	m.SetBusy(false)
	write(m, "on")
	wantAction(t, press(t, m, "tab"), pane.Ignored{})
	wantDraft(t, m, "on")
	m.Clear()
	m.Suggest("", nil)
	wantAction(t, press(t, m, "tab"), pane.Ignored{})
}

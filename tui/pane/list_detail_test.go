package pane_test

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

// lines are rows of one line.
type lines int

func (n lines) Len() int { return int(n) }

func (n lines) Lines(row int, selected bool, _ int) []string {
	if selected {
		return []string{fmt.Sprintf("❯ %d", row)}
	}
	return []string{fmt.Sprintf("  %d", row)}
}

func TestAPanelLeavesTheCursorVisible(t *testing.T) {
	t.Parallel()
	var s pane.ListDetail
	var panel []string
	shown := func() pane.Content {
		return pane.Content{Frame: pane.Frame{Title: "Rows"}, Keys: pane.ListDetailKeys{Moves: pane.DefaultMoves()}, Rows: lines(20), Panel: panel}
	}
	open := []pane.Command{{On: key.NewBinding(key.WithKeys("x")), Do: func() pane.Action { panel = []string{"────", "one", "two", "three"}; return nil }}}
	s.SetSize(20, 12)
	s.Update(tuitest.Key("pgdown"), shown, open)
	s.Update(tuitest.Key("pgdown"), shown, open)
	s.Update(tuitest.Key("x"), shown, open)
	view := s.View(pane.Styles{}, shown())
	if n := strings.Count(view, "\n") + 1; n != 12 || !strings.Contains(view, "❯") || !strings.Contains(view, "three") {
		t.Errorf("%d lines:\n%s", n, view)
	}
	if action := s.Update(tea.FocusMsg{}, shown, nil); action != (pane.Ignored{}) {
		t.Errorf("a message that means nothing gives %v", action)
	}
}

// The key that closes the list of keys returns to the page, and closes that next.
func TestTheListOfKeysReplacesThePage(t *testing.T) {
	t.Parallel()
	var s pane.ListDetail
	keys := pane.ListDetailKeys{Help: key.NewBinding(key.WithKeys("x")), Close: key.NewBinding(key.WithKeys("home")), Moves: pane.DefaultMoves()}
	shown := func() pane.Content { return pane.Content{Keys: keys, Body: make([]string, 20)} }
	s.SetSize(20, 12)
	for i, step := range []struct {
		name    string
		action  pane.Action
		helping bool
	}{{"down", nil, false}, {"x", nil, true}, {"x", nil, false}, {"x", nil, true}, {"home", nil, false}, {"home", pane.Closed{}, false}} {
		if action := s.Update(tuitest.Key(step.name), shown, nil); action != step.action || s.Helping() != step.helping {
			t.Errorf("step %d, %s: %v, keys shown %v", i, step.name, action, s.Helping())
		}
	}
	if action := s.Update(tea.FocusMsg{}, shown, nil); action != (pane.Ignored{}) {
		t.Errorf("a message that means nothing gives %v", action)
	}
}

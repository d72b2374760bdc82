package tui_test

import (
	"slices"
	"testing"

	"charm.land/bubbles/v2/key"

	"plimsoll/tui"
)

func TestEveryKeyCanBeRebound(t *testing.T) {
	t.Parallel()
	for _, action := range tui.Actions() {
		k, err := tui.DefaultKeyMap().Rebind(map[string][]string{action: {"f9"}})
		if err != nil {
			t.Errorf("%s: %v", action, err)
			continue
		}
		if n := bound(k, "f9"); n != 1 {
			t.Errorf("%s: %d bindings took the key, want 1", action, n)
		}
	}
}

func TestActionsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	names := tui.Actions()
	if got := len(slices.Compact(slices.Clone(names))); got != len(names) {
		t.Errorf("%d names for %d actions", got, len(names))
	}
	if bindings := all(tui.DefaultKeyMap()); len(bindings) != len(names) {
		t.Errorf("%d bindings, %d actions that can be rebound", len(bindings), len(names))
	}
}

func TestAnUnboundKeyLeavesTheHelp(t *testing.T) {
	t.Parallel()
	k, err := tui.DefaultKeyMap().Rebind(map[string][]string{"suspend": {}})
	if err != nil {
		t.Fatal(err)
	}
	if k.Screen.Suspend.Enabled() {
		t.Error("an unbound key is still on")
	}
	if _, err := k.Rebind(map[string][]string{"suspnd": {"f1"}}); err == nil {
		t.Error("an unknown action was accepted")
	}
}

// all is every binding of the program.
func all(k tui.KeyMap) []key.Binding {
	w, e := k.Composer.Writing, k.Composer.Editing
	m, a, l := k.Dialogs.Moves, k.Dialogs.Answers, k.Dialogs.Line
	return slices.Concat(k.Screen.Bindings(),
		[]key.Binding{w.Send, w.Newline, w.Complete, w.Help, w.Editor, w.Older, w.Newer, w.Search, w.Leave},
		[]key.Binding{e.Left, e.Right, e.WordLeft, e.WordRight, e.LineStart, e.LineEnd, e.TextStart, e.TextEnd, e.Backspace,
			e.Delete, e.CutWordLeft, e.CutWordRight, e.CutToStart, e.CutToEnd},
		[]key.Binding{m.Up, m.Down, m.PageUp, m.PageDown, m.Top, m.Bottom, m.Next, m.Previous},
		[]key.Binding{a.Accept, a.Close, a.Once, a.Conversation, a.Always, a.No, a.Yes},
		[]key.Binding{l.Left, l.Right, l.Start, l.End, l.Backspace, l.Delete, l.CutWord, l.CutToStart, l.CutToEnd})
}

func bound(k tui.KeyMap, name string) int {
	n := 0
	for _, b := range all(k) {
		if slices.Equal(b.Keys(), []string{name}) {
			n++
		}
	}
	return n
}

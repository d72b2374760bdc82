package tui_test

import (
	"reflect"
	"slices"
	"testing"

	"charm.land/bubbles/v2/key"

	"plimsoll/tui"
	"plimsoll/tui/tuitest"
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
func all(k tui.KeyMap) []key.Binding { return bindings(reflect.ValueOf(k)) }

func bindings(v reflect.Value) []key.Binding {
	var out []key.Binding
	for i := range v.NumField() {
		if b, ok := v.Field(i).Interface().(key.Binding); ok {
			out = append(out, b)
			continue
		}
		out = append(out, bindings(v.Field(i))...)
	}
	return out
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

// Each key that is bound is one that tests can press, and has that name.
func TestKeysHaveTheirNames(t *testing.T) {
	t.Parallel()
	for _, b := range all(tui.DefaultKeyMap()) {
		for _, name := range b.Keys() {
			if k := tuitest.Key(name); k.String() != name {
				t.Errorf("%q is the key %q", name, k.String())
			}
		}
	}
}

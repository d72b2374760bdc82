package tui_test

import (
	"reflect"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"plimsoll/tui"
	"plimsoll/tui/tuitest"
)

func TestEveryKeyCanBeRebound(t *testing.T) {
	t.Parallel()
	to := map[string][]string{}
	for _, action := range tui.Actions() {
		if to[action] != nil {
			t.Errorf("two actions have the name %s", action)
		}
		to[action] = []string{"the key of " + action}
	}
	k, err := tui.DefaultKeyMap().Rebind(to)
	if err != nil {
		t.Fatal(err)
	}
	editing := map[string]bool{}
	for _, b := range bindings(reflect.ValueOf(k.Composer.Editing.Keys)) {
		editing[b.Keys()[0]] = true
	}
	fixed, took := 0, map[string]int{}
	for _, b := range allBindings(k) {
		took[b.Keys()[0]]++
		if to[strings.TrimPrefix(b.Keys()[0], "the key of ")] == nil {
			fixed++
		}
	}
	// Keys that move between lines of a text or start a new line cannot be unbound.
	if most := 5 * 3; fixed > most {
		t.Errorf("%d bindings cannot be rebound, at most %d may", fixed, most)
	}
	for action, key := range to {
		if n := took[key[0]]; n != 1 && !editing[key[0]] {
			t.Errorf("%s: %d bindings took the key, want 1", action, n)
		}
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

func allBindings(k tui.KeyMap) []key.Binding { return bindings(reflect.ValueOf(k)) }

func bindings(v reflect.Value) []key.Binding {
	var out []key.Binding
	for i := range v.NumField() {
		switch b, ok := v.Field(i).Interface().(key.Binding); {
		case !ok:
			out = append(out, bindings(v.Field(i))...)
		case len(b.Keys()) > 0:
			out = append(out, b)
		}
	}
	return out
}

// Tests can press each bound key by its name.
func TestKeysHaveTheirNames(t *testing.T) {
	t.Parallel()
	for _, b := range allBindings(tui.DefaultKeyMap()) {
		for _, name := range b.Keys() {
			if k := tuitest.Key(name); k.String() != name {
				t.Errorf("%q is the key %q", name, k.String())
			}
		}
	}
}

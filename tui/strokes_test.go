package tui_test

import (
	"testing"

	"plimsoll/tui"
	"plimsoll/tui/tuitest"
)

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

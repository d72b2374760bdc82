package overlay_test

import (
	"testing"

	"charm.land/bubbles/v2/key"
	"github.com/google/go-cmp/cmp"

	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

func TestKeyGroupLeavesOutWhatIsOff(t *testing.T) {
	t.Parallel()
	off := key.NewBinding(key.WithKeys("x"), key.WithHelp("x", "off"), key.WithDisabled())
	on := key.NewBinding(key.WithKeys("y"), key.WithHelp("y", "on"))
	got := overlay.KeyGroup("Keys", off, on, key.NewBinding(key.WithKeys("z")))
	if diff := cmp.Diff(overlay.Group{Title: "Keys", Entries: []overlay.Entry{{Name: "y", What: "on"}}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRemoveTakesADialogFromAnywhere(t *testing.T) {
	t.Parallel()
	first, second := overlay.NewText("1", "First", "a"), overlay.NewText("2", "Second", "b")
	s := open(80, 24, first)
	s.Push(second, start)
	s.Remove(first, start)
	if s.Len() != 1 || s.Top() != overlay.Dialog(second) {
		t.Error("the wrong dialog is gone")
	}
	s.Remove(second, start)
	s.Pop(start)
	if s.Top() != nil {
		t.Error("not empty")
	}
	want(t, press(s, "y"), pane.Ignored{})
}

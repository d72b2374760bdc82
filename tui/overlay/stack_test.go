package overlay_test

import (
	"testing"

	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

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

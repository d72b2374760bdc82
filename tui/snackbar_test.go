package tui

import "testing"

func TestASnackbarIsShownOnlyInItsView(t *testing.T) {
	t.Parallel()
	var s snackbar
	view := keyTarget{view: &searchView{}}
	s.show("one", false)
	s.bindTo(view)
	old := s.seq
	if s.textAt(view) != "one" || s.textAt(keyTarget{}) != "" {
		t.Errorf("%q there, %q elsewhere", s.textAt(view), s.textAt(keyTarget{}))
	}
	s.show("two", true)
	s.hide(old)
	if s.bindTo(keyTarget{}); s.textAt(keyTarget{}) != "two" {
		t.Errorf("an old timer ended the newest: %q", s.textAt(keyTarget{}))
	}
}

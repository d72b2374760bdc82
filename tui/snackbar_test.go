package tui

import "testing"

func TestASnackbarStandsOnlyWhereItWasShown(t *testing.T) {
	t.Parallel()
	var s snackbar
	view := sight{view: &searchView{}}
	s.show("one", false)
	s.place(view)
	old := s.seq
	if s.textAt(view) != "one" || s.textAt(sight{}) != "" {
		t.Errorf("%q there, %q elsewhere", s.textAt(view), s.textAt(sight{}))
	}
	s.show("two", true)
	s.over(old)
	if s.place(sight{}); s.textAt(sight{}) != "two" {
		t.Errorf("an old timer ended the newest: %q", s.textAt(sight{}))
	}
}

package pane_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

func TestInsertedRowsDoNotMoveTheScreen(t *testing.T) {
	t.Parallel()
	var l pane.List
	l.SetSize(10, 3)
	h := heights{tall: []int{1, 2, 3, 2, 1}}
	l.Select(h, 2)
	before := l.View(h)
	l.Shift(2)
	grown := heights{tall: append([]int{5, 7}, h.tall...)}
	after := l.View(grown)
	if diff := cmp.Diff([]string{"4/0<", "4/1<", "4/2<"}, after); diff != "" || before[0] != "2/0<" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestPagingStaysAtTheEndOfAHighLastRow(t *testing.T) {
	t.Parallel()
	var l pane.List
	l.SetSize(10, 3)
	h := heights{tall: []int{1, 8}}
	for range 9 {
		l.Update(h, tuitest.Key("pgdown"), pane.DefaultMoves(), 0)
	}
	if diff := cmp.Diff([]string{"1/5<", "1/6<", "1/7<"}, l.View(h)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

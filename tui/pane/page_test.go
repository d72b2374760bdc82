package pane_test

import (
	"strconv"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

func TestAPageScrollsNoFurtherThanItsEnds(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 10 {
		lines = append(lines, strconv.Itoa(i))
	}
	var p pane.Page
	const height = 4
	for _, c := range []struct {
		msg   tea.Msg
		first string
		where string
	}{
		{tuitest.Key("up"), "0", "1–4 of 10"},
		{tuitest.Key("down"), "1", "2–5 of 10"},
		{tuitest.Key("pgdown"), "4", "5–8 of 10"},
		{tuitest.Key("pgdown"), "6", "7–10 of 10"},
		{tea.MouseWheelMsg{Button: tea.MouseWheelDown}, "6", "7–10 of 10"},
		{tea.MouseWheelMsg{Button: tea.MouseWheelUp}, "3", "4–7 of 10"},
		{tuitest.Key("end"), "6", "7–10 of 10"},
		{tuitest.Key("home"), "0", "1–4 of 10"},
	} {
		if !p.Update(c.msg, pane.DefaultMoves(), len(lines), height) {
			t.Errorf("%v is not for the page", c.msg)
		}
		if shown, where := p.View(lines, height); shown[0] != c.first || where != c.where {
			t.Errorf("after %v the page begins with %q and says %q, want %q and %q", c.msg, shown[0], where, c.first, c.where)
		}
	}
	if p.Update(tuitest.Key("x"), pane.DefaultMoves(), len(lines), height) {
		t.Error("a key that moves nothing is for the page")
	}
	if _, where := p.View(lines[:height], height); where != "" {
		t.Errorf("a page that is in sight as a whole says %q", where)
	}
}

func TestTheListOfKeysAlignsGroupsAndSkipsDisabledKeys(t *testing.T) {
	t.Parallel()
	bind := func(name, what string) key.Binding {
		return key.NewBinding(key.WithKeys(name), key.WithHelp(name, what))
	}
	off := bind("o", "nothing")
	off.SetEnabled(false)
	got := pane.Styles{}.KeyList(18, struct{ A, Off key.Binding }{bind("a", "one two three four"), off}, struct{ Close key.Binding }{bind("esc", "close")})
	want := []string{"a    one two three", "     four", "", "esc  close"}
	for i := range got {
		got[i] = strings.TrimRight(got[i], " ")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

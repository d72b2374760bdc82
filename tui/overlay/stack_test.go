package overlay_test

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
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

func TestDialogIsAsWideAsWhatItShows(t *testing.T) {
	t.Parallel()
	breadth := func(screen int, d overlay.Dialog) int {
		return ansi.StringWidth(strings.Split(open(screen, 40, d).View(), "\n")[0])
	}
	long := strings.Repeat("a long sentence ", 20)
	short := breadth(120, overlay.NewText("x", "Title", "a short text"))
	if wider := breadth(120, overlay.NewText("x", "Title", "a text that is somewhat longer than the other one")); short >= wider {
		t.Errorf("%d cells for a short text, %d for a longer one", short, wider)
	}
	if got := breadth(200, overlay.NewText("x", "Title", long)); got > 100 {
		t.Errorf("%d cells on a wide screen, want 100 at most", got)
	}
	if got := breadth(40, overlay.NewText("x", "Title", long)); got != 40 {
		t.Errorf("%d cells on a narrow screen, want all of it", got)
	}
	items := []overlay.Item{{ID: "a", Title: "one"}, {ID: "b", Title: "another with a much longer title, which the filter leaves out"}}
	s := open(120, 40, overlay.NewPicker(overlay.PickerOptions{ID: "x", Items: items}))
	before := strings.Split(s.View(), "\n")[0]
	if press(s, "o", "n", "e"); strings.Split(s.View(), "\n")[0] != before {
		t.Error("the box gets narrower while one types")
	}
}

func TestScreenBehindADialogIsQuiet(t *testing.T) {
	t.Parallel()
	s := open(80, 24, overlay.NewText("x", "Title", "a text"))
	styles := overlay.DefaultStyles()
	styles.Behind = lipgloss.NewStyle().Faint(true)
	s.SetStyles(styles)
	over := func(word string) []string {
		return strings.Split(s.Over("\x1b[1;31mred\x1b[m and \x1b[44mblue "+word+"\x1b[m\n"+strings.Repeat("\n", 22)), "\n")
	}
	if want := "\x1b[2mred and blue one\x1b[m"; over("one")[0] != want {
		t.Errorf("%q, want %q", over("one")[0], want)
	}
	if want := "\x1b[2mred and blue two\x1b[m"; over("two")[0] != want {
		t.Errorf("after a change %q, want %q", over("two")[0], want)
	}
	styles.Behind = lipgloss.NewStyle().Italic(true)
	s.SetStyles(styles)
	if got := over("two")[0]; !strings.HasPrefix(got, "\x1b[3m") {
		t.Errorf("%q has the looks of before", got)
	}
}

// Without their colors the parts of a gauge meet in no gap.
func TestDimmedGaugeIsOneBar(t *testing.T) {
	t.Parallel()
	s := open(60, 16, overlay.NewText("1", "First", "a"))
	styles := overlay.DefaultStyles()
	styles.Behind = lipgloss.NewStyle().Faint(true)
	s.SetStyles(styles)
	screen := s.Over("▕▍███▋█▍██▊┄┄┄▏" + strings.Repeat("\n", 15))
	if got, _, _ := strings.Cut(ansi.Strip(screen), "\n"); !strings.HasPrefix(got, "▕█████████▊┄┄┄▏") {
		t.Errorf("the gauge became %q", got)
	}
}

func TestADiffTakesOnOtherStyles(t *testing.T) {
	t.Parallel()
	review := conversation.Review{Title: "modify_file x", Diff: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+" + strings.Repeat("new ", 40) + "\n"}
	red := overlay.DefaultStyles()
	red.Diff.AddedRow = lipgloss.NewStyle().Background(lipgloss.Color("#ff0000"))
	s := open(40, 24, overlay.NewApprove("x", review))
	s.SetStyles(red)
	if view := s.View(); !strings.Contains(view, "48;2;255;0;0") {
		t.Errorf("it is drawn in the styles before:\n%q", view)
	}
}

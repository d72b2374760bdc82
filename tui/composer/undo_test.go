package composer_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"plimsoll/tui/composer"
)

func TestUndoAndRedo(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of a log\n", 200)
	for name, c := range map[string]struct {
		does func(m *composer.Model)
		undo int
		want string // after so many undos
		all  string // after as many redos
	}{
		"a word":        {func(m *composer.Model) { write(m, "one two") }, 1, "one ", "one two"},
		"two words":     {func(m *composer.Model) { write(m, "one two") }, 2, "", "one two"},
		"more than all": {func(m *composer.Model) { write(m, "one two") }, 9, "", "one two"},
		"deletions":     {func(m *composer.Model) { write(m, "one"); press(t, m, "backspace", "backspace") }, 1, "one", "o"},
		"a cut":         {func(m *composer.Model) { write(m, "one two"); press(t, m, "ctrl+w") }, 1, "one two", "one "},
		"a clear":       {func(m *composer.Model) { write(m, "one"); m.Clear() }, 1, "one", ""},
		"a paste":       {func(m *composer.Model) { write(m, "one "); m.Update(tea.PasteMsg{Content: long}) }, 1, "one ", "one " + long},
		"a lost paste":  {func(m *composer.Model) { m.Update(tea.PasteMsg{Content: long}); press(t, m, "backspace") }, 1, long, ""},
		"the editor":    {func(m *composer.Model) { write(m, "one"); m.SetText("outside") }, 1, "one", "outside"},
		"what came":     {func(m *composer.Model) { write(m, "one"); m.Prepend("queued") }, 1, "one", "queued\n\none"},
		"a completion":  {func(m *composer.Model) { write(m, "/comp"); press(t, m, "tab") }, 1, "/comp", "/compact "},
		"sent":          {func(m *composer.Model) { write(m, "one"); press(t, m, "enter") }, 1, "", ""},
		"a new line":    {func(m *composer.Model) { write(m, "one"); press(t, m, "ctrl+j") }, 1, "one", "one\n"},
	} {
		m := newModel(t)
		c.does(m)
		for range c.undo {
			press(t, m, "ctrl+_")
		}
		t.Run(name, func(t *testing.T) { wantDraft(t, m, c.want) })
		for range c.undo {
			press(t, m, "alt+r")
		}
		t.Run(name+" again", func(t *testing.T) { wantDraft(t, m, c.all) })
	}
}

// After any edits, undoing all of them keeps the size correct at each step, and redoing all of them restores the draft.
func TestUndoAllAndRedoAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		m := newModel(t)
		steps := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", " ", "漢", "left", "alt+left", "ctrl+w", "ctrl+u", "ctrl+k", "ctrl+y",
			"backspace", "delete", "ctrl+j", "paste", "up", "down", "home", "ctrl+_", "alt+r"}), 1, 40).Draw(r, "steps")
		for _, s := range steps {
			switch {
			case s == "paste":
				m.Update(tea.PasteMsg{Content: strings.Repeat("log\n", 150)})
			case utf8.RuneCountInString(s) == 1:
				write(m, s)
			default:
				press(t, m, s)
			}
		}
		want, shown := m.Draft(), m.View()
		n := 0
		for ; n < 60; n++ {
			press(t, m, "ctrl+_")
		}
		for range n {
			press(t, m, "alt+r")
		}
		for range 60 { // steps that were undone before the end are ahead, too
			if m.Draft() == want {
				break
			}
			press(t, m, "ctrl+_")
		}
		if m.Draft() != want {
			r.Fatalf("the draft was %q, and is %q (%q)", want, m.Draft(), shown)
		}
	})
}

func TestOtherChangesSeparateCuts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does func(m *composer.Model)
		want string
	}{
		"a yank between cuts":  {func(m *composer.Model) { press(t, m, "ctrl+w", "ctrl+y", "ctrl+w", "ctrl+y") }, "abcone two "},
		"a click between cuts": {func(m *composer.Model) { press(t, m, "ctrl+w"); click(m, 2, 1, 1); press(t, m, "ctrl+k", "ctrl+y") }, "abcone "},
	} {
		m := newModel(t)
		write(m, "one two ")
		press(t, m, "ctrl+u")
		write(m, "abc")
		press(t, m, "ctrl+y")
		t.Run(name, func(t *testing.T) {
			c.does(m)
			wantDraft(t, m, c.want)
		})
	}
}

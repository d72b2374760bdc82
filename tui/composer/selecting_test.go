package composer_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/composer"
)

var clickCount atomic.Int64

// nextClickTime returns a time long after every other click.
func nextClickTime() time.Time { return time.Unix(60*clickCount.Add(1), 0) }

// click clicks a cell a number of times, and reports whether the cell is part of the text.
func click(m *composer.Model, x, y, times int) bool {
	return clickAt(m, x, y, times, nextClickTime())
}

func clickAt(m *composer.Model, x, y, times int, now time.Time) bool {
	hit := false
	for range times {
		hit = m.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft}, x, y, now)
		m.Mouse(tea.MouseReleaseMsg{Button: tea.MouseLeft}, x, y, now)
	}
	return hit
}

// drag clicks a cell a number of times, and drags to another cell before the last release.
func drag(m *composer.Model, times, x, y, toX, toY int) {
	now := nextClickTime()
	for i := range times {
		m.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft}, x, y, now)
		if i < times-1 {
			m.Mouse(tea.MouseReleaseMsg{Button: tea.MouseLeft}, x, y, now)
		}
	}
	m.Mouse(tea.MouseMotionMsg{Button: tea.MouseLeft}, toX, toY, now)
	m.Mouse(tea.MouseReleaseMsg{Button: tea.MouseLeft}, toX, toY, now)
	m.Mouse(tea.MouseMotionMsg{}, 0, 0, now) // the button is up
}

func takeSelection(t *testing.T, m *composer.Model) string {
	t.Helper()
	copied, _ := press(t, m, "ctrl+c").(composer.Copied)
	return copied.Text
}

func TestAClickMovesTheCursor(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.SetText("one two\n漢字 three\nfour")
	for name, c := range map[string]struct {
		x, y int
		want string
	}{
		"within a word":       {4, 1, "on|e two\n漢字 three\nfour"},
		"after a line":        {60, 1, "one two|\n漢字 three\nfour"},
		"before a line":       {0, 2, "one two\n|漢字 three\nfour"},
		"within a wide glyph": {5, 2, "one two\n漢|字 three\nfour"},
		"the last line":       {2, 3, "one two\n漢字 three\n|four"},
	} {
		if !click(m, c.x, c.y, 1) {
			t.Errorf("%s: the click is outside the text", name)
		}
		write(m, "|")
		t.Run(name, func(t *testing.T) { wantDraft(t, m, c.want) })
		press(t, m, "backspace")
	}
	for _, y := range []int{-1, 0, 4, 9} {
		if click(m, 3, y, 1) {
			t.Errorf("line %d has text", y)
		}
	}
}

func TestTheMouseSelects(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of a log\n", 200)
	for name, c := range map[string]struct {
		act  func(m *composer.Model)
		want string
	}{
		"a click":                 {func(m *composer.Model) { click(m, 4, 1, 1) }, ""},
		"a drag":                  {func(m *composer.Model) { drag(m, 1, 2, 1, 5, 1) }, "one"},
		"a drag back":             {func(m *composer.Model) { drag(m, 1, 5, 1, 2, 1) }, "one"},
		"over lines":              {func(m *composer.Model) { drag(m, 1, 12, 1, 6, 2) }, "go\n漢字"},
		"beyond the text":         {func(m *composer.Model) { drag(m, 1, 6, 2, 70, 20) }, " three\nfour"},
		"above the text":          {func(m *composer.Model) { drag(m, 1, 5, 1, 1, -9) }, "one"},
		"a double click":          {func(m *composer.Model) { click(m, 3, 1, 2) }, "one"},
		"on a path, of letters":   {func(m *composer.Model) { click(m, 7, 1, 2) }, "two"},
		"on its marks":            {func(m *composer.Model) { click(m, 9, 1, 2) }, "/"},
		"on blanks":               {func(m *composer.Model) { click(m, 5, 1, 2) }, " "},
		"after the last word":     {func(m *composer.Model) { click(m, 60, 3, 2) }, "four"},
		"on wide characters":      {func(m *composer.Model) { click(m, 3, 2, 2) }, "漢字"},
		"a drag by words":         {func(m *composer.Model) { drag(m, 2, 3, 1, 8, 1) }, "one two"},
		"back by words":           {func(m *composer.Model) { drag(m, 2, 8, 1, 3, 1) }, "one two"},
		"a triple click":          {func(m *composer.Model) { click(m, 3, 2, 3) }, "漢字 three\n"},
		"on the last line":        {func(m *composer.Model) { click(m, 3, 3, 3) }, "four"},
		"a drag by lines":         {func(m *composer.Model) { drag(m, 3, 3, 1, 3, 2) }, "one two/x.go\n漢字 three\n"},
		"a fourth click, of none": {func(m *composer.Model) { click(m, 3, 1, 4) }, ""},
		"a paste":                 {func(m *composer.Model) { press(t, m, "ctrl+home"); paste(m, long); click(m, 9, 1, 2) }, long},
		"two slow clicks":         {func(m *composer.Model) { click(m, 3, 1, 1); click(m, 3, 1, 1) }, ""},
		"two places":              {func(m *composer.Model) { now := nextClickTime(); clickAt(m, 3, 1, 1, now); clickAt(m, 4, 1, 1, now) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel(t)
			m.SetText("one two/x.go\n漢字 three\nfour")
			c.act(m)
			if got := takeSelection(t, m); got != c.want {
				t.Errorf("%q is selected, want %q", got, c.want)
			}
		})
	}
}

func TestSelectedTextIsCopiedCutAndReplaced(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of a log\n", 200)
	for name, c := range map[string]struct {
		keys   []string
		want   string
		copied string
	}{
		"typed over":                    {[]string{"shift+home", "x"}, "one two\nx", ""},
		"and undone":                    {[]string{"shift+home", "x", "y", "ctrl+_"}, "one two\nthree", ""},
		"pasted over":                   {[]string{"shift+home", "paste"}, "one two\n" + long, ""},
		"yanked over":                   {[]string{"ctrl+w", "shift+up", "ctrl+y"}, "three", ""},
		"a new line over it":            {[]string{"ctrl+shift+left", "ctrl+j"}, "one two\n\n", ""},
		"removed":                       {[]string{"shift+left", "shift+left", "backspace"}, "one two\nthr", ""},
		"removed to the right":          {[]string{"ctrl+home", "shift+right", "delete"}, "ne two\nthree", ""},
		"a step of its own":             {[]string{"backspace", "shift+left", "backspace", "ctrl+_"}, "one two\nthre", ""},
		"killed and yanked":             {[]string{"alt+shift+left", "ctrl+u", "ctrl+home", "ctrl+y"}, "threeone two\n", ""},
		"copied":                        {[]string{"shift+home", "ctrl+c"}, "one two\nthree", "three"},
		"copied and yanked":             {[]string{"shift+home", "alt+w", "end", "ctrl+y"}, "one two\nthreethree", ""},
		"cut":                           {[]string{"shift+up", "ctrl+x"}, "one t", "wo\nthree"},
		"cut and undone":                {[]string{"shift+home", "ctrl+x", "ctrl+_"}, "one two\nthree", ""},
		"cut from the beginning":        {[]string{"ctrl+shift+home", "ctrl+x"}, "", "one two\nthree"},
		"rows beyond the first":         {[]string{"shift+up", "shift+up", "ctrl+x"}, "", "one two\nthree"},
		"dropped":                       {[]string{"shift+home", "esc", "x"}, "one two\nxthree", ""},
		"left to its start":             {[]string{"shift+left", "shift+left", "left", "x"}, "one two\nthrxee", ""},
		"right to its end":              {[]string{"ctrl+home", "shift+right", "shift+right", "right", "x"}, "onxe two\nthree", ""},
		"grown and taken back":          {[]string{"shift+left", "shift+right", "x"}, "one two\nthreex", ""},
		"nothing is there to be copied": {[]string{"ctrl+x"}, "one two\nthree", ""},
		"words by their letters":        {[]string{"ctrl+shift+left", "ctrl+shift+left", "ctrl+shift+left", "backspace"}, "one ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel(t)
			m.SetText("one two\nthree")
			got := ""
			for _, k := range c.keys {
				if k == "paste" {
					paste(m, long)
					continue
				}
				if copied, ok := press(t, m, k).(composer.Copied); ok {
					got = copied.Text
				}
			}
			if c.copied != "" && got != c.copied {
				t.Errorf("%q was copied, want %q", got, c.copied)
			}
			wantDraft(t, m, c.want)
		})
	}
}

func TestAPasteIsSelectedAsOne(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of a log\n", 200)
	m := newModel(t)
	write(m, "see e\u0301👨‍👩‍👧‍👦")
	paste(m, long)
	press(t, m, "shift+left")
	shown := m.View()
	if !strings.Contains(shown, "\x1b[7m[pasted 1: 200 lines, ~800 tokens]") {
		t.Errorf("the paste is not shown as selected: %q", shown)
	}
	write(m, "x")
	wantDraft(t, m, "see e\u0301👨‍👩‍👧‍👦x")
	press(t, m, "ctrl+_")
	wantDraft(t, m, "see e\u0301👨‍👩‍👧‍👦"+long)
	press(t, m, "end", "left", "shift+left", "shift+left", "backspace")
	wantDraft(t, m, "see "+long)
}

func TestTextRemovedDuringADrag(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(m *composer.Model){
		"sent":     func(m *composer.Model) { press(t, m, "enter") },
		"replaced": func(m *composer.Model) { m.SetText("漢") },
		"deleted":  func(m *composer.Model) { press(t, m, "ctrl+u") },
	} {
		t.Run(name, func(t *testing.T) {
			m, now := newModel(t), nextClickTime()
			m.SetText("one\ntwo\nthree four")
			m.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft}, 11, 3, now)
			change(m)
			m.Mouse(tea.MouseMotionMsg{Button: tea.MouseLeft}, 5, 1, now)
			if got := takeSelection(t, m); got != "" {
				t.Errorf("%q is selected", got)
			}
		})
	}
}

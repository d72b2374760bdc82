package changes_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/diff"
	"plimsoll/themes"
	"plimsoll/tui/changes"
	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

// change returns a diff of one hunk. Each line begins with its sign.
func change(from, to string, at int, lines ...string) diff.File {
	h := diff.Hunk{Old: at, New: at}
	for _, l := range lines {
		h.Lines = append(h.Lines, diff.Line{Op: diff.Op(l[0]), Text: l[1:] + "\n"})
	}
	return diff.File{From: from, To: to, Hunks: []diff.Hunk{h}}
}

func many(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("+line %d", i+1)
	}
	return lines
}

const hostile = "a\x1b]52;c;aGk=\x07\u202egpj.exe\u202c 漢字/非常に長いパスの名前/file.go"

func content() changes.Content {
	cut := change("big.sql", "big.sql", 1, "-drop", "+create")
	cut.Cut = 1204
	return changes.Content{Title: "Fix flaky upload test", Loaded: true, Files: []changes.File{
		{ChangedFile: diff.ChangedFile{Name: "upload/server.go", Edits: 2, Last: 41, Diffs: []diff.File{
			change("upload/server.go", "upload/server.go", 12, " func Listen() {", "-\tsrv := NewServer(\":8080\")", "+\tsrv := NewServer(\":0\") // any free port, so that tests can run side by side", " }")}}},
		{ChangedFile: diff.ChangedFile{Name: "notes.md", Edits: 1, Last: 44, Diffs: []diff.File{change("", "notes.md", 1, many(60)...)}}, Disk: changes.DiskOther},
		{ChangedFile: diff.ChangedFile{Name: "go.mod", Edits: 3, Last: 50, Diffs: []diff.File{
			change("go.mod", "go.mod", 3, "-go 1.24", "+go 1.25"), change("go.mod", "go.mod", 9, "+require x v1")}}, Disk: changes.DiskGone},
		{ChangedFile: diff.ChangedFile{Name: "big.sql", Edits: 1, Last: 51, Diffs: []diff.File{cut}}, Disk: changes.DiskUnreadable},
		{ChangedFile: diff.ChangedFile{Name: "same.go", Edits: 2, Last: 52, Diffs: []diff.File{{From: "same.go", To: "same.go"}}}},
		{ChangedFile: diff.ChangedFile{Name: hostile, Edits: 1, Last: 53, Diffs: []diff.File{change(hostile, hostile, 1, "-"+hostile, "+"+hostile+" end")}}},
	}}
}

func open(width, height int, c changes.Content) *changes.Model {
	m := changes.New(new(changes.DefaultKeyMap()))
	m.SetStyles(themes.Styles{Match: lipgloss.NewStyle().Bold(true)})
	m.SetSize(width, height)
	m.Show(c)
	return m
}

func press(m *changes.Model, keys string) (last pane.Action) {
	for name := range strings.FieldsSeq(keys) {
		last = m.Update(tuitest.Key(name))
	}
	return last
}

func view(m *changes.Model) string {
	lines := strings.Split(ansi.Strip(m.View()), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

func TestViews(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 12}, {80, 24}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for _, scene := range []struct{ name, keys string }{
				{"files", ""}, {"a diff", "enter"}, {"a new file", "] enter pgdown"}, {"in parts", "j j enter"}, {"incomplete", "] ] ] enter"},
				{"taken back", "] ] ] ] enter"}, {"hostile", "G enter"}, {"keys", "?"},
			} {
				m := open(size[0], size[1], content())
				press(m, scene.keys)
				got := m.View()
				if lines := strings.Split(got, "\n"); len(lines) != size[1] {
					t.Errorf("%s: %d lines", scene.name, len(lines))
				}
				for l := range strings.SplitSeq(got, "\n") {
					if ansi.StringWidth(l) > size[0] || strings.ContainsAny(ansi.Strip(l), "\x1b\x07\u202e") {
						t.Errorf("%s: %q", scene.name, l)
					}
				}
				fmt.Fprintf(&b, "== %s\n%s\n", scene.name, view(m))
			}
			fmt.Fprintf(&b, "== nothing\n%s\n== reading\n%s\n", view(open(size[0], size[1], changes.Content{Title: "x", Loaded: true})), view(open(size[0], size[1], changes.Content{})))
			golden.RequireEqual(t, b.String())
		})
	}
}

func TestKeysAct(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 140} {
		for keys, want := range map[string]pane.Action{
			"q": pane.Closed{}, "esc": pane.Closed{}, "enter q": nil, "enter q q": pane.Closed{}, "? q": nil, "? q q": pane.Closed{},
			"o": pane.Jump{Event: 41}, "] ] [ o": pane.Jump{Event: 44}, "G o": pane.Jump{Event: 53}, "j j k o": pane.Jump{Event: 44},
			"enter j ] o": pane.Jump{Event: 44},
			"[ o":         pane.Jump{Event: 41},
			"f5":          pane.Ignored{},
			"] ] ] ] y":   pane.Snackbar{Text: "nothing to copy: all changes to this file were undone", Failure: true},
			"] ] y":       pane.Copy{Text: "--- a/go.mod\n+++ b/go.mod\n@@ -3 +3 @@\n-go 1.24\n+go 1.25\n--- a/go.mod\n+++ b/go.mod\n@@ -9,0 +9 @@\n+require x v1\n", What: "the diff of go.mod"},
		} {
			if d := cmp.Diff(want, press(open(width, 24, content()), keys)); d != "" {
				t.Errorf("%d cells, %s: (-want +got)\n%s", width, keys, d)
			}
		}
	}
	if d := cmp.Diff(pane.Snackbar{Text: "nothing to copy", Failure: true}, press(open(80, 24, changes.Content{Loaded: true}), "y")); d != "" {
		t.Error(d)
	}
}

func TestShowKeepsTheFileAndItsPlace(t *testing.T) {
	t.Parallel()
	m := open(120, 24, content())
	press(m, "] enter j j j")
	before := view(m)
	c := content()
	m.Show(c)
	if d := cmp.Diff(before, view(m)); d != "" {
		t.Error(d)
	}
	c.Files = c.Files[1:]
	m.Show(c)
	if d := cmp.Diff(pane.Action(pane.Jump{Event: 44}), press(m, "o")); d != "" {
		t.Error(d)
	}
	c.Files = nil
	m.Show(c)
	if got := press(m, "q"); got != (pane.Closed{}) {
		t.Errorf("%v", got)
	}
}

func TestTheMouseChoosesAndScrolls(t *testing.T) {
	t.Parallel()
	m := open(140, 24, content())
	m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 10, Y: 3})
	if d := cmp.Diff(pane.Action(pane.Jump{Event: 44}), press(m, "o")); d != "" {
		t.Errorf("%s\n%s", d, view(m))
	}
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: 100, Y: 5})
	if got := view(m); strings.Contains(got, "The file on disk") || !strings.Contains(got, "+ line 4") {
		t.Errorf("the diff did not scroll:\n%s", got)
	}
}

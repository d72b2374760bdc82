package composer_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/themes"
	"plimsoll/tui/composer"
	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

var testCommands = []composer.CommandSpec{
	{Name: "compact", Aliases: []string{"summarize", "compress"}, Args: "[focus]", Help: "Make room in the context window"},
	{Name: "context", Aliases: []string{"tokens"}, Help: "Show what fills the context window"},
	{Name: "queue", Help: "Show the queue"},
	{Name: "quit", Aliases: []string{"exit", "q"}, Help: "Leave"},
	{Name: "rename", Args: "TITLE", Needs: true, Help: "Rename this conversation"},
}

var testFiles = []composer.File{
	{Path: "agent/loop.go", Tokens: 4100}, {Path: "tui/composer/view.go", Tokens: 900}, {Path: "upload/server.go", Tokens: 12_300},
	{Path: "notes/my list.md"}, {Path: "README.md", Tokens: 800},
}

func newModel(t testing.TB) *composer.Model {
	t.Helper()
	keys := composer.DefaultKeyMap()
	m := composer.New(composer.Options{Placeholder: "Ask anything · / commands · @ files · ? help", Commands: testCommands, Keys: &keys,
		Styles:   themes.Styles{Selection: lipgloss.NewStyle().Reverse(true)},
		Estimate: func(size conversation.Size) int { return size.ASCII/4 + size.CJK + size.Other/2 }})
	m.SetFiles(testFiles)
	return m
}

func press(t testing.TB, m *composer.Model, keys ...string) pane.Action {
	t.Helper()
	return tuitest.Press(m.Update, keys...)
}

func write(m *composer.Model, text string) {
	for _, r := range text {
		k := tea.KeyPressMsg{Code: r, Text: string(r)}
		if r == '\n' {
			k = tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl}
		}
		m.Update(k)
	}
}

func paste(m *composer.Model, text string) { m.Update(tea.PasteMsg{Content: text}) }

func wantDraft(t *testing.T, m *composer.Model, want string) {
	t.Helper()
	if diff := cmp.Diff(want, m.Draft()); diff != "" {
		t.Errorf("draft (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(conversation.Measure(want), m.DraftSize()); diff != "" {
		t.Errorf("size of the draft (-want +got):\n%s", diff)
	}
}

func wantAction(t *testing.T, got, want pane.Action) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("action (-want +got):\n%s", diff)
	}
}

func TestUnusedKeysGoToTheParent(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	always := []string{"esc", "ctrl+c", "ctrl+t", "ctrl+o", "ctrl+p", "ctrl+n", "ctrl+l", "ctrl+v", "ctrl+z", "pgup", "shift+tab", "tab"}
	for _, k := range append([]string{"home", "end", "ctrl+d", "ctrl+k", "ctrl+u", "up", "down", "ctrl+r", "delete"}, always...) {
		wantAction(t, press(t, m, k), pane.Ignored{})
	}
	write(m, "x")
	for _, k := range always {
		wantAction(t, press(t, m, k), pane.Ignored{})
	}
	for _, k := range []string{"home", "ctrl+d"} {
		wantAction(t, press(t, m, k), nil)
	}
	wantDraft(t, m, "")
	if action := m.Update(tea.WindowSizeMsg{}); action != (pane.Ignored{}) {
		t.Errorf("a message other than a key gave %v", action)
	}
}

func TestShellLines(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	write(m, "! go test ./... ")
	wantAction(t, press(t, m, "enter"), composer.Shell{Command: "go test ./...", Add: true})
	write(m, "!!ls")
	wantAction(t, press(t, m, "enter"), composer.Shell{Command: "ls"})
	write(m, "!")
	wantAction(t, press(t, m, "enter"), nil)
	wantDraft(t, m, "!")
}

func TestInsertedTextIsSanitised(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	paste(m, "a\r\nb\rc\td\x1b[31m\x00\u202e\U00100000e")
	for _, bad := range []string{"\r", "\x1b", "\x00", "\u202e", "\U00100000"} {
		if strings.Contains(m.Draft()+strip(m.View()), bad) {
			t.Errorf("%q is in %q", bad, m.Draft())
		}
	}
	if !strings.HasPrefix(m.Draft(), "a\nb\nc\td") {
		t.Errorf("draft %q", m.Draft())
	}
	wantDraft(t, m, m.Draft())
}

func TestPrependPutsQueuedMessagesBefore(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.SetText("draft")
	press(t, m, "left")
	m.Prepend("queued\none")
	write(m, "|")
	wantDraft(t, m, "queued\none\n\ndraf|t")
	m.SetText("")
	m.Prepend("queued")
	wantDraft(t, m, "queued")
}

func TestAReturnedMessageHasItsFoldedPastes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of a log\n", 200)
	for name, draft := range map[string]string{"empty": "", "a draft": "and more"} {
		m := newModel(t)
		write(m, "look, why? ")
		m.Update(tea.PasteMsg{Content: long}) // its last line end is not sent
		before := strip(m.View())
		sent, ok := press(t, m, "enter").(composer.Submit)
		if !ok {
			t.Fatal("the message is not sent")
		}
		write(m, draft)
		m.Prepend(sent.Text)
		want := sent.Text + "\n" // the paste is whole again
		if draft != "" {
			want += "\n\n" + draft
		}
		wantDraft(t, m, want)
		view := strip(m.View())
		for _, part := range []string{"look, why? [pasted 1: 200 lines"} {
			if !strings.Contains(view, part) || !strings.Contains(before, part) {
				t.Errorf("%s: %q is not shown:\n%s", name, part, view)
			}
		}
	}
}

func TestCursorIsWhereTheNextLetterGoes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "abc", "漢字", "a\tb", "one\ntwo", strings.Repeat("漢", 40), strings.Repeat("x", 36), "❤️👍🏽"} {
		m := newModel(t)
		m.SetSize(40, 24)
		m.SetText(text)
		c := m.Cursor()
		write(m, "¤")
		lines := strings.Split(strip(m.View()), "\n")
		if c.Y >= len(lines) {
			t.Errorf("%q: cursor in line %d of %d", text, c.Y, len(lines))
			continue
		}
		before, _, ok := strings.Cut(lines[c.Y], "¤")
		if !ok || width(before) != c.X {
			t.Errorf("%q: cursor at %d,%d, the letter went to %d of %q", text, c.X, c.Y, width(before), lines[c.Y])
		}
	}
}

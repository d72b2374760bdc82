package composer_test

import (
	"strings"
	"testing"

	"plimsoll/tui/composer"
	"plimsoll/tui/pane"
)

func TestLargePasteIsFoldedAndSentInFull(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	first, second := strings.Repeat("some words\r\n", 312), strings.Repeat("漢", 4000)
	write(m, "see ")
	paste(m, first)
	write(m, " and ")
	paste(m, second)
	view := strip(m.View())
	for _, label := range []string{"[pasted 1: 312 lines, ~858 tokens]", "[pasted 2: 1 line, ~4k tokens]"} {
		if !strings.Contains(view, label) {
			t.Errorf("no %s in\n%s", label, view)
		}
	}
	want := "see " + strings.ReplaceAll(first, "\r\n", "\n") + " and " + second
	wantDraft(t, m, want)
	wantAction(t, press(t, m, "enter"), composer.Submit{Text: want})
	wantDraft(t, m, "")
}

func TestChipIsOneCharacter(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("text\n", 200)
	for _, keys := range [][]string{{"backspace"}, {"ctrl+w"}, {"left", "delete"}, {"left", "alt+d"}, {"left", "left", "right", "right", "backspace"}} {
		m := newModel(t)
		write(m, "a")
		paste(m, big)
		press(t, m, keys...)
		t.Run(strings.Join(keys, " "), func(t *testing.T) { wantDraft(t, m, "a") })
		paste(m, big)
		if !strings.Contains(m.View(), "[pasted 2:") {
			t.Error("the second paste is not numbered 2")
		}
	}
}

func TestHistoryKeepsTheDraft(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.SetHistory([]string{"first", "second\nwith two lines"})
	write(m, "draft")
	press(t, m, "up")
	wantDraft(t, m, "second\nwith two lines")
	write(m, "!")
	press(t, m, "up")
	wantDraft(t, m, "first")
	wantAction(t, press(t, m, "up", "up"), pane.Ignored{})
	wantAction(t, press(t, m, "down"), nil)
	wantDraft(t, m, "second!\nwith two lines")
	press(t, m, "down", "down")
	wantDraft(t, m, "draft")
	wantAction(t, press(t, m, "down"), pane.Ignored{})
}

func TestSentTextsBecomeHistory(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.SetHistory([]string{"old"})
	for _, text := range []string{"new", "new", "/quit", "!ls"} {
		write(m, text)
		press(t, m, "enter")
	}
	for _, want := range []string{"!ls", "/quit", "new", "old"} {
		press(t, m, "up")
		wantDraft(t, m, want)
	}
}

func TestClearedDraftComesBackWithUp(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	big := strings.Repeat("paste\n", 150)
	write(m, "precious ")
	paste(m, big)
	m.Clear()
	wantDraft(t, m, "")
	press(t, m, "up")
	wantDraft(t, m, "precious "+big)
	if !strings.Contains(m.View(), "[pasted 1:") {
		t.Error("the paste came back unfolded")
	}
	press(t, m, "down")
	wantDraft(t, m, "")
}

func TestSearchInHistory(t *testing.T) {
	t.Parallel()
	prompts := []string{"fix the Upload test", "write docs", "why does upload fail"}
	start := func(keys ...string) *composer.Model {
		m := newModel(t)
		m.SetHistory(prompts)
		write(m, "draft")
		press(t, m, "ctrl+r")
		write(m, "upl")
		press(t, m, keys...)
		return m
	}
	for name, c := range map[string]struct {
		keys []string
		want string
	}{
		"newest":              {nil, prompts[2]},
		"older":               {[]string{"ctrl+r"}, prompts[0]},
		"no older":            {[]string{"ctrl+r", "ctrl+r"}, prompts[0]},
		"newer":               {[]string{"ctrl+r", "down"}, prompts[2]},
		"closed":              {[]string{"ctrl+r", "esc"}, "draft"},
		"interrupted":         {[]string{"ctrl+c"}, "draft"},
		"accepted":            {[]string{"enter"}, prompts[2]},
		"accepted, then down": {[]string{"enter", "down"}, "draft"},
		"empty query":         {[]string{"ctrl+u", "enter"}, "draft"},
	} {
		m := start(c.keys...)
		t.Run(name, func(t *testing.T) { wantDraft(t, m, c.want) })
	}
	m := start()
	write(m, "zzz")
	if view := strip(m.View()); !strings.Contains(view, "search: uplzzz  no match") || !strings.Contains(view, "draft") {
		t.Errorf("a search without a match shows\n%s", view)
	}
	press(t, m, "backspace", "backspace", "backspace", "enter")
	wantDraft(t, m, prompts[2])
	wantAction(t, press(t, m, "enter"), composer.Submit{Text: prompts[2]})
}

func TestCommandsComplete(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, typed string
		keys        []string
		want        pane.Action
		draft       string
	}{
		{"prefix and enter", "/cont", []string{"enter"}, composer.Command{Name: "context", Line: "/context"}, ""},
		{"alias", "/summ", []string{"enter"}, composer.Command{Name: "compact", Line: "/compact"}, ""},
		{"exact alias before a longer name", "/q", []string{"enter"}, composer.Command{Name: "quit", Line: "/quit"}, ""},
		{"second of the list", "/co", []string{"down", "enter"}, composer.Command{Name: "context", Line: "/context"}, ""},
		{"round the end", "/co", []string{"up", "up", "enter"}, composer.Command{Name: "compact", Line: "/compact"}, ""},
		{"letters in order", "/cpt", []string{"enter"}, composer.Command{Name: "compact", Line: "/compact"}, ""},
		{"tab fills in", "/comp", []string{"tab"}, nil, "/compact "},
		{"argument needed", "/ren", []string{"enter"}, nil, "/rename "},
		{"with arguments", "/compact the  tests ", []string{"enter"}, composer.Command{Name: "compact", Args: "the  tests", Line: "/compact the  tests"}, ""},
		{"whatever the case", "/Compact now", []string{"enter"}, composer.Command{Name: "compact", Args: "now", Line: "/Compact now"}, ""},
		{"nothing is near", "/xyz", []string{"enter"}, composer.UnknownCommand{Name: "xyz"}, "/xyz"},
		{"unknown", "/comapct now", []string{"enter"}, composer.UnknownCommand{Name: "comapct", Nearest: "compact"}, "/comapct now"},
		{"two letters swapped", "/quti", []string{"enter"}, composer.UnknownCommand{Name: "quti", Nearest: "quit"}, "/quti"},
		{"far from all", "/zzzzzz", []string{"enter"}, composer.UnknownCommand{Name: "zzzzzz"}, "/zzzzzz"},
		{"a path is a message", "/usr/bin/env fails", []string{"enter"}, composer.Submit{Text: "/usr/bin/env fails"}, ""},
		{"closed list still runs it", "/quit", []string{"esc", "enter"}, composer.Command{Name: "quit", Line: "/quit"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t)
			write(m, c.typed)
			wantAction(t, press(t, m, c.keys...), c.want)
			wantDraft(t, m, c.draft)
		})
	}
}

func TestListOpensByTypingOnly(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.SetHistory([]string{"older", "/comp"})
	press(t, m, "up")
	if m.Completing() {
		t.Error("the list is open for an old prompt")
	}
	press(t, m, "up")
	wantDraft(t, m, "older")
	m.SetText("/co")
	press(t, m, "tab")
	if !m.Completing() {
		t.Error("tab did not open the list")
	}
	wantAction(t, press(t, m, "esc"), nil)
	write(m, "m")
	if m.Completing() {
		t.Error("the list opened again for the same word")
	}
	press(t, m, "backspace", "backspace", "backspace", "backspace")
	write(m, "/c")
	if !m.Completing() {
		t.Error("the list is not open for a new word")
	}
	write(m, "\n")
	if m.Completing() {
		t.Error("the list is open after a line break")
	}
}

func TestFilesComplete(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	write(m, "see @")
	if view := strip(m.View()); !strings.Contains(view, "agent/loop.go") || !strings.Contains(view, "~4.1k") {
		t.Errorf("no files in\n%s", view)
	}
	write(m, "servgo")
	press(t, m, "enter")
	write(m, "and @mlist")
	press(t, m, "tab")
	wantDraft(t, m, `see @upload/server.go and @"notes/my list.md" `)
	write(m, "mail a@b.c")
	if m.Completing() {
		t.Error("an @ inside a word opens the list")
	}
	write(m, " @se")
	m.SetFiles([]composer.File{{Path: "else.go"}})
	press(t, m, "enter")
	if !strings.HasSuffix(m.Draft(), "@else.go ") {
		t.Errorf("a newer list of files is not offered: %q", m.Draft())
	}
}

func TestStashingAnOldPromptKeepsTheDraft(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.SetHistory([]string{"old"})
	write(m, "new")
	press(t, m, "up")
	if draft, _ := m.Drafts(); draft != "new" {
		t.Errorf("%q would be stored as the draft", draft)
	}
	press(t, m, "ctrl+s")
	wantDraft(t, m, "new")
	press(t, m, "ctrl+s")
	wantDraft(t, m, "old")
	press(t, m, "ctrl+_")
	wantDraft(t, m, "new")
}

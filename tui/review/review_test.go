package review_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/tui/pane"
	"plimsoll/tui/review"
	"plimsoll/tui/tuitest"
)

// hostile is text that a model may put into a summary.
const hostile = "Goal: make TestUpload pass.\r\n\nDone:\n\t- read upload_test.go \x1b]52;c;aGk=\x07\n\t- \u202egpj.exe\u202c 漢字 👨‍👩‍👧‍👦\n"

func waiting() review.Content {
	return review.Content{
		Text:     hostile + strings.Repeat("The test shares a port between runs, so that the second of them fails on CI. ", 6),
		Appendix: "Files read: upload_test.go, server.go\nNewest message: why does TestUpload fail on CI? \x1b[31m",
		FromTurn: 0, ToTurn: 7, Covers: 6_600, Tokens: 190, Model: "openai/gpt-5.6-luna", Focus: "the port \x07",
	}
}

func show(c review.Content, width, height int) *review.Model {
	keys := review.DefaultKeyMap()
	m := review.New(&keys, func(text string) int { return (len(text) + 3) / 4 })
	m.SetSize(width, height)
	m.Show(c)
	return m
}

// press sends keys, separated by spaces, and returns the last action.
func press(m *review.Model, keys string) pane.Action {
	return tuitest.Press(m.Update, strings.Fields(keys)...)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	text := "one\ntwo"
	for _, c := range []struct {
		keys string
		want pane.Action
	}{
		{"enter", review.Applied{Text: text}},
		{"esc", pane.Closed{}},
		{"q", pane.Closed{}},
		{"x", nil},
		{"x x", review.Discarded{}},
		{"x down x", nil},
		{"x esc", pane.Closed{}},
		{"? esc", nil},
		{"? enter", pane.Ignored{}},
		{"ctrl+c", pane.Ignored{}},
		{"ctrl+g", review.Editor{Text: text}},
		{"e a b ctrl+s enter", review.Applied{Text: "abone\ntwo"}},
		{"e x x esc enter", review.Applied{Text: "xxone\ntwo"}},
		{"e ctrl+end enter q ctrl+s enter", review.Applied{Text: "one\ntwo\nq"}},
		{"e a ctrl+g", review.Editor{Text: "aone\ntwo"}},
		{"e ctrl+c", pane.Ignored{}},
		{"e a esc esc", pane.Closed{}},
	} {
		if diff := cmp.Diff(c.want, press(show(review.Content{Text: text, Covers: 100}, 80, 24), c.keys)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.keys, diff)
		}
	}
}

func TestATextWithoutEditsIsAppliedByteForByte(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"enter", "down enter", "e esc enter", "e a backspace esc enter", "e down end ctrl+s ? esc enter", "e ctrl+g esc enter"} {
		m := show(waiting(), 60, 20)
		action := press(m, keys)
		if diff := cmp.Diff(pane.Action(review.Applied{Text: waiting().Text}), action); diff != "" {
			t.Errorf("%s (-want +got):\n%s", keys, diff)
		}
	}
}

func TestTheTextOfTheEditorIsApplied(t *testing.T) {
	t.Parallel()
	m := show(waiting(), 60, 20)
	press(m, "ctrl+g")
	m.SetText(waiting().Text + "\n")
	if diff := cmp.Diff(pane.Action(review.Applied{Text: waiting().Text}), press(m, "enter")); diff != "" {
		t.Errorf("a line feed at the end counts as a change (-want +got):\n%s", diff)
	}
	press(m, "e ctrl+g")
	m.SetText("mine")
	if diff := cmp.Diff(pane.Action(review.Applied{Text: "mine!"}), press(m, "end ! esc enter")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChangesStayWhileTheViewIsClosed(t *testing.T) {
	t.Parallel()
	m := show(waiting(), 60, 20)
	press(m, "e a esc esc")
	again := waiting()
	again.RequestWaits = true
	m.Show(again)
	if got := m.Text(); !strings.HasPrefix(got, "aGoal") {
		t.Errorf("the edit is lost: %.40q", got)
	}
	if !strings.Contains(m.View(), "a request is waiting for it") {
		t.Errorf("the view does not show that a request waits:\n%s", m.View())
	}
	other := waiting()
	other.ToTurn, other.Text = 9, "another"
	m.Show(other)
	if diff := cmp.Diff(pane.Action(review.Applied{Text: "another"}), press(m, "enter")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnUnusableTextIsNotApplied(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("words ", 100)
	for _, c := range []struct{ text, view, said string }{
		{" \n", "the summary is empty", "the summary is empty"},
		{long, "the summary is longer than what it replaces", "the summary is longer than what it replaces"},
	} {
		m := show(review.Content{Text: c.text, Covers: 100}, 100, 24)
		if !strings.Contains(m.View(), c.view) {
			t.Errorf("%q is not on the screen:\n%s", c.view, m.View())
		}
		if snackbar, ok := press(m, "enter").(pane.Snackbar); !ok || !snackbar.Failure || !strings.Contains(snackbar.Text, c.said) {
			t.Errorf("%.20q is applied: %+v", c.text, snackbar)
		}
	}
}

func TestAPasteOfMegabytesIsCutWithAMessage(t *testing.T) {
	t.Parallel()
	const most = 256 << 10
	m := show(review.Content{Text: "port", Covers: 1 << 20}, 80, 24)
	press(m, "e")
	paste := func(text string) pane.Action { return m.Update(tea.PasteMsg{Content: text}) }
	if a := paste("one\n"); a != nil {
		t.Errorf("a paste of a line gives %#v", a)
	}
	want := pane.Action(pane.Snackbar{Text: "not all was pasted: a summary can have at most 256 KB here", Failure: true})
	if diff := cmp.Diff(want, paste(strings.Repeat("漢字 and words. ", 1<<18))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	text := m.Text()
	if n := len(text); n > most || n < most-4 || !strings.HasPrefix(text, "one\n漢字 and") || !strings.HasSuffix(text, "port") {
		t.Errorf("%d bytes are left, %.20q … %.20q", n, text, text[n-10:])
	}
	paste(strings.Repeat("x", 8)) // what no whole character was cut for
	want = pane.Snackbar{Text: "not all was pasted: a summary can have at most 256 KB here", Failure: true}
	if diff := cmp.Diff(want, paste("more")); diff != "" || len(m.Text()) != most {
		t.Errorf("%d bytes; -want +got\n%s", len(m.Text()), diff)
	}
	press(m, "a backspace")
	if diff := cmp.Diff(pane.Action(review.Applied{Text: m.Text()}), press(m, "esc enter")); diff != "" {
		t.Error("the pasted text is not applied")
	}
}

func TestTheCursorIsWhereTypingShows(t *testing.T) {
	t.Parallel()
	m := show(waiting(), 60, 20)
	if m.Cursor() != nil {
		t.Error("a cursor without a text field")
	}
	press(m, "e down down down down end")
	c := m.Cursor()
	if c == nil {
		t.Fatal("no cursor")
	}
	line := strings.Split(m.View(), "\n")[c.Y]
	if before := ansi.Cut(line, 0, c.X); !strings.HasSuffix(before, "漢字 👨‍👩‍👧‍👦") {
		t.Errorf("the cursor is after %q", before)
	}
}

func TestViews(t *testing.T) {
	t.Parallel()
	held := waiting()
	held.RequestWaits, held.Covers = true, 300
	scenes := []struct {
		name    string
		content review.Content
		keys    string
	}{
		{"a summary", waiting(), ""}, {"its end", waiting(), "G"}, {"changed", waiting(), "e ctrl+end ! !"}, {"read again", waiting(), "e N B esc"},
		{"held, and too long", held, ""}, {"empty", review.Content{ToTurn: 2, Covers: 900}, ""}, {"given up", waiting(), "x"}, {"help", waiting(), "?"},
	}
	tuitest.Golden(t, tuitest.Sizes, func(t *testing.T, b *strings.Builder, width, height int) {
		for _, scene := range scenes {
			m := show(scene.content, width, height)
			press(m, scene.keys)
			fmt.Fprintf(b, "%s:\n", scene.name)
			b.WriteString(tuitest.Trim(m.View()))
		}
	})
}

func TestAViewHasItsLinesAndCells(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 1))
	keys := strings.Fields("e esc x ? up down left right pgup pgdown g G home end backspace delete a ! ctrl+w ctrl+k ctrl+s")
	for width := 1; width <= 200; width += 1 + rng.IntN(9) {
		for height := 1; height <= 60; height += 1 + rng.IntN(7) {
			m := show(waiting(), width, height)
			for range rng.IntN(20) {
				press(m, keys[rng.IntN(len(keys))])
			}
			tuitest.Fits(t, m, width, height)
			if strings.Contains(m.View(), "\x1b[31m") {
				t.Fatalf("control characters are drawn: %q", m.View())
			}
		}
	}
}

package tui_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/tui"
)

// storedConversations returns stored conversations; the first one is open in this window.
func storedConversations() []tui.Stored {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return []tui.Stored{
		{ID: "first", Title: "Fix flaky upload test", Updated: at, Turns: 5, Size: 90_000, Open: "open here", Workspace: "~/src/app"},
		{ID: "other", Title: "a port in use", Updated: at.Add(-time.Hour), Turns: 12, Size: 2_400_000, Workspace: "~/src/other"},
		{ID: "third", Title: "notes", Updated: at.Add(-48 * time.Hour), Turns: 1, Size: 40_000, Open: "open in process 7 on pts/3", Workspace: "~/src/app"},
	}
}

func openConversationList(t *testing.T, test func(r *rig)) {
	t.Helper()
	screen(t, func(r *rig, _ *tui.Options) {
		r.width, r.height = 120, 40
		r.stored = storedConversations()
	}, func(r *rig) {
		r.submit("/resume")
		r.calls = nil
		test(r)
	})
}

// rows returns the titles in the order of the list.
func rows(r *rig) string {
	var found []string
	for l := range strings.SplitSeq(r.text(), "\n") {
		for _, title := range []string{"Fix flaky", "a port", "notes", "renamed"} {
			if strings.Contains(l, "  "+title) || strings.Contains(l, "❯ "+title) {
				found = append(found, title)
			}
		}
	}
	return strings.Join(found, ", ")
}

func TestAConversationIsRenamedInTheList(t *testing.T) {
	openConversationList(t, func(r *rig) {
		r.press("down", "ctrl+r", "ctrl+u", "r", "e", "n", "a", "m", "e", "d", "enter")
		if !slices.Contains(r.calls, "rename stored other renamed") || rows(r) != "Fix flaky, renamed, notes" {
			t.Errorf("the calls are %q:\n%s", r.calls, r.text())
		}
		r.press("up", "ctrl+r", "ctrl+u", "m", "i", "n", "e", "enter") // the open one
		if !slices.ContainsFunc(r.calls, func(c string) bool { return strings.HasSuffix(c, " rename mine") }) {
			t.Errorf("the calls are %q", r.calls)
		}
	})
}

func TestTheListShowsTheLastReplyWithoutMarkdown(t *testing.T) {
	openConversationList(t, func(r *rig) { r.wantText("the last question in first", "Reply: The answer · is plain text.") })
}

func TestAConversationIsDeletedInTheListAfterAYes(t *testing.T) {
	openConversationList(t, func(r *rig) {
		remove := func(answer string) {
			r.press("ctrl+x")
			r.wait(time.Second)
			r.press(answer)
		}
		r.press("down")
		remove("n")
		if slices.Contains(r.calls, "remove stored other") {
			t.Fatal("a no deleted it")
		}
		remove("y")
		if !slices.Contains(r.calls, "remove stored other") || rows(r) != "Fix flaky, notes" {
			t.Errorf("the calls are %q:\n%s", r.calls, r.text())
		}
		r.failing["remove stored"] = errors.New("conversation third is open in another window (process 7)")
		remove("y")
		if rows(r) != "Fix flaky, notes" || !strings.Contains(r.text(), "! conversation third is open in another window") {
			t.Errorf("no reason is shown:\n%s", r.text())
		}
		r.press("up")
		remove("y") // the open one
		if !slices.Contains(r.calls, "delete") || strings.Contains(r.text(), "Continue ·") {
			t.Errorf("the calls are %q:\n%s", r.calls, r.text())
		}
	})
}

// A failure after its list was closed is shown on the main screen, and does not change other lists.
func TestALateAnswerChangesNoOtherList(t *testing.T) {
	openConversationList(t, func(r *rig) {
		r.press("down", "ctrl+x")
		r.wait(time.Second)
		gate := make(chan struct{})
		r.portGate, r.failing["remove stored"] = gate, errors.New("it is in use")
		r.press("y", "esc")
		r.portGate = nil
		r.submit("/model")
		r.wantText("❯ openai/gpt-5.6-luna")
		close(gate)
		r.settle()
		r.wantText("❯ openai/gpt-5.6-luna", "it is in use")
		r.wantNoText("a port in use")
		r.press("ctrl+f")
	})
}

func TestAConversationIsForkedInTheList(t *testing.T) {
	for row, want := range map[int]string{0: "fork", 1: "fork stored other"} {
		t.Run(want, func(t *testing.T) {
			openConversationList(t, func(r *rig) {
				for range row {
					r.press("down")
				}
				r.press("ctrl+o")
				if !slices.Contains(r.calls, want) || strings.Contains(r.text(), "Continue ·") {
					t.Errorf("the calls are %q:\n%s", r.calls, r.text())
				}
			})
		})
	}
}

func openModels(t *testing.T, test func(r *rig)) {
	t.Helper()
	screen(t, func(r *rig, _ *tui.Options) {
		r.width, r.height = 120, 40
		r.models = []tui.ModelChoice{
			{Name: "anthropic/claude", NoKey: true, Window: 200_000, Input: new(3.0), Cached: new(0.3), Output: new(15.0)},
			{Name: "openai/gpt-5.6-luna", Key: "OPENAI_API_KEY", Window: 128_000, Input: new(1.25), Cached: new(0.125), Output: new(10.0)},
			{Name: "ollama/qwen3:8b", Found: true, Plain: true, Key: "its server", Window: 32_000},
		}
	}, func(r *rig) {
		r.submit("/model")
		r.calls = nil
		test(r)
	})
}

func TestAModelIsMarkedAndChosenWithItsEffort(t *testing.T) {
	openModels(t, func(r *rig) {
		r.press("home", "ctrl+f")
		if !slices.Contains(r.calls, "set favorite ollama/qwen3:8b true") || !strings.Contains(r.text(), "ollama/qwen3:8b ★") {
			t.Errorf("the calls are %q:\n%s", r.calls, r.text())
		}
		r.press("ctrl+f")
		if !slices.Contains(r.calls, "set favorite ollama/qwen3:8b false") || strings.Contains(r.text(), "★") {
			t.Errorf("the calls are %q:\n%s", r.calls, r.text())
		}
		r.press("right") // it does not reason
		r.press("down", "right", "right", "enter")
		if !slices.Contains(r.calls, "switch minimal") { // it is the one in use
			t.Errorf("the calls are %q", r.calls)
		}
	})
}

// A list that opens late takes no key of a user who continues, with or without a draft.
func TestALateListTakesNoKey(t *testing.T) {
	for _, key := range []string{"x", "up", "enter"} {
		screenOf(t, key, nil, func(r *rig) {
			r.portGate = make(chan struct{})
			r.submit("/model")
			r.press(key)
			close(r.portGate)
			r.settle()
			r.wantText("the models are listed: /model shows them")
			r.wantNoText("Model  ", "❯ openai")
		})
	}
}

func TestAModelWithoutAKeyIsConnectedFirst(t *testing.T) {
	openModels(t, func(r *rig) {
		r.press("end", "enter")
		if !slices.Contains(r.calls, "providers") || slices.ContainsFunc(r.calls, func(c string) bool { return strings.HasPrefix(c, "switch") }) {
			t.Errorf("the calls are %q", r.calls)
		}
	})
}

package tui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui/dialog"
)

// Behaviour that all full-screen views share.

func TestClosingAViewRefreshesTheOneBelow(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		openView["context"](r)
		r.selectRow("so fix it")
		r.press("enter")
		r.wantView("history")
		r.press("ctrl+p")
		r.typeText("ledger")
		r.press("enter")
		r.wantView("ledger")
		r.appendEvents(conversation.UserMessage{Text: "once more"})
		r.calls = nil
		r.press("esc")
		r.wantView("history")
		r.wantText("of 19")
		r.wantCalls()
		r.press("ctrl+t")
		r.wantView("context")
		r.wantInspected()
		r.press("q")
		r.wantView("")
		r.wantText("▌ once more")
	})
}

func TestAnotherConversationClosesTheViews(t *testing.T) {
	inEachView(t, func(r *rig, name string) {
		r.next.Events = log(conversation.UserMessage{Text: "hello there"})
		if name == "search" { // its line has the key of the palette
			r.press("ctrl+t")
		}
		r.press("ctrl+p")
		r.typeText("/new")
		r.press("enter")
		r.wantView("")
		r.wantText("▌ hello there")
		before := r.text()
		events := r.commitEvents(conversation.UserMessage{Text: "said in the one that was left"})
		r.sendUpdates(updates.Appended{Events: events}, previewAnswer(plan), updates.Inspected{Breakdown: r.breakdown()}, pendingReview(), updates.Reviewed{})
		if d := cmp.Diff(before, r.text()); d != "" {
			r.t.Error(d)
		}
	})
}

// Dialogs open over views, also if the agent opens them.
func TestACallIsApprovedWhileAViewIsOpen(t *testing.T) {
	inEachView(t, func(r *rig, name string) {
		r.sendUpdates(updates.Status{Phase: updates.Asking}, approval("c1", "rm -rf build"))
		r.wantText("Allow this?", "rm -rf build")
		r.wait(dialog.ReadingTime)
		r.press("y")
		r.wantCalls("first answer c1 once")
		r.wantNoText("Allow this?")
		r.wantView(name)
	})
}

func TestAViewShowsSnackbarsInItsStatusLine(t *testing.T) {
	inEachView(t, func(r *rig, name string) {
		other := fakeModel()
		other.ID = "another"
		r.sendUpdates(updates.ModelSwitched{Model: other})
		r.wantText("now talking to openai/another")
		r.wantView(name)
		r.resize(60, 8) // where it has no line while it is empty
		r.wantText("now talking to openai/another")
		r.wait(5 * time.Second)
		r.wantNoText("now talking to openai/another")
	})
}

func TestOnlyTheGaugeChangesWhileAReplyStreams(t *testing.T) {
	inEachView(t, func(r *rig, name string) {
		streaming(r, "The first words.")
		r.sendUpdates(updates.Delta{Text: strings.Repeat("words ", 100)})
		body := func() []string { return r.lines()[:r.height-2] }
		before := body()
		r.sendUpdates(updates.Delta{Text: strings.Repeat("words ", 2000)})
		r.wait(time.Second) // the numbers change a few times in that
		same := slices.Equal(before, body())
		if moves := name == "context" || name == "settings"; same == moves {
			r.t.Errorf("the view moved: %v, want %v:\n%s", !same, moves, r.text())
		}
		if gauge := r.lines()[r.height-1]; name != "context" && name != "preview" && name != "settings" && strings.Contains(gauge, "~451/") {
			r.t.Errorf("the gauge stands still: %s", gauge)
		}
	})
}

// These keys do the same in every view, except that a view may use one itself.
func TestTheSharedKeysWorkInEveryView(t *testing.T) {
	inEachView(t, func(r *rig, name string) {
		r.press("ctrl+x")
		r.wantCalls("first undo 0")
		r.wantView(name)
		r.terminalRequests = nil
		r.press("ctrl+l")
		if got := strings.Join(r.terminalRequests, "\n"); !strings.Contains(got, "clearScreenMsg") {
			r.t.Errorf("ctrl+l asked for %q", got)
		}
		if name != "search" {
			r.press("ctrl+p")
			r.wantText("Commands")
			r.press("esc")
			r.wantView(name)
		}
		r.press("ctrl+t")
		if name == "history" || name == "ledger" { // it closes them
			r.wantView("")
			return
		}
		r.wantView("history")
		r.press("ctrl+t")
		r.wantView(name)
	})
}

func TestTheInterruptStopsTheTurnAndThenClosesTheView(t *testing.T) {
	inEachView(t, func(r *rig, name string) {
		streaming(r, "words")
		r.press("ctrl+c")
		r.wantCalls("first cancel")
		r.wantView(name)
		r.sendUpdates(updates.Status{Phase: updates.Idle})
		r.press("ctrl+c")
		r.wantView("")
		r.wantCalls()
		if r.quit {
			r.t.Error("the program ended")
		}
		r.press("ctrl+c", "ctrl+c")
		if !r.quit {
			r.t.Error("the program goes on")
		}
	})
}

func TestAPasteGoesToTheView(t *testing.T) {
	for name, typing := range map[string][]string{
		"history": {"/"}, "preview": nil, "review": {"e"}, "search": {"ctrl+u"}, "context": nil, "ledger": nil, "settings": {"down", "down", "enter"},
	} {
		screenOf(t, name, withSampleLog, func(r *rig) {
			openView[name](r)
			r.press(typing...)
			r.send(tea.PasteMsg{Content: "pasted words"})
			if typing == nil {
				r.wantNoText("pasted words")
			} else {
				r.wantText("pasted words")
			}
			for range 4 {
				r.press("esc")
				if strings.HasPrefix(strings.TrimLeft(r.lines()[0], " "), "plimsoll") {
					break
				}
			}
			r.wantView("")
			if got := r.draft(); got != "" {
				r.t.Errorf("the composer has %q", got)
			}
		})
	}
}

func TestTheMouseGoesToTheView(t *testing.T) {
	wheel := func(r *rig, b tea.MouseButton) { r.send(tea.MouseWheelMsg{Button: b, X: 5, Y: 5}) }
	inEachView(t, func(r *rig, name string) {
		r.resize(100, 14) // too low for any of them
		r.press("home")
		before := r.text()
		wheel(r, tea.MouseWheelDown)
		if name != "search" && name != "ledger" && name != "diff" && r.text() == before { // these are in sight whole
			r.t.Errorf("the wheel does nothing:\n%s", before)
		}
		wheel(r, tea.MouseWheelUp)
		r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 5, Y: 6}, tea.MouseMotionMsg{Button: tea.MouseLeft, X: 9, Y: 8}, tea.MouseReleaseMsg{Button: tea.MouseLeft, X: 9, Y: 8})
		for _, request := range r.terminalRequests {
			if strings.HasPrefix(request, "setClipboardMsg") {
				r.t.Errorf("the drag selected text of the main screen: %s", request)
			}
		}
		r.wantCalls()
		r.wantView(name)
	})
}

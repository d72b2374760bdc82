package tui_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui"
)

func TestATurn(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.submit("why?")
		r.wantCalls("first send why?")
		r.sendAppended(conversation.UserMessage{Text: "why?"})
		r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now()})
		r.wantText("▌ why?", "waiting for the model", "(esc stops)")
		r.wait(3 * time.Second)
		r.wantText("waiting for the model 3 s")
		r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now(), Progress: &llm.Prefill{Done: 1200, Total: 8000}})
		r.wantText("the server is reading 1.2k of 8k tokens")
		r.sendUpdates(updates.Status{Phase: updates.Streaming, Since: time.Now()}, updates.Delta{Text: "Because **it**"})
		r.wantText("Because it", "answering")
		r.sendUpdates(updates.CallStreaming{Name: "modify_file", Chars: 12_345})
		r.wantText("calling modify_file (12.3k characters so far)")
		r.sendAppended(conversation.AssistantMessage{Text: "Because **it** is.", Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: "1", Name: "run_command", Arguments: `{"command":"make"}`}}})
		r.sendUpdates(updates.Status{Phase: updates.Running, Since: time.Now()}, updates.ToolStarted{CallID: "1"}, updates.ToolOutput{CallID: "1", Text: "building"})
		r.wantText("Because it is.", "⠋ make", "building", "running tools")
		r.sendAppended(conversation.ToolResult{CallID: "1", Tool: "run_command", Status: conversation.ResultOK, Text: "done"})
		r.sendUpdates(updates.Status{Phase: updates.Retrying, Since: time.Now(), Attempt: 2, MaxAttempts: 4, Wait: 5 * time.Second, Why: "Rate limited (429)"})
		r.wantText("Rate limited (429). Try 2 of 4 in 5 s (esc stops)")
		r.wait(2 * time.Second)
		r.wantText("Try 2 of 4 in 3 s")
		r.sendUpdates(updates.Status{Phase: updates.Retrying, Since: time.Now(), Attempt: 3, MaxAttempts: 4, Wait: 90 * time.Second, Why: "Rate limited (429)"})
		r.wantText("Try 3 of 4 in 1 min 30 s")
		r.sendUpdates(updates.Status{Phase: updates.Idle, Since: time.Now()})
		r.wantNoText("Try 3", "esc stops")
	})
}

// An idle screen, and one that waits for the user, has no tick.
func TestTheTickStopsWithTheTurn(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now()})
		began := r.text()
		r.wait(200 * time.Millisecond)
		if r.text() == began {
			t.Error("the screen does not move while a turn runs")
		}
		for _, phase := range []updates.Phase{updates.Idle, updates.Asking} {
			r.sendUpdates(updates.Status{Phase: phase, Since: time.Now()})
			r.wait(time.Second)
			r.wantNoMessages("while " + string(phase))
		}
		r.sendUpdates(updates.Status{Phase: updates.Running, Since: time.Now()})
		began = r.text()
		r.wait(200 * time.Millisecond)
		if r.text() == began {
			t.Error("the screen does not move while the next turn runs")
		}
	})
}

func TestQueuedMessagesAreShownAndReturned(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.sendUpdates(updates.Status{Phase: updates.Streaming, Since: time.Now()})
		r.typeText("next")
		r.press("tab") // queues while busy
		r.wantCalls("first send next")
		r.sendUpdates(updates.Queued{Texts: []string{"next", "and\nthen \x1b[31m"}})
		r.wantText("queued: next", "(esc or alt+↑ to edit)", "queued: and then ␛[31m")
		r.press("alt+up")
		r.wantCalls("first return queued")
		r.typeText("draft")
		r.press("esc")
		r.wantCalls("first cancel")
		r.sendUpdates(updates.Queued{}, updates.Returned{Texts: []string{"next", "and then"}}, updates.Status{Phase: updates.Idle})
		r.wantNoText("queued")
		if d := cmp.Diff("next\n\nand then\n\ndraft", r.draft()); d != "" {
			t.Error(d)
		}
	})
}

func TestCtrlCInterruptsThenClearsThenQuits(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.typeText("draft")
		r.sendUpdates(updates.Status{Phase: updates.Waiting})
		r.press("ctrl+c")
		r.wantCalls("first cancel")
		r.wantText("draft")
		r.sendUpdates(updates.Status{Phase: updates.Idle})
		r.press("ctrl+c")
		r.wantNoText("│ draft")
		r.press("ctrl+c")
		r.wantText("press ctrl+c again to quit")
		r.press("x", "backspace", "ctrl+c") // another key in between
		r.wait(10 * time.Second)
		r.wantNoText("press ctrl+c again")
		r.press("ctrl+c") // too late
		if r.quit {
			t.Fatal("the program quit")
		}
		r.press("ctrl+c")
		if !r.quit {
			t.Error("the program did not quit")
		}
	})
}

func TestCtrlCLeavesATurnThatDoesNotStop(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.sendUpdates(updates.Status{Phase: updates.Stopping})
		r.press("ctrl+c", "ctrl+c")
		r.wantCalls()
		if !r.quit {
			t.Error("the program did not quit")
		}
	})
}

func TestCtrlDQuitsOnEmptyInputOnly(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.typeText("x")
		r.press("ctrl+d")
		if r.quit {
			t.Fatal("the program quit with a text in the composer")
		}
		r.press("backspace", "ctrl+d")
		if !r.quit {
			t.Error("the program did not quit")
		}
	})
}

func TestPhasesOfATurnDoNotMoveTheTranscript(t *testing.T) {
	screen(t, nil, func(r *rig) {
		for range 20 {
			r.sendAppended(conversation.UserMessage{Text: "a question"}, conversation.AssistantMessage{Text: "an answer", Stop: conversation.StopEnd})
		}
		r.sendAppended(conversation.UserMessage{Text: "MARK"})
		y := r.row("MARK")
		for _, phase := range []updates.Phase{updates.Waiting, updates.Streaming, updates.Running, updates.Asking, updates.Retrying, updates.Stopping, updates.Idle} {
			r.sendUpdates(updates.Status{Phase: phase, Since: time.Now()})
			if now := r.row("MARK"); now != y {
				t.Errorf("%s: from row %d to %d", phase, y, now)
			}
			r.send(tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}) // a passing word
			if now := r.row("MARK"); now != y {
				t.Errorf("%s and a word: from row %d to %d", phase, y, now)
			}
		}
	})
}

// A key in the empty composer retries a failed turn, also after a restart, but not in a read-only conversation.
func TestAFailedTurnIsSentAgainWithOneKey(t *testing.T) {
	fails := []conversation.Body{conversation.UserMessage{Text: "hi"},
		conversation.TurnFailed{Class: "server error", Message: "Server error (500) after 4 tries (9 s): internal"}}
	line := "▍ Server error (500) after 4 tries (9 s): internal"
	screenOf(t, "live", nil, func(r *rig) {
		r.sendAppended(fails...)
		r.sendUpdates(updates.Failed{Err: &llm.Error{Class: llm.ServerFault, Message: "Server error (500): internal"}, Logged: true})
		r.wantText(line, "enter sends again")
		if n := strings.Count(r.text(), "Server error"); n != 1 {
			r.t.Errorf("said %d times:\n%s", n, r.text())
		}
		r.press("x", "backspace", "enter")
		r.wantCalls("first retry")
		r.sendUpdates(updates.Status{Phase: updates.Waiting})
		r.press("enter")
		r.wantCalls()
		r.sendUpdates(updates.Status{Phase: updates.Idle})
		r.sendAppended(conversation.AssistantMessage{Text: "There.", Stop: conversation.StopEnd})
		r.press("enter")
		r.wantCalls()
		r.submit("/retry")
		r.wantCalls("first retry")
		r.sendUpdates(updates.Failed{Err: &llm.Error{Class: llm.BadRequest, Message: "Nothing to send again"}})
		r.wantText("Nothing to send again")
	})
	for readOnly, key := range map[string]bool{"": true, "Read-only": false} {
		screenOf(t, "opened "+readOnly, func(r *rig, _ *tui.Options) {
			var l conversation.Log
			r.first.Events, r.first.ReadOnly = l.Prepare(time.Now(), fails...), readOnly
		}, func(r *rig) {
			r.wantText(line)
			if strings.Contains(r.text(), "enter sends again") != key {
				r.t.Errorf("the key is named wrongly:\n%s", r.text())
			}
		})
	}
}

// An unreachable server is reported before anything is sent, until a request is made.
func TestAnUnreachableServerIsShownBeforeSending(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.sendUpdates(updates.Unreachable{Why: "No answer from http://127.0.0.1:9/v1"})
		r.wait(time.Minute)
		r.wantText("! No answer from http://127.0.0.1:9/v1")
		r.sendUpdates(updates.Status{Phase: updates.Waiting})
		r.wantNoText("No answer from")
	})
}

func TestTheGaugeMovesWithTheDraft(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.wantText("0 of 128k")
		r.wantNoText("→")
		r.send(tea.PasteMsg{Content: strings.Repeat("words and more words\n", 4000)})
		r.wantText("→ ~16%", "[pasted 1: 4000 lines, ~21k tokens]")
		r.press("ctrl+c")
		r.wantNoText("→")
		r.typeText("see @upload.go ") // weighs 10 %
		r.wantText("→ ~10%")
		r.sendUpdates(updates.Status{Phase: updates.Streaming}, updates.Queued{Texts: []string{strings.Repeat("words and more words\n", 4000)}})
		r.wantText("→ ~26%")
	})
}

// A draft counts only if Enter would send it as a message.
func TestTheGaugeCountsMessagesOnly(t *testing.T) {
	screen(t, nil, func(r *rig) {
		for typed, counts := range map[string]bool{
			"/compact keep the port and what was tried": false, "/nosuch command": false, "!git log": false, "!!git log": false, "  \n": false,
			"/etc/hosts is missing": true, "what about /compact?": true, " !git log": true,
		} {
			r.typeText(typed)
			if got := strings.Contains(r.text(), "→"); got != counts {
				t.Errorf("after %q the gauge tells what sending makes of it: %v, want %v:\n%s", typed, got, counts, r.text())
			}
			r.press("ctrl+c")
		}
	})
}

// The meter may come before the reply is stored, or for another reason.
func TestTheReplyCountsUntilItIsInTheLog(t *testing.T) {
	screen(t, nil, func(r *rig) {
		empty := meter.New(meter.Options{Window: fakeModel().Window})
		text := strings.Repeat("words ", 10_000)
		r.sendUpdates(updates.Metered{Meter: empty}, updates.Delta{Text: text})
		r.sendUpdates(updates.Metered{Meter: empty})
		r.wantText("~12%  ~15k of 128k")
		events := log(conversation.UserMessage{Text: "go"}, conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd})
		r.sendUpdates(updates.Appended{Events: events})
		r.wantText("~12%  ~15k of 128k")
		r.sendUpdates(updates.Metered{Meter: empty.WithView(projection.Project(events))})
		r.wantText("~12%  ~15k of 128k")
		r.sendUpdates(updates.Metered{Meter: empty})
		r.wantText("0 of 128k")
	})
}

func TestMentionsAddTheirFiles(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.submit("compare @upload.go with @main.go please")
		r.wantCalls("attach upload.go main.go", "first send compare @upload.go with @main.go please + upload.go, main.go")
		r.submit("@nobody is no file, nor is a@main.go, and @Override no path")
		r.wantCalls("first send @nobody is no file, nor is a@main.go, and @Override no path")
	})
}

func TestAMentionThatIsNotAFileIsReportedBeforeSending(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.failing["attach"] = &tui.MentionError{Path: "p.png", Err: errors.New("it is damaged")}
		r.files = append(r.files, tui.File{Path: "p.png", Note: "✗ it is damaged"})
	}, func(r *rig) {
		r.typeText("what is in @p.png ?")
		r.wantText("✗ @p.png: it is damaged")
		r.press("enter")
		r.wantCalls("attach p.png")
		r.wantText("it is damaged", "enter again", "│ what is in @p.png ?")
		r.press("enter")
		r.wantCalls("first send what is in @p.png ?")
		r.submit("and in @q.png")
		r.wantCalls("attach q.png")
	})
}

// A returned message attaches its files again when it is sent again.
func TestReturnedMessagesAreAsTyped(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.sendUpdates(updates.Status{Phase: updates.Streaming})
		r.submit("see @main.go now")
		sent := "see @main.go now + main.go"
		r.sendUpdates(updates.Queued{Texts: []string{sent}})
		r.wantText("queued: see @main.go now  (esc")
		r.sendUpdates(updates.Queued{}, updates.Returned{Texts: []string{sent}}, updates.Status{Phase: updates.Idle})
		r.calls = nil
		r.press("enter")
		r.wantCalls("attach main.go", "first send "+sent)
	})
}

func TestMessagesKeepTheirOrder(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.attachGate = make(chan struct{}) }, func(r *rig) {
		r.submit("see @main.go now")
		r.submit("and then this")
		r.wantCalls()
		r.wantText("queued: see @main.go now", "queued: and then this")
		close(r.attachGate)
		r.settle()
		r.wantCalls("attach main.go", "first send see @main.go now + main.go", "first send and then this")
		r.wantNoText("queued")
	})
}

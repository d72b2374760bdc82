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
		r.calls = nil
		r.enter("why?")
		r.wantCalls("first send why?")
		r.append(conversation.UserMessage{Text: "why?"})
		r.happen(updates.Status{Phase: updates.Waiting, Since: time.Now()})
		r.has("▌ why?", "waiting for the model", "(esc stops)")
		r.pass(3 * time.Second)
		r.has("waiting for the model 3s")
		r.happen(updates.Status{Phase: updates.Waiting, Since: time.Now(), Progress: &llm.Prefill{Done: 1200, Total: 8000}})
		r.has("the server is reading 1.2k of 8k tokens")
		r.happen(updates.Status{Phase: updates.Streaming, Since: time.Now()}, updates.Delta{Text: "Because **it**"})
		r.has("Because it", "answering")
		r.happen(updates.CallStreaming{Name: "modify_file", Chars: 12_345})
		r.has("calling modify_file (12.3k characters so far)")
		r.append(conversation.AssistantMessage{Text: "Because **it** is.", Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: "1", Name: "run_command", Arguments: `{"command":"make"}`}}})
		r.happen(updates.Status{Phase: updates.Running, Since: time.Now()}, updates.ToolStarted{CallID: "1"}, updates.ToolOutput{CallID: "1", Text: "building"})
		r.has("Because it is.", "run make", "building", "running tools")
		r.append(conversation.ToolResult{CallID: "1", Tool: "run_command", Status: conversation.ResultOK, Text: "done"})
		r.happen(updates.Status{Phase: updates.Retrying, Since: time.Now(), Attempt: 2, Of: 4, Wait: 5 * time.Second, Why: "Rate limited (429)"})
		r.has("Rate limited (429). Try 2 of 4 in 5 s (esc stops)")
		r.pass(2 * time.Second)
		r.has("Try 2 of 4 in 3 s")
		r.happen(updates.Status{Phase: updates.Retrying, Since: time.Now(), Attempt: 3, Of: 4, Wait: 90 * time.Second, Why: "Rate limited (429)"})
		r.has("Try 3 of 4 in 1 min 30 s")
		r.happen(updates.Status{Phase: updates.Idle, Since: time.Now()})
		r.lacks("Try 3", "esc stops")
	})
}

// An idle screen, and one that waits for the user, has no tick.
func TestTheTickStopsWithTheTurn(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.happen(updates.Status{Phase: updates.Waiting, Since: time.Now()})
		began := r.text()
		r.pass(200 * time.Millisecond)
		if r.text() == began {
			t.Error("nothing moves while a turn runs")
		}
		for _, phase := range []updates.Phase{updates.Idle, updates.Asking} {
			r.happen(updates.Status{Phase: phase, Since: time.Now()})
			r.pass(time.Second)
			r.rests("while " + string(phase))
		}
		r.happen(updates.Status{Phase: updates.Running, Since: time.Now()})
		began = r.text()
		r.pass(200 * time.Millisecond)
		if r.text() == began {
			t.Error("nothing moves while the next turn runs")
		}
	})
}

func TestQueuedMessagesAreShownAndReturned(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.happen(updates.Status{Phase: updates.Streaming, Since: time.Now()})
		r.calls = nil
		r.write("next")
		r.press("tab") // queues while busy
		r.wantCalls("first send next")
		r.happen(updates.Queued{Texts: []string{"next", "and\nthen \x1b[31m"}})
		r.has("queued: next", "(esc or alt+↑ to edit)", "queued: and then ␛[31m")
		r.press("alt+up")
		r.wantCalls("first take back")
		r.write("draft")
		r.press("esc")
		r.wantCalls("first cancel")
		r.happen(updates.Queued{}, updates.Returned{Texts: []string{"next", "and then"}}, updates.Status{Phase: updates.Idle})
		r.lacks("queued")
		if d := cmp.Diff("next\n\nand then\n\ndraft", r.draft()); d != "" {
			t.Error(d)
		}
	})
}

func TestCtrlCInterruptsThenClearsThenQuits(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls = nil
		r.write("draft")
		r.happen(updates.Status{Phase: updates.Waiting})
		r.press("ctrl+c")
		r.wantCalls("first cancel")
		r.has("draft")
		r.happen(updates.Status{Phase: updates.Idle})
		r.press("ctrl+c")
		r.lacks("│ draft")
		r.press("ctrl+c")
		r.has("press ctrl+c again to quit")
		r.press("x", "backspace", "ctrl+c") // another key in between
		r.pass(10 * time.Second)
		r.lacks("press ctrl+c again")
		r.press("ctrl+c") // too late
		if r.quit {
			t.Fatal("it quit")
		}
		r.press("ctrl+c")
		if !r.quit {
			t.Error("it did not quit")
		}
	})
}

// The user can quit even if the turn does not stop.
func TestCtrlCLeavesATurnThatDoesNotStop(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls = nil
		r.happen(updates.Status{Phase: updates.Stopping})
		r.press("ctrl+c", "ctrl+c")
		r.wantCalls()
		if !r.quit {
			t.Error("it did not quit")
		}
	})
}

func TestCtrlDQuitsOnEmptyInputOnly(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.write("x")
		r.press("ctrl+d")
		if r.quit {
			t.Fatal("it quit with text typed")
		}
		r.press("backspace", "ctrl+d")
		if !r.quit {
			t.Error("it did not quit")
		}
	})
}

// The transcript does not move when a turn begins, continues and ends.
func TestPhasesOfATurnDoNotMoveTheTranscript(t *testing.T) {
	screen(t, nil, func(r *rig) {
		for range 20 {
			r.append(conversation.UserMessage{Text: "a question"}, conversation.AssistantMessage{Text: "an answer", Stop: conversation.StopEnd})
		}
		r.append(conversation.UserMessage{Text: "MARK"})
		y := r.row("MARK")
		for _, phase := range []updates.Phase{updates.Waiting, updates.Streaming, updates.Running, updates.Asking, updates.Retrying, updates.Stopping, updates.Idle} {
			r.happen(updates.Status{Phase: phase, Since: time.Now()})
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

// A turn that failed is in the log. One key on an empty line sends it again, also after it was opened anew, but not where
// the conversation is only read.
func TestAFailedTurnIsSentAgainWithOneKey(t *testing.T) {
	fails := []conversation.Body{conversation.UserMessage{Text: "hi"},
		conversation.TurnFailed{Class: "server error", Message: "Server error (500) after 4 tries (9 s): internal"}}
	line := "✗ Server error (500) after 4 tries (9 s): internal"
	t.Run("live", func(t *testing.T) {
		screen(t, nil, func(r *rig) {
			r.append(fails...)
			r.happen(updates.Failed{Err: &llm.Error{Class: llm.ServerFault, Message: "Server error (500): internal"}, Logged: true})
			r.has(line, "enter sends again")
			if n := strings.Count(r.text(), "Server error"); n != 1 {
				t.Errorf("said %d times:\n%s", n, r.text())
			}
			r.press("x", "backspace", "enter")
			r.wantCalls("open", "first retry")
			r.happen(updates.Status{Phase: updates.Waiting})
			r.press("enter")
			r.wantCalls()
			r.happen(updates.Status{Phase: updates.Idle})
			r.append(conversation.AssistantMessage{Text: "There.", Stop: conversation.StopEnd})
			r.press("enter")
			r.wantCalls()
			r.enter("/retry")
			r.wantCalls("first retry")
			r.happen(updates.Failed{Err: &llm.Error{Class: llm.BadRequest, Message: "Nothing to send again"}})
			r.has("Nothing to send again")
		})
	})
	for readOnly, key := range map[string]bool{"": true, "Read-only": false} {
		t.Run("opened "+readOnly, func(t *testing.T) {
			screen(t, func(r *rig, _ *tui.Options) {
				var l conversation.Log
				r.first.Events, r.first.ReadOnly = l.Prepare(time.Now(), fails...), readOnly
			}, func(r *rig) {
				r.has(line)
				if strings.Contains(r.text(), "enter sends again") != key {
					t.Errorf("the key is named wrongly:\n%s", r.text())
				}
			})
		})
	}
}

// An unreachable server is reported before anything is sent, until a request is made.
func TestAnUnreachableServerIsShownBeforeSending(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.happen(updates.Unreachable{Why: "No answer from http://127.0.0.1:9/v1"})
		r.pass(time.Minute)
		r.has("! No answer from http://127.0.0.1:9/v1")
		r.happen(updates.Status{Phase: updates.Waiting})
		r.lacks("No answer from")
	})
}

func TestTheGaugeMovesWithTheDraft(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.has("0/128k")
		r.lacks("→")
		r.send(tea.PasteMsg{Content: strings.Repeat("words and more words\n", 4000)})
		r.has("→ ~16%", "[pasted 1: 4000 lines, ~21k tokens]")
		r.press("ctrl+c")
		r.lacks("→")
		r.write("see @upload.go ") // weighs 10 %
		r.has("→ ~10%")
		r.happen(updates.Status{Phase: updates.Streaming}, updates.Queued{Texts: []string{strings.Repeat("words and more words\n", 4000)}})
		r.has("→ ~26%")
	})
}

// A draft counts only if Enter would send it as a message.
func TestTheGaugeCountsMessagesOnly(t *testing.T) {
	screen(t, nil, func(r *rig) {
		for typed, counts := range map[string]bool{
			"/compact keep the port and what was tried": false, "/nosuch command": false, "!git log": false, "!!git log": false, "  \n": false,
			"/etc/hosts is missing": true, "what about /compact?": true, " !git log": true,
		} {
			r.write(typed)
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
		empty := meter.New(meter.Options{Window: demo().Window})
		text := strings.Repeat("words ", 10_000)
		r.happen(updates.Metered{Meter: empty}, updates.Delta{Text: text})
		r.happen(updates.Metered{Meter: empty})
		r.has("~12% ~15k/128k")
		events := log(conversation.UserMessage{Text: "go"}, conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd})
		r.happen(updates.Appended{Events: events})
		r.has("~12% ~15k/128k")
		r.happen(updates.Metered{Meter: empty.WithView(projection.Project(events))})
		r.has("~12% ~15k/128k")
		r.happen(updates.Metered{Meter: empty})
		r.has("0/128k")
	})
}

func TestMentionsAddTheirFiles(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls = nil
		r.enter("compare @upload.go with @main.go please")
		r.wantCalls("attach upload.go main.go", "first send compare @upload.go with @main.go please + upload.go, main.go")
		r.enter("@nobody is no file, nor is a@main.go, and @Override no path")
		r.wantCalls("first send @nobody is no file, nor is a@main.go, and @Override no path")
	})
}

// A mention that cannot be attached as a file is reported before the message is sent;
// sending again sends it as it is.
func TestAMentionThatIsNotAFileIsReportedBeforeSending(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.failing["attach"] = &tui.MentionError{Path: "p.png", Err: errors.New("it is an image: only text can be sent")}
	}, func(r *rig) {
		r.calls = nil
		r.write("what is in @p.png ?")
		r.has("✗ @p.png is an image: only text can be sent")
		r.press("enter")
		r.wantCalls("attach p.png")
		r.has("it is an image: only text can be sent", "enter again", "│ what is in @p.png ?")
		r.press("enter")
		r.wantCalls("first send what is in @p.png ?")
		r.enter("and in @q.png")
		r.wantCalls("attach q.png")
	})
}

// A returned message attaches its files again when it is sent again.
func TestReturnedMessagesAreAsTyped(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.happen(updates.Status{Phase: updates.Streaming})
		r.enter("see @main.go now")
		sent := "see @main.go now + main.go"
		r.happen(updates.Queued{Texts: []string{sent}})
		r.has("queued: see @main.go now  (esc")
		r.happen(updates.Queued{}, updates.Returned{Texts: []string{sent}}, updates.Status{Phase: updates.Idle})
		r.calls = nil
		r.press("enter")
		r.wantCalls("attach main.go", "first send "+sent)
	})
}

func TestMessagesKeepTheirOrder(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.attached = make(chan struct{}) }, func(r *rig) {
		r.calls = nil
		r.enter("see @main.go now")
		r.enter("and then this")
		r.wantCalls()
		r.has("queued: see @main.go now", "queued: and then this")
		close(r.attached)
		r.settle()
		r.wantCalls("attach main.go", "first send see @main.go now + main.go", "first send and then this")
		r.lacks("queued")
	})
}

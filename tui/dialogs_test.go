package tui_test

import (
	"testing"
	"time"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui/dialog"
)

func approval(id, command string) updates.AskApproval {
	return updates.AskApproval{Call: conversation.ToolCall{ID: id, Name: "run_command"},
		Review: conversation.Review{Need: conversation.NeedApproval, Title: "run_command", Command: command,
			Offer: conversation.Offer{Rules: []string{"run_command(" + command + ")"}, Meaning: "exactly this command"}}}
}

func TestApprovals(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.sendUpdates(updates.Status{Phase: updates.Asking}, approval("c1", "rm -rf build"))
		r.wantText("Allow this?", "rm -rf build")
		r.press("y") // typed before it could be read
		r.wantCalls()
		r.wantNoText("Allow this?")
		r.wantText("│ y", "a question is waiting")
		r.wait(dialog.TypingPause + dialog.ReadingTime)
		r.wantText("Allow this?", "rm -rf build")
		r.press("n", "w", "h", "y", "enter")
		r.wantCalls("first answer c1 no why")
		r.wantNoText("Allow this?")
	})
}

func TestAnApprovalIsClosedByTheAgent(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.sendUpdates(approval("c1", "make"), updates.ApprovalClosed{CallID: "c1"})
		r.wantNoText("Allow this?")
		r.typeText("hello")
		r.press("enter")
		r.wantCalls("first send hello")
	})
}

// The interrupt stops the turn; the agent then closes the question.
func TestCtrlCInAnApproval(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.sendUpdates(updates.Status{Phase: updates.Asking}, approval("c1", "make"))
		r.press("ctrl+c")
		r.wantCalls("first cancel")
		r.sendUpdates(updates.Status{Phase: updates.Stopping})
		r.press("ctrl+c") // and without waiting for it
		r.wantCalls("first answer c1 no")
		r.wantNoText("Allow this?")
	})
}

// A user pauses between words: a question that opens in such a pause is not answered by the next letter.
func TestAQuestionInTheMiddleOfASentenceIsNotAnswered(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.typeText("do it")
		r.sendUpdates(updates.Status{Phase: updates.Asking}, approval("c1", "rm -rf build"))
		r.wait(600 * time.Millisecond)
		r.wantNoText("Allow this?")
		r.wantText("a question is waiting")
		r.press("a")
		r.wantCalls()
		r.wait(dialog.TypingPause - time.Millisecond)
		r.wantNoText("Allow this?")
		r.wait(time.Millisecond)
		r.wantText("Allow this?")
		r.wait(dialog.ReadingTime)
		r.press("a")
		r.wantCalls("first answer c1 always run_command(rm -rf build)")
		r.wantText("│ do ita")
	})
}

func TestAQuestionAfterASentMessageIsAnsweredSoon(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.submit("do it")
		r.sendUpdates(updates.Status{Phase: updates.Asking}, approval("c1", "make"))
		r.calls = nil
		r.wait(500 * time.Millisecond)
		r.press("y")
		r.wantCalls("first answer c1 once")
	})
}

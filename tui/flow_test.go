package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
	"plimsoll/tui/dialog"
)

// longReply fills the transcript; its last line is the reason for the call.
func longReply() updates.Appended {
	var l conversation.Log
	return updates.Appended{Events: l.Prepare(time.Now(), conversation.UserMessage{Text: "tidy up"},
		conversation.AssistantMessage{Text: strings.Repeat("A line of the reply.\n\n", 30) + "I remove what the build left.", Stop: conversation.StopCalls})}
}

func TestAQuestionStandsInTheFlow(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 50 {
		lines = append(lines, fmt.Sprintf("rm -rf build%d", i))
	}
	for _, size := range [][3]int{{120, 40, 15}, {80, 24, 10}, {40, 12, 3}} { // the last is the lines of the command in view, at least
		screenIn(t, func(r *rig, _ *tui.Options) { r.width, r.height = size[0], size[1] }, func(r *rig) {
			r.sendUpdates(longReply(), updates.Status{Phase: updates.Asking}, approval("c1", strings.Join(lines, "\n")+"\nrm END"))
			r.wantText("▎ Allow this?", "I remove what the build left.", "rm -rf build", "once", "r and a add ", "enter choose")
			if n := strings.Count(r.text(), "rm -rf build"); n < size[2] {
				t.Errorf("%d lines of the command are in view:\n%s", n, r.text())
			}
			r.press("pgup", "pgup", "pgup") // scrolls the transcript, and answers nothing
			r.wantNoText("I remove what the build left.")
			if !strings.Contains(r.text(), "A line of the reply.") {
				r.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp, X: 2, Y: 3}) // from an empty line between two
			}
			r.wantText("A line of the reply.", "Allow this?")
			r.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: 2, Y: 3})
			r.wantText("Allow this?")
			r.wait(dialog.ReadingTime)
			r.press("ctrl+o")
			r.wantText("╭─")
			r.wantNoText("▎ Allow this?")
			r.press("ctrl+o")
			r.wantText("▎ Allow this?")
			seen := r.text()
			for !strings.Contains(r.text(), "rm END") {
				r.press("y")
				r.wait(dialog.ReadingTime)
				seen += r.text()
				r.wantText("Read ", "; y again ")
			}
			for _, line := range lines {
				if !strings.Contains(seen, line+"\n") {
					t.Errorf("%q was never shown", line)
				}
			}
			r.wantText("rm END", "Read the end; y again allows it.")
			r.press("y")
			r.wantCalls("first answer c1 once")
			r.wantNoText("Allow this?")
		})
	}
}

func TestACommandStandsOnceWhileItIsAskedAbout(t *testing.T) {
	screen(t, nil, func(r *rig) {
		var l conversation.Log
		run := func(id, command string) conversation.ToolCall {
			return conversation.ToolCall{ID: id, Name: "run_command", Arguments: `{"command":"` + command + `"}`}
		}
		reply := conversation.AssistantMessage{Text: "I build it.", Stop: conversation.StopCalls, Calls: []conversation.ToolCall{run("c1", "make all"), run("c2", "make install")}}
		r.sendUpdates(updates.Appended{Events: l.Prepare(time.Now(), reply)}, updates.Status{Phase: updates.Asking}, approval("c1", "make all"))
		r.wait(dialog.ReadingTime)
		r.wantText("Allow this?", "$ make install")
		r.wantNoText("$ make all")
		r.press("y")
		r.wantText("$ make all")
	})
}

func TestADraftIsInViewBelowAQuestion(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.width, r.height = 80, 24 }, func(r *rig) {
		r.typeText("and then")
		r.sendUpdates(longReply(), updates.Status{Phase: updates.Asking}, approval("c1", "make"))
		r.wait(dialog.TypingPause)
		r.wantText("Allow this?", "│ and then", "I remove what the build left.")
	})
}

func TestAQuestionStaysWhereItOpened(t *testing.T) {
	screenIn(t, func(r *rig, _ *tui.Options) { r.width, r.height = 160, 26 }, func(r *rig) {
		r.sendUpdates(longReply(), updates.Status{Phase: updates.Asking}, approval("c1", strings.Repeat("0123456789 ", 34))) // 3 lines in the flow
		opened := r.text()
		r.wantText("Allow this?")
		r.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: 2, Y: 3})
		if d := cmp.Diff(opened, r.text()); d != "" {
			t.Errorf("the next message moves the question: %s", d)
		}
	})
}

func TestWaitingCallsOfOneKindAreAnsweredTogether(t *testing.T) {
	screen(t, nil, func(r *rig) {
		edit := approval("c3", "")
		edit.Call.Name, edit.Review.Title = "modify_file", "modify_file a.go"
		r.sendUpdates(updates.Status{Phase: updates.Asking}, approval("c1", "make"), edit, approval("c2", "make install"))
		r.wait(dialog.ReadingTime)
		r.wantText("Allow this?  run", "+2 waiting: edit a.go · run", "t all 2")
		r.wantNoText("stop typing")
		width, height := r.width, r.height
		r.width, r.height = 40, 12
		r.send(tea.WindowSizeMsg{Width: r.width, Height: r.height})
		r.wantText("t all 2 · +2 waiting", "n no")
		r.width, r.height = width, height
		r.send(tea.WindowSizeMsg{Width: width, Height: height})
		r.press("t")
		r.wait(dialog.ReadingTime)
		r.wantText("Allow this?  2 calls, together", "1  run", "make install", "esc one by one")
		r.press("esc")
		r.wantText("Allow this?  run")
		r.wait(dialog.ReadingTime)
		r.press("t")
		r.wait(dialog.ReadingTime)
		r.press("y")
		r.wantCalls("first answer c1 once", "first answer c2 once")
		r.wantText("Allow this?  edit a.go")
		r.sendUpdates(approval("c4", "make"), approval("c5", "make"), updates.ApprovalClosed{CallID: "c3"})
		r.wait(dialog.ReadingTime)
		r.press("t")
		r.sendUpdates(updates.ApprovalClosed{CallID: "c5"}) // the turn was stopped
		r.wantNoText("together")
	})
}

func TestACommandIsChangedBeforeItRuns(t *testing.T) {
	screen(t, nil, func(r *rig) {
		asked := approval("c1", "rm -rf /")
		asked.Review.Changeable = true
		r.sendUpdates(updates.Status{Phase: updates.Asking}, asked)
		r.wait(dialog.ReadingTime)
		r.press("e")
		r.wantText("Run instead", "enter run it")
		r.typeText("tmp/x")
		r.press("enter")
		r.wantCalls("first answer c1 once rm -rf /tmp/x")
	})
}

func TestARuleIsWidenedByItsKeyAndNarrowedByAnArrow(t *testing.T) {
	screen(t, nil, func(r *rig) {
		asked := approval("c1", "go test ./a")
		asked.Review.Wider = []conversation.Offer{{Rules: []string{"run_command(go test *)"}, Meaning: "commands of the form go test *", Warning: "wide: it would have allowed 7 of them"}}
		r.sendUpdates(updates.Status{Phase: updates.Asking}, asked)
		r.wait(dialog.ReadingTime)
		r.wantText("r and a add the rule run_command(go test ./a)  + wider")
		r.press("+", "+")
		r.wantText("r and a add the rule run_command(go test *)  ↓ narrower", "! wide: it would have allowed 7")
		r.press("down")
		r.wantNoText("go test *")
		r.press("+", "r")
		r.wantCalls("first answer c1 run run_command(go test *)")
	})
}

func TestAQuestionAboutTheSandboxOffersTheConversation(t *testing.T) {
	screen(t, nil, func(r *rig) {
		asked := approval("outside 1", "git push")
		asked.Review.Passing, asked.Review.Title = true, "outside the sandbox, which kept it from reaching the network"
		asked.Review.Offer = conversation.Offer{Rules: []string{"outside(git push)"}, Meaning: "exactly this command"}
		r.sendUpdates(updates.Status{Phase: updates.Asking}, asked)
		r.wait(dialog.ReadingTime)
		r.wantText("❯ y once   r in this conversation   n no", "r adds the rule outside(git push)", "allows exactly this command")
		r.wantNoText("write the rule")
		r.press("w", "a", "r")
		r.wantCalls("first answer outside 1 conversation outside(git push)")
	})
}

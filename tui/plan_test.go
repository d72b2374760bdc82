package tui_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
)

const (
	askedPlan = "Carry out this plan?"
	planText  = "I read `upload.go`. The plan:\n\n1. Let the server listen on port 0.\n2. Tell the test its address.\n3. Run the test ten times.\n\nShall I?"
	sentPlan  = "first send Plan mode is off. Carry out the plan."
)

func inPlanMode(r *rig, _ *tui.Options) { r.first.Mode = conversation.ModePlan }

// replied is a turn with a reply that ends the turn.
func (r *rig) replied(reply string, stop conversation.StopReason) {
	r.t.Helper()
	r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now()})
	r.appendEvents(conversation.UserMessage{Text: "how?"}, conversation.AssistantMessage{Text: reply, Stop: stop})
	r.sendUpdates(updates.Status{Phase: updates.Idle})
	r.calls = nil
}

func TestAPlanOfStepsIsOfferedWhenItsTurnEnds(t *testing.T) {
	for name, c := range map[string]struct {
		keys  []string
		calls []string
		mode  string
	}{
		"yes":       {[]string{"y"}, []string{"first mode ask", "first pin [2] true", sentPlan}, "ask"},
		"edits":     {[]string{"2"}, []string{"first mode edits", "first pin [2] true", sentPlan}, "edits"},
		"no":        {[]string{"n"}, nil, "plan"},
		"last":      {[]string{"up", "enter"}, nil, "plan"},
		"interrupt": {[]string{"ctrl+c"}, nil, "plan"},
	} {
		screenOf(t, name, inPlanMode, func(r *rig) {
			r.replied(planText, conversation.StopEnd)
			r.wantText(askedPlan, "2. Tell the test its address.", "1  yes · ask: asks before changes", "2  yes · edits", "3  no")
			r.wait(time.Second)
			r.press(c.keys...)
			r.wantCalls(c.calls...)
			r.wantNoText(askedPlan)
			if last := r.lines()[29]; !strings.HasSuffix(last, c.mode) {
				t.Errorf("the mode is not %s: %q", c.mode, last)
			}
			r.sendUpdates(updates.Status{Phase: updates.Idle})
			r.wantNoText(askedPlan) // it is answered
		})
	}
}

func TestLeavingPlanModeOffersItsNewestReply(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.press("shift+tab", "shift+tab", "shift+tab", "shift+tab") // through yolo, where nothing was done
		r.replied("Change the port.", conversation.StopEnd)
		r.wantNoText(askedPlan)
		r.typeText("and")
		r.press("shift+tab")
		r.wantText(askedPlan, "Change the port.", "yes · ask:", "plan mode")
		r.wantCalls()
		r.wait(time.Second)
		r.press("n")
		r.wantText("still in plan mode · shift+tab leaves it")
		r.press("shift+tab")
		r.wantCalls("first mode ask")
		r.wantNoText(askedPlan)
	})
}

func TestTheYesIsForTheModeThatTheUserChose(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.first.Mode = conversation.ModeEdits }, func(r *rig) {
		r.replied("Done.", conversation.StopEnd)
		r.press("shift+tab", "shift+tab", "shift+tab")
		r.replied(planText, conversation.StopEnd)
		r.wantText(askedPlan, "1  yes · edits", "2  no")
		r.wait(time.Second)
		r.press("n")
		r.replied("Change the port.", conversation.StopEnd)
		r.submit("/permissions yolo")
		r.wantText(askedPlan, "1  yes · yolo: never asks", "2  yes · edits")
		r.wait(time.Second)
		r.calls = nil
		r.press("y")
		r.wantCalls("first mode yolo", "first pin [6] true", sentPlan)
	})
}

func TestNoPlanIsOfferedWithoutOne(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*rig, *tui.Options)
		act    func(*rig)
	}{
		"ask mode":  {nil, func(r *rig) { r.replied(planText, conversation.StopEnd) }},
		"failed":    {inPlanMode, func(r *rig) { r.replied(planText, conversation.StopFailed) }},
		"read only": {func(r *rig, _ *tui.Options) { r.first.Mode, r.first.ReadOnly = conversation.ModePlan, "open elsewhere" }, func(r *rig) { r.replied(planText, conversation.StopEnd) }},
		"rewound": {inPlanMode, func(r *rig) {
			r.replied(planText, conversation.StopEnd)
			r.wantText(askedPlan)
			r.appendEvents(conversation.Rewind{Turn: 0})
		}},
		"running": {inPlanMode, func(r *rig) {
			r.replied(planText, conversation.StopEnd)
			r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now()})
		}},
	} {
		screenOf(t, name, c.change, func(r *rig) {
			c.act(r)
			r.wantNoText(askedPlan)
			r.press("shift+tab")
			r.wantNoText(askedPlan)
		})
	}
}

// A key that was typed for the composer neither answers nor is lost.
func TestThePlanWaitsForTheUserToStopTyping(t *testing.T) {
	screen(t, inPlanMode, func(r *rig) {
		r.typeText("an")
		r.replied(planText, conversation.StopEnd)
		r.wantNoText(askedPlan)
		r.wantText("a question is waiting")
		r.wait(1600 * time.Millisecond)
		r.wantText(askedPlan)
		r.typeText("y")
		r.wantCalls()
		r.wantText("any")
	})
}

package tui

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// Leaving plan mode. The plan is the newest complete reply that arrived in plan mode; the model need not
// mark it, and calls no tool for it. The user is asked whether to carry it out
//
//   - when a turn in plan mode ends with a plan of numbered steps, once, and after the user stops typing;
//   - when the user switches to another mode, while no turn runs. After a no, nothing asks about this plan again.
//
// A yes switches the mode, pins the plan, so that no compaction removes it, and sends planGo.

// planGo is the message that begins to carry out a plan.
const planGo = "Plan mode is off. Carry out the plan."

// plan is the newest complete reply of plan mode; the zero value is none.
type plan struct {
	event      uint64 // its Seq
	turn       int
	text       string
	wasOffered bool // the user was asked about it
	isAnswered bool // with an answer
}

// steps matches the first of numbered steps and another, as list items or headings.
var steps = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?ms)^[ \t]*(?:#+ |[-*] )?(?:\*\*)?\d+[.)]\s.*^[ \t]*(?:#+ |[-*] )?(?:\*\*)?\d+[.)]\s`)
})

// offerPlan asks whether to carry out the plan. The first yes switches to mode.
type offerPlan struct{ mode conversation.Mode }

// carryOut carries out the plan in a mode.
type carryOut struct {
	mode  conversation.Mode
	event uint64
}

// addReply keeps a reply as the plan if it is one.
func (p *plan) addReply(e conversation.Event, reply conversation.AssistantMessage) {
	if reply.Stop == conversation.StopEnd && strings.TrimSpace(reply.Text) != "" {
		*p = plan{event: e.Seq, turn: e.Turn, text: reply.Text}
	}
}

// canCarryOut reports whether there is a plan to ask about: plan mode is on, and no turn runs.
func (s *session) canCarryOut() bool {
	return s.plan.event != 0 && !s.plan.isAnswered && s.Mode == conversation.ModePlan && !s.activity.busy() && s.whyNotChangeable() == ""
}

// modeBeforePlan is the mode that the user worked in before plan mode, else ask. Modes that the key
// only passed on its way do not count, so that a yes never grants more than the user chose.
func (s *session) modeBeforePlan() conversation.Mode { return cmp.Or(s.workMode, conversation.ModeAsk) }

// setWorkMode records a mode that the user chose or worked in.
func (s *session) setWorkMode(mode conversation.Mode) {
	if mode != conversation.ModePlan {
		s.workMode = mode
	}
}

// planID is the call ID of the question about the plan, which is not about a call.
const planID = "/plan"

// checkPlan asks about the plan when its turn has ended, and closes the question when it no longer applies.
func (d *dialogs) checkPlan(u updates.Update) pane.Action {
	s := d.session
	if !s.canCarryOut() {
		d.closePlan()
		return nil
	}
	if _, is := u.(updates.Status); is && !s.plan.wasOffered && steps().MatchString(s.plan.text) {
		return d.offerPlan(s.modeBeforePlan())
	}
	return nil
}

func (d *dialogs) closePlan() { d.closeQuestions(func(q question) bool { return q.callID == planID }) }

// offerPlan asks about the plan as soon as the user does not type.
func (d *dialogs) offerPlan(mode conversation.Mode) pane.Action {
	d.closePlan()
	s, modes := d.session, []conversation.Mode{mode}
	if mode != conversation.ModeEdits {
		modes = append(modes, conversation.ModeEdits)
	}
	s.plan.wasOffered = true
	var yes []string
	for _, m := range modes {
		yes = append(yes, "yes · "+string(m)+": "+modeHelp[m])
	}
	asked := s.plan.event
	answer := func(i int) pane.Action {
		d.closePlan()
		if s.plan.event == asked {
			s.plan.isAnswered = true
		}
		if i >= 0 {
			return carryOut{modes[i], asked}
		}
		return textSnackbar("still in plan mode · " + keyOr(d.env.Keys.Screen.Mode, "/permissions") + " leaves it")
	}
	return d.addQuestion(question{callID: planID, dialog: dialog.NewChoice("Carry out this plan?", "", yes, "no · stay in plan mode", answer)})
}

// carryOutPlan leaves plan mode, pins the plan and begins.
func (m *Model) carryOutPlan(a carryOut) pane.Action {
	if why := m.session.whyNotChangeable(); why != "" {
		return refusal(why)
	}
	switched := m.session.switchMode(a.mode)
	m.session.setWorkMode(a.mode)
	m.session.Session.Pin([]uint64{a.event}, true)
	return actionList{switched, m.chat.outbox.send(m.chat.outbox.newMessage(planGo, nil, nil))}
}

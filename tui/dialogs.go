package tui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui/cells"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// No key is lost: nothing that opens without being asked for takes the keyboard. What
// asks the user for an answer opens once nothing was written for a while, and gives a
// key back that comes before it can have been read. What was asked for and took its
// time opens where no key was pressed since; otherwise it goes into the transcript,
// folded, or the snackbar says that it is there.

// dialogs is the stack of dialogs, and the questions that open one.
type dialogs struct {
	env     *env
	session *session
	stack   *overlay.Stack

	connecting connecting
	questions  []question // of calls that wait, oldest first
	consent    *Consent   // that a conversation or a model waits for, nil for none
	next       arrival    // what comes when that conversation is open
	wrote      time.Time  // when one last wrote into a text that is not sent yet
	answered   time.Time  // when one last closed a dialog
	awaited    bool       // the end of a pause is
}

// question is the dialog that a call waits for.
type question struct {
	callID string
	dialog overlay.Dialog
	open   bool
}

func newDialogs(e *env, s *session, l themeStyles) *dialogs {
	d := &dialogs{env: e, session: s, stack: overlay.New(e.Keys.Dialogs, l.styles), connecting: connecting{env: e, session: s}}
	d.stack.Settle(cells.Settle)
	return d
}

// give gives a message to the dialog that has the keys. Unread says that the
// dialog appeared too recently to be read: it is closed again, and the message was
// meant for what it covered.
func (d *dialogs) dispatch(msg tea.Msg) (action pane.Action, unread bool) {
	top, now := d.stack.Top(), d.env.Now()
	action = d.stack.Update(msg, now)
	_, early := action.(overlay.Early)
	// Who just answered a question and presses on means the one below it.
	if early && now.Sub(d.answered) >= overlay.Grace && d.putOff(top) {
		return nil, true
	}
	open := d.stack.Top() == top
	if !open {
		d.answered = now
	}
	d.writes(open && !early && writes(msg))
	return action, false
}

// writes notes whether a key wrote into a text that is not sent yet.
func (d *dialogs) writes(wrote bool) {
	d.wrote = time.Time{}
	if wrote {
		d.wrote = d.env.Now()
	}
}

// writes reports whether a key or a paste has text.
func writes(msg tea.Msg) bool {
	k, key := msg.(tea.KeyPressMsg)
	return !key || k.Text != ""
}

// answers is what comes of an answer to the question of a call, whose dialog is gone then.
func (d *dialogs) answers(callID string) func(conversation.Answer) pane.Action {
	return func(answer conversation.Answer) pane.Action {
		d.questions = slices.DeleteFunc(d.questions, func(q question) bool { return q.callID == callID })
		d.session.Session.Answer(callID, answer)
		return nil
	}
}

// update opens and closes the dialogs that calls need.
func (d *dialogs) update(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.AskApproval:
		return d.ask(question{callID: u.Call.ID, dialog: d.dialogOf(u)})
	case updates.ApprovalClosed:
		d.forget(func(q question) bool { return q.callID == u.CallID })
	}
	return nil
}

// dialogOf is the dialog that a call needs.
func (d *dialogs) dialogOf(u updates.AskApproval) overlay.Dialog {
	answer, session := d.answers(u.Call.ID), d.session.Session
	if u.Review.Need == conversation.NeedAnswer {
		return overlay.NewAsk(u.Review.Question, u.Review.Options, func(text string, ok bool) pane.Action {
			if !ok {
				return answer(conversation.Answer{Grant: conversation.GrantNo})
			}
			return answer(conversation.Answer{Grant: conversation.GrantOnce, Text: text})
		})
	}
	return overlay.NewApprove(u.Review, func(rules []string) (conversation.Offer, error) { return session.Judge(u.Call.ID, rules) }, answer)
}

// ask asks a question once the user pauses.
func (d *dialogs) ask(q question) pane.Action {
	d.questions = append(d.questions, q)
	return d.openQuestions()
}

// forget closes the dialogs of questions that need no answer any more.
func (d *dialogs) forget(which func(question) bool) {
	d.questions = slices.DeleteFunc(d.questions, func(q question) bool {
		if !which(q) {
			return false
		}
		d.stack.Remove(q.dialog, d.env.Now())
		return true
	})
}

// forgetAll closes all questions: their conversation is closed.
func (d *dialogs) forgetAll() { d.forget(func(question) bool { return true }) }

// waiting reports whether a question is not in sight yet.
func (d *dialogs) waiting() bool {
	return slices.ContainsFunc(d.questions, func(q question) bool { return !q.open })
}

// openQuestions opens the dialogs that calls wait for, once the user pauses.
func (d *dialogs) openQuestions() pane.Action {
	if !d.waiting() {
		return nil
	}
	now := d.env.Now()
	if left := d.wrote.Add(overlay.Calm).Sub(now); left > 0 {
		if d.awaited {
			return nil
		}
		d.awaited = true
		return later(left, func() pane.Action {
			d.awaited = false
			return d.openQuestions()
		})
	}
	for i := range d.questions {
		if q := &d.questions[i]; !q.open {
			q.open = true
			d.stack.Push(q.dialog, now)
		}
	}
	return covered{}
}

// putOff takes the dialog of a call away until the user pauses. It reports false
// for another dialog.
func (d *dialogs) putOff(one overlay.Dialog) bool {
	for i := range d.questions {
		if q := &d.questions[i]; q.dialog == one {
			q.open = false
			d.stack.Remove(one, d.env.Now())
			return true
		}
	}
	return false
}

// Consent is the error of what needs a yes first: a conversation that would be sent
// elsewhere than before, settings that came with a folder. The question opens as that
// of a call does, once the user pauses. Closing it is a no. Nothing was sent and
// nothing changed. One of Open and Switch is set; without Decline a no leaves
// everything as it is, and begins a new conversation where none is open.
type Consent struct {
	Title    string
	Question string // what would happen
	Yes, No  string // what the answers do, in a few words
	Declined string // what the user can do after a no
	// Open opens the conversation all the same.
	Open func(ctx context.Context) (Conversation, error)
	// Decline opens it after a no.
	Decline func(ctx context.Context) (Conversation, error)
	// Switch makes the change all the same.
	Switch func(ctx context.Context) error
}

// Error is the question.
func (c *Consent) Error() string { return c.Question }

// consentID stands for the call that a question for a yes is about.
const consentID = "/consent"

// needsConsent takes over an error that asks for a yes; false for every other. Next is what comes after a yes.
func (d *dialogs) needsConsent(err error, next arrival) (pane.Action, bool) {
	var c *Consent
	if !errors.As(err, &c) {
		return nil, false
	}
	d.dropConsent()
	d.consent, d.next = c, next
	o := overlay.ConfirmOptions{Title: c.Title, Question: c.Question, Yes: c.Yes, No: c.No, Danger: true}
	return d.ask(question{callID: consentID, dialog: overlay.NewConfirm(o, d.consented)}), true
}

// dropConsent closes the question for a yes, if there is one.
func (d *dialogs) dropConsent() {
	d.consent = nil
	d.forget(func(q question) bool { return q.callID == consentID })
}

// consented carries out the answer.
func (d *dialogs) consented(yes bool) pane.Action {
	c := d.consent
	d.dropConsent()
	switch {
	case c == nil:
		return nil
	case yes && c.Open != nil:
		return enter{c.Open, d.next}
	case yes:
		return d.env.attempt(c.Switch, changed)
	case c.Decline != nil:
		return several{say(c.Declined), enter{open: c.Decline}}
	case !d.session.open:
		return several{say(c.Declined), enter{open: d.env.Backend.New}}
	}
	return say(c.Declined)
}

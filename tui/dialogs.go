package tui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui/cells"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// No key press goes to a dialog that the user did not expect. A question opens only after
// the user has stopped typing, and a key pressed before it can have been read goes to
// what it covers. The result of a slow request opens as a dialog only if no key was
// pressed since; otherwise it is shown folded in the transcript, or the snackbar says where it is.

// dialogs holds the stack of dialogs, and the questions that open one.
type dialogs struct {
	env     *env
	session *session
	stack   *dialog.Stack

	connecting     connecting
	questions      []question    // of calls that wait for an answer, oldest first
	consent        *Consent      // that opening a conversation or switching a model waits for; may be nil
	consentRequest openRequest   // what happens when that conversation is open
	wroteAt        time.Time     // when the user last typed into an unsent text
	answeredAt     time.Time     // when the user last closed a dialog
	group          dialog.Dialog // asks about several of the questions together; nil without one
	timerPending   bool          // a timer for the end of the pause is pending
}

// question is the dialog that a call waits for.
type question struct {
	callID string
	dialog dialog.Dialog
	isOpen bool
	asked  updates.AskApproval // of a call that needs approval; else empty
}

func newDialogs(e *env, s *session, ts themeStyles) *dialogs {
	stack := dialog.NewStack(e.Keys.Dialogs, ts.styles)
	d := &dialogs{env: e, session: s, stack: stack, connecting: connecting{env: e, session: s}}
	d.stack.SetLineFilter(cells.AdjustLine)
	return d
}

// dispatch passes a message to the top dialog. unread reports that the dialog
// appeared too recently to have been read: it is closed again, and the caller passes
// the message to what it covered.
func (d *dialogs) dispatch(msg tea.Msg) (action pane.Action, unread bool) {
	top, now := d.stack.Top(), d.env.Now()
	action = d.stack.Update(msg, now)
	_, early := action.(dialog.Early)
	// A user who just answered a question and presses a key means the question below.
	if early && now.Sub(d.answeredAt) >= dialog.ReadingTime && d.postpone(top) {
		return nil, true
	}
	open := d.stack.Top() == top
	if !open {
		d.answeredAt = now
		action = actionList{action, d.openQuestions()}
	}
	d.recordTyping(open && !early && hasText(msg))
	return action, false
}

func (d *dialogs) recordTyping(wrote bool) {
	d.wroteAt = time.Time{}
	if wrote {
		d.wroteAt = d.env.Now()
	}
}

func hasText(msg tea.Msg) bool {
	k, key := msg.(tea.KeyPressMsg)
	return !key || k.Text != ""
}

// answerTo returns the function that passes on the answer to the question of a call.
func (d *dialogs) answerTo(callID string) func(conversation.Answer) pane.Action {
	return func(answer conversation.Answer) pane.Action {
		d.questions = slices.DeleteFunc(d.questions, func(q question) bool { return q.callID == callID })
		d.listWaiting()
		d.session.Session.Answer(callID, answer)
		return nil
	}
}

// update opens and closes the dialogs of calls that need approval.
func (d *dialogs) update(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.AskApproval:
		return d.addQuestion(question{callID: u.Call.ID, dialog: d.newQuestionDialog(u), asked: u})
	case updates.ApprovalClosed:
		d.closeQuestions(func(q question) bool { return q.callID == u.CallID })
		return d.openQuestions()
	}
	return d.checkPlan(u)
}

func (d *dialogs) newQuestionDialog(u updates.AskApproval) dialog.Dialog {
	answer, session := d.answerTo(u.Call.ID), d.session.Session
	once := func(given conversation.Answer, ok bool) pane.Action {
		if given.Grant = conversation.GrantOnce; !ok {
			given = conversation.Answer{Grant: conversation.GrantNo}
		}
		return answer(given)
	}
	switch u.Review.Need {
	case conversation.NeedAnswer:
		return dialog.NewAsk(u.Review.Question, u.Review.Options, func(text string, ok bool) pane.Action {
			return once(conversation.Answer{Text: text}, ok)
		})
	case conversation.NeedForm:
		return dialog.NewForm(u.Review, func(values map[string]any, ok bool) pane.Action {
			return once(conversation.Answer{Values: values}, ok)
		})
	}
	check := func(rules []string) (conversation.Offer, error) { return session.CheckRules(u.Call.ID, rules) }
	return dialog.NewApprove(u.Review, check, answer)
}

// addQuestion opens a question once the user stops typing.
func (d *dialogs) addQuestion(q question) pane.Action {
	d.questions = append(d.questions, q)
	d.listWaiting()
	return d.openQuestions()
}

// listWaiting lists in each question about a call the others that wait, and how many are of its kind.
func (d *dialogs) listWaiting() {
	for _, q := range d.questions {
		a, is := q.dialog.(*dialog.Approve)
		if !is {
			continue
		}
		var titles []string
		var same []question
		for _, other := range d.questions {
			a, b := q.asked, other.asked
			if a.Call.Name != "" && a.Call.Name == b.Call.Name && a.Review.Need == b.Review.Need {
				same = append(same, other)
			}
			if other.dialog != q.dialog {
				titles = append(titles, dialog.Spoken(cmp.Or(other.asked.Review.Title, "a question")))
			}
		}
		together := len(same)
		if together == 1 {
			together = 0
		}
		a.SetWaiting(titles, together, func() pane.Action { return d.askTogether(same) })
	}
}

// askTogether opens a question about several calls over that about the first of them.
func (d *dialogs) askTogether(same []question) pane.Action {
	var reviews []conversation.Review
	for _, q := range same {
		reviews = append(reviews, q.asked.Review)
	}
	d.group = dialog.NewApproveAll(reviews, func(answer conversation.Answer) pane.Action {
		for _, q := range same {
			d.stack.Remove(q.dialog, d.env.Now())
			d.answerTo(q.callID)(answer)
		}
		return nil
	})
	d.stack.PushQuestion(d.group, d.env.Now())
	return nil
}

// closeQuestions closes the dialogs of questions that no longer need an answer.
func (d *dialogs) closeQuestions(which func(question) bool) {
	d.questions = slices.DeleteFunc(d.questions, func(q question) bool {
		if !which(q) {
			return false
		}
		d.stack.Remove(q.dialog, d.env.Now())
		d.stack.Remove(d.group, d.env.Now())
		return true
	})
	d.listWaiting()
}

// openQuestions opens the dialog of the oldest question once the user stops typing, unless another one is open.
func (d *dialogs) openQuestions() pane.Action {
	if len(d.questions) == 0 || d.askedCall() != "" {
		return nil
	}
	now := d.env.Now()
	if left := d.wroteAt.Add(dialog.TypingPause).Sub(now); left > 0 {
		if d.timerPending {
			return nil
		}
		d.timerPending = true
		return afterDelay(left, func() pane.Action {
			d.timerPending = false
			return d.openQuestions()
		})
	}
	q := &d.questions[0]
	q.isOpen = true
	d.stack.PushQuestion(q.dialog, now)
	return transcriptCovered{}
}

// askedCall returns the ID of the call that the open question is about, "" for none.
func (d *dialogs) askedCall() string {
	if i := slices.IndexFunc(d.questions, func(q question) bool { return q.isOpen }); i >= 0 {
		return d.questions[i].callID
	}
	return ""
}

// postpone closes the dialog of a question until the user stops typing. It returns false for other dialogs.
func (d *dialogs) postpone(one dialog.Dialog) bool {
	i := slices.IndexFunc(d.questions, func(q question) bool { return q.dialog == one })
	if i >= 0 {
		d.questions[i].isOpen = false
		d.stack.Remove(one, d.env.Now())
	}
	return i >= 0
}

// Consent is the error of an operation that needs the user's consent first: sending a
// conversation to another provider than before, or using settings that came with a
// folder. The question opens once the user stops typing. Closing it means no. Nothing was
// sent or changed yet. One of Open and Switch is set. Without Decline a no changes
// nothing, except that a new conversation begins if none is open.
type Consent struct {
	Title    string
	Question string // what would happen
	Yes, No  string // what the answers do, in a few words
	Declined string // what the user can do after a no
	// Open opens the conversation after a yes.
	Open func(ctx context.Context) (Conversation, error)
	// Decline opens it after a no.
	Decline func(ctx context.Context) (Conversation, error)
	// Switch makes the change after a yes.
	Switch func(ctx context.Context) error
}

// Error is the question.
func (c *Consent) Error() string { return c.Question }

// consentID is the call ID of the question for consent, which is not about a call.
const consentID = "/consent"

// askConsent opens the question if err is a *Consent, or else returns false. next is what happens after a yes.
func (d *dialogs) askConsent(err error, next openRequest) (pane.Action, bool) {
	var c *Consent
	if !errors.As(err, &c) {
		return nil, false
	}
	d.closeConsent()
	d.consent, d.consentRequest = c, next
	asks := dialog.NewConfirm(c.Title, c.Question, c.Yes, c.No, d.answerConsent)
	return d.addQuestion(question{callID: consentID, dialog: asks}), true
}

func (d *dialogs) closeConsent() {
	d.consent = nil
	d.closeQuestions(func(q question) bool { return q.callID == consentID })
}

func (d *dialogs) answerConsent(yes bool) pane.Action {
	c := d.consent
	d.closeConsent()
	switch {
	case c == nil:
		return nil
	case yes && c.Open != nil:
		return openConversation{c.Open, d.consentRequest}
	case yes:
		return changeModel{c.Switch}
	case c.Decline != nil:
		return actionList{textSnackbar(c.Declined), openConversation{open: c.Decline}}
	case !d.session.isOpen:
		return actionList{textSnackbar(c.Declined), openConversation{open: d.env.Backend.New}}
	}
	return textSnackbar(c.Declined)
}

package agent

import (
	"cmp"
	"context"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// A question is a call that waits for the user's answer. Rules:
//
//   - The later calls of a reply that will need approval are put to the user together with the first one. An answer holds if the
//     review of its call is still the same when its turn comes.
//   - Each question is answered or closed once, and the user sees that.
//   - MCP servers and running commands ask, too (see [Agent.AskAbout]). These are the questions from outside.

// questions are the open questions of a conversation. They belong to the goroutine of Run.
type questions struct {
	journal *core.Journal
	display *display
	inbox   *core.Inbox
	toolbox core.Toolbox
	open    map[string]*question // by the ID of their call
	outside int                  // open questions from outside, for which the status is Asking
}

// question is a call that was put to the user.
type question struct {
	review     conversation.Review
	answer     chan conversation.Answer // buffered
	isAnswered bool
	isOutside  bool // counted in questions.outside
}

// ask puts a question to the user, who answers with the ID of the call. The answer goes to a buffered channel.
func (qs *questions) ask(c conversation.ToolCall, review conversation.Review, answer chan conversation.Answer) {
	qs.open[c.ID] = &question{review: review, answer: answer}
	qs.journal.Publish(updates.AskApproval{Call: c, Review: review})
}

// askFromOutside puts a question from outside to the user. If calls run, the status becomes Asking until it is closed.
func (qs *questions) askFromOutside(c conversation.ToolCall, review conversation.Review, answer chan conversation.Answer) {
	qs.ask(c, review, answer)
	if qs.display.phase == updates.Running || qs.outside > 0 {
		qs.open[c.ID].isOutside = true
		qs.outside++
		qs.display.status(updates.Status{Phase: updates.Asking})
	}
}

// answer passes the user's answer on. It does nothing if the question is no longer open.
func (qs *questions) answer(callID string, answer conversation.Answer) {
	if q := qs.open[callID]; q != nil && !q.isAnswered {
		q.isAnswered = true
		q.answer <- answer
	}
}

// end closes a question, if there is one. The user sees that it needs no answer any more.
func (qs *questions) end(callID string) {
	q := qs.open[callID]
	if q != nil && !q.isAnswered {
		qs.journal.Publish(updates.ApprovalClosed{CallID: callID})
	}
	if q != nil && q.isOutside && qs.outside > 0 {
		if qs.outside--; qs.outside == 0 && qs.display.phase == updates.Asking {
			qs.display.status(updates.Status{Phase: updates.Running})
		}
	}
	delete(qs.open, callID)
}

// decide sets the outcome of a call that may not run, or whose result is the user's answer. A call whose command the user changed
// has to be reviewed anew. The error is the cause of ctx's end. later are the calls of the reply after it.
func (qs *questions) decide(ctx context.Context, c *call, later []*call) error {
	if q := qs.open[c.ID]; q != nil {
		if a, b := q.review, c.review; c.settled || a.Need != b.Need || a.Title != b.Title || a.Command != b.Command || a.Diff != b.Diff {
			qs.end(c.ID) // an answer to the old question does not answer this one
		}
	}
	if c.settled {
		return nil
	}
	switch need := c.review.Need; {
	case need == conversation.NeedNothing:
		return nil
	case need == conversation.NeedApproval && qs.journal.Interactive:
		return qs.askApproval(ctx, c, later)
	case need == conversation.NeedAnswer && qs.journal.Interactive:
		return qs.askAnswer(ctx, c)
	case need == conversation.NeedApproval:
		c.settle(conversation.ResultDenied, nobodyApproves)
	case need == conversation.NeedAnswer:
		c.settle(conversation.ResultDenied, nobodyAnswers)
	default: // a refusal, or an unknown need
		c.settle(conversation.ResultDenied, cmp.Or(c.review.Reason, refused))
	}
	return nil
}

func (qs *questions) askApproval(ctx context.Context, c *call, later []*call) error {
	if qs.open[c.ID] == nil {
		qs.ask(c.ToolCall, c.review, make(chan conversation.Answer, 1))
		if err := qs.askLater(ctx, later); err != nil {
			return err
		}
	}
	v, err := qs.askUser(ctx, c)
	if err != nil {
		return err
	}
	switch v.Grant {
	case conversation.GrantOnce:
		if v.Command != "" && c.review.Changeable {
			c.changeCommand(v.Command)
		}
	case conversation.GrantRun, conversation.GrantAlways:
		err := core.Concurrently(ctx, qs.inbox, func() error { return qs.toolbox.Allow(ctx, c.ToolCall, v.Grant, v.Rules) })
		if err != nil {
			qs.journal.Publish(updates.Failed{Err: &llm.Error{
				Class: llm.NotSaved, Message: "the approval could not be kept: " + err.Error(),
				Hint: "this call runs; calls like it will be asked again", Err: err,
			}})
		}
	default:
		c.settle(conversation.ResultDenied, withReason(denied, v.Text))
	}
	return nil
}

// askLater puts those of some calls to the user that need approval as things are now. The error is the cause of ctx's end.
func (qs *questions) askLater(ctx context.Context, calls []*call) error {
	for _, c := range calls {
		if c.settled || c.invalid || qs.open[c.ID] != nil {
			continue
		}
		review := core.Concurrently(ctx, qs.inbox, func() conversation.Review { return qs.toolbox.Review(ctx, c.ToolCall) })
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if review.Need == conversation.NeedApproval {
			qs.ask(c.ToolCall, review, make(chan conversation.Answer, 1))
		}
	}
	return nil
}

func (qs *questions) askAnswer(ctx context.Context, c *call) error {
	v, err := qs.askUser(ctx, c)
	if err != nil {
		return err
	}
	if v.Grant == conversation.GrantNo {
		c.settle(conversation.ResultDenied, withReason(declined, v.Text))
		return nil
	}
	c.settle(conversation.ResultOK, v.Text)
	return nil
}

// askUser waits for the user's answer to a call.
func (qs *questions) askUser(ctx context.Context, c *call) (conversation.Answer, error) {
	if qs.open[c.ID] == nil {
		qs.ask(c.ToolCall, c.review, make(chan conversation.Answer, 1))
	}
	qs.outside = 0 // from here on the status belongs to this question
	qs.display.status(updates.Status{Phase: updates.Asking})
	v, _, err := core.Receive(ctx, qs.inbox, qs.open[c.ID].answer)
	qs.end(c.ID)
	return v, err
}

// changeCommand makes a call run another command, which the user wrote.
func (c *call) changeCommand(command string) {
	args, err := conversation.WithCommand(c.Arguments, command)
	if err != nil {
		c.settle(conversation.ResultError, err.Error())
		return
	}
	c.Arguments, c.changed = args, conversation.Clean(command)
	c.asked, c.reviewed = false, false
}

// withReason adds the user's reason to a text.
func withReason(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ". The user says: " + reason
}

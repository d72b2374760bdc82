package agent

import (
	"context"
	"errors"

	"plimsoll/compact"
)

// Where the user wants to read a summary before it takes effect, it waits for him
// when it is written. Rules:
//
//   - Until he has decided, the summary is to everybody else one that is being
//     written: the conversation goes on beside it, another request joins or replaces
//     it, and what overtakes it ends it. A request that does not fit waits for him;
//     Esc then gives the summary up, and the request goes down the ladder.
//   - His reading takes no time of the summary's limit, and is no part of how long
//     it took.
//   - What he makes of the text has to count by its length. If it does not he is
//     told why and goes on editing.

// Review takes a summary in that waits for the user, with the text he made of it,
// or gives it up. It does nothing where none waits any more. Steered tells if the
// text cannot be taken; the summary then waits on.
func (a *Agent) Review(text string, accept bool) {
	a.inbox.put(func(context.Context) {
		j := a.compactor.job
		switch {
		case j == nil || j.state != stateInReview:
		case accept:
			a.compactor.accept(j, text)
		default:
			a.compactor.drop(j, errCancelled)
		}
	})
}

// accept lets a summary be taken in with the user's text. Whether one that he left
// as it is saves enough is judged where all are, when it is taken in.
func (c *compactor) accept(j *job, text string) {
	pass, err := j.pass.WithText(text)
	evicted := j.waitsForStep(c.rules) && c.log.Revision() != j.basis.revision // by notes: the next step judges what it saves
	if err == nil && pass.Edited() && !evicted {
		_, err = j.rebase(c.journal, &pass)
	}
	if err != nil {
		c.updates.Put(Steered{What: SteerReview, Err: notTaken(err)})
		return
	}
	j.pass = pass
	j.on(eventAccepted)
	c.updates.Put(Reviewed{})
}

// notTaken is why a text of the user does not count.
func notTaken(err error) *Error {
	e := &Error{Class: BadRequest, Message: err.Error(), Hint: "change the text, or give the summary up: nothing is in force yet", Err: err}
	switch {
	case errors.Is(err, compact.ErrSummaryEmpty):
		e.Message = "the summary has no text"
	case errors.Is(err, errTooLittle):
		e.Message = "the text is too long: with it the summary would save too little"
	}
	return e
}

// showForReview shows a summary to the user if he wants to read it.
func (c *compactor) showForReview(j *job) {
	if c.job != j || j.ended() {
		return
	}
	j.on(eventShown)
	c.opts.Logger.Info("compaction", "outcome", "waits for the user", "source", j.wish.Source, "trigger", j.wish.Trigger, "duration", j.writer.took)
	c.announceReview()
}

// announceReview tells that a summary waits for the user, if one does.
func (c *compactor) announceReview() {
	j := c.job
	if j == nil || j.state != stateInReview {
		return
	}
	s, _ := j.pass.Written() // it is what waits
	c.updates.Put(Reviewing{
		Text: s.Text, Appendix: s.Appendix, Wish: j.wish, FromTurn: j.writer.from, ToTurn: j.writer.to, Covers: s.Covers, Held: c.held,
	})
}

// drop gives a summary up that is being written or waits for the user.
func (c *compactor) drop(j *job, cause error) {
	shown := j.state == stateInReview
	if j.end(cause); shown {
		c.updates.Put(Reviewed{})
	}
}

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
//     written: the conversation goes on beside it, another wish joins or replaces
//     it, and what overtakes it ends it. A request that does not fit waits for him;
//     Esc then gives the summary up, and the request goes down the ladder.
//   - His reading takes no time of the summary's limit, and is no part of how long
//     it took.
//   - What he makes of the text has to count by its length. If it does not he is
//     told why and goes on editing.

// reviews reports whether the user reads what comes of a wish by some rules.
func (a *Agent) reviews(w compact.Wish, r compact.SummaryRules) bool {
	return a.opts.Interactive && (w.Review || r.Review)
}

// Review takes a summary in that waits for the user, with the text he made of it,
// or gives it up. It does nothing where none waits any more. Steered tells if the
// text cannot be taken; the summary then waits on.
func (a *Agent) Review(text string, accept bool) {
	a.inbox.put(func(context.Context) {
		j := a.compaction.job
		switch {
		case j == nil || !j.shown:
		case accept:
			a.accept(j, text)
		default:
			a.drop(j, errCancelled)
		}
	})
}

// accept lets a summary be taken in with the user's text. Whether one that he left
// as it is saves enough is judged where all are, when it is taken in.
func (a *Agent) accept(j *job, text string) {
	pass, err := j.pass.WithText(text)
	evicted := a.offered(j) && a.log.Revision() != j.revision // by notes: the next step judges what it saves
	if err == nil && pass.Edited() && !evicted {
		_, err = a.onto(j, &pass)
	}
	if err != nil {
		a.updates.Put(Steered{What: SteerReview, Err: notTaken(err)})
		return
	}
	j.pass, j.decided = pass, true
	a.reviewed(j)
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

// written shows a summary to the user if he wants to read it.
func (a *Agent) written(j *job) {
	if a.compaction.job != j || j.ended() {
		return
	}
	j.shown = true
	a.opts.Logger.Info("compaction", "outcome", "waits for the user", "source", j.wish.Source, "trigger", j.wish.Trigger, "duration", j.writer.took)
	a.tellReview()
}

// tellReview tells that a summary waits for the user, if one does.
func (a *Agent) tellReview() {
	j := a.compaction.job
	if j == nil || !j.shown {
		return
	}
	s, _ := j.pass.Written() // it is what waits
	a.updates.Put(Reviewing{
		Text: s.Text, Appendix: s.Appendix, Wish: j.wish, FromTurn: j.writer.from, ToTurn: j.writer.to, Covers: s.Covers, Held: a.compaction.held,
	})
}

// reviewed tells that a summary waits for the user no more, if it did.
func (a *Agent) reviewed(j *job) {
	if j.shown {
		j.shown = false
		a.updates.Put(Reviewed{})
	}
}

// drop gives a summary up that is being written or waits for the user.
func (a *Agent) drop(j *job, cause error) {
	j.stop(cause)
	a.reviewed(j)
}

package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"plimsoll/compact"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// The request for a summary takes the largest form that fits: the next request
// and one message, which the provider's cache serves; otherwise what was said,
// written out; otherwise that in pieces. A failed call is made once more. Tools
// are declared where the conversation's are, and never run.

const (
	// leastAnswer is the room without which a form is not tried, in tokens: a
	// summary that is cut does not count.
	leastAnswer = 512
	// pieceAnswer is the largest share of the window that a piece leaves for its
	// answer, and pieceSlack what estimates may be wrong by.
	pieceAnswer = 0.25
	pieceSlack  = 0.9
	// maxPieces bounds what one summary may cost.
	maxPieces = 32
	// maxHalvings is how often pieces that turn out too long are made smaller.
	maxHalvings = 3
)

// writer has a summary written. It holds all that takes, so that nothing is
// read of what the conversation changes meanwhile.
type writer struct {
	model    Model // that writes it
	provider Provider
	factor   float64 // what was learned about the model's tokens

	conversation string // its ID
	system       string
	tools        []conversation.ToolSpec
	prompt       float64 // uncalibrated tokens of system prompt and tools
	revision     uint64  // of the view it is about
	retry        Retry
	preset       preset.Name
	retries      int // left
	now          func() time.Time
	limit        time.Duration // for the whole
	former       bool          // the model before writes it
	began        time.Time
	took         time.Duration // until the summary was there, 0 if none is
	from, to     int           // turns covered, both included

	lane    *lane  // that it shares with the conversation
	clock   *clock // of the whole
	spent   []spent
	learned int // the window that a server named, in tokens, 0 if none did
}

// spent is one request and what came of it.
type spent struct {
	request request
	reply   *reply
}

// use has a model write.
func (w *writer) use(j *journal, m Model, p Provider) {
	w.model, w.provider, w.revision, w.factor = m, p, j.log.Revision(), m.Calibration.Factor
	if m.Name() == j.settings.model.Name() {
		w.factor = j.meter.Calibration().Factor
	}
	if w.factor <= 0 {
		w.factor = 1
	}
}

// write has the text of a pass written and takes it in. The error is an *Error,
// one of package compact, or the cause of ctx's end.
func (w *writer) write(ctx context.Context, pass *compact.Pass) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	w.clock = newClock(w.limit, func() { end(errTooLate) })
	defer w.clock.stop()
	err := w.fulfil(ctx, pass)
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// fulfil has the text written in the form and number of requests it takes.
func (w *writer) fulfil(ctx context.Context, pass *compact.Pass) error {
	form := *pass.Job
	for {
		answer, err := w.answer(ctx, pass, &form)
		if err != nil {
			return err
		}
		answer.Took = w.now().Sub(w.began)
		if err = pass.Accept(answer); err == nil {
			w.took = answer.Took
			return nil
		}
		if !w.another(pass, err) {
			return err
		}
		if raw := pass.Fallback(); raw != nil {
			form = *raw
		}
	}
}

// worthAnother are the reasons not to take an answer for which asking again may
// help. One that was cut off, or is too long, is paid for twice to no avail.
var worthAnother = []error{
	compact.ErrSummaryCalls, compact.ErrSummaryEmpty, compact.ErrSummaryDeclined, compact.ErrSummaryFailure,
	compact.ErrSummaryEcho, compact.ErrSummaryShort,
}

// another takes a retry for an answer that did not count, if there is one left
// and it may help. ONE asks again after a failed call only.
func (w *writer) another(pass *compact.Pass, err error) bool {
	helps := slices.ContainsFunc(worthAnother, func(reason error) bool { return errors.Is(err, reason) })
	if pass.Fallback() != nil && errors.Is(err, compact.ErrSummaryCut) {
		helps = true // the other form leaves more room
	}
	if w.retries <= 0 || w.preset.Design().FailedCallsOnly || !helps {
		return false
	}
	w.retries--
	return true
}

// answer gets an answer to a form, in a smaller one where that is too long.
// form is then the one that was tried last.
func (w *writer) answer(ctx context.Context, pass *compact.Pass, form *compact.SummaryJob) (compact.Answer, error) {
	answer, err := w.call(ctx, *form)
	if form.Input == compact.InputView && overflow(err) != nil {
		if raw := pass.Fallback(); raw != nil {
			*form = *raw
			answer, err = w.call(ctx, *form)
		}
	}
	if e := overflow(err); e != nil {
		if shorter := pass.Shorter(w.pieceBudget(*form, e)); shorter != nil {
			*form = *shorter
			return w.call(ctx, *form)
		}
		return w.inPieces(ctx, *form, e)
	}
	return answer, err
}

// overflow is the failure of a request that is longer than the window, nil for
// any other error.
func overflow(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e.Class == Overflow {
		return e
	}
	return nil
}

// inPieces gets an answer to a form that is too long: a summary of each of its
// pieces, which together are that of the whole.
func (w *writer) inPieces(ctx context.Context, form compact.SummaryJob, e *Error) (compact.Answer, error) {
	budget := w.pieceBudget(form, e)
	for range maxHalvings {
		if form.Tokens() > maxPieces*budget {
			break // cutting up what is far too long takes long, and is for nothing
		}
		pieces := compact.Chunks(form, budget)
		if len(pieces) < 2 || len(pieces) > maxPieces {
			break
		}
		answer, err := w.pieces(ctx, pieces)
		if overflow(err) == nil {
			return answer, err
		}
		budget /= 2
	}
	return compact.Answer{}, e
}

func (w *writer) pieces(ctx context.Context, pieces []compact.SummaryJob) (compact.Answer, error) {
	var answers []compact.Answer
	for _, p := range pieces {
		answer, err := w.call(ctx, p)
		if err != nil {
			return compact.Answer{}, err
		}
		if answer.Text, err = compact.Accept(p, answer); err != nil {
			return compact.Answer{}, err
		}
		answers = append(answers, answer)
	}
	return compact.Joined(answers), nil
}

// pieceBudget is how long a piece may be, in uncalibrated tokens. A form that
// seemed to fit is at least halved.
func (w *writer) pieceBudget(form compact.SummaryJob, e *Error) int {
	window := w.model.Window.Tokens
	if e.Window > 0 {
		window = e.Window
	}
	half := form.Tokens() / 2
	if window <= 0 {
		return half
	}
	room := float64(window) - min(float64(form.MaxTokens), pieceAnswer*float64(window))
	return min(half, int(pieceSlack*room/w.factor))
}

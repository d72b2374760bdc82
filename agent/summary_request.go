package agent

import (
	"context"
	"errors"
	"time"

	"plimsoll/compact"
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

// fulfil has the job's text written, in the form and number of requests it
// takes.
func (a *Agent) fulfil(ctx context.Context, j *job) error {
	form := *j.pass.Job
	for {
		answer, err := a.answer(ctx, j, &form)
		if err != nil {
			return err
		}
		if err = j.pass.Accept(answer); err == nil || !j.another(err) {
			return err
		}
		if raw := j.pass.Fallback(); raw != nil {
			form = *raw
		}
	}
}

// answer gets an answer to a form, in a smaller one where that is too long.
// form is then the one that was tried last.
func (a *Agent) answer(ctx context.Context, j *job, form *compact.SummaryJob) (compact.Answer, error) {
	answer, err := a.call(ctx, j, *form)
	if form.Input == compact.InputView && overflow(err) != nil {
		if raw := j.pass.Fallback(); raw != nil {
			*form = *raw
			answer, err = a.call(ctx, j, *form)
		}
	}
	if e := overflow(err); e != nil {
		if shorter := j.pass.Shorter(a.pieceBudget(j, *form, e)); shorter != nil {
			*form = *shorter
			return a.call(ctx, j, *form)
		}
		return a.inPieces(ctx, j, *form, e)
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
func (a *Agent) inPieces(ctx context.Context, j *job, form compact.SummaryJob, e *Error) (compact.Answer, error) {
	budget := a.pieceBudget(j, form, e)
	for range maxHalvings {
		if form.Tokens() > maxPieces*budget {
			break // cutting up what is far too long takes long, and is for nothing
		}
		pieces := compact.Chunks(form, budget)
		if len(pieces) < 2 || len(pieces) > maxPieces {
			break
		}
		answer, err := a.pieces(ctx, j, pieces)
		if overflow(err) == nil {
			return answer, err
		}
		budget /= 2
	}
	return compact.Answer{}, e
}

func (a *Agent) pieces(ctx context.Context, j *job, pieces []compact.SummaryJob) (compact.Answer, error) {
	var answers []compact.Answer
	for _, p := range pieces {
		answer, err := a.call(ctx, j, p)
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
func (a *Agent) pieceBudget(j *job, form compact.SummaryJob, e *Error) int {
	window := j.model.Window.Tokens
	if e.Window > 0 {
		window = e.Window
	}
	half := form.Tokens() / 2
	if window <= 0 {
		return half
	}
	room := float64(window) - min(float64(form.MaxTokens), pieceAnswer*float64(window))
	return min(half, int(pieceSlack*room/a.factor(j.model)))
}

// call makes one request for a summary, and a failed one once more, silently.
func (a *Agent) call(ctx context.Context, j *job, form compact.SummaryJob) (compact.Answer, error) {
	r, err := a.summaryRequest(j, form)
	if err != nil {
		return compact.Answer{}, err
	}
	for learned := false; ; {
		rep, err := a.gather(ctx, r, func(rep *reply, c Chunk) { rep.add(c) })
		j.spent = append(j.spent, a.usage(r, rep, 0)...)
		if err == nil {
			return answerOf(rep, j.model, form.Input), nil
		}
		var failure *Error
		if !errors.As(err, &failure) {
			return compact.Answer{}, err
		}
		if smaller, ok := a.bounded(j, form, r, failure); ok && !learned {
			r, learned = smaller, true // once: a server that names another window each time is not asked for ever
			continue
		}
		wait, again := a.opts.Retry.wait(failure, 1)
		if end, ok := ctx.Deadline(); ok && wait >= time.Until(end) {
			again = false
		}
		if !again || j.retries <= 0 {
			return compact.Answer{}, noSummary(failure)
		}
		j.retries--
		if err := a.pause(ctx, wait); err != nil {
			return compact.Answer{}, err
		}
	}
}

// bounded is a request whose answer leaves room for the prompt, after a server
// refused one and named a window that was not known. Many count both together.
func (a *Agent) bounded(j *job, form compact.SummaryJob, r request, e *Error) (request, bool) {
	if e.Class != Overflow || e.Window <= 0 || j.model.Window.Known() && j.model.Window.Tokens <= e.Window {
		return r, false
	}
	j.model.Window = compact.Window{Tokens: e.Window, Source: compact.WindowLearned}
	smaller, err := a.summaryRequest(j, form)
	return smaller, err == nil && smaller.MaxTokens < r.MaxTokens
}

// answerOf is a reply as the answer to a request for a summary.
func answerOf(rep *reply, m Model, input compact.SummaryInput) compact.Answer {
	answer := compact.Answer{Text: rep.text.String(), Stop: rep.stop, Calls: len(rep.calls), Model: m.Name(), Input: input}
	if answer.Stop == conversation.StopCalls && answer.Calls == 0 {
		answer.Stop = conversation.StopEnd // servers exist that say so of a text
	}
	return answer
}

// summaryRequest is the request for a form. The error is one of class Overflow
// if it does not fit into the window.
func (a *Agent) summaryRequest(j *job, form compact.SummaryJob) (request, error) {
	r := request{
		Request: Request{
			Model: j.model.ID, System: form.System, Messages: form.Messages, MaxTokens: form.MaxTokens, Conversation: a.opts.Stored.ID,
		},
		provider: j.provider, model: j.model, purpose: conversation.ForSummary, revision: j.revision, estimate: float64(form.Tokens()),
	}
	if form.Input == compact.InputView {
		r.System = a.settings.system
		if !j.model.Caps.NoTools {
			r.Tools = a.settings.tools
		}
		r.estimate += compact.NewMeter(compact.MeterOptions{}).WithPrompt(a.settings.promptSizes()).RequestEstimate()
	}
	if most := j.model.MaxOut; most > 0 {
		r.MaxTokens = min(r.MaxTokens, most)
	}
	if w := j.model.Window; w.Known() {
		left := w.Tokens - int(a.factor(j.model)*r.estimate)
		if left < leastAnswer {
			return r, &Error{
				Class: Overflow, Message: "what is to be summarised does not fit into the window of " + j.model.Name(),
				Hint: "compact fewer turns at once, or use a profile that needs no model, such as " + compact.ProfileDefault, Window: w.Tokens,
			}
		}
		r.MaxTokens = min(r.MaxTokens, left)
	}
	return r, nil
}

// factor is what was learned about a model's tokens.
func (a *Agent) factor(m Model) float64 {
	f := m.Calibration.Factor
	if m.Name() == a.settings.model.Name() {
		f = a.meter.Calibration().Factor
	}
	if f <= 0 {
		return 1
	}
	return f
}

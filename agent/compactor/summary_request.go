package compactor

import (
	"context"
	"errors"
	"math"
	"time"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

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

// modelClient is a model and where it is reached.
type modelClient struct {
	model    llm.Model
	provider llm.Provider
}

// writer has a summary written. It holds all that takes, so that nothing is
// read of what the conversation changes meanwhile.
type writer struct {
	model    llm.Model // that writes it
	provider llm.Provider
	factor   float64 // what was learned about the model's tokens

	base     llm.Request // the conversation's next one, without messages
	prompt   float64     // uncalibrated tokens of system prompt and tools
	revision uint64      // of the view it is about
	retry    llm.Retry
	preset   preset.Name
	retries  int // left
	now      func() time.Time
	limit    time.Duration // for the whole
	previous bool          // the model before writes it
	began    time.Time
	took     time.Duration // until the summary was there, 0 if none is
	from, to int           // turns covered, both included

	spent   []spent
	tokens  int      // that the endpoint says they took
	cost    *float64 // in US dollars, nil if unknown
	learned int      // the window that a server named, in tokens, 0 if none did
	left    bool     // the server refused what the model thought, so that it is left out
}

// spent is one request and what came of it.
type spent struct {
	request llm.Outgoing
	reply   *llm.Reply
}

// use has a model write.
func (w *writer) use(j *core.Journal, m llm.Model, p llm.Provider) {
	w.model, w.provider, w.revision, w.factor = m, p, j.Revision(), m.Calibration.Factor
	if m.Name() == j.Model().Name() {
		w.factor = j.Meter().Calibration().Factor
	}
	if w.factor <= 0 {
		w.factor = 1
	}
}

// call makes one request for a summary, and a failed one once more, silently.
func (w *writer) call(ctx context.Context, form summary.Job) (summary.Answer, error) {
	r, err := w.request(form)
	if err != nil {
		return summary.Answer{}, err
	}
	for learned := false; ; {
		rep, err := r.Read(ctx)
		w.spent = append(w.spent, spent{r, rep})
		if err == nil {
			return answerOf(rep, w.model, form.Input), nil
		}
		var failure *llm.Error
		if !errors.As(err, &failure) {
			return summary.Answer{}, err
		}
		if failure.RefusesThinking && !w.left {
			w.left, r.ThinkingAfter = true, math.MaxUint64
			continue
		}
		if llm.UnsizedOverflow(failure) && llm.Smaller(w.model, w.factor, r, rep) {
			failure = llm.CacheFull(failure)
		}
		if smaller, ok := w.bounded(form, r, failure); ok && !learned {
			r, learned = smaller, true // once: a server that names another window each time is not asked for ever
			continue
		}
		wait, again := w.retry.Wait(failure, 1)
		if w.preset.Design().FailedCallsOnly { // ONE: any failed call, and no empty answer
			again = failure.Class != llm.Empty && failure.Class != llm.Overflow
		}
		if end, ok := ctx.Deadline(); ok && wait >= time.Until(end) {
			again = false
		}
		if !again || w.retries <= 0 {
			return summary.Answer{}, noSummary(failure)
		}
		w.retries--
		if err := pauseFor(ctx, wait); err != nil {
			return summary.Answer{}, err
		}
	}
}

// pauseFor waits. The error is the cause of ctx's end.
func pauseFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// bounded is a request whose answer leaves room for the prompt, after a server
// refused one and named a window that was not known. Many count both together.
func (w *writer) bounded(form summary.Job, r llm.Outgoing, e *llm.Error) (llm.Outgoing, bool) {
	if e.Class != llm.Overflow || e.Window <= 0 || w.model.Window.Known() && w.model.Window.Tokens <= e.Window {
		return r, false
	}
	w.model.Window = meter.Window{Tokens: e.Window, Source: meter.WindowLearned}
	w.learned = e.Window
	smaller, err := w.request(form)
	return smaller, err == nil && smaller.MaxTokens < r.MaxTokens
}

// answerOf is a reply as the answer to a request for a summary.
func answerOf(rep *llm.Reply, m llm.Model, input preset.SummaryInput) summary.Answer {
	answer := summary.Answer{Text: rep.Text.String(), Stop: rep.Stop, Calls: len(rep.Calls), Model: m.Name(), Input: input}
	if answer.Stop == conversation.StopCalls && answer.Calls == 0 {
		answer.Stop = conversation.StopEnd // servers exist that say so of a text
	}
	return answer
}

// request is the request for a form. The error is one of class Overflow if it
// does not fit into the window.
func (w *writer) request(form summary.Job) (llm.Outgoing, error) {
	r := llm.Outgoing{
		Request: llm.Request{
			Model: w.model.ID, System: form.System, Messages: form.Messages, MaxTokens: form.MaxTokens, Conversation: w.base.Conversation,
			CacheTTL: w.model.CacheTTL, Effort: w.model.Effort, ThinkingAfter: w.base.ThinkingAfter, PrefixChanged: w.base.PrefixChanged, // another one would not find the conversation in the cache
		},
		Provider: w.provider, To: w.model, Purpose: conversation.PurposeSummary, Revision: w.revision, Estimate: float64(form.Tokens()),
	}
	if w.left {
		r.ThinkingAfter = math.MaxUint64
	}
	if form.Input == preset.InputView {
		r.System = w.base.System
		if !w.model.Caps.NoTools {
			r.Tools = w.base.Tools
		}
		r.Estimate += w.prompt
	}
	if most := w.model.MaxOut; most > 0 {
		r.MaxTokens = min(r.MaxTokens, most)
	}
	if window := w.model.Window; window.Known() {
		left := window.Tokens - int(w.factor*r.Estimate)
		if left < leastAnswer {
			return r, &llm.Error{
				Class: llm.Overflow, Message: "the turns to summarize do not fit into the window of " + w.model.Name(),
				Hint: "compact fewer turns at once, or use a profile that needs no model, such as " + preset.ProfileDefault, Window: window.Tokens,
			}
		}
		r.MaxTokens = min(r.MaxTokens, left)
	}
	return r, nil
}

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
	// minAnswerTokens is the least room for an answer, in tokens: a form that leaves less is not tried, because a summary
	// that is cut does not count.
	minAnswerTokens = 512
	// answerShare is the largest share of the window that a piece leaves for its answer, and pieceSlack allows for errors
	// of the estimates.
	answerShare = 0.25
	pieceSlack  = 0.9
	// maxPieces bounds the cost of one summary.
	maxPieces = 32
	// maxHalvings is how often pieces are halved when they turn out too long.
	maxHalvings = 3
)

// writer writes one summary. It has copies of everything it needs, so that it reads nothing that the conversation
// changes.
type writer struct {
	model    llm.Model // the model that writes
	provider llm.Provider
	factor   float64 // calibration of the model's tokens

	base            llm.Request // the next request of the conversation, without messages
	promptTokens    float64     // uncalibrated tokens of system prompt and tools
	revision        uint64      // of the view that is summarized
	retry           llm.Retry
	preset          preset.Name
	retriesLeft     int // left
	now             func() time.Time
	timeLimit       time.Duration // for the whole summary
	isPreviousModel bool          // the previous model of the conversation writes
	startedAt       time.Time
	duration        time.Duration // until the text was written, 0 before
	from, to        int           // turns covered, both included

	requests        []madeRequest
	tokens          int      // reported for all requests
	cost            *float64 // in US dollars, nil if unknown
	learnedWindow   int      // the window that a server named, in tokens, 0 for none
	thinkingRefused bool     // the server refused the thinking in a request, so that it is left out
}

type madeRequest struct {
	request llm.Outgoing
	reply   *llm.Reply
}

// useModel sets the model that writes.
func (w *writer) useModel(j *core.Journal, m llm.Model, p llm.Provider) {
	w.model, w.provider, w.revision, w.factor = m, p, j.Revision(), m.Calibration.Factor
	if m.Name() == j.Model().Name() {
		w.factor = j.Meter().Calibration().Factor
	}
	if w.factor <= 0 {
		w.factor = 1
	}
}

// requestAnswer makes one request for a summary, and repeats a failed one once.
func (w *writer) requestAnswer(ctx context.Context, form summary.Job) (summary.Answer, error) {
	r, err := w.request(form)
	if err != nil {
		return summary.Answer{}, err
	}
	for learned := false; ; {
		rep, err := r.Read(ctx)
		w.requests = append(w.requests, madeRequest{r, rep})
		if err == nil {
			return answerOf(rep, w.model, form.Input), nil
		}
		var failure *llm.Error
		if !errors.As(err, &failure) {
			return summary.Answer{}, err
		}
		if failure.RefusesThinking && !w.thinkingRefused {
			w.thinkingRefused, r.ThinkingAfter = true, math.MaxUint64
			continue
		}
		failure = llm.RecogniseFullCache(failure, w.model, w.factor, r, rep)
		if smaller, ok := w.withSmallerReply(form, r, failure); ok && !learned {
			r, learned = smaller, true // once, because a server may name another window each time
			continue
		}
		wait, again := w.retry.Wait(failure, 1)
		if w.preset.Design().RetriesFailuresOnly { // OneClaw: any failed call, and no empty answer
			again = failure.Class != llm.Empty && failure.Class != llm.Overflow
		}
		if end, ok := ctx.Deadline(); ok && wait >= time.Until(end) {
			again = false
		}
		if !again || w.retriesLeft <= 0 {
			return summary.Answer{}, requestError(failure)
		}
		w.retriesLeft--
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return summary.Answer{}, context.Cause(ctx)
		}
	}
}

// withSmallerReply returns the request with a smaller reply limit, after a server refused it and named an unknown window.
// Many servers count prompt and reply together.
func (w *writer) withSmallerReply(form summary.Job, r llm.Outgoing, e *llm.Error) (llm.Outgoing, bool) {
	if e.Class != llm.Overflow || e.Window <= 0 || w.model.Window.IsKnown() && w.model.Window.Tokens <= e.Window {
		return r, false
	}
	w.model.Window = meter.Window{Tokens: e.Window, Source: meter.WindowLearned}
	w.learnedWindow = e.Window
	smaller, err := w.request(form)
	return smaller, err == nil && smaller.MaxTokens < r.MaxTokens
}

// answerOf is a reply in the form that package summary checks.
func answerOf(rep *llm.Reply, m llm.Model, input preset.SummaryInput) summary.Answer {
	answer := summary.Answer{Text: rep.Text.String(), Stop: rep.Stop, Calls: len(rep.Calls), Model: m.Name(), Input: input}
	if answer.Stop == conversation.StopCalls && answer.Calls == 0 {
		answer.Stop = conversation.StopEnd // servers exist that say so of a text
	}
	return answer
}

// request is the request for a form of the job. The error has class Overflow if it does not fit into the window.
func (w *writer) request(form summary.Job) (llm.Outgoing, error) {
	r := llm.Outgoing{
		Request: llm.Request{
			Model: w.model.ID, System: form.System, Messages: form.Messages, MaxTokens: form.MaxTokens, Conversation: w.base.Conversation,
			CacheTTL: w.model.CacheTTL, Effort: w.model.Effort, ThinkingAfter: w.base.ThinkingAfter, PrefixChanged: w.base.PrefixChanged, // so that the request finds the conversation in the cache
		},
		Provider: w.provider, To: w.model, Purpose: conversation.PurposeSummary, Revision: w.revision, Estimate: float64(form.Tokens()),
	}
	if w.thinkingRefused {
		r.ThinkingAfter = math.MaxUint64
	}
	if form.Input == preset.InputView {
		r.System = w.base.System
		if !w.model.Caps.NoTools {
			r.Tools = w.base.Tools
		}
		if !w.model.Caps.NoImages {
			r.LoadImage, r.PDFs = w.base.LoadImage, w.model.Caps.PDFs
		}
		r.Estimate += w.promptTokens
	}
	if most := w.model.MaxOut; most > 0 {
		r.MaxTokens = min(r.MaxTokens, most)
	}
	if window := w.model.Window; window.IsKnown() {
		left := window.Tokens - int(w.factor*r.Estimate)
		if left < minAnswerTokens {
			return r, &llm.Error{
				Class: llm.Overflow, Message: "the turns to summarize do not fit into the window of " + w.model.Name(),
				Hint: "compact fewer turns at once, or use a profile that needs no model, such as " + preset.ProfileDefault, Window: window.Tokens,
			}
		}
		r.MaxTokens = min(r.MaxTokens, left)
	}
	return r, nil
}

package compactor

import (
	"context"
	"errors"
	"slices"
	"time"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
)

// A summary is requested in the largest form that fits: the next request with one more message, which the
// provider's cache serves; else the messages written out as text; else that text in pieces. A failed call is
// repeated once. Tools are declared where the conversation declares them, and never run.

// write has the model write the text of a proposal, and adds it. The error is an *Error, one of package compact, or
// the cause of ctx's end.
func (w *writer) write(ctx context.Context, proposal *edit.Proposal) error {
	ctx, end := context.WithTimeoutCause(ctx, w.timeLimit, errTooLate)
	defer end()
	err := w.tryForms(ctx, proposal)
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// tryForms requests the text, in as many forms and requests as it takes.
func (w *writer) tryForms(ctx context.Context, proposal *edit.Proposal) error {
	form := *proposal.Job
	for {
		answer, err := w.answerInForm(ctx, proposal, &form)
		if err != nil {
			return err
		}
		answer.Took = w.now().Sub(w.startedAt)
		if err = proposal.Accept(answer); err == nil {
			w.duration = answer.Took
			return nil
		}
		if !w.takeRetry(proposal, err) {
			return err
		}
		if raw := proposal.Fallback(); raw != nil {
			form = *raw
		}
	}
}

// retryableRejections are the reasons for rejecting an answer after which a second request may help. A text that was cut
// off or too long is not requested again: it would likely be the same, at the same cost.
var retryableRejections = []error{
	summary.ErrCalls, summary.ErrEmpty, summary.ErrDeclined, summary.ErrFailure,
	summary.ErrShort,
}

// takeRetry uses up a retry after a rejected answer. It reports false if no retry is left or another would not help. Under
// OneClaw's rules only a failed call is repeated.
func (w *writer) takeRetry(proposal *edit.Proposal, err error) bool {
	helps := slices.ContainsFunc(retryableRejections, func(reason error) bool { return errors.Is(err, reason) })
	if proposal.Fallback() != nil && errors.Is(err, summary.ErrCut) {
		helps = true // the other form leaves more room
	}
	if w.retriesLeft <= 0 || w.preset.Design().RetriesFailuresOnly || !helps {
		return false
	}
	w.retriesLeft--
	return true
}

// answerInForm requests the text in a form, or in a smaller form if that request is too long. It sets *form to the form
// that it tried last.
func (w *writer) answerInForm(ctx context.Context, proposal *edit.Proposal, form *summary.Job) (summary.Answer, error) {
	answer, err := w.requestAnswer(ctx, *form)
	if form.Input == preset.InputView && llm.AsOverflow(err) != nil {
		if raw := proposal.Fallback(); raw != nil {
			*form = *raw
			answer, err = w.requestAnswer(ctx, *form)
		}
	}
	if e := llm.AsOverflow(err); e != nil {
		if shorter := proposal.Shorter(w.pieceBudget(*form, e)); shorter != nil {
			*form = *shorter
			return w.requestAnswer(ctx, *form)
		}
		return w.inPieces(ctx, *form, e)
	}
	return answer, err
}

// inPieces answers a form that is too long by a summary of each piece, joined.
func (w *writer) inPieces(ctx context.Context, form summary.Job, e *llm.Error) (summary.Answer, error) {
	budget := w.pieceBudget(form, e)
	for range maxHalvings {
		if form.Tokens() > maxPieces*budget {
			break // far too long: splitting it would be slow and useless
		}
		pieces := summary.Chunks(form, budget)
		if len(pieces) < 2 || len(pieces) > maxPieces {
			break
		}
		answer, err := w.summarizePieces(ctx, pieces)
		if llm.AsOverflow(err) == nil {
			return answer, err
		}
		budget /= 2
	}
	return summary.Answer{}, e
}

func (w *writer) summarizePieces(ctx context.Context, summarizePieces []summary.Job) (summary.Answer, error) {
	var answers []summary.Answer
	for _, p := range summarizePieces {
		answer, err := w.requestAnswer(ctx, p)
		if err != nil {
			return summary.Answer{}, err
		}
		if answer.Text, err = summary.Accept(p, answer); err != nil {
			return summary.Answer{}, err
		}
		answers = append(answers, answer)
	}
	return summary.JoinAnswers(answers), nil
}

// pieceBudget is the size of a piece in uncalibrated tokens: at most half of the form that was too long.
func (w *writer) pieceBudget(form summary.Job, e *llm.Error) int {
	window := w.model.Window.Tokens
	if e.Window > 0 {
		window = e.Window
	}
	half := form.Tokens() / 2
	if window <= 0 {
		return half
	}
	room := float64(window) - min(float64(form.MaxTokens), answerShare*float64(window))
	return min(half, int(pieceSlack*room/w.factor))
}

// writerChooser chooses the model that writes a summary, and prepares the job.
type writerChooser struct {
	journal        *core.Journal
	inbox          *core.Inbox
	retry          llm.Retry
	findModel      func(name string) (llm.Model, llm.Provider, bool)               // see [core.Options], Summarisers
	saveTranscript func(context.Context, projection.View) (path string, err error) // and Transcript
	previous       *llm.Endpoint                                                   // the model before the current one, if its window is larger; nil once the conversation fits the current one
	recordedModel  string                                                          // the recorded model of the stored conversation, if another one is in use; "" once it was looked up
}

func (s *writerChooser) newWriter() writer {
	base := s.journal.Request(nil)
	base.Tools = s.journal.Tools() // also if the current model takes none: another one may write
	return writer{
		model: s.journal.Model(), base: base, retry: s.retry,
		promptTokens: meter.New(meter.Options{}).WithPrompt(s.journal.PromptSizes()).RequestEstimate(),
		now:          s.journal.Now, startedAt: s.journal.Now(),
	}
}

// prepare makes the proposal of a job from the current log, and chooses the model.
func (s *writerChooser) prepare(ctx context.Context, j *job) error {
	rules, now := s.journal.Rules(), s.journal.CompactionInputs()
	j.writer.preset = rules.Preset
	previous := s.previousFor(j)
	switch {
	case j.maxResendTokens() > 0 && !s.journal.Model().Window.IsKnown():
		now.WriterWindow, now.Cold = j.maxResendTokens(), true // the refused request would only grow
	case previous != nil:
		j.writer.isPreviousModel = true
		now.Cold, now.Caps, now.WriterWindow = s.journal.ColdFor(previous.Model), previous.Model.Caps, previous.Model.Window.Tokens
	}
	var err error
	if j.proposal, err = j.propose(now); err != nil || j.proposal.Job == nil {
		return err
	}
	summary := rules.Profiles[j.proposal.Profile].Summary
	if j.plan != nil {
		summary = rules.Summary
	}
	j.writer.retriesLeft, j.needsReview = summary.Retries, s.journal.Interactive && (j.request.Review || summary.Review)
	if j.writer.timeLimit = summary.Timeout; j.writer.timeLimit <= 0 {
		j.writer.timeLimit = time.Minute
	}
	if err := s.findWriter(j, previous); err != nil {
		return err
	}
	j.writer.from, j.writer.to = j.proposal.Range.From, j.proposal.Range.To
	design := j.writer.preset.Design()
	if design.SummaryLog != "" {
		s.journal.Logger.Info(design.SummaryLog + " triggered")
	}
	if !design.WritesTranscript || s.saveTranscript == nil {
		return nil
	}
	if now.Transcript, err = s.storeTranscript(ctx); err != nil {
		return err
	}
	j.proposal, err = j.propose(now)
	return err
}

// findWriter chooses the model that writes: the one that the profile names, else the previous model if there is one,
// else the current model.
func (s *writerChooser) findWriter(j *job, previous *llm.Endpoint) error {
	name := j.proposal.Job.Model
	w := &j.writer
	switch {
	case name == "" && previous != nil:
		w.useModel(s.journal, previous.Model, previous.Provider)
		return nil
	case name == "" || name == s.journal.Model().Name():
		w.useModel(s.journal, s.journal.Model(), s.journal.Provider())
		if n := j.maxResendTokens(); n > 0 && !w.model.Window.IsKnown() {
			w.model.Window = meter.Window{Tokens: n, Source: meter.WindowUnknown}
		}
		return nil
	}
	if s.findModel != nil {
		if m, p, ok := s.findModel(name); ok && p != nil {
			w.useModel(s.journal, m, p)
			return nil
		}
	}
	return &llm.Error{
		Class: llm.NotFound, Message: "the model " + llm.OneLine(name) + ", which the profile " + j.proposal.Profile + " has for summaries, is not there",
		Hint: "check compaction.summary.model and the provider's key, or leave it empty for the conversation's own model",
	}
}

// storeTranscript saves the view as it is sent (J-CLI).
func (s *writerChooser) storeTranscript(ctx context.Context) (path string, err error) {
	view := s.journal.View()
	path = core.Concurrently(ctx, s.inbox, func() string {
		var saved string
		saved, err = s.saveTranscript(ctx, view)
		return saved
	})
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if err != nil {
		return "", &llm.Error{
			Class: llm.NotSaved, Message: "the history could not be saved before compacting: " + err.Error(),
			Hint: "check the data folder, then compact again", Err: err,
		}
	}
	s.journal.Logger.Info("Transcript saved: " + path) // J-CLI
	return path, nil
}

// previousFor is the previous model, with the larger window, if a plan has to make the conversation fit the current
// one; nil otherwise.
func (s *writerChooser) previousFor(j *job) *llm.Endpoint {
	if j.plan == nil || !s.journal.OverHardLine() {
		return nil
	}
	if name := s.recordedModel; s.previous == nil && name != "" && s.findModel != nil {
		s.recordedModel = ""
		if m, p, ok := s.findModel(name); ok && p != nil && m.Window.Tokens > s.journal.Model().Window.Tokens {
			s.previous = &llm.Endpoint{Model: m, Provider: p}
		}
	}
	return s.previous
}

// largerThan is the current or the previous model, whichever has the larger window, if that is larger than w or w
// is unknown; nil otherwise.
func (s *writerChooser) largerThan(w meter.Window) *llm.Endpoint {
	best := &llm.Endpoint{Model: s.journal.Model(), Provider: s.journal.Provider()}
	if f := s.previous; f != nil && f.Model.Window.Tokens > best.Model.Window.Tokens {
		best = f
	}
	if have := best.Model.Window; !have.IsKnown() || w.IsKnown() && w.Tokens >= have.Tokens {
		return nil
	}
	return best
}

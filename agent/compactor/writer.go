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
	ctx, end := context.WithTimeoutCause(ctx, w.limit, errTooLate)
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
		answer, err := w.answer(ctx, proposal, &form)
		if err != nil {
			return err
		}
		answer.Took = w.now().Sub(w.began)
		if err = proposal.Accept(answer); err == nil {
			w.took = answer.Took
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

// worthAnother are the reasons to reject an answer for which another request may help. A text that was cut off or
// is too long would only be paid for twice.
var worthAnother = []error{
	summary.ErrCalls, summary.ErrEmpty, summary.ErrDeclined, summary.ErrFailure,
	summary.ErrShort,
}

// takeRetry uses up a retry after a rejected answer, and reports whether there was one and it may help. Under ONE's
// rules only a failed call is repeated.
func (w *writer) takeRetry(proposal *edit.Proposal, err error) bool {
	helps := slices.ContainsFunc(worthAnother, func(reason error) bool { return errors.Is(err, reason) })
	if proposal.Fallback() != nil && errors.Is(err, summary.ErrCut) {
		helps = true // the other form leaves more room
	}
	if w.retries <= 0 || w.preset.Design().RetriesFailuresOnly || !helps {
		return false
	}
	w.retries--
	return true
}

// answer requests the text in a form, or in a smaller one if that is too long. form becomes the form that was tried
// last.
func (w *writer) answer(ctx context.Context, proposal *edit.Proposal, form *summary.Job) (summary.Answer, error) {
	answer, err := w.call(ctx, *form)
	if form.Input == preset.InputView && llm.AsOverflow(err) != nil {
		if raw := proposal.Fallback(); raw != nil {
			*form = *raw
			answer, err = w.call(ctx, *form)
		}
	}
	if e := llm.AsOverflow(err); e != nil {
		if shorter := proposal.Shorter(w.pieceBudget(*form, e)); shorter != nil {
			*form = *shorter
			return w.call(ctx, *form)
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
		answer, err := w.pieces(ctx, pieces)
		if llm.AsOverflow(err) == nil {
			return answer, err
		}
		budget /= 2
	}
	return summary.Answer{}, e
}

func (w *writer) pieces(ctx context.Context, pieces []summary.Job) (summary.Answer, error) {
	var answers []summary.Answer
	for _, p := range pieces {
		answer, err := w.call(ctx, p)
		if err != nil {
			return summary.Answer{}, err
		}
		if answer.Text, err = summary.Accept(p, answer); err != nil {
			return summary.Answer{}, err
		}
		answers = append(answers, answer)
	}
	return summary.Joined(answers), nil
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
	room := float64(window) - min(float64(form.MaxTokens), pieceAnswer*float64(window))
	return min(half, int(pieceSlack*room/w.factor))
}

// writers chooses the model that writes a summary, and prepares the job.
type writers struct {
	journal  *core.Journal
	inbox    *core.Inbox
	retry    llm.Retry
	find     func(name string) (llm.Model, llm.Provider, bool)               // see [core.Options], Summarisers
	save     func(context.Context, projection.View) (path string, err error) // and Transcript
	previous *modelClient                                                    // the model before the current one, if its window is larger; nil once the conversation fits the current one
	heldWith string                                                          // the recorded model of the stored conversation, if another one is in use; "" once it was looked up
}

// newWriter returns a writer for the current conversation.
func (s *writers) newWriter() writer {
	base := s.journal.Request(nil)
	base.Tools = s.journal.Tools() // also if the current model takes none: another one may write
	return writer{
		model: s.journal.Model(), base: base, retry: s.retry,
		prompt: meter.New(meter.Options{}).WithPrompt(s.journal.PromptSizes()).RequestEstimate(),
		now:    s.journal.Now, began: s.journal.Now(),
	}
}

// prepare makes the proposal of a job from the current log, and chooses the model.
func (s *writers) prepare(ctx context.Context, j *job) error {
	rules, now := s.journal.Rules(), s.journal.CompactionInputs()
	j.writer.preset = rules.Preset
	previous := s.previousFor(j)
	switch {
	case j.bound() > 0 && !s.journal.Model().Window.IsKnown():
		now.Writer, now.Cold = j.bound(), true // the refused request would only grow
	case previous != nil:
		j.writer.previous = true
		now.Cold, now.Caps, now.Writer = s.journal.ColdFor(previous.model), previous.model.Caps, previous.model.Window.Tokens
	}
	var err error
	if j.proposal, err = j.work(now); err != nil || j.proposal.Job == nil {
		return err
	}
	summary := rules.Profiles[j.proposal.Profile].Summary
	if j.plan != nil {
		summary = rules.Summary
	}
	j.writer.retries, j.review = summary.Retries, s.reviews(j.request, summary)
	if j.writer.limit = summary.Timeout; j.writer.limit <= 0 {
		j.writer.limit = time.Minute
	}
	if err := s.findWriter(j, previous); err != nil {
		return err
	}
	j.writer.from, j.writer.to = j.proposal.Range.From, j.proposal.Range.To
	design := j.writer.preset.Design()
	if design.SummaryLog != "" {
		s.journal.Logger().Info(design.SummaryLog + " triggered")
	}
	if !design.WritesTranscript || s.save == nil {
		return nil
	}
	if now.Transcript, err = s.transcript(ctx); err != nil {
		return err
	}
	j.proposal, err = j.work(now)
	return err
}

// findWriter chooses the model that the profile names; without a name the previous model if it has the larger
// window, else the current one.
func (s *writers) findWriter(j *job, previous *modelClient) error {
	name := j.proposal.Job.Model
	w := &j.writer
	switch {
	case name == "" && previous != nil:
		w.useModel(s.journal, previous.model, previous.provider)
		return nil
	case name == "" || name == s.journal.Model().Name():
		w.useModel(s.journal, s.journal.Model(), s.journal.Provider())
		if n := j.bound(); n > 0 && !w.model.Window.IsKnown() {
			w.model.Window = meter.Window{Tokens: n, Source: meter.WindowUnknown}
		}
		return nil
	}
	if s.find != nil {
		if m, p, ok := s.find(name); ok && p != nil {
			w.useModel(s.journal, m, p)
			return nil
		}
	}
	return &llm.Error{
		Class: llm.NotFound, Message: "the model " + llm.OneLine(name) + ", which the profile " + j.proposal.Profile + " has for summaries, is not there",
		Hint: "check compaction.summary.model and the provider's key, or leave it empty for the conversation's own model",
	}
}

// transcript saves the view as it is sent (JCL).
func (s *writers) transcript(ctx context.Context) (path string, err error) {
	view := s.journal.View()
	path = core.Concurrently(ctx, s.inbox, func() string {
		var saved string
		saved, err = s.save(ctx, view)
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
	s.journal.Logger().Info("Transcript saved: " + path) // JCL
	return path, nil
}

// previousFor is the previous model, with the larger window, if a plan has to make the conversation fit the current
// one; nil otherwise.
func (s *writers) previousFor(j *job) *modelClient {
	if j.plan == nil || !s.journal.OverHardLine() {
		return nil
	}
	if name := s.heldWith; s.previous == nil && name != "" && s.find != nil {
		s.heldWith = ""
		if m, p, ok := s.find(name); ok && p != nil && m.Window.Tokens > s.journal.Model().Window.Tokens {
			s.previous = &modelClient{m, p}
		}
	}
	return s.previous
}

// largerThan is the current or the previous model, whichever has the larger window, if that is larger than w or w
// is unknown; nil otherwise.
func (s *writers) largerThan(w meter.Window) *modelClient {
	best := &modelClient{s.journal.Model(), s.journal.Provider()}
	if f := s.previous; f != nil && f.model.Window.Tokens > best.model.Window.Tokens {
		best = f
	}
	if have := best.model.Window; !have.IsKnown() || w.IsKnown() && w.Tokens >= have.Tokens {
		return nil
	}
	return best
}

// reviews reports whether the user reviews a summary before it is applied.
func (s *writers) reviews(w edit.Request, r preset.SummaryRules) bool {
	return s.journal.Interactive() && (w.Review || r.Review)
}

package agent

import (
	"context"
	"time"

	"plimsoll/compact"
)

// writers finds who writes a summary, and works out what is written.
type writers struct {
	*journal
	inbox    *inbox
	lane     *lane
	previous *modelClient // the model before one whose window is smaller, or unknown so far, until room was made
}

// newWriter is a writer for the conversation as it is now.
func (s *writers) newWriter() writer {
	return writer{
		model: s.settings.model, conversation: s.opts.Stored.ID, system: s.settings.system, tools: s.settings.tools, retry: s.opts.Retry,
		prompt: compact.NewMeter(compact.MeterOptions{}).WithPrompt(s.settings.promptSizes()).RequestEstimate(),
		now:    s.opts.Now, began: s.opts.Now(), lane: s.lane,
	}
}

// prepare works a job out on the log as it is now, and finds who writes.
func (s *writers) prepare(ctx context.Context, j *job) error {
	rules, now := s.rules, s.situation()
	j.writer.preset = rules.Preset
	former := s.previousFor(j)
	switch {
	case j.bound() > 0 && !s.settings.model.Window.Known():
		now.Writer, now.Cold = j.bound(), true // what was refused is not asked for again with more behind it
	case former != nil:
		j.writer.former = true
		now.Cold, now.Caps, now.Writer = s.coldFor(former.model), former.model.Caps, former.model.Window.Tokens
	}
	var err error
	if j.pass, err = j.work(now); err != nil || j.pass.Job == nil {
		return err
	}
	summary := rules.Profiles[j.pass.Profile].Summary
	if j.plan != nil {
		summary = rules.Summary
	}
	j.writer.retries, j.review = summary.Retries, s.reviews(j.wish, summary)
	if j.writer.limit = time.Duration(summary.TimeoutSecs) * time.Second; j.writer.limit <= 0 {
		j.writer.limit = time.Minute
	}
	if err := s.findWriter(j, former); err != nil {
		return err
	}
	j.writer.from, j.writer.to = j.pass.Range.From, j.pass.Range.To
	design := j.writer.preset.Design()
	if design.SummaryLog != "" {
		s.opts.Logger.Info(design.SummaryLog + " triggered")
	}
	if !design.Transcript || s.opts.Transcript == nil {
		return nil
	}
	if now.Transcript, err = s.transcript(ctx); err != nil {
		return err
	}
	j.pass, err = j.work(now)
	return err
}

// findWriter finds the model that a profile names: the conversation's own if it
// names none, or the one it was held with if that has the larger window.
func (s *writers) findWriter(j *job, former *modelClient) error {
	name := j.pass.Job.Model
	w := &j.writer
	switch {
	case name == "" && former != nil:
		w.use(s.journal, former.model, former.provider)
		return nil
	case name == "" || name == s.settings.model.Name():
		w.use(s.journal, s.settings.model, s.settings.provider)
		if n := j.bound(); n > 0 && !w.model.Window.Known() {
			w.model.Window = compact.Window{Tokens: n, Source: compact.WindowUnknown}
		}
		return nil
	}
	if s.opts.Summarisers != nil {
		if m, p, ok := s.opts.Summarisers(name); ok && p != nil {
			w.use(s.journal, m, p)
			return nil
		}
	}
	return &Error{
		Class: NotFound, Message: "the model " + oneLine(name) + ", which the profile " + j.pass.Profile + " has for summaries, is not there",
		Hint: "check compaction.summary.model and the provider's key, or leave it empty for the conversation's own model",
	}
}

// transcript saves the history as it is sent (JCL).
func (s *writers) transcript(ctx context.Context) (path string, err error) {
	view := s.view
	path = beside(ctx, s.inbox, func() string {
		var saved string
		saved, err = s.opts.Transcript(ctx, view)
		return saved
	})
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if err != nil {
		return "", &Error{
			Class: NotSaved, Message: "the history could not be saved before it is replaced: " + err.Error(),
			Hint: "check the data folder, then compact again", Err: err,
		}
	}
	s.opts.Logger.Info("Transcript saved: " + path) // JCL
	return path, nil
}

// previousFor is the model that the conversation was held with before one with a
// smaller window, while a plan has to make room for that; nil otherwise.
func (s *writers) previousFor(j *job) *modelClient {
	if j.plan == nil || !s.over() {
		return nil
	}
	return s.previous
}

// largerThan is the model with the larger window of the one in use and the one
// before it, if that is larger than w or w is unknown; nil otherwise.
func (s *writers) largerThan(w compact.Window) *modelClient {
	best := &modelClient{s.settings.model, s.settings.provider}
	if f := s.previous; f != nil && f.model.Window.Tokens > best.model.Window.Tokens {
		best = f
	}
	if have := best.model.Window; !have.Known() || w.Known() && w.Tokens >= have.Tokens {
		return nil
	}
	return best
}

// reviews reports whether the user reads a summary before it takes effect.
func (s *writers) reviews(w compact.Wish, r compact.SummaryRules) bool {
	return s.opts.Interactive && (w.Review || r.Review)
}

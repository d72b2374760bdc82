package edit

import (
	"context"
	"fmt"
	"math"

	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A proposal whose profile summarises needs a text. What the summariser reads is
// decided here:
//
//   - the view, while the provider's cache is warm: the request is then the next
//     one and one message, and is served from the cache
//   - what was said, written out, when the cache is cold, when another model
//     writes, where the rules say so, and always where the view already shows a
//     summary: a summary is never summarised (S64)
//   - earlier summaries and what came after, in cumulative mode (ONE), and where
//     bands become one and all that was said does not fit the model that writes:
//     the exception to S64, with its depth on record

// appendixShare bounds what the program adds to a summary, as a share of what
// is covered: with the text it stays well below it.
const appendixShare = 0.2

// writerShare is the share of its window that a model is given to read at most.
const writerShare = 0.8

// window is that of the conversation's model in tokens; where it is unknown, as
// far as a refusal tells.
func (pass *Proposal) window() int {
	if w := pass.now.Meter.Window().Tokens; w > 0 {
		return w
	}
	return pass.now.Writer
}

// needSummary makes the job.
func (pass *Proposal) needSummary(r preset.SummaryRules) error {
	window, writer := pass.window(), pass.now.Writer
	if writer == 0 {
		writer = window
	}
	free := 0
	if writer > 0 {
		free = max(writer-pass.now.Meter.EstimatedTokens(), 1)
	}
	ask := summary.Options{Spans: pass.Spans, Rules: r, Style: pass.rules.Preset.Style(), Focus: pass.Focus,
		Most: planner.SummaryMost(pass.rules.Planner, window)}
	var err error
	if ask.Room, err = pass.room(); err != nil {
		return err
	}
	switch {
	case r.Mode == preset.ModeCumulative && len(pass.earlier()) > 0:
		pass.merge(ask)
	case pass.readsView(r):
		ask.Free, ask.Covered = free, meter.CoveredTokens(pass.before, pass.Spans)
		job := summary.ViewJob(pass.before, pass.now.Caps, ask)
		pass.Job = &job
	default:
		pass.Job = pass.rawJob(ask)
		if writer > 0 && pass.mayMerge(r) && pass.now.Meter.Factor()*float64(pass.Job.Tokens()) > writerShare*float64(writer) {
			pass.merge(ask)
		}
	}
	return nil
}

// mayMerge reports whether earlier summaries may be read in place of what they
// cover.
func (pass *Proposal) mayMerge(r preset.SummaryRules) bool {
	return r.Mode == preset.ModeBands && r.Input != preset.InputRaw && pass.rules.Wording().Notes && len(pass.earlier()) > 0
}

// merge makes the job one that reads earlier summaries and what came after.
func (pass *Proposal) merge(ask summary.Options) {
	pass.Job = pass.mergedJob(ask)
	pass.Spans = pass.Job.Spans
	pass.Range = Range{From: pass.Job.FromTurn, To: pass.Job.ToTurn}
}

// leastRoom is the room without which nobody is asked, in estimated tokens: a
// sentence has more.
const leastRoom = 16

// room is how many estimated tokens the text may have so that the view does not
// grow. The error wraps ErrNothingToGain: no answer could be taken.
func (pass *Proposal) room() (int, error) {
	empty := pass.summary(".", summary.Answer{})
	v := projection.Project(conversation.Extend(pass.log, pass.now.Now, empty))
	room := int(math.Ceil(float64(pass.tokens(pass.before)-pass.tokens(v))/pass.now.Meter.Factor())) + 1 // for the one that stands there
	said := int(summary.AcceptedShare * float64(meter.TokensOf(conversation.MessagesIn(pass.log, pass.Spans))))
	if least := min(room, said); least < leastRoom {
		return 0, fmt.Errorf("%w: no summary would be shorter than what is sent of %s", ErrNothingToGain, numbers.Turns(pass.Range.From, pass.Range.To))
	}
	return room, nil
}

// rawJob asks for a summary of what was said.
func (pass *Proposal) rawJob(ask summary.Options) *summary.Job {
	ask.Covered = 0
	job := summary.RawJob(pass.log, ask)
	return &job
}

// mergedJob reads the earlier summaries, and besides them what was said.
// It is judged by what was said, as they were: what they say again is no less worth.
func (pass *Proposal) mergedJob(ask summary.Options) *summary.Job {
	var priors []conversation.Summary
	spans := ask.Spans
	for _, s := range pass.earlier() {
		priors = append(priors, s.Summary)
		spans = conversation.JoinSpans(spans, s.Spans)
	}
	ask.Covered = meter.TokensOf(conversation.MessagesIn(pass.log, spans))
	job := summary.MergedJob(priors, pass.log, ask)
	return &job
}

// readsView reports whether the summariser reads the next request.
func (pass *Proposal) readsView(r preset.SummaryRules) bool {
	switch {
	case r.Mode == preset.ModeRawUnion || r.Model != "" || !pass.rules.Wording().Notes:
		return false
	case pass.coversSummary():
		return false
	}
	return r.Input == preset.InputView || r.Input == preset.InputAuto && !pass.now.Cold
}

// Fallback is the job in the form that writes out what was said, for when the
// view's form was too long. Its answer need not fit behind the view. Nil if the
// job has that form already.
func (pass *Proposal) Fallback() *summary.Job {
	if pass.Job == nil || pass.Job.Input != preset.InputView {
		return nil
	}
	ask := pass.Job.Options()
	ask.Free = 0
	return pass.rawJob(ask)
}

// Shorter is the job without the oldest of what it writes out, so that its
// request has about as many estimated tokens as the budget: for a form that
// cannot be split (JCL, which cuts what is too long). Nil for the others.
func (pass *Proposal) Shorter(budget int) *summary.Job {
	if pass.Job == nil || !preset.WordingOf(pass.Job.Options().Style).AsJSON {
		return nil
	}
	ask := pass.Job.Options()
	ask.Budget = budget
	if pass.Job.Input == preset.InputMerged {
		return pass.mergedJob(ask)
	}
	return pass.rawJob(ask)
}

// coversSummary reports whether the view shows a part of what is to be covered
// as a summary, or not at all.
func (pass *Proposal) coversSummary() bool {
	covered := conversation.Disjoint(pass.Spans)
	for i := range pass.before.Messages {
		m := &pass.before.Messages[i]
		if (m.State == projection.StateSummarised || m.State == projection.StateDropped) && covered.HoldsAny(m.Events) {
			return true
		}
	}
	for _, a := range pass.before.Absent {
		if a.Why == projection.WhyLeftOut && covered.Holds(a.Event) {
			return true
		}
	}
	return false
}

// Accept takes the answer to the proposal's job, or to its fallback. The error wraps
// summary.ErrRefused or ErrNothingToGain; the proposal is then as it was.
func (pass *Proposal) Accept(a summary.Answer) error {
	asked := pass.Job
	if a.Input == preset.InputRaw {
		if raw := pass.Fallback(); raw != nil {
			asked = raw
		}
	}
	text, err := summary.Accept(*asked, a)
	if err != nil {
		return err
	}
	return pass.take(text, a)
}

// told is what the proposal covers and what the summaries that stand beside it do:
// the block has one appendix, that of its newest summary.
func (pass *Proposal) told() []conversation.Span {
	return projection.WithEarlier(pass.log, pass.Spans)
}

// take puts an accepted text in force for the proposal.
func (pass *Proposal) take(text string, a summary.Answer) error {
	job := pass.Job
	body := pass.summary(text, a)
	if body.Input == "" {
		body.Input = string(job.Input)
	}
	if job.Input == preset.InputMerged {
		for _, s := range pass.earlier() {
			body.Depth = max(body.Depth, s.Depth+1)
			body.Parents = append(body.Parents, s.Seq)
		}
	}
	pass.Job, pass.asked = nil, job
	if err := pass.apply(body); err != nil {
		pass.Job, pass.asked = job, nil
		return err
	}
	return nil
}

// summary is the overlay that puts a text in place of what the proposal covers, with
// what the program adds to it.
func (pass *Proposal) summary(text string, a summary.Answer) conversation.Summary {
	body := conversation.Summary{
		Style: pass.rules.Preset.Style(), Version: projection.BlockVersion, Spans: pass.Spans, FromTurn: pass.Range.From, ToTurn: pass.Range.To,
		Text: text, Input: string(a.Input), Model: a.Model, Focus: pass.Focus, Transcript: pass.now.Transcript,
		Duration: a.Took.Milliseconds(),
	}
	if preset.WordingOf(body.Style).Notes {
		body.Appendix = summary.Note(pass.log, pass.before, pass.told(), pass.noteRoom())
	}
	return body
}

// noteRoom is what the note of the proposal may have. By hand it is bounded by what is
// covered besides, so that it does not undo what the summary saves.
func (pass *Proposal) noteRoom() summary.NoteRoom {
	room := planner.NoteRoomOf(pass.rules, pass.now.Meter, pass.window())
	if pass.evicts {
		return room
	}
	most := appendixShare * float64(meter.TokensOf(conversation.MessagesIn(pass.log, pass.told())))
	return room.Within(most)
}

// Extract answers the proposal's job without a model. The error wraps
// summary.ErrRefused or ErrNothingToGain.
func (pass *Proposal) Extract() error {
	job := *pass.Job
	if pass.rules.Wording().Notes {
		job.MaxTokens = min(job.MaxTokens, planner.SummaryMost(pass.rules.Planner, pass.now.Meter.Window().Tokens))
	}
	answer, err := summary.Extractive{Log: pass.log}.Summarise(context.Background(), job) // never waits
	if err != nil {
		return err
	}
	return pass.Accept(answer)
}

// earlier are the summaries that the view shows and that lie within what is to
// be covered.
func (pass *Proposal) earlier() []projection.SummaryInForce {
	var out []projection.SummaryInForce
	for _, s := range projection.Summaries(pass.log) {
		if s.Shown && s.FromTurn >= pass.Range.From && s.ToTurn <= pass.Range.To {
			out = append(out, s)
		}
	}
	return out
}

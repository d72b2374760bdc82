package edit

import (
	"fmt"
	"math"
	"slices"

	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// This file chooses the input that the summary of a proposal is written from:
//
//   - the view, while the provider's cache is warm: the request is the conversation
//     and one more message, so that the provider reads it from the cache
//   - the original messages as a transcript, when the cache is cold, when another model
//     writes, where the rules demand it, and always where the view already shows a
//     summary: a summary is never summarised (S64)
//   - earlier summaries and the messages after them, in cumulative mode (ONE), and where
//     a summary replaces several others and their original messages do not fit the window
//     of the writing model: the exception to S64, recorded as the depth of the summary

// appendixShare is the most tokens of a summary's note, as a share of the covered
// tokens: summary and note together stay well below them.
const appendixShare = 0.2

// writerShare is the largest share of its window that the writing model is sent.
const writerShare = 0.8

// window returns the window of the conversation's model in tokens; if it is unknown, the
// one that a refusal of the provider named.
func (p *Proposal) window() int {
	if w := p.in.Meter.Window().Tokens; w > 0 {
		return w
	}
	return p.in.Writer
}

func (p *Proposal) needSummary(r preset.SummaryRules) error {
	window, writer := p.window(), p.in.Writer
	if writer == 0 {
		writer = window
	}
	free := 0
	if writer > 0 {
		free = max(writer-p.in.Meter.EstimatedTokens(), 1)
	}
	ask := summary.Options{Spans: p.Spans, Rules: r, Style: p.rules.Preset.Style(), Focus: p.Focus,
		Most: planner.SummaryMost(p.rules.Planner, window)}
	ask.Rewrites = p.rewrites()
	var err error
	if ask.Room, err = p.textRoom(ask.Rewrites); err != nil {
		return err
	}
	switch {
	case r.Mode == preset.ModeCumulative && len(p.earlier()) > 0:
		p.merge(ask)
	case p.readsView(r):
		ask.Free, ask.Covered = free, meter.EstimateCovered(p.before, p.Spans)
		job := summary.ViewJob(p.before, p.in.Caps, ask)
		p.Job = &job
	default:
		p.Job = p.rawJob(ask)
		if writer > 0 && p.mayMerge(r) && p.in.Meter.Factor()*float64(p.Job.Tokens()) > writerShare*float64(writer) {
			p.merge(ask)
		}
	}
	return nil
}

// mayMerge reports whether the rules allow to summarise earlier summaries in place of
// the messages that they cover.
func (p *Proposal) mayMerge(r preset.SummaryRules) bool {
	return r.Mode == preset.ModeBands && r.Input != preset.InputRaw && p.rules.Wording().HasNotes && len(p.earlier()) > 0
}

// merge makes the job one that reads the earlier summaries.
func (p *Proposal) merge(ask summary.Options) {
	p.Job = p.mergedJob(ask)
	p.Spans = p.Job.Spans
	p.Range = Range{From: p.Job.FromTurn, To: p.Job.ToTurn}
}

// leastRoom is the fewest estimated tokens that a summary is worth asking for: about a
// sentence.
const leastRoom = 16

// longerShare is how much longer a second summary of the same turns may be than the first,
// as a share.
const longerShare = 0.25

// rewrites reports whether the user asks for a new summary of turns that the view shows
// only as a summary: with another focus, the newest wins (S64).
func (p *Proposal) rewrites() bool {
	replaced := p.replaced()
	return p.made.Source == conversation.SourceManual && !slices.ContainsFunc(p.before.Messages, func(m projection.Message) bool {
		return replaced(&m) && m.State != projection.StateSummarised
	})
}

// textRoom returns how many estimated tokens the text may have so that the view does not
// grow, or grows at most by a quarter of the summary that it rewrites. The error wraps
// ErrNothingToGain: no text would be short enough.
func (p *Proposal) textRoom(rewrites bool) (int, error) {
	empty := p.summary(".", summary.Answer{})
	v := projection.Project(conversation.Extend(p.log, p.in.Now, empty))
	room := int(math.Ceil(float64(p.in.Meter.WithView(p.before).EstimatedTokens()-p.in.Meter.WithView(v).EstimatedTokens())/p.in.Meter.Factor())) + 1 // the "." of the empty one
	if rewrites {
		room += max(0, int(longerShare*float64(room)))
	}
	accepted := int(summary.AcceptedShare * float64(meter.EstimateEvents(conversation.MessagesIn(p.log, p.Spans))))
	if min(room, accepted) < leastRoom {
		return 0, fmt.Errorf("%w: no summary would be shorter than %s", ErrNothingToGain, numbers.Turns(p.Range.From, p.Range.To))
	}
	return room, nil
}

func (p *Proposal) rawJob(ask summary.Options) *summary.Job {
	ask.Covered = 0
	job := summary.RawJob(p.log, ask)
	return &job
}

// mergedJob returns a job that reads the earlier summaries and the messages outside them.
// Its answer, as theirs, is compared in length with the original messages.
func (p *Proposal) mergedJob(ask summary.Options) *summary.Job {
	var priors []conversation.Summary
	spans := ask.Spans
	for _, s := range p.earlier() {
		priors = append(priors, s.Summary)
		spans = conversation.JoinSpans(spans, s.Spans)
	}
	ask.Covered = meter.EstimateEvents(conversation.MessagesIn(p.log, spans))
	job := summary.MergedJob(priors, p.log, ask)
	return &job
}

// readsView reports whether the model that writes the summary reads the view.
func (p *Proposal) readsView(r preset.SummaryRules) bool {
	switch {
	case r.Mode == preset.ModeRawUnion || r.Model != "" || !p.rules.Wording().HasNotes:
		return false
	case p.coversSummary():
		return false
	}
	return r.Input == preset.InputView || r.Input == preset.InputAuto && !p.in.Cold
}

// Fallback returns the job with the original messages as input, for use after the
// request with the view was too long; its answer need not fit into the window after the
// view. It is nil if the job does not read the view.
func (p *Proposal) Fallback() *summary.Job {
	if p.Job == nil || p.Job.Input != preset.InputView {
		return nil
	}
	ask := p.Job.Options()
	ask.Free = 0
	return p.rawJob(ask)
}

// Shorter returns the job without its oldest messages, so that its request has about as
// many estimated tokens as the budget. It is for a style whose input cannot be split into
// several requests (JCL, which truncates), and nil for the others.
func (p *Proposal) Shorter(budget int) *summary.Job {
	if p.Job == nil || !preset.WordingOf(p.Job.Options().Style).AsJSON {
		return nil
	}
	ask := p.Job.Options()
	ask.Budget = budget
	if p.Job.Input == preset.InputMerged {
		return p.mergedJob(ask)
	}
	return p.rawJob(ask)
}

// coversSummary reports whether the view shows any of the covered events as a summary,
// or has dropped or left out any.
func (p *Proposal) coversSummary() bool {
	covered := conversation.Disjoint(p.Spans)
	for i := range p.before.Messages {
		m := &p.before.Messages[i]
		if (m.State == projection.StateSummarised || m.State == projection.StateDropped) && covered.ContainsAny(m.Events) {
			return true
		}
	}
	for _, a := range p.before.Absent {
		if a.Why == projection.WhyLeftOut && covered.Contains(a.Event) {
			return true
		}
	}
	return false
}

// Accept makes an answer to the job, or to its fallback, the summary of the proposal. After
// an error, which wraps summary.ErrRefused or ErrNothingToGain, the proposal is unchanged.
func (p *Proposal) Accept(a summary.Answer) error {
	asked := p.Job
	if a.Input == preset.InputRaw {
		if raw := p.Fallback(); raw != nil {
			asked = raw
		}
	}
	text, err := summary.Accept(*asked, a)
	if err != nil {
		return err
	}
	return p.applyText(text, a)
}

func (p *Proposal) applyText(text string, a summary.Answer) error {
	job := p.Job
	body := p.summary(text, a)
	if body.Input == "" {
		body.Input = string(job.Input)
	}
	if job.Input == preset.InputMerged {
		for _, s := range p.earlier() {
			body.Depth = max(body.Depth, s.Depth+1)
			body.Parents = append(body.Parents, s.Seq)
		}
	}
	p.Job, p.asked = nil, job
	if err := p.apply(body); err != nil {
		p.Job, p.asked = job, nil
		return err
	}
	return nil
}

// summary returns the overlay that replaces the covered events by a text and a note.
func (p *Proposal) summary(text string, a summary.Answer) conversation.Summary {
	body := conversation.Summary{
		Style: p.rules.Preset.Style(), Version: projection.BlockVersion, Spans: p.Spans, FromTurn: p.Range.From, ToTurn: p.Range.To,
		Text: text, Input: string(a.Input), Model: a.Model, Focus: p.Focus, Transcript: p.in.Transcript,
		Duration: a.Took.Milliseconds(),
	}
	if preset.WordingOf(body.Style).HasNotes {
		body.Appendix = summary.Note(p.log, p.before, p.Spans, p.noteRoom())
	}
	return body
}

// noteRoom returns the size limits of the proposal's note. For a compaction of a profile
// a share of the covered tokens limits it too, so that it does not undo the saving.
func (p *Proposal) noteRoom() summary.NoteRoom {
	room := planner.NoteRoomOf(p.rules, p.in.Meter, p.window())
	if p.evicts {
		return room
	}
	most := appendixShare * float64(meter.EstimateEvents(conversation.MessagesIn(p.log, projection.WithEarlier(p.log, p.Spans))))
	return room.Within(most)
}

// Extract answers the proposal's job without a model, with text extracted from the log.
// The error wraps summary.ErrRefused or ErrNothingToGain.
func (p *Proposal) Extract() error {
	job := *p.Job
	if p.rules.Wording().HasNotes {
		job.MaxTokens = min(job.MaxTokens, planner.SummaryMost(p.rules.Planner, p.in.Meter.Window().Tokens))
	}
	return p.Accept(summary.Extract(p.log, job))
}

// earlier returns the summaries that the view shows and that lie within the range.
func (p *Proposal) earlier() []projection.SummaryInForce {
	var out []projection.SummaryInForce
	for _, s := range projection.Summaries(p.log) {
		if s.Shown && s.FromTurn >= p.Range.From && s.ToTurn <= p.Range.To {
			out = append(out, s)
		}
	}
	return out
}

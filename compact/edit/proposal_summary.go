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

// A proposal whose profile summarises needs a text. What the summary is written from is
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
func (p *Proposal) window() int {
	if w := p.now.Meter.Window().Tokens; w > 0 {
		return w
	}
	return p.now.Writer
}

func (p *Proposal) needSummary(r preset.SummaryRules) error {
	window, writer := p.window(), p.now.Writer
	if writer == 0 {
		writer = window
	}
	free := 0
	if writer > 0 {
		free = max(writer-p.now.Meter.EstimatedTokens(), 1)
	}
	ask := summary.Options{Spans: p.Spans, Rules: r, Style: p.rules.Preset.Style(), Focus: p.Focus,
		Most: planner.SummaryMost(p.rules.Planner, window)}
	ask.Rewrites = p.rewrites()
	var err error
	if ask.Room, err = p.room(ask.Rewrites); err != nil {
		return err
	}
	switch {
	case r.Mode == preset.ModeCumulative && len(p.earlier()) > 0:
		p.merge(ask)
	case p.readsView(r):
		ask.Free, ask.Covered = free, meter.CoveredTokens(p.before, p.Spans)
		job := summary.ViewJob(p.before, p.now.Caps, ask)
		p.Job = &job
	default:
		p.Job = p.rawJob(ask)
		if writer > 0 && p.mayMerge(r) && p.now.Meter.Factor()*float64(p.Job.Tokens()) > writerShare*float64(writer) {
			p.merge(ask)
		}
	}
	return nil
}

// mayMerge reports whether earlier summaries may be read in place of what they
// cover.
func (p *Proposal) mayMerge(r preset.SummaryRules) bool {
	return r.Mode == preset.ModeBands && r.Input != preset.InputRaw && p.rules.Wording().Notes && len(p.earlier()) > 0
}

func (p *Proposal) merge(ask summary.Options) {
	p.Job = p.mergedJob(ask)
	p.Spans = p.Job.Spans
	p.Range = Range{From: p.Job.FromTurn, To: p.Job.ToTurn}
}

// leastRoom is the fewest estimated tokens for which a model is asked: about a
// sentence.
const leastRoom = 16

// longerShare is how much longer another summary of the same turns may be than the one
// that it replaces.
const longerShare = 0.25

// rewrites reports whether the user asks for another summary of turns that the view shows
// as a summary alone: with another focus, the newest wins (S64).
func (p *Proposal) rewrites() bool {
	replaced := p.replaced()
	return p.made.Source == conversation.SourceManual && !slices.ContainsFunc(p.before.Messages, func(m projection.Message) bool {
		return replaced(&m) && m.State != projection.StateSummarised
	})
}

// room is how many estimated tokens the text may have so that the view does not grow, or
// grows by a quarter of the summary that it rewrites. The error wraps ErrNothingToGain: no
// answer could be taken.
func (p *Proposal) room(rewrites bool) (int, error) {
	empty := p.summary(".", summary.Answer{})
	v := projection.Project(conversation.Extend(p.log, p.now.Now, empty))
	room := int(math.Ceil(float64(p.tokens(p.before)-p.tokens(v))/p.now.Meter.Factor())) + 1 // for the one that stands there
	if rewrites {
		room += max(0, int(longerShare*float64(room)))
	}
	said := int(summary.AcceptedShare * float64(meter.TokensOf(conversation.MessagesIn(p.log, p.Spans))))
	if least := min(room, said); least < leastRoom {
		return 0, fmt.Errorf("%w: no summary would be shorter than %s", ErrNothingToGain, numbers.Turns(p.Range.From, p.Range.To))
	}
	return room, nil
}

func (p *Proposal) rawJob(ask summary.Options) *summary.Job {
	ask.Covered = 0
	job := summary.RawJob(p.log, ask)
	return &job
}

// mergedJob reads the earlier summaries, and besides them what was said.
// It is judged by what was said, as they were: what they say again is no less worth.
func (p *Proposal) mergedJob(ask summary.Options) *summary.Job {
	var priors []conversation.Summary
	spans := ask.Spans
	for _, s := range p.earlier() {
		priors = append(priors, s.Summary)
		spans = conversation.JoinSpans(spans, s.Spans)
	}
	ask.Covered = meter.TokensOf(conversation.MessagesIn(p.log, spans))
	job := summary.MergedJob(priors, p.log, ask)
	return &job
}

// readsView reports whether the summariser reads the next request.
func (p *Proposal) readsView(r preset.SummaryRules) bool {
	switch {
	case r.Mode == preset.ModeRawUnion || r.Model != "" || !p.rules.Wording().Notes:
		return false
	case p.coversSummary():
		return false
	}
	return r.Input == preset.InputView || r.Input == preset.InputAuto && !p.now.Cold
}

// Fallback is the job in the form that writes out what was said, for when the
// view's form was too long. Its answer need not fit behind the view. Nil if the
// job has that form already.
func (p *Proposal) Fallback() *summary.Job {
	if p.Job == nil || p.Job.Input != preset.InputView {
		return nil
	}
	ask := p.Job.Options()
	ask.Free = 0
	return p.rawJob(ask)
}

// Shorter is the job without the oldest of what it writes out, so that its
// request has about as many estimated tokens as the budget: for a form that
// cannot be split (JCL, which cuts what is too long). Nil for the others.
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

// coversSummary reports whether the view shows a part of what is to be covered
// as a summary, or not at all.
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

// Accept takes the answer to the proposal's job, or to its fallback. The error wraps
// summary.ErrRefused or ErrNothingToGain; the proposal is then as it was.
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
	return p.take(text, a)
}

// told is what the proposal covers and what the summaries that stand beside it do:
// the block has one appendix, that of its newest summary.
func (p *Proposal) told() []conversation.Span {
	return projection.WithEarlier(p.log, p.Spans)
}

func (p *Proposal) take(text string, a summary.Answer) error {
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

// summary is the overlay that puts a text in place of what the proposal covers, with
// what the program adds to it.
func (p *Proposal) summary(text string, a summary.Answer) conversation.Summary {
	body := conversation.Summary{
		Style: p.rules.Preset.Style(), Version: projection.BlockVersion, Spans: p.Spans, FromTurn: p.Range.From, ToTurn: p.Range.To,
		Text: text, Input: string(a.Input), Model: a.Model, Focus: p.Focus, Transcript: p.now.Transcript,
		Duration: a.Took.Milliseconds(),
	}
	if preset.WordingOf(body.Style).Notes {
		body.Appendix = summary.Note(p.log, p.before, p.told(), p.noteRoom())
	}
	return body
}

// noteRoom is what the note of the proposal may have. By hand it is bounded by what is
// covered besides, so that it does not undo what the summary saves.
func (p *Proposal) noteRoom() summary.NoteRoom {
	room := planner.NoteRoomOf(p.rules, p.now.Meter, p.window())
	if p.evicts {
		return room
	}
	most := appendixShare * float64(meter.TokensOf(conversation.MessagesIn(p.log, p.told())))
	return room.Within(most)
}

// Extract answers the proposal's job without a model. The error wraps
// summary.ErrRefused or ErrNothingToGain.
func (p *Proposal) Extract() error {
	job := *p.Job
	if p.rules.Wording().Notes {
		job.MaxTokens = min(job.MaxTokens, planner.SummaryMost(p.rules.Planner, p.now.Meter.Window().Tokens))
	}
	return p.Accept(summary.Extract(p.log, job))
}

// earlier are the summaries that the view shows and that lie within what is to
// be covered.
func (p *Proposal) earlier() []projection.SummaryInForce {
	var out []projection.SummaryInForce
	for _, s := range projection.Summaries(p.log) {
		if s.Shown && s.FromTurn >= p.Range.From && s.ToTurn <= p.Range.To {
			out = append(out, s)
		}
	}
	return out
}

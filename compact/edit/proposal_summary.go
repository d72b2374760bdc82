package edit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

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
//   - The view, while the provider still has it in its cache: the request is the conversation and one more message.
//   - The original messages as a transcript, when the cache is cold, when another model writes, where the rules demand it, and
//     always where the view already shows a summary: a summary of a summary loses too much (JP's RFD 064).
//   - Earlier summaries and the messages after them, in cumulative mode (OneClaw). Also where a summary replaces several others
//     whose original messages do not fit the window of the writing model: the one exception to JP's RFD 064, recorded as the
//     depth of the summary.

// noteShare limits the tokens of a summary's note, as a share of the covered tokens: summary and note together stay well below.
const noteShare = 0.2

// writerWindowShare is the largest share of its window that the writing model is sent.
const writerWindowShare = 0.8

// window returns the window of the conversation's model in tokens; if it is unknown, the one that a refusal of the provider named.
func (p *Proposal) window() int {
	if w := p.inputs.Meter.Window().Tokens; w > 0 {
		return w
	}
	return p.inputs.WriterWindow
}

func (p *Proposal) prepareJob(r preset.SummaryRules) error {
	window := p.window()
	writer := cmp.Or(p.inputs.WriterWindow, window)
	freeTokens := 0
	if writer > 0 {
		freeTokens = max(writer-p.inputs.Meter.EstimatedTokens(), 1)
	}
	options := summary.Options{Spans: p.Spans, Rules: r, Style: p.rules.Preset.Style(), Focus: p.focus(),
		MaxRequested: planner.MaxSummaryTokens(p.rules.Planner, window), Rewrites: p.rewritesSummary()}
	var err error
	if options.MaxText, err = p.maxTextTokens(options.Rewrites); err != nil {
		return err
	}
	switch {
	case r.Mode == preset.ModeCumulative && len(p.earlierSummaries()) > 0:
		p.useMergedJob(options)
	case p.readsView(r):
		options.FreeTokens, options.CoveredTokens = freeTokens, meter.EstimateCovered(p.viewBefore, p.Spans)
		job := summary.ViewJob(p.viewBefore, p.inputs.Caps, options)
		p.Job = &job
	default:
		p.Job = p.rawJob(options)
		if writer > 0 && p.mayMerge(r) && p.inputs.Meter.Factor()*float64(p.Job.Tokens()) > writerWindowShare*float64(writer) {
			p.useMergedJob(options)
		}
	}
	return nil
}

// focus is what the summary has to preserve: what the request names, and what hooks named.
func (p *Proposal) focus() string {
	keep, _ := conversation.KeptByHooks(p.log)
	if p.Focus != "" {
		keep = append([]string{p.Focus}, keep...)
	}
	return strings.Join(keep, "; ")
}

// mayMerge reports whether the rules let a summary read earlier summaries in place of the messages that they cover.
func (p *Proposal) mayMerge(r preset.SummaryRules) bool {
	return r.Mode == preset.ModeSeparate && r.Input != preset.InputRaw && p.rules.Wording().HasNotes && len(p.earlierSummaries()) > 0
}

func (p *Proposal) useMergedJob(options summary.Options) {
	p.Job = p.mergedJob(options)
	p.Spans = p.Job.Spans
	p.Range = Range{From: p.Job.FromTurn, To: p.Job.ToTurn}
}

// minTextTokens is the least limit, in estimated tokens, for which a summary is requested: about a sentence.
const minTextTokens = 16

// rewriteGrowth is how much longer a second summary of the same turns may be, as a share of the first one.
const rewriteGrowth = 0.25

// rewritesSummary reports whether the user asks for a new summary, such as one with another focus, of turns that the view shows
// only as a summary. The newest of the two is shown (JP's RFD 064).
func (p *Proposal) rewritesSummary() bool {
	isReplaced := p.isReplaced()
	return p.origin.Source == conversation.SourceManual && !slices.ContainsFunc(p.viewBefore.Messages, func(m projection.Message) bool {
		return isReplaced(&m) && m.State != projection.StateSummarised
	})
}

// maxTextTokens returns how many estimated tokens the text may have so that the view does not grow, or with rewrites at most by
// rewriteGrowth. The error wraps ErrNothingToGain: no text would be short enough.
func (p *Proposal) maxTextTokens(rewrites bool) (int, error) {
	empty := p.summary(".", summary.Answer{})
	viewAfter := projection.Project(conversation.Extend(p.log, p.inputs.Now, empty))
	m := p.inputs.Meter
	saved := m.WithView(p.viewBefore).EstimatedTokens() - m.WithView(viewAfter).EstimatedTokens()
	room := int(math.Ceil(float64(saved)/m.Factor())) + 1 // the "." of the empty summary
	if rewrites {
		room += max(0, int(rewriteGrowth*float64(room)))
	}
	accepted := int(summary.AcceptedShare * float64(meter.EstimateEvents(conversation.MessagesIn(p.log, p.Spans))))
	if min(room, accepted) < minTextTokens {
		return 0, fmt.Errorf("%w: no summary would be shorter than %s", ErrNothingToGain, numbers.Turns(p.Range.From, p.Range.To))
	}
	return room, nil
}

func (p *Proposal) rawJob(options summary.Options) *summary.Job {
	options.CoveredTokens = 0
	job := summary.RawJob(p.log, options)
	return &job
}

// mergedJob returns a job that reads the earlier summaries and the messages outside them. The length of its answer is compared
// with the original messages of both.
func (p *Proposal) mergedJob(options summary.Options) *summary.Job {
	var priors []conversation.Summary
	spans := options.Spans
	for _, s := range p.earlierSummaries() {
		priors = append(priors, s.Summary)
		spans = conversation.JoinSpans(spans, s.Spans)
	}
	options.CoveredTokens = meter.EstimateEvents(conversation.MessagesIn(p.log, spans))
	job := summary.MergedJob(priors, p.log, options)
	return &job
}

func (p *Proposal) readsView(r preset.SummaryRules) bool {
	if r.Mode == preset.ModeRawUnion || r.Model != "" || !p.rules.Wording().HasNotes || p.coversSummary() {
		return false
	}
	return r.Input == preset.InputView || r.Input == preset.InputAuto && !p.inputs.Cold
}

// Fallback returns the job with the original messages as input, for use after the request with the view was too long. The free
// tokens beside the view no longer limit its answer. It is nil if the job does not read the view.
func (p *Proposal) Fallback() *summary.Job {
	if p.Job == nil || p.Job.Input != preset.InputView {
		return nil
	}
	options := p.Job.Options()
	options.FreeTokens = 0
	return p.rawJob(options)
}

// Shorter returns the job without its oldest messages, so that its request has about as many estimated tokens as the budget. It
// is for J-CLI's style, whose input cannot be split into several requests, and nil for the others.
func (p *Proposal) Shorter(budget int) *summary.Job {
	if p.Job == nil || !preset.WordingOf(p.Job.Options().Style).AsJSON {
		return nil
	}
	options := p.Job.Options()
	options.Budget = budget
	if p.Job.Input == preset.InputMerged {
		return p.mergedJob(options)
	}
	return p.rawJob(options)
}

// coversSummary reports whether the view shows any of the covered events as a summary, or has dropped or left out any.
func (p *Proposal) coversSummary() bool {
	covered := conversation.Disjoint(p.Spans)
	for i := range p.viewBefore.Messages {
		m := &p.viewBefore.Messages[i]
		if (m.State == projection.StateSummarised || m.State == projection.StateDropped) && covered.ContainsAny(m.Events) {
			return true
		}
	}
	for _, a := range p.viewBefore.Absent {
		if a.Why == projection.WhyLeftOut && covered.Contains(a.Event) {
			return true
		}
	}
	return false
}

// Accept makes an answer to the job, or to its fallback, the summary of the proposal. After an error, which wraps
// summary.ErrRefused or ErrNothingToGain, the proposal is unchanged.
func (p *Proposal) Accept(a summary.Answer) error {
	job := p.Job
	if a.Input == preset.InputRaw {
		if raw := p.Fallback(); raw != nil {
			job = raw
		}
	}
	text, err := summary.Accept(*job, a)
	if err != nil {
		return err
	}
	job = p.Job
	body := p.summary(text, a)
	body.Input = cmp.Or(body.Input, string(job.Input))
	if job.Input == preset.InputMerged {
		for _, s := range p.earlierSummaries() {
			body.Depth = max(body.Depth, s.Depth+1)
			body.Parents = append(body.Parents, s.Seq)
		}
	}
	p.Job, p.answeredJob = nil, job
	if err := p.setOverlays(body); err != nil {
		p.Job, p.answeredJob = job, nil
		return err
	}
	return nil
}

// summary returns the overlay that replaces the covered events by a text and a note.
func (p *Proposal) summary(text string, a summary.Answer) conversation.Summary {
	body := conversation.Summary{
		Style: p.rules.Preset.Style(), Version: projection.BlockVersion, Spans: p.Spans, FromTurn: p.Range.From, ToTurn: p.Range.To,
		Text: text, Input: string(a.Input), Model: a.Model, Focus: p.Focus, Transcript: p.inputs.Transcript,
		Duration: a.Took.Milliseconds(),
	}
	if preset.WordingOf(body.Style).HasNotes {
		body.Appendix = summary.Note(p.log, p.viewBefore, p.Spans, p.noteLimits())
	}
	return body
}

// noteLimits returns the size limits of the proposal's note. Without an eviction, noteShare limits it too, so that the note does
// not undo the saving.
func (p *Proposal) noteLimits() summary.NoteLimits {
	room := planner.NoteLimitsOf(p.rules, p.inputs.Meter, p.window())
	if p.evicts {
		return room
	}
	return room.Within(noteShare * float64(meter.EstimateEvents(conversation.MessagesIn(p.log, projection.WithEarlier(p.log, p.Spans)))))
}

// Extract answers the proposal's job without a model, with text extracted from the log.
// The error wraps summary.ErrRefused or ErrNothingToGain.
func (p *Proposal) Extract() error {
	job := *p.Job
	if p.rules.Wording().HasNotes {
		job.MaxTokens = min(job.MaxTokens, planner.MaxSummaryTokens(p.rules.Planner, p.inputs.Meter.Window().Tokens))
	}
	return p.Accept(summary.Extract(p.log, job))
}

// earlierSummaries returns the summaries that the view shows and that lie within the range.
func (p *Proposal) earlierSummaries() []projection.SummaryInForce {
	var out []projection.SummaryInForce
	for _, s := range projection.Summaries(p.log) {
		if s.Shown && s.FromTurn >= p.Range.From && s.ToTurn <= p.Range.To {
			out = append(out, s)
		}
	}
	return out
}

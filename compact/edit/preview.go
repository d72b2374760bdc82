package edit

import (
	"math"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Layer is what one kind of reduction does in a proposal.
type Layer struct {
	Kind   string // results, arguments, reasoning, calls, summary, note, dropped
	Events int    // that are shown otherwise
	Saved  int    // tokens
}

func (l Layer) words() string {
	switch l.Kind {
	case LayerResults:
		return numbers.Count(l.Events, "result") + " masked"
	case LayerArguments:
		return "arguments of " + replies(l.Events) + " stripped"
	case LayerReasoning:
		return "reasoning stripped"
	case LayerCalls:
		return "tool calls left out"
	case LayerNote:
		return numbers.Count(l.Events, "message") + " evicted, note"
	case LayerDropped:
		return numbers.Count(l.Events, "message") + " dropped"
	}
	return "1 summary"
}

func replies(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return numbers.Grouped(n) + " replies"
}

const (
	LayerResults   = "results"
	LayerArguments = "arguments"
	LayerReasoning = "reasoning"
	LayerCalls     = "calls"
	LayerSummary   = "summary"
	LayerNote      = "note" // what is evicted without a summary
	LayerDropped   = "dropped"
)

// Preview is a proposal in numbers. Tokens are calibrated estimates of a whole
// request.
type Preview struct {
	Profile string
	Range   Range
	Before  int
	After   int // with a summary that is not written yet: with the longest expected
	Layers  []Layer
	// BreakAt is the Seq of the first event that is shown otherwise: from there
	// on the provider's cache is of no use. 0: nothing changes.
	BreakAt uint64
	// Behind is how many tokens behind that place are sent again as new.
	Behind  int
	Summary *SummaryNeed // nil: none, or it is written
}

// SummaryNeed is a summary that a preview cannot show.
type SummaryNeed struct {
	Model    string // "": the conversation's
	Input    preset.SummaryInput
	Covers   int // tokens
	Estimate int // tokens of the text, at most
}

// Preview tells what the proposal would do.
func (p *Proposal) Preview() Preview {
	preview := Preview{Profile: p.Profile, Range: p.Range, Before: p.tokens(p.before)}
	if p.Job != nil {
		return p.expected(preview)
	}
	preview.After, preview.Layers = p.tokens(p.after), p.Layers()
	if i := firstChange(sent(p.before, p.now.Meter), sent(p.after, p.now.Meter)); i >= 0 {
		preview.BreakAt = brokenAt(p.before, i)
		behind, then := 0.0, p.now.Meter.WithView(p.after)
		for i := i; i < len(p.after.Messages); i++ {
			behind += then.MessageTokens(&p.after.Messages[i])
		}
		preview.Behind = min(whole(behind), preview.After)
	}
	return preview
}

func (p *Proposal) expected(preview Preview) Preview {
	covered, behind, events := 0.0, 0.0, 0
	lost, replies := 0.0, 0 // thinking that goes because something in front of it does
	replaced := p.replaced()
	for i, m := range p.before.Messages {
		if !replaced(&m) {
			if covered == 0 {
				continue
			}
			behind += p.weigh(m)
			if p.now.Meter.Binds(&m) {
				lost += p.now.Meter.Weigh(m.ReasoningSize) + p.now.Meter.Factor()*p.now.Meter.Framing()
				replies++
			}
			continue
		}
		if covered == 0 {
			preview.BreakAt = brokenAt(p.before, i)
		}
		covered += p.weigh(m)
		events += len(m.Events)
	}
	covers := whole(covered)
	most := int(p.now.Meter.Factor() * p.Job.Longest())
	if n := p.Job.MaxTokens; n > 0 {
		most = min(most, n)
	}
	preview.After = preview.Before - covers - whole(lost) + most
	preview.Behind = min(whole(behind-lost)+most, preview.After)
	preview.Layers = []Layer{{Kind: LayerSummary, Events: events, Saved: covers - most}}
	if replies > 0 {
		preview.Layers = append(preview.Layers, Layer{Kind: LayerReasoning, Events: replies, Saved: whole(lost)})
	}
	preview.Summary = &SummaryNeed{Model: p.Job.Model, Input: p.Job.Input, Covers: covers, Estimate: most}
	return preview
}

// replaced returns a test of whether a summary of the proposal stands for a message of
// the view before it.
func (p *Proposal) replaced() func(m *projection.Message) bool {
	covered := conversation.Disjoint(p.Spans)
	return func(m *projection.Message) bool {
		return covered.Contains(m.Events[0]) && m.State != projection.StatePinned
	}
}

func (p *Proposal) weigh(m projection.Message) float64 {
	return p.now.Meter.MessageTokens(&m)
}

// whole is a number of tokens. Sums are rounded once, at their end.
func whole(tokens float64) int { return int(math.Round(tokens)) }

package edit

import (
	"math"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Layer is the effect of one kind of reduction in a proposal.
type Layer struct {
	Kind   string // results, arguments, reasoning, calls, summary, note, dropped
	Events int    // number of events that it shortens or removes
	Saved  int    // tokens
}

// description names the layer in the reason of a compaction.
func (l Layer) description() string {
	switch l.Kind {
	case LayerResults:
		return numbers.Count(l.Events, "result") + " masked"
	case LayerArguments:
		return "arguments of " + replyCount(l.Events) + " stripped"
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

func replyCount(n int) string {
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
	LayerNote      = "note" // messages evicted without a summary
	LayerDropped   = "dropped"
)

// Preview is a proposal in numbers. Before and After are calibrated estimates of the tokens of a whole request.
type Preview struct {
	Profile string
	Range   Range
	Before  int
	After   int // while a summary is not written, its longest possible text counts
	Layers  []Layer
	// BreakAt is the Seq of the first event that changes: the provider's prompt cache ends before it. 0: nothing changes.
	BreakAt uint64
	// Rewritten is the number of tokens after that place, which the provider must cache again.
	Rewritten int
	Summary   *SummaryNeed // nil: no summary is needed, or it is written
}

// SummaryNeed is a summary that a model has still to write.
type SummaryNeed struct {
	Model    string // provider/id; "": the conversation's model
	Input    preset.SummaryInput
	Covers   int // tokens of the messages that it replaces
	Estimate int // most tokens that the text may have
}

// Preview returns the effect of the proposal in numbers.
func (p *Proposal) Preview() Preview {
	preview := Preview{Profile: p.Profile, Range: p.Range, Before: p.inputs.Meter.WithView(p.viewBefore).EstimatedTokens()}
	if p.Job != nil {
		return p.addExpectedSummary(preview)
	}
	meterAfter := p.inputs.Meter.WithView(p.viewAfter)
	preview.After, preview.Layers = meterAfter.EstimatedTokens(), p.Layers()
	if i := firstChange(sentView(p.viewBefore, p.inputs.Meter), sentView(p.viewAfter, p.inputs.Meter)); i >= 0 {
		preview.BreakAt = firstSeq(p.viewBefore, i)
		rewritten := 0.0
		for i := i; i < len(p.viewAfter.Messages); i++ {
			rewritten += meterAfter.MessageTokens(&p.viewAfter.Messages[i])
		}
		preview.Rewritten = min(roundedTokens(rewritten), preview.After)
	}
	return preview
}

// addExpectedSummary completes the preview of a proposal whose summary is not written. It counts the longest text that the model
// may write.
func (p *Proposal) addExpectedSummary(preview Preview) Preview {
	covered, rewritten, events := 0.0, 0.0, 0
	lostReasoning, replies := 0.0, 0 // reasoning that is dropped because an earlier message changes
	isReplaced := p.isReplaced()
	for i, m := range p.viewBefore.Messages {
		if !isReplaced(&m) {
			if covered == 0 {
				continue
			}
			rewritten += p.inputs.Meter.MessageTokens(&m)
			if p.inputs.Meter.SendsBoundThinking(&m) {
				lostReasoning += p.inputs.Meter.TextTokens(m.ReasoningSize) + p.inputs.Meter.Factor()*p.inputs.Meter.MessageOverhead()
				replies++
			}
			continue
		}
		if covered == 0 {
			preview.BreakAt = firstSeq(p.viewBefore, i)
		}
		covered += p.inputs.Meter.MessageTokens(&m)
		events += len(m.Events)
	}
	covers := roundedTokens(covered)
	longest := int(p.inputs.Meter.Factor() * p.Job.Longest())
	if n := p.Job.MaxTokens; n > 0 {
		longest = min(longest, n)
	}
	preview.After = preview.Before - covers - roundedTokens(lostReasoning) + longest
	preview.Rewritten = min(roundedTokens(rewritten-lostReasoning)+longest, preview.After)
	preview.Layers = []Layer{{Kind: LayerSummary, Events: events, Saved: covers - longest}}
	if replies > 0 {
		preview.Layers = append(preview.Layers, Layer{Kind: LayerReasoning, Events: replies, Saved: roundedTokens(lostReasoning)})
	}
	preview.Summary = &SummaryNeed{Model: p.Job.Model, Input: p.Job.Input, Covers: covers, Estimate: longest}
	return preview
}

// isReplaced returns a test of whether the summary of the proposal replaces a message of the view before the compaction.
func (p *Proposal) isReplaced() func(m *projection.Message) bool {
	covered := conversation.Disjoint(p.Spans)
	return func(m *projection.Message) bool {
		return covered.Contains(m.Events[0]) && m.State != projection.StatePinned
	}
}

// roundedTokens rounds a number of tokens. Sums are rounded once, at the end.
func roundedTokens(tokens float64) int { return int(math.Round(tokens)) }

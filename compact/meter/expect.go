package meter

import (
	"math"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A report is the token usage that the provider sends with a reply. Expect predicts the prompt count of the next
// report; Classify compares the report with it. While revision, model, system prompt and tools stay the same, requests
// only grow: the count should be the previous one, plus the reply, plus the messages added since. The last two are
// estimates. Some texts (tables, indented code) have only half as many tokens as estimated.

// The tolerances for reported counts.
const (
	// minCountedShare is the smallest part of the estimate of added text that a report may count.
	minCountedShare = 0.5
	// noiseShare is the tolerated difference as a part of the whole prompt.
	noiseShare = 0.02
	// noiseTokens is how many tokens a server's chat template may add or remove.
	noiseTokens = 64.0
	// One report shows a truncation if clearShare of the prompt is missing. If only doubtShare is missing, a second
	// such report in a row is needed. Counts that are wrong by a tenth stay below both.
	doubtShare = 0.2
	clearShare = 0.3
	// uncachedShare is the tolerated difference between a report and the new tokens of a request when the report may
	// have counted only uncached tokens.
	uncachedShare = 0.3
	// maxCountedShare bounds the reports from which the meter estimates further, as a multiple of the calibrated
	// estimate. A larger count is an error: used, it would make the next correct count look like a truncation.
	maxCountedShare = 1.5
	// minWindow is the smallest plausible window: a single report below it is an error and no truncation.
	minWindow = 512.0
)

// Finding is the classification of a reported prompt count.
type Finding int

// The findings.
const (
	// CountWholePrompt: the whole prompt was counted as far as can be judged, or no count was reported.
	CountWholePrompt Finding = iota
	// CountUncachedOnly: only tokens outside the provider's cache were counted.
	CountUncachedOnly
	// CountUnclear: tokens are missing, too few to tell why.
	CountUnclear
	// CountDoubtful: so many tokens are missing that a second such report in a row shows a truncation.
	CountDoubtful
	// PromptTruncated: the server truncated the prompt.
	PromptTruncated
)

// Expected is the predicted prompt count, in calibrated tokens.
type Expected struct {
	Tokens    float64 // of the whole prompt
	Reported  float64 // part of Tokens in the last report that counted the whole prompt; 0 without one
	Estimated float64 // part of Tokens that is estimated: all that was added since that report
	// Reasoning is the part of Tokens that is reasoning sent back. A server may leave it out of its count.
	Reasoning float64

	minAdded, maxAdded float64 // added since the previous request, without its reply and with it; 0 without one
	previousTooLow     float64 // count of the previous request if it was too low
	calibrated         bool    // enough reports are known for estimates alone to be reliable
}

// newestRequest describes the newest request, whether or not its count was accepted.
type newestRequest struct {
	valid    bool
	revision uint64
	estimate float64 // uncalibrated, of the request
	images   float64 // part of estimate that is images
	reply    float64 // uncalibrated, of its reply
	tooLow   float64 // reported count if it was too low
}

// Expect predicts the count of a report that the view and the meter do not include yet. Of u it reads only Revision
// and Estimate. same means that only messages changed since the last report.
func (m Meter) Expect(u conversation.Usage, same bool) Expected {
	f := m.Factor()
	e := Expected{calibrated: m.cal.Samples >= trustedSamples}
	if m.options.EchoReasoning {
		e.Reasoning = f * m.SegmentEstimate(projection.Reasoning)
	}
	if a := m.anchor; same && a.valid && a.revision == u.Revision && a.prompt > 0 && !m.isImplausible(a) {
		e.Reported = a.prompt
		// The reported reply may include encrypted reasoning, which is not sent back.
		reply := min(a.tokens-a.prompt, f*a.reply)
		e.Estimated = reply + m.calibrated(u.Estimate-a.estimate, u.Images-a.images)
	} else {
		e.Estimated = m.calibrated(u.Estimate, u.Images)
	}
	e.Tokens = e.Reported + e.Estimated
	if q := m.newest; q.valid && q.revision == u.Revision {
		e.maxAdded = max(0, m.calibrated(u.Estimate-q.estimate, u.Images-q.images))
		e.minAdded = max(0, e.maxAdded-f*q.reply)
		e.previousTooLow = q.tooLow
	}
	return e
}

// isImplausible reports whether a count is higher than any text of this size can have.
func (m *Meter) isImplausible(a anchor) bool {
	most := maxFactor
	if m.cal.Samples >= trustedSamples {
		most = maxCountedShare * m.Factor()
	}
	return a.prompt > most*(a.estimate-a.reply)+noiseTokens
}

// Classify compares a report with the prediction.
func (e Expected) Classify(u conversation.Usage) Finding {
	got := float64(u.Prompt)
	missing := e.Tokens - e.Reasoning - got
	if !u.HasPromptCount() || e.isPlausible(got, missing) {
		return CountWholePrompt
	}
	if e.isUncachedOnly(u) {
		return CountUncachedOnly
	}
	// The previous low count may have been right if the count before it was no larger: this one then exceeds it.
	if e.previousTooLow > 0 && e.previousTooLow >= e.Reported-noiseTokens {
		grown := got - e.previousTooLow
		switch {
		case grown >= max(minCountedShare*e.maxAdded, noiseTokens):
			return CountWholePrompt
		case grown > -noiseTokens && e.maxAdded < 2*noiseTokens:
			return CountUnclear
		}
	}
	switch {
	case e.Reported == 0:
		return CountDoubtful
	case missing > clearShare*e.Tokens && got >= minWindow && got > (1+uncachedShare)*e.maxAdded+noiseTokens:
		return PromptTruncated
	case missing > doubtShare*e.Tokens:
		return CountDoubtful
	}
	return CountUnclear
}

// isPlausible reports whether a count may be that of the whole prompt.
func (e Expected) isPlausible(got, missing float64) bool {
	if e.Reported == 0 {
		return !e.calibrated || got >= truncatedShare*(e.Tokens-e.Reasoning)
	}
	return missing <= max(minCountedShare*e.Estimated, noiseShare*e.Tokens, noiseTokens)
}

// isUncachedOnly reports whether a count leaves out tokens that the provider's cache served: it matches the new
// tokens alone, or the rest was reported as cache reads and writes.
func (e Expected) isUncachedOnly(u conversation.Usage) bool {
	got := float64(u.Prompt)
	if u.Cached > u.Prompt {
		return true
	}
	if cached := max(0, u.Cached) + max(0, u.CacheWrite); cached > 0 {
		if math.Abs(got+float64(cached)-e.Tokens) <= max(uncachedShare*e.Estimated, noiseShare*e.Tokens, noiseTokens) {
			return true
		}
	}
	least, most := (1-uncachedShare)*e.minAdded-4*FramingTokens, (1+uncachedShare)*e.maxAdded+noiseTokens
	return e.maxAdded > 0 && got >= least && got <= most
}

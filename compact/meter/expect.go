package meter

import (
	"math"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Expect predicts the prompt count of the next report; Classify compares a report with it. While revision, model,
// system prompt and tools stay the same, a request only grows: it should report the previous count, plus the reply,
// plus the messages added since. The last two are estimates. Some texts (tables, indented code) have far fewer tokens
// than estimated, so a report may count as little as half of them.

// The tolerances for reported counts.
const (
	// lightShare is the smallest part of the estimate of added text that a report may count.
	lightShare = 0.5
	// noiseShare is the tolerated difference as a part of the whole prompt.
	noiseShare = 0.02
	// noiseTokens is how much a chat template may add or remove.
	noiseTokens = 64.0
	// A report that misses clearShare of the prompt shows a truncation alone; one that misses doubtShare needs a
	// second such report in a row. Counts that are wrong by a tenth stay below both.
	doubtShare = 0.2
	clearShare = 0.3
	// uncachedShare is the tolerated difference between a report and the new tokens of a request when the report may
	// have counted only uncached tokens.
	uncachedShare = 0.3
	// heavyShare bounds a report that becomes an anchor, as a multiple of the calibrated estimate. A larger report is
	// an error, and the next correct one must not look like a truncation. Before trustedSamples reports the bound is
	// maxFactor.
	heavyShare = 1.5
	// minWindow is the smallest plausible window: a single report below it is an error and no truncation.
	minWindow = 512.0
)

// Finding is the classification of a reported prompt count.
type Finding int

// The findings.
const (
	// CountComplete: the whole prompt was counted as far as can be judged, or no count was reported.
	CountComplete Finding = iota
	// CountUncachedOnly: only tokens outside the provider's cache were counted.
	CountUncachedOnly
	// CountUnclear: tokens are missing, too few to determine the cause.
	CountUnclear
	// CountDoubtful: so many tokens are missing that a second such report in a row shows a truncation.
	CountDoubtful
	// PromptCut: the server truncated the prompt.
	PromptCut
)

// Expected is the predicted prompt count, in calibrated tokens.
type Expected struct {
	Tokens    float64 // of the whole prompt
	Reported  float64 // part of Tokens that the last complete report counted; 0 without one
	Estimated float64 // part of Tokens that is estimated: all that was added since that report
	// Reasoning is the part of Tokens that is reasoning sent back. A server may leave it out of its count.
	Reasoning float64

	minAdded, maxAdded float64 // added since the previous request, without its reply and with it; 0 without one
	previousShort      float64 // count of the previous request if it was too low
	calibrated         bool    // trustedSamples reports are known, so estimates alone are reliable
}

// newestRequest describes the newest request, whether or not its count was accepted.
type newestRequest struct {
	valid    bool
	revision uint64
	estimate float64 // uncalibrated, of the request
	images   float64 // part of estimate that is images
	reply    float64 // uncalibrated, of its reply
	tooShort float64 // reported count if it was too low
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
		// The reported reply may include hidden reasoning, which is not sent back.
		reply := min(a.tokens-a.prompt, f*a.reply)
		e.Estimated = reply + m.calibrated(u.Estimate-a.estimate, u.Images-a.images)
	} else {
		e.Estimated = m.calibrated(u.Estimate, u.Images)
	}
	e.Tokens = e.Reported + e.Estimated
	if q := m.newest; q.valid && q.revision == u.Revision {
		e.maxAdded = max(0, m.calibrated(u.Estimate-q.estimate, u.Images-q.images))
		e.minAdded = max(0, e.maxAdded-f*q.reply)
		e.previousShort = q.tooShort
	}
	return e
}

// isImplausible reports whether a count is higher than any text of this size can have.
func (m *Meter) isImplausible(a anchor) bool {
	most := maxFactor
	if m.cal.Samples >= trustedSamples {
		most = heavyShare * m.Factor()
	}
	return a.prompt > most*(a.estimate-a.reply)+noiseTokens
}

// Classify compares a report with the prediction.
func (e Expected) Classify(u conversation.Usage) Finding {
	got := float64(u.Prompt)
	missing := e.Tokens - e.Reasoning - got
	if !u.HasPromptCount() || e.isPlausible(got, missing) {
		return CountComplete
	}
	if e.isUncachedOnly(u) {
		return CountUncachedOnly
	}
	// A low report that is not below the previous low one may have been right: the count then grows with the request.
	if e.previousShort > 0 && e.previousShort >= e.Reported-noiseTokens {
		grown := got - e.previousShort
		switch {
		case grown >= max(lightShare*e.maxAdded, noiseTokens):
			return CountComplete
		case grown > -noiseTokens && e.maxAdded < 2*noiseTokens:
			return CountUnclear
		}
	}
	switch {
	case e.Reported == 0:
		return CountDoubtful
	case missing > clearShare*e.Tokens && got >= minWindow && got > (1+uncachedShare)*e.maxAdded+noiseTokens:
		return PromptCut
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
	return missing <= max(lightShare*e.Estimated, noiseShare*e.Tokens, noiseTokens)
}

// isUncachedOnly reports whether a count leaves out tokens that the provider's cache served: it matches the new
// tokens alone, or the rest was reported as cache reads and writes.
func (e Expected) isUncachedOnly(u conversation.Usage) bool {
	got := float64(u.Prompt)
	if u.Cached > u.Prompt {
		return true
	}
	if beside := max(0, u.Cached) + max(0, u.CacheWrite); beside > 0 {
		if math.Abs(got+float64(beside)-e.Tokens) <= max(uncachedShare*e.Estimated, noiseShare*e.Tokens, noiseTokens) {
			return true
		}
	}
	return e.maxAdded > 0 && got >= (1-uncachedShare)*e.minAdded-4*FramingTokens && got <= (1+uncachedShare)*e.maxAdded+noiseTokens
}

package meter

import (
	"math"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What a report of a prompt should be, and what it tells if it is less. As long
// as the revision, the model, the prompt and the tools stay, a request only
// grows: so it should report about what the last one did, and the reply that
// came, and what was said since. Only the last two are estimates, and texts are
// sometimes much lighter than they look (tables, indented code), so that at
// least half of them has to be counted.

// The bounds within which reports are right.
const (
	// lightShare is the part of what was added that texts may weigh less than
	// estimated.
	lightShare = 0.5
	// noiseShare is the part of the whole that counts may differ by.
	noiseShare = 0.02
	// noiseTokens are what templates may add and take away.
	noiseTokens = 64.0
	// doubtShare and clearShare are the parts of the whole that have to be
	// missing for a second report in a row, and for one alone, to say that the
	// prompt was cut. Counts that err by a tenth either way stay below both.
	doubtShare = 0.2
	clearShare = 0.3
	// uncachedShare is how far a report may be off what is new in the request to
	// be a count of that alone.
	uncachedShare = 0.3
	// heavyShare is how many times the calibrated estimate a report may be to
	// count from it: more is a mistake in the report, and the next one that is
	// right must not look like a cut. As long as too little was learned it is
	// maxFactor.
	heavyShare = 1.5
	// minWindow is the smallest window a server may have: less is a mistake in
	// the report if it comes once.
	minWindow = 512.0
)

// Finding is what a report tells about the count in it.
type Finding int

// The findings.
const (
	// CountComplete: the prompt was counted, as far as one can tell, or nothing was.
	CountComplete Finding = iota
	// CountUncachedOnly: only what the provider's cache did not have was counted.
	CountUncachedOnly
	// CountUnclear: something is missing, too little to say why.
	CountUnclear
	// CountDoubtful: so much is missing that a second one in a row is a cut.
	CountDoubtful
	// PromptCut: the server cut the prompt.
	PromptCut
)

// Expected is what a report should count, in calibrated tokens.
type Expected struct {
	Tokens    float64 // of the prompt
	Reported  float64 // of Tokens, counted by the last whole report; 0 without one
	Estimated float64 // of Tokens, estimated: what came after that, or all
	// Reasoning is how many of Tokens are reasoning that is sent back: servers
	// may leave it out, and say so by the count.
	Reasoning float64

	minAdded, maxAdded float64 // new since the request before, without its reply and with it; 0 without one
	previousShort      float64 // what was counted for that one if it was short
	calibrated         bool    // enough was learned to believe the estimates alone
}

// newestRequest is the newest request, whatever was reported for it.
type newestRequest struct {
	valid    bool
	revision uint64
	estimate float64 // uncalibrated, of the request
	reply    float64 // uncalibrated, of what came of it
	tooShort float64 // tokens counted, if they were too few
}

func newestRequestOf(u conversation.Usage, at anchor) newestRequest {
	q := newestRequest{valid: true, revision: u.Revision, estimate: u.Estimate, reply: at.reply}
	if u.HasPromptCount() && u.Undercounted {
		q.tooShort = float64(u.Prompt)
	}
	return q
}

// Expect is what a report should say that the view and the meter do not hold
// yet: only its Revision and Estimate are read. Same says that nothing but the
// messages changed since the last report.
func (m Meter) Expect(u conversation.Usage, same bool) Expected {
	f := m.Factor()
	e := Expected{calibrated: m.cal.Samples >= trustedSamples}
	if m.options.EchoReasoning {
		e.Reasoning = f * m.SegmentEstimate(projection.Reasoning)
	}
	if a := m.anchor; same && a.valid && a.revision == u.Revision && a.prompt > 0 && !m.isImplausible(a) {
		e.Reported = a.prompt
		// A server may count more than it will be sent: hidden reasoning.
		reply := min(a.tokens-a.prompt, f*a.reply)
		e.Estimated = reply + f*(u.Estimate-a.estimate)
	} else {
		e.Estimated = f * u.Estimate
	}
	e.Tokens = e.Reported + e.Estimated
	if q := m.newest; q.valid && q.revision == u.Revision {
		e.maxAdded = f * max(0, u.Estimate-q.estimate)
		e.minAdded = max(0, e.maxAdded-f*q.reply)
		e.previousShort = q.tooShort
	}
	return e
}

// isImplausible reports whether more was counted than any text weighs.
func (m *Meter) isImplausible(a anchor) bool {
	most := maxFactor
	if m.cal.Samples >= trustedSamples {
		most = heavyShare * m.Factor()
	}
	return a.prompt > most*(a.estimate-a.reply)+noiseTokens
}

// Classify says what a report tells.
func (e Expected) Classify(u conversation.Usage) Finding {
	got := float64(u.Prompt)
	missing := e.Tokens - e.Reasoning - got
	if !u.HasPromptCount() || e.isPlausible(got, missing) {
		return CountComplete
	}
	if e.isUncachedOnly(u) {
		return CountUncachedOnly
	}
	// A report that fell short, but not below the one before it, may have been
	// right: if the next one grows as it should, it was.
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

// isUncachedOnly reports whether a count leaves out what the provider's cache had: it
// is about what is new in the request, or the rest was reported beside it.
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

package meter

import (
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Estimates count code points by script, because tokenizers do: about four
// Latin characters make a token, one Chinese character does. They are the cold
// start; what a model really counts is learned from its reports.
const (
	// CharsPerToken is how many ASCII characters make a token (ONE, D17, JCL).
	CharsPerToken = 4.0
	// cjkPerToken is how many CJK characters make a token, as measured on real
	// logs.
	cjkPerToken = 1.0
	// otherPerToken is how many characters of other scripts make a token.
	otherPerToken = 2.0
	// FramingTokens is what a message or a call costs beyond its text.
	FramingTokens = 4.0
)

// Estimate is the number of tokens a text has by the cold-start rule.
func Estimate(s conversation.Size) float64 {
	return float64(s.ASCII)/CharsPerToken + float64(s.CJK)/cjkPerToken + float64(s.Other)/otherPerToken
}

// EstimateSegment returns the uncalibrated number of tokens in a segment.
func EstimateSegment(s *projection.Sizes, seg projection.Segment) float64 {
	return Estimate(s.Text[seg]) + FramingTokens*float64(s.Messages[seg])
}

// Calibrations are kept within these bounds, so that one odd report (a cached
// prompt left out, an image billed as text) cannot make the meter absurd.
const (
	minFactor = 0.25
	maxFactor = 4.0
	// factorWeight is the weight of a new report in the moving average.
	factorWeight = 0.3
	// truncatedShare is the part of the calibrated estimate below which a report
	// that nothing else speaks of hardly counted the whole prompt: nothing is
	// learned from it once trustedSamples were.
	truncatedShare = 0.6
	trustedSamples = 3
	// minSample is the smallest estimate worth learning from: below it a
	// server's own template outweighs the text.
	minSample = 32.0
)

// learn folds one report into a calibration.
func learn(c conversation.Calibration, reported int, estimate float64) conversation.Calibration {
	if reported <= 0 || estimate < minSample {
		return c
	}
	sample := min(max(float64(reported)/estimate, minFactor), maxFactor)
	if c.Samples >= trustedSamples && sample < truncatedShare*c.Factor {
		return c
	}
	if c.Samples == 0 || c.Factor <= 0 {
		c.Factor = sample
	} else {
		c.Factor += factorWeight * (sample - c.Factor)
	}
	c.Samples++
	return c
}

// EstimateCovered is an estimate of what the messages of a view cost that stand
// for events of spans: what a summary of them has to be shorter than. Reasoning
// is not counted, because few endpoints are sent it.
func EstimateCovered(v projection.View, spans []conversation.Span) int {
	total, covered := 0.0, conversation.Disjoint(spans)
	for i := range v.Messages {
		if covered.ContainsAny(v.Messages[i].Events) {
			total += messageTokens(&v.Messages[i])
		}
	}
	return int(total)
}

func messageTokens(m *projection.Message) float64 {
	t := Estimate(m.Size) + FramingTokens
	for _, c := range m.Calls {
		t += Estimate(c.Size) + FramingTokens
	}
	return t
}

// EstimateEvents is an estimate of messages as the log has them, reasoning left out.
func EstimateEvents(events []conversation.Event) int {
	total := 0.0
	for i := range events {
		if m, ok := projection.MessageOf(&events[i]); ok {
			total += messageTokens(&m)
		}
	}
	return int(total)
}

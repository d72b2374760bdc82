package compact

import "plimsoll/conversation"

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

// estimate is the uncalibrated number of tokens in a segment.
func (s *Sizes) estimate(seg Segment) float64 {
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

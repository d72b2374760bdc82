package meter

import (
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Estimates count code points by script: about four Latin characters make a token, and one Chinese character does.
// They are used until the provider's reports calibrate the meter for a model.
const (
	// CharsPerToken is how many ASCII characters make a token (OneClaw, JP, J-CLI).
	CharsPerToken = 4.0
	// cjkPerToken is how many CJK characters make a token, as measured on recorded conversations.
	cjkPerToken = 1.0
	// otherPerToken is how many characters of other scripts make a token.
	otherPerToken = 2.0
	// FramingTokens is the number of tokens that a message or a tool call costs besides its text.
	FramingTokens = 4.0
)

// Estimate returns the uncalibrated number of tokens of a text, and of its images by [TileRule].
func Estimate(s conversation.Size) float64 {
	return estimateText(s) + TileRule.Tokens(s.Images)
}

func estimateText(s conversation.Size) float64 {
	return float64(s.ASCII)/CharsPerToken + float64(s.CJK)/cjkPerToken + float64(s.Other)/otherPerToken
}

// EstimateSegment returns the uncalibrated number of tokens in a segment.
func EstimateSegment(s *projection.Sizes, seg projection.Segment) float64 {
	return Estimate(s.Text[seg]) + FramingTokens*float64(s.Messages[seg])
}

// Calibration factors stay within these bounds, so that one wrong report (cached tokens left out, an image billed as
// text) does not spoil later estimates.
const (
	minFactor = 0.25
	maxFactor = 4.0
	// factorWeight is the weight of a new report in the moving average.
	factorWeight = 0.3
	// A report below truncatedShare of the calibrated estimate probably did not count the whole prompt. After
	// trustedSamples reports, the calibration ignores such a report.
	truncatedShare = 0.6
	trustedSamples = 3
	// minSample is the smallest estimate that calibrates: in smaller prompts the server's own chat template outweighs
	// the text.
	minSample = 32.0
)

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

// EstimateCovered estimates the tokens of the view's messages that cover events in spans. A summary of the spans has
// to be shorter than this. Reasoning is not counted, because few endpoints receive it.
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

// EstimateEvents estimates the tokens of logged messages, without reasoning.
func EstimateEvents(events []conversation.Event) int {
	total := 0.0
	for i := range events {
		if m, ok := projection.MessageOf(&events[i]); ok {
			total += messageTokens(&m)
		}
	}
	return int(total)
}

package edit

import (
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
)

// Then is the gauge as it would be with the proposal in force: what it shows adds up
// to Preview.After. Of a summary that is not written yet the longest expected
// stands in place of what it covers.
func (p *Proposal) Then() meter.Reading {
	if p.Job == nil {
		return p.now.Meter.WithView(p.after).Reading()
	}
	left := p.before
	left.Messages, left.Sizes = nil, projection.Sizes{}
	replaced := p.replaced()
	for _, m := range p.before.Messages {
		if !replaced(&m) {
			m.AddTo(&left.Sizes)
			left.Messages = append(left.Messages, m)
		}
	}
	preview := p.Preview()
	return p.now.Meter.WithView(left).ReadingWithSummary(preview.After, preview.Summary.Estimate)
}

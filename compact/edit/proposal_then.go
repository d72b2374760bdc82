package edit

import (
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
)

// Then is the gauge as it would be with the proposal in force: what it shows adds up
// to Preview.After. Of a summary that is not written yet the longest expected
// stands in place of what it covers.
func (pass *Proposal) Then() meter.Reading {
	if pass.Job == nil {
		return pass.now.Meter.WithView(pass.after).Reading()
	}
	left := pass.before
	left.Sizes = projection.Sizes{}
	replaced := pass.replaced()
	for i := range left.Messages {
		if m := &left.Messages[i]; !replaced(m) {
			m.AddTo(&left.Sizes)
		}
	}
	p := pass.Preview()
	return pass.now.Meter.WithView(left).ReadingWithSummary(p.After, p.Summary.Estimate)
}

package compact

// Then is the gauge as it would be with the pass in force: what it shows adds up
// to Preview.After. Of a summary that is not written yet the longest expected
// stands in place of what it covers.
func (pass *Pass) Then() Reading {
	if pass.Job == nil {
		return pass.now.Meter.WithView(pass.after).Reading()
	}
	left := pass.before
	left.Sizes = Sizes{}
	replaced := pass.replaced()
	for i := range left.Messages {
		if m := &left.Messages[i]; !replaced(m) {
			m.AddTo(&left.Sizes)
		}
	}
	m, p := pass.now.Meter.WithView(left), pass.Preview()
	parts := m.parts()
	parts[Summary] += float64(p.Summary.Estimate) / m.Factor()
	r := m.Reading()
	r.AfterSend += p.After - r.Used
	r.Used, r.Estimated, r.Segments = p.After, p.After > 0, withDraft(apportion(p.After, parts), r.Segments[Draft])
	return r
}

// withDraft is segments with the tokens of a draft.
func withDraft(s [segments]int, draft int) [segments]int {
	s[Draft] = draft
	return s
}

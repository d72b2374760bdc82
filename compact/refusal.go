package compact

// WithRefusal returns the meter after a server did not take the request that it
// measures, because it has at least so many tokens as the server counts them; 0
// says nothing. What was estimated too low is put right.
func (m Meter) WithRefusal(prompt int) Meter {
	if prompt <= 0 || m.estimate < minSample {
		return m
	}
	if used, _ := m.used(); float64(prompt) <= used {
		return m
	}
	m.cal.Factor = min(max(float64(prompt)/m.estimate, m.factor()), maxFactor)
	m.anchor = anchor{valid: true, revision: m.view.Revision, tokens: float64(prompt), estimate: m.estimate}
	return m
}

package meter

// refusedFactor is the most that a refusal makes of the calibration.
const refusedFactor = 2.0

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
	// Only so far: what was refused may hold texts of a kind (base64, say) that
	// later requests do not.
	m.cal.Factor = max(m.Factor(), min(float64(prompt)/m.estimate, refusedFactor))
	m.anchor = anchor{valid: true, revision: m.view.Revision, tokens: float64(prompt), estimate: m.estimate}
	return m
}

package meter

// refusedFactor is the largest calibration factor that a refusal can set.
const refusedFactor = 2.0

// WithRefusal returns the meter after the server refused the measured request as too long. prompt is the server's
// count in tokens, 0 if unknown. The calibration rises if the estimate was too low.
func (m Meter) WithRefusal(prompt int) Meter {
	if prompt <= 0 || m.estimate < minSample {
		return m
	}
	if used, _ := m.used(); float64(prompt) <= used {
		return m
	}
	// The factor is bounded because the refused request may hold a kind of text (base64, say) that later requests
	// lack.
	m.cal.Factor = max(m.Factor(), min(float64(prompt)/m.estimate, refusedFactor))
	m.anchor = anchor{valid: true, revision: m.view.Revision, tokens: float64(prompt), estimate: m.estimate}
	return m
}

package meter

import (
	"math"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
)

// Reading holds the numbers that the gauge and `context --json` show, in whole tokens.
type Reading struct {
	Window    Window
	Used      int                          // tokens of the next request, without the draft
	Estimated bool                         // part of Used is an estimate: show it with ~
	Segments  [projection.SegmentCount]int // by Segment; they add up to Used, the draft excluded
	AfterSend int                          // Used plus the draft; equals Used without one
	LoadLine  int                          // tokens above which compaction acts, 0 if unknown or if nothing triggers it
	HardLine  int                          // tokens at which a request is held until compaction made room, 0 if unknown
	Reserve   int                          // tokens kept for the reply, 0 if unknown
	// CachedShare is the part of the last prompt read from the provider's
	// cache, 0 to 1; -1 if it was not reported.
	CachedShare float64
	CostUSD     *float64 // so far; nil if unknown
	KeptOut     int      // tokens of declarations that are looked up when needed, and of what tasks read
	Revision    uint64
}

// Percent returns tokens as a rounded percentage of the window, 0 if the window is unknown. Rounding never crosses
// the load line, the hard line or the window size: 84.6 below a line at 85 is 84. Every display of the fill level
// uses this number.
func (r Reading) Percent(tokens int) int {
	w := r.Window.Tokens
	n, least := Percent(tokens, w), 0
	for _, line := range []int{r.LoadLine, r.HardLine, w} {
		switch at := Percent(line, w); {
		case line <= 0:
		case tokens < line:
			n = min(n, at-1)
		case line == w && tokens > w:
			least = max(least, at+1)
		default:
			least = max(least, at)
		}
	}
	return max(n, least)
}

// Percent returns part as a rounded percentage of whole, 0 if whole is not positive.
func Percent(part, whole int) int {
	if whole <= 0 {
		return 0
	}
	return int(math.Round(float64(part) / float64(whole) * 100))
}

// Reading returns the meter's numbers in whole tokens.
func (m Meter) Reading() Reading {
	used, estimated := m.used()
	r := Reading{
		Window: m.options.Window, Used: int(math.Round(used)), Estimated: estimated && used > 0,
		CachedShare: m.cachedShare, CostUSD: m.cost, KeptOut: m.keptOut, Revision: m.view.Revision,
	}
	r.Segments = apportion(r.Used, m.segmentEstimates())
	draft := 0.0
	if m.draft.Messages[projection.Draft] > 0 {
		draft = m.calibrated(m.segmentEstimate(&m.draft, projection.Draft), m.imagesIn(&m.draft.Text[projection.Draft]))
	}
	r.Segments[projection.Draft] = int(math.Ceil(draft))
	r.AfterSend = r.Used + r.Segments[projection.Draft]
	r.LoadLine, r.HardLine, r.Reserve = m.options.lines()
	return r
}

// ReadingWithSummary returns the reading of a request of used tokens that includes a summary, not written yet, of
// summary tokens.
func (m Meter) ReadingWithSummary(used, summary int) Reading {
	parts := m.segmentEstimates()
	parts[projection.Summary] += float64(summary) / m.Factor()
	r := m.Reading()
	draft := r.Segments[projection.Draft]
	r.AfterSend += used - r.Used
	r.Used, r.Estimated, r.Segments = used, used > 0, apportion(used, parts)
	r.Segments[projection.Draft] = draft
	return r
}

// WithRules returns the options with the load line and hard line of rules. Model properties stay.
func (o Options) WithRules(r preset.Rules) Options {
	lines := New(Options{TriggerRatio: r.TriggerRatio, HardRatio: r.HardRatio}).options
	o.TriggerRatio, o.HardRatio, o.TokenThreshold = lines.TriggerRatio, lines.HardRatio, r.TokenThreshold
	o.AbsoluteLoadLine = r.Preset.Design().AbsoluteLoadLine && r.Auto.Profile == ""
	o.IgnoresPriceStep = r.Preset != "" && !r.Preset.Design().OwnFeatures
	return o
}

// lines returns the load line, the hard line and the reserve, in tokens. They are 0 for an unknown window, except for
// an absolute load line. Triggers, gauge, JSON and forecast all use this load line.
func (o Options) lines() (load, hard, reserve int) {
	if !o.Window.IsKnown() {
		if o.AbsoluteLoadLine {
			load = o.TokenThreshold
		}
		return load, 0, 0
	}
	w := float64(o.Window.Tokens)
	ratio := o.TriggerRatio
	if !o.IgnoresPriceStep && ratio == preset.DefaultTriggerRatio {
		const from = preset.DefaultTriggerRatio // the share lies relative to the hard line as it does to the default one
		ratio = from + (preset.SharesFor(o.Window.Tokens).Trigger-from)*(o.HardRatio-from)/(preset.DefaultHardRatio-from)
	}
	soft := ratio * w
	if o.TokenThreshold > 0 {
		soft = min(soft, float64(o.TokenThreshold))
	}
	if o.PriceStep > 0 && !o.IgnoresPriceStep {
		soft = min(soft, priceStepRatio*float64(o.PriceStep))
	}
	load = max(int(soft), 1) // 0 would mean unknown
	if o.AbsoluteLoadLine {
		load = o.TokenThreshold
	}
	reserve = min(o.Window.Tokens/reserveShare, MaxReserve)
	if o.MaxReply > 0 {
		reserve = min(reserve, o.MaxReply)
	}
	return load, max(int(o.HardRatio*w), 1), reserve
}

// segmentEstimates returns the uncalibrated parts of a request, with images as if the calibration applied to them.
func (m *Meter) segmentEstimates() (parts [projection.SegmentCount]float64) {
	for _, seg := range projection.Segments() {
		images := m.imagesIn(&m.view.Sizes.Text[seg])
		parts[seg] = m.SegmentEstimate(seg) + images/m.Factor() - images
	}
	return parts
}

// apportion divides used tokens among the segments in proportion to their estimates. It uses the largest-remainder
// method, so that the parts add up to used.
func apportion(used int, parts [projection.SegmentCount]float64) (out [projection.SegmentCount]int) {
	sum := 0.0
	for _, seg := range projection.Segments() {
		sum += parts[seg]
	}
	if sum <= 0 {
		out[projection.System] = used
		return out
	}
	var rest [projection.SegmentCount]float64
	left := used
	for _, seg := range projection.Segments() {
		share := float64(used) * parts[seg] / sum
		out[seg] = int(share)
		rest[seg] = share - float64(out[seg])
		left -= out[seg]
	}
	for ; left > 0; left-- {
		largest := projection.System
		for seg, part := range rest {
			if part > rest[largest] {
				largest = projection.Segment(seg)
			}
		}
		out[largest]++
		rest[largest] = 0
	}
	return out
}

// WithRules returns the meter with the load line and the hard line of rules.
func (m Meter) WithRules(r preset.Rules) Meter {
	m.options = m.options.WithRules(r)
	return m
}

// NearShare is the distance below the load line, as a share of the window, within which a summary may be prepared.
// From farther below, the conversation may end before it reaches the line.
const NearShare = 0.2

// IsNearLoadLine reports whether a request is within NearShare of the load line or above it.
func (r Reading) IsNearLoadLine() bool {
	return r.LoadLine > 0 && float64(r.Used) >= float64(r.LoadLine)-NearShare*float64(r.Window.Tokens)
}

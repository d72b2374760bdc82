package meter

import (
	"math"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
)

// Reading is what the gauge and `context --json` show: whole tokens.
type Reading struct {
	Window    Window
	Used      int                          // tokens the next request would carry, without the draft
	Estimated bool                         // part of Used is an estimate: show it with ~
	Segments  [projection.SegmentCount]int // by Segment; without Draft they add up to Used
	AfterSend int                          // Used plus the draft; equals Used without one
	LoadLine  int                          // tokens above which compaction acts, 0 if nobody knows or nothing makes it act
	HardLine  int                          // tokens at which a request is held, 0 if unknown
	Reserve   int                          // tokens kept for the reply, 0 if unknown
	// CachedShare is the part of the last prompt read from the provider's
	// cache, 0 to 1; -1 if it was not reported.
	CachedShare float64
	CostUSD     *float64 // so far; nil if unknown
	Revision    uint64
}

// Percent is tokens as a whole percentage of the window, 0 if the window is unknown.
// It is rounded, but stays on the side of the load line, the hard line and the whole
// window on which the tokens are: 84.6 below a line of 85 is 84. Every place that
// shows how full the window is shows this number.
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

// Percent is a part of a whole as a rounded percentage, 0 where there is no whole.
func Percent(part, whole int) int {
	if whole <= 0 {
		return 0
	}
	return int(math.Round(float64(part) / float64(whole) * 100))
}

// Reading is the meter in whole tokens.
func (m Meter) Reading() Reading {
	used, estimated := m.used()
	r := Reading{
		Window: m.options.Window, Used: int(math.Round(used)), Estimated: estimated && used > 0,
		CachedShare: m.cachedShare, CostUSD: m.cost, Revision: m.view.Revision,
	}
	r.Segments = apportion(r.Used, m.segmentEstimates())
	draft := 0.0
	if m.draft.Messages[projection.Draft] > 0 {
		draft = m.Factor() * EstimateSegment(&m.draft, projection.Draft)
	}
	r.Segments[projection.Draft] = int(math.Ceil(draft))
	r.AfterSend = r.Used + r.Segments[projection.Draft]
	r.LoadLine, r.HardLine, r.Reserve = m.options.lines()
	return r
}

// ReadingWithSummary is the reading of a request of so many tokens, in which a summary
// of some tokens stands that is not written yet.
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

// WithRules returns the options with the lines that rules say. What is known of the
// model stays.
func (o Options) WithRules(r preset.Rules) Options {
	lines := New(Options{TriggerRatio: r.TriggerRatio, HardRatio: r.HardRatio}).options
	o.TriggerRatio, o.HardRatio, o.TokenThreshold = lines.TriggerRatio, lines.HardRatio, r.TokenThreshold
	o.AbsoluteLoadLine = r.Preset.Design().AbsoluteLoadLine && r.Auto.Profile == ""
	o.IgnoresPriceStep = r.Preset != "" && !r.Preset.Design().HasAdditions
	return o
}

// lines are the load line, the hard line and the reserve, in tokens; all 0
// when the window is unknown, but for a load line that does not depend on it. The
// load line is what every trigger, the gauge, the JSON and the outlook go by.
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
		ratio = scaledTrigger(preset.SharesFor(o.Window.Tokens).Trigger, o.HardRatio)
	}
	soft := ratio * w
	if o.TokenThreshold > 0 {
		soft = min(soft, float64(o.TokenThreshold))
	}
	if o.PriceStep > 0 && !o.IgnoresPriceStep {
		soft = min(soft, priceStepRatio*float64(o.PriceStep))
	}
	load = max(int(soft), 1) // 0 says that nobody knows
	if o.AbsoluteLoadLine {
		load = o.TokenThreshold
	}
	reserve = min(o.Window.Tokens/reserveShare, MaxReserve)
	if o.MaxReply > 0 {
		reserve = min(reserve, o.MaxReply)
	}
	return load, max(int(o.HardRatio*w), 1), reserve
}

// scaledTrigger is a share between the default load line and the default hard line, at the
// same place below another hard line, so that it stays below.
func scaledTrigger(trigger, hard float64) float64 {
	const from = preset.DefaultTriggerRatio
	return from + (trigger-from)*(hard-from)/(preset.DefaultHardRatio-from)
}

func (m *Meter) segmentEstimates() (parts [projection.SegmentCount]float64) {
	for _, seg := range projection.Segments() {
		parts[seg] = m.SegmentEstimate(seg)
	}
	return parts
}

// apportion shares used tokens out over the segments in proportion to their
// estimates, by largest remainder, so that they add up.
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

// WithRules returns the meter with the load line and the hard line that rules
// say.
func (m Meter) WithRules(r preset.Rules) Meter {
	m.options = m.options.WithRules(r)
	return m
}

// NearShare is the part of the window before the load line within which a summary is
// prepared, however fast the last turns grew: farther away the user may never get there.
const NearShare = 0.2

// IsNearLoadLine reports whether a request is so near the load line, or above it, that
// a summary may be prepared.
func (r Reading) IsNearLoadLine() bool {
	return r.LoadLine > 0 && float64(r.Used) >= float64(r.LoadLine)-NearShare*float64(r.Window.Tokens)
}

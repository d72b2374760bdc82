package meter

import (
	"cmp"
	"math"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Meter measures how full the window is and with what. It is a value: methods return a changed copy. Their cost does
// not depend on the length of the conversation, except that thinking is counted again when a view does more than
// grow.
//
// A meter starts from the provider's last report under the current overlay revision and adds a calibrated estimate of
// what was added since. Without a report everything is estimated.
type Meter struct {
	options   Options
	view      projection.View
	prompt    projection.Sizes // system prompt and tools
	draft     projection.Sizes
	reply     projection.Sizes // of a reply that is still streaming
	loopSizes projection.Sizes // of messages after the newest user message, with EchoLoop

	thinking      *Thinking            // nil: unknown
	knownMessages []projection.Message // of the view that Thinking describes, extended while the view only grows
	thinkingRange thinkingRange
	echoed        projection.Sizes // reasoning that requests send back, where it is counted by message
	measured      int              // number of messages of the view counted in echoed

	estimate float64 // uncalibrated tokens of prompt and view
	images   float64 // part of estimate that is images
	anchor   anchor
	newest   newestRequest
	cal      conversation.Calibration

	cachedShare float64
	cost        *float64
	keptOut     int
}

// Options are the properties of the model and the rules that a meter uses.
type Options struct {
	Window           Window
	MaxReply         int     // largest reply in tokens, 0 unknown
	TriggerRatio     float64 // of the window: the load line; 0 means DefaultTriggerRatio
	HardRatio        float64 // of the window: the hard line; 0 means DefaultHardRatio
	TokenThreshold   int     // absolute load line in tokens, 0 for none
	AbsoluteLoadLine bool    // TokenThreshold alone is the load line, for any window (J-CLI)
	PriceStep        int     // request tokens above which the whole request costs more, 0 for none
	IgnoresPriceStep bool    // PriceStep does not lower the load line: the source designs know no price steps
	Calibration      conversation.Calibration
	EchoReasoning    bool   // reasoning is sent back and fills the window
	EchoLoop         bool   // reasoning is sent back only until the next user message
	EchoModel        string // only reasoning of this model (provider/id) is sent back; "" for every model
	Images           ImageRule
	// CharsOnly counts text alone, four code points of any script to a token, as the replay package defines tokens.
	CharsOnly bool
}

// The load line below a price step as a share of it, and the bounds of the reserve.
const (
	priceStepRatio = 0.95
	// MaxReserve is the largest reserve for the reply, in tokens.
	MaxReserve = 16_000
	// The reserve is at most one part in reserveShare of the window.
	reserveShare = 8
)

// anchor is the reported count from which the meter estimates.
type anchor struct {
	valid    bool
	revision uint64
	tokens   float64 // reported: the prompt and, if known, the reply
	estimate float64 // uncalibrated estimate of the same
	images   float64 // part of both that is images
	exact    bool    // tokens is wholly reported
	prompt   float64 // part of tokens that is the prompt; 0 if it was not counted
	reply    float64 // uncalibrated estimate of the reply
}

// New returns the meter of an empty conversation.
func New(o Options) Meter {
	o.TriggerRatio = cmp.Or(o.TriggerRatio, preset.DefaultTriggerRatio)
	o.HardRatio = cmp.Or(o.HardRatio, preset.DefaultHardRatio)
	return Meter{options: o, cal: o.Calibration, cachedShare: -1}
}

// WithPrompt returns the meter with a system prompt and tools of these sizes.
func (m Meter) WithPrompt(system, tools conversation.Size) Meter {
	m.prompt = projection.Sizes{}
	if system.Chars() > 0 {
		m.prompt.Add(projection.System, system)
	}
	if tools.Chars() > 0 {
		m.prompt.Add(projection.Tools, tools)
	}
	return m.recompute()
}

// WithView returns the meter for the messages of the next request. The cached share of the last request is forgotten
// when the revision changes, because the prefix is then another one.
func (m Meter) WithView(v projection.View) Meter {
	if v.Revision != m.view.Revision {
		m.cachedShare = -1
	}
	if v.Revision != m.view.Revision || len(v.Messages) < m.measured || !shareArray(v.Messages, m.view.Messages) {
		m.measured = 0
	}
	m.view, m.reply, m.loopSizes = v, projection.Sizes{}, projection.Sizes{}
	if m.options.EchoLoop {
		caps := projection.Capabilities{EchoReasoning: true, EchoLoop: true}
		for i := caps.EchoFrom(v.Messages); i < len(v.Messages); i++ {
			if msg := &v.Messages[i]; m.isEchoModel(msg) {
				msg.AddTo(&m.loopSizes)
			}
		}
	}
	m.measureThinking()
	return m.recompute()
}

// WithReply returns the meter with the text of a reply that is still streaming and not yet in the view.
func (m Meter) WithReply(size conversation.Size) Meter {
	m.reply = projection.Sizes{}
	if size.Chars() > 0 {
		m.reply.Add(projection.Assistant, size)
	}
	return m.recompute()
}

// WithDraft returns the meter with unsent text: its size, and the number of messages it would become.
func (m Meter) WithDraft(size conversation.Size, messages int) Meter {
	m.draft = projection.Sizes{}
	m.draft.Text[projection.Draft] = size
	m.draft.Messages[projection.Draft] = messages
	return m
}

// WithKeptOut returns the meter with the tokens that requests leave out until they are needed.
func (m Meter) WithKeptOut(tokens int) Meter {
	m.keptOut = tokens
	return m
}

// WithWindow returns the meter with another window.
func (m Meter) WithWindow(w Window) Meter {
	m.options.Window = w
	return m
}

// WithMaxReply returns the meter with the largest reply of the model in tokens, which bounds the reserve.
func (m Meter) WithMaxReply(tokens int) Meter {
	m.options.MaxReply = tokens
	return m
}

// WithModel returns the meter for another model. Earlier reports are dropped because tokenizers differ; the
// accumulated cost stays.
func (m Meter) WithModel(o Options) Meter {
	n := New(o)
	n.prompt, n.draft, n.cost, n.keptOut = m.prompt, m.draft, m.cost, m.keptOut
	return n.WithView(m.view)
}

// View returns the messages that the meter measures.
func (m Meter) View() projection.View { return m.view }

// Calibration returns the model's calibration so far.
func (m Meter) Calibration() conversation.Calibration { return m.cal }

// EchoesReasoning reports whether every later request sends reasoning back, so that it fills the window.
func (m *Meter) EchoesReasoning() bool { return m.options.EchoReasoning && !m.options.EchoLoop }

// isEchoModel reports whether the reasoning of a reply may be sent back to the current model.
func (m *Meter) isEchoModel(msg *projection.Message) bool {
	return m.options.EchoModel == "" || msg.CameFrom(m.options.EchoModel)
}

// Window returns the window that the meter measures against.
func (m Meter) Window() Window { return m.options.Window }

// RequestEstimate returns the uncalibrated number of tokens of the next request, for Usage.Estimate.
func (m Meter) RequestEstimate() float64 { return m.estimate }

// WithUsage returns the meter with the report of the newest request, whose reply the view already contains. The
// report becomes the anchor, calibrates the meter and adds its cost. A report under an older revision, or one marked
// as too low, adds only its cost.
func (m Meter) WithUsage(u conversation.Usage) Meter {
	if u.Purpose != conversation.PurposeReply {
		return m.addCost(u)
	}
	m = m.anchorOn(u)
	if u.Revision == m.view.Revision && u.CountsWholePrompt() {
		m.cal = learn(m.cal, u.Prompt-int(u.Images), u.Estimate-u.Images)
	}
	return m
}

// WithTokenCount returns the meter with the provider's token count of the next request, which becomes the anchor and
// calibrates the meter. An implausible count changes nothing.
func (m Meter) WithTokenCount(tokens float64) Meter {
	before := m
	m.loopSizes = projection.Sizes{} // the counted request begins with a user message
	m = m.recompute()
	if tokens < minFactor*m.estimate-noiseTokens || tokens > maxFactor*m.estimate+noiseTokens {
		return before
	}
	m.anchor = anchor{valid: true, revision: m.view.Revision, tokens: tokens, estimate: m.estimate, images: m.images, exact: true, prompt: tokens}
	m.cal = learn(m.cal, int(math.Round(tokens-m.images)), m.estimate-m.images)
	return m
}

// WithHistory returns the meter for a stored log: anchored on the newest report of model, with all costs added.
// Reports of other models add only their cost. The calibration does not change, because it already includes them.
func (m Meter) WithHistory(events []conversation.Event, model string) Meter {
	for _, e := range events {
		u, ok := e.Body.(conversation.Usage)
		if !ok {
			continue
		}
		if u.Model == model && u.Purpose == conversation.PurposeReply {
			m = m.anchorOn(u)
		} else {
			m = m.addCost(u)
		}
	}
	return m
}

// TextTokens returns the calibrated estimate of a text, with its images, in tokens.
func (m *Meter) TextTokens(s conversation.Size) float64 {
	if m.options.CharsOnly {
		return float64(s.Chars())/CharsPerToken + m.imagesIn(&s)
	}
	return m.Factor()*estimateText(s) + m.imagesIn(&s)
}

// MessageOverhead returns the tokens that a message costs besides its text.
func (m Meter) MessageOverhead() float64 {
	if m.options.CharsOnly {
		return 0
	}
	return FramingTokens
}

// EstimatedTokens returns the calibrated estimate of the next request. It ignores reported counts, so that estimates
// before and after a change are comparable.
func (m Meter) EstimatedTokens() int { return int(math.Round(m.calibrated(m.estimate, m.images))) }

// MessageTokens returns the calibrated estimate of a message in tokens, including reasoning that is sent back.
func (m Meter) MessageTokens(msg *projection.Message) float64 {
	var s projection.Sizes
	msg.AddTo(&s)
	sum, images := 0.0, 0.0
	for _, seg := range projection.Segments() {
		if seg != projection.Reasoning || m.SendsThinking(msg) {
			sum, images = sum+m.segmentEstimate(&s, seg), images+m.imagesIn(&s.Text[seg])
		}
	}
	return m.calibrated(sum, images)
}

func (m Meter) recompute() Meter {
	m.estimate, m.images = 0, 0
	for _, seg := range projection.Segments() {
		m.estimate += m.SegmentEstimate(seg)
		m.images += m.imagesIn(&m.view.Sizes.Text[seg])
	}
	return m
}

// SegmentEstimate returns the uncalibrated number of tokens of one part of a request.
func (m *Meter) SegmentEstimate(seg projection.Segment) float64 {
	switch seg {
	case projection.System, projection.Tools:
		return m.segmentEstimate(&m.prompt, seg)
	case projection.Reasoning:
		switch {
		case !m.options.EchoReasoning:
			return 0
		case m.options.EchoLoop:
			return m.segmentEstimate(&m.loopSizes, seg)
		case m.thinking != nil || m.options.EchoModel != "":
			return m.segmentEstimate(&m.echoed, seg) + m.segmentEstimate(&m.reply, seg)
		}
	}
	return m.segmentEstimate(&m.view.Sizes, seg) + m.segmentEstimate(&m.reply, seg)
}

func (m *Meter) segmentEstimate(s *projection.Sizes, seg projection.Segment) float64 {
	images := m.imagesIn(&s.Text[seg])
	if m.options.CharsOnly {
		return float64(s.Text[seg].Chars())/CharsPerToken + images
	}
	return estimateText(s.Text[seg]) + FramingTokens*float64(s.Messages[seg]) + images
}

func (m Meter) addCost(u conversation.Usage) Meter {
	if u.CostUSD != nil {
		sum := *u.CostUSD
		if m.cost != nil {
			sum += *m.cost
		}
		m.cost = &sum
	}
	return m
}

func (m Meter) anchorOn(u conversation.Usage) Meter {
	m = m.addCost(u)
	if u.Revision != m.view.Revision {
		return m
	}
	at := m.anchorAt(u)
	m.newest = newestRequest{valid: true, revision: u.Revision, estimate: u.Estimate, images: u.Images, reply: at.reply}
	if !u.HasPromptCount() {
		return m
	}
	m.cachedShare = -1
	if u.Undercounted {
		m.newest.tooLow = float64(u.Prompt)
		return m
	}
	if u.Cached >= 0 {
		m.cachedShare = min(1, float64(u.Cached)/float64(u.Prompt))
	}
	m.anchor = at
	return m
}

// anchorAt returns the anchor of a report: the prompt, and the reply if the log has one.
func (m *Meter) anchorAt(u conversation.Usage) anchor {
	a := anchor{valid: true, revision: u.Revision, tokens: float64(u.Prompt), estimate: u.Estimate, images: u.Images, exact: true, prompt: float64(u.Prompt)}
	if u.Reply == 0 {
		return a
	}
	reply, thought := m.replyEstimate(u.Reply)
	a.estimate += reply
	a.reply = reply
	kept := float64(u.Completion)
	switch {
	case u.Completion < 0:
		kept, a.exact = m.Factor()*reply, false
	case m.options.EchoReasoning:
	case u.Reasoning > 0:
		kept -= float64(u.Reasoning)
	case thought > 0: // many servers count reasoning and do not say how much of it there was
		kept, a.exact = kept*reply/(reply+thought), false
	}
	a.tokens += max(0, kept)
	return a
}

// Factor returns the calibration factor of the current model, by which estimates are multiplied.
func (m Meter) Factor() float64 {
	if m.cal.Factor > 0 {
		return m.cal.Factor
	}
	return 1
}

// used returns the tokens of the next request, and whether part of them is estimated.
func (m *Meter) used() (float64, bool) {
	if !m.anchor.valid || m.anchor.revision != m.view.Revision {
		return m.calibrated(m.estimate, m.images), true
	}
	since := m.estimate - m.anchor.estimate
	// Float sums in a different order differ in the last bits.
	if math.Abs(since) < 1e-6 {
		return m.anchor.tokens, !m.anchor.exact
	}
	return max(0, m.anchor.tokens+m.calibrated(since, m.images-m.anchor.images)), true
}

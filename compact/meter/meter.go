package meter

import (
	"math"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Meter is how full the window is and what fills it. It is a value: what
// changes it returns a new one, at a cost that does not depend on the length
// of the conversation; but thinking is counted anew in a view that does more
// than grow.
//
// It anchors on the provider's last report under the current overlay revision
// and adds a calibrated estimate of what came after; without a report it is an
// estimate throughout.
type Meter struct {
	options   Options
	view      projection.View
	prompt    projection.Sizes // system prompt and tools
	draft     projection.Sizes
	reply     projection.Sizes // of a reply that is still arriving
	loopSizes projection.Sizes // of the messages behind the newest of the user, with EchoLoop

	thinking      *Thinking            // nil: unknown
	knownMessages []projection.Message // of the view that was told of, as far as it went on since
	thinkingRange thinkingRange
	echoed        projection.Sizes // reasoning that requests send back, if known
	measured      int              // number of messages of the view counted in echoed

	estimate float64 // uncalibrated tokens of prompt and view
	anchor   anchor
	newest   newestRequest
	cal      conversation.Calibration

	cachedShare float64
	cost        *float64
}

// Options is what a meter has to know about the model and the rules.
type Options struct {
	Window           Window
	MaxReply         int     // largest reply in tokens, 0 unknown
	TriggerRatio     float64 // of the window: the load line; 0 means DefaultTriggerRatio
	HardRatio        float64 // of the window: the hard line; 0 means DefaultHardRatio
	TokenThreshold   int     // absolute load line, 0 none
	AbsoluteLoadLine bool    // TokenThreshold alone is the load line, whatever the window (JCL)
	PriceStep        int     // tokens above which the whole request costs more, 0 none
	IgnoresPriceStep bool    // PriceStep bounds no line: the sources know of none
	Calibration      conversation.Calibration
	EchoReasoning    bool   // reasoning is sent back and fills the window
	EchoLoop         bool   // until the next message of the user
	EchoModel        string // of replies of this model alone, provider/id; "" for all
	// CharsOnly counts text alone, four code points of any script to a token: the count by which replay is defined.
	CharsOnly bool
}

// Where compaction acts, as shares of the window.
const (
	priceStepRatio = 0.95
	// MaxReserve bounds what is kept free for the reply, in tokens.
	MaxReserve = 16_000
	// reserveShare is the largest part of the window kept for the reply.
	reserveShare = 8
)

// anchor is a report to count from.
type anchor struct {
	valid    bool
	revision uint64
	tokens   float64 // reported: the prompt and, if known, the reply
	estimate float64 // uncalibrated estimate of the same
	exact    bool    // tokens is wholly reported
	prompt   float64 // of tokens, the prompt; 0 if none was counted
	reply    float64 // uncalibrated estimate of the reply
}

// New returns the meter of an empty conversation.
func New(o Options) Meter {
	if o.TriggerRatio == 0 {
		o.TriggerRatio = preset.DefaultTriggerRatio
	}
	if o.HardRatio == 0 {
		o.HardRatio = preset.DefaultHardRatio
	}
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

// WithView returns the meter for what the next request would carry. What the cache gave to the last request says nothing
// of a view whose prefix is another one.
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

// WithReply returns the meter with the text of a reply that is still arriving, and is not part of the view yet.
func (m Meter) WithReply(size conversation.Size) Meter {
	m.reply = projection.Sizes{}
	if size.Chars() > 0 {
		m.reply.Add(projection.Assistant, size)
	}
	return m.recompute()
}

// WithDraft returns the meter with text that is not sent yet: its size, and
// the number of messages it would become.
func (m Meter) WithDraft(size conversation.Size, messages int) Meter {
	m.draft = projection.Sizes{}
	m.draft.Text[projection.Draft] = size
	m.draft.Messages[projection.Draft] = messages
	return m
}

// WithWindow returns the meter for a window that became known.
func (m Meter) WithWindow(w Window) Meter {
	m.options.Window = w
	return m
}

// WithMaxReply returns the meter for a largest reply that became known, in
// tokens: it bounds the reserve.
func (m Meter) WithMaxReply(tokens int) Meter {
	m.options.MaxReply = tokens
	return m
}

// WithModel returns the meter for another model. Reports of the old one no
// longer count, as tokenizers differ; the cost so far stays.
func (m Meter) WithModel(o Options) Meter {
	n := New(o)
	n.prompt, n.draft, n.cost = m.prompt, m.draft, m.cost
	return n.WithView(m.view)
}

// View is what the next request would carry, as the meter measures it.
func (m Meter) View() projection.View { return m.view }

// Calibration is what was learned about the model so far.
func (m Meter) Calibration() conversation.Calibration { return m.cal }

// EchoesReasoning reports whether reasoning is sent back in every request to come and fills the window.
func (m *Meter) EchoesReasoning() bool { return m.options.EchoReasoning && !m.options.EchoLoop }

// isEchoModel reports whether a reply is one whose reasoning goes back to the model in use.
func (m *Meter) isEchoModel(msg *projection.Message) bool {
	return m.options.EchoModel == "" || msg.CameFrom(m.options.EchoModel)
}

// Window is the window the meter measures against.
func (m Meter) Window() Window { return m.options.Window }

// RequestEstimate is the uncalibrated number of tokens of a request made now,
// for Usage.Estimate.
func (m Meter) RequestEstimate() float64 { return m.estimate }

// WithUsage returns the meter with a report of the newest request, whose reply
// the view already holds: it anchors there, learns, and adds the cost. A report
// of a request built under an older revision adds its cost only, and so does one
// that is marked as short.
func (m Meter) WithUsage(u conversation.Usage) Meter {
	if u.Purpose != conversation.PurposeReply {
		return m.addCost(u)
	}
	m = m.anchorOn(u)
	if u.Revision == m.view.Revision && u.CountsWholePrompt() {
		m.cal = learn(m.cal, u.Prompt, u.Estimate)
	}
	return m
}

// WithTokenCount returns the meter with a count of the next request, in tokens: it anchors there and learns. A count that no
// text can have changes nothing.
func (m Meter) WithTokenCount(tokens float64) Meter {
	before := m
	m.loopSizes = projection.Sizes{} // what is counted begins with a message of the user
	m = m.recompute()
	if tokens < minFactor*m.estimate-noiseTokens || tokens > maxFactor*m.estimate+noiseTokens {
		return before
	}
	m.anchor = anchor{valid: true, revision: m.view.Revision, tokens: tokens, estimate: m.estimate, exact: true, prompt: tokens}
	m.cal = learn(m.cal, int(math.Round(tokens)), m.estimate)
	return m
}

// WithHistory returns the meter as the stored events left it: anchored on the
// newest report, with all costs added. Nothing is learned twice. Model names
// the model in use: reports of others add their cost only.
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

// TextTokens is the calibrated estimate of a text in tokens.
func (m Meter) TextTokens(s conversation.Size) float64 { return m.TokenScale().TextTokens(s) }

// TokenScale is how texts weigh.
type TokenScale struct {
	plain  bool
	factor float64
}

func (m *Meter) TokenScale() TokenScale {
	return TokenScale{plain: m.options.CharsOnly, factor: m.Factor()}
}

func (c TokenScale) TextTokens(s conversation.Size) float64 {
	if c.plain {
		return float64(s.Chars()) / CharsPerToken
	}
	return c.factor * Estimate(s)
}

// MessageOverhead is what a message costs beyond its text, in tokens.
func (m Meter) MessageOverhead() float64 {
	if m.options.CharsOnly {
		return 0
	}
	return FramingTokens
}

// EstimatedTokens is the calibrated estimate of a request in whole tokens,
// whatever was reported: so what was and what will be compare.
func (m Meter) EstimatedTokens() int { return int(math.Round(m.Factor() * m.estimate)) }

// MessageTokens is the calibrated estimate of a message in tokens, with its reasoning
// where that is sent back in every request to come.
func (m Meter) MessageTokens(msg *projection.Message) float64 {
	var s projection.Sizes
	msg.AddTo(&s)
	sum := 0.0
	for _, seg := range projection.Segments() {
		if seg != projection.Reasoning || m.SendsThinking(msg) {
			sum += m.segmentEstimate(&s, seg)
		}
	}
	return m.Factor() * sum
}

func (m Meter) recompute() Meter {
	m.estimate = 0
	for _, seg := range projection.Segments() {
		m.estimate += m.SegmentEstimate(seg)
	}
	return m
}

// SegmentEstimate is the uncalibrated number of tokens of one part of a request.
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
	if m.options.CharsOnly {
		return float64(s.Text[seg].Chars()) / CharsPerToken
	}
	return EstimateSegment(s, seg)
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
	m.newest = newestRequestOf(u, at)
	if !u.HasPromptCount() {
		return m
	}
	m.cachedShare = -1
	if u.Undercounted {
		return m
	}
	if u.Cached >= 0 {
		m.cachedShare = min(1, float64(u.Cached)/float64(u.Prompt))
	}
	m.anchor = at
	return m
}

// anchorAt is the report as a point to count from: the prompt, and the reply
// if one came of the request.
func (m *Meter) anchorAt(u conversation.Usage) anchor {
	a := anchor{valid: true, revision: u.Revision, tokens: float64(u.Prompt), estimate: u.Estimate, exact: true, prompt: float64(u.Prompt)}
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

// Factor is what estimates of texts are multiplied by for the model in use.
func (m Meter) Factor() float64 {
	if m.cal.Factor > 0 {
		return m.cal.Factor
	}
	return 1
}

// used is the tokens a request made now would have, and whether a part of that
// is estimated.
func (m *Meter) used() (float64, bool) {
	if !m.anchor.valid || m.anchor.revision != m.view.Revision {
		return m.Factor() * m.estimate, true
	}
	since := m.estimate - m.anchor.estimate
	// Sums of floats in another order differ in the last bits.
	if math.Abs(since) < 1e-6 {
		return m.anchor.tokens, !m.anchor.exact
	}
	return max(0, m.anchor.tokens+m.Factor()*since), true
}

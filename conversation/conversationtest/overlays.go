package conversationtest

import (
	"math"

	"pgregory.net/rapid"

	"plimsoll/conversation"
)

// Random overlays. Half of their references are valid. The others are what a damaged, foreign or hostile log may contain:
// events that do not exist or come later, reversed spans, negative and huge numbers, spans that split units, unknown
// styles and parts.

// styles that overlays are drawn with.
var styles = []conversation.Style{
	conversation.StylePlimsoll, conversation.StyleJP, conversation.StyleAdachsoft, conversation.StyleOneClaw, conversation.StyleJCLI,
	"", "unheard of",
}

// WithOverlays continues a log with overlays of every kind, in epochs, and with turns between them.
func WithOverlays(t *rapid.T, events []conversation.Event) []conversation.Event {
	w := NewWriter(t, events)
	for range 2 * smallNumber(t, "passes") {
		if rapid.IntRange(0, 3).Draw(t, "what next") == 3 {
			w.Turn(t)
			continue
		}
		w.AddEpoch(t)
	}
	return w.Events()
}

// AddEpoch appends an epoch of one to three overlays.
func (w *Writer) AddEpoch(t *rapid.T) {
	made := conversation.Origin{Epoch: uint64(w.log.Len() + 1), Source: conversation.SourceAuto}
	if rapid.IntRange(0, 9).Draw(t, "epoch") == 9 {
		if made.Epoch = w.Seq(t); made.Epoch > uint64(w.log.Len()) && made.Epoch < 1<<63 {
			made.Epoch = 0 // another program's epoch, or none, but not one that a later overlay uses
		}
	}
	for range max(1, smallNumber(t, "overlays")) {
		w.Add(t, conversation.WithOrigin(w.Overlay(t), made))
	}
}

// Overlay draws an overlay of any kind.
func (w *Writer) Overlay(t *rapid.T) conversation.Body {
	style := rapid.SampledFrom(styles).Draw(t, "style")
	switch rapid.IntRange(0, 13).Draw(t, "overlay") {
	case 0, 1, 2:
		return w.Mask(t, style)
	case 3:
		return w.Cap(t)
	case 4, 5:
		return w.PolicyForm(t, style)
	case 6, 7:
		return w.summary(t, style)
	case 8:
		return conversation.Drop{Spans: w.Spans(t)}
	case 9:
		return conversation.Rewind{Turn: rapid.IntRange(-1, w.log.Turns()+1).Draw(t, "turn")}
	case 10:
		return conversation.Pin{Events: w.seqs(t)}
	case 11:
		return conversation.Unpin{Events: w.seqs(t)}
	}
	return w.revert(t)
}

// Reduction draws a mask, a cap or a policy form of Plimsoll's own style. These must never make a view longer.
func (w *Writer) Reduction(t *rapid.T) conversation.Body {
	switch rapid.IntRange(0, 2).Draw(t, "reduction") {
	case 0:
		return w.Cap(t)
	case 1:
		return w.PolicyForm(t, conversation.StylePlimsoll)
	}
	return w.Mask(t, conversation.StylePlimsoll)
}

// Seq draws an event number, usually one in the log.
func (w *Writer) Seq(t *rapid.T) uint64 {
	if n := w.log.Len(); n > 0 && rapid.IntRange(0, 19).Draw(t, "there") < 19 {
		return uint64(rapid.IntRange(1, n).Draw(t, "seq"))
	}
	return rapid.SampledFrom([]uint64{0, uint64(w.log.Len()) + 1, uint64(w.log.Len()) + 7, 1 << 63, math.MaxUint64}).Draw(t, "odd seq")
}

func (w *Writer) seqs(t *rapid.T) []uint64 {
	var out []uint64
	for range smallNumber(t, "events") {
		out = append(out, w.Seq(t))
	}
	return out
}

// Spans draws spans: usually one that ends where units end, sometimes any.
func (w *Writer) Spans(t *rapid.T) []conversation.Span {
	units := conversation.Units(w.log.Events())
	if len(units) > 0 && rapid.IntRange(0, 3).Draw(t, "fitting") > 0 {
		from := rapid.IntRange(0, len(units)-1).Draw(t, "from unit")
		to := rapid.IntRange(from, len(units)-1).Draw(t, "to unit")
		events := units[to].Events
		return []conversation.Span{{First: uint64(units[from].Events[0] + 1), Last: uint64(events[len(events)-1] + 1)}}
	}
	var out []conversation.Span
	for range rapid.IntRange(0, 3).Draw(t, "spans") {
		out = append(out, conversation.Span{First: w.Seq(t), Last: w.Seq(t)})
	}
	return out
}

// amount draws a number of characters.
func amount(t *rapid.T, label string) int {
	return rapid.SampledFrom([]int{60, 0, 250, 10, 60, 0, 1, 2000, -1, math.MinInt, math.MaxInt}).Draw(t, label)
}

// Cap draws a cap of results and arguments.
func (w *Writer) Cap(t *rapid.T) conversation.Cap {
	var c conversation.Cap
	for range smallNumber(t, "items") {
		seq, call := w.target(t)
		c.Items = append(c.Items, conversation.CapItem{Event: seq, Call: call, Head: amount(t, "head"), Tail: amount(t, "tail")})
	}
	return c
}

// Mask draws a mask of every part.
func (w *Writer) Mask(t *rapid.T, style conversation.Style) conversation.Mask {
	m := conversation.Mask{Style: style, Version: 1, Preview: amount(t, "preview")}
	if rapid.Bool().Draw(t, "all results") {
		for _, e := range w.log.Events() {
			if _, ok := e.Body.(conversation.ToolResult); ok {
				m.Items = append(m.Items, conversation.MaskItem{Event: e.Seq, Part: conversation.PartResult})
			}
		}
		return m
	}
	for range 2 * smallNumber(t, "items") {
		seq, call := w.target(t)
		item := conversation.MaskItem{Event: seq, Call: call, Threshold: amount(t, "threshold")}
		item.Part = rapid.SampledFrom([]conversation.Part{
			conversation.PartResult, conversation.PartArguments, conversation.PartReasoning, "elsewhere",
		}).Draw(t, "part")
		if call == "" && rapid.IntRange(0, 9).Draw(t, "as it is") < 9 {
			item.Part = conversation.PartResult
		}
		if rapid.IntRange(0, 3).Draw(t, "fields") == 0 {
			item.Fields = []string{"content", rapid.SampledFrom([]string{"path", "", "none"}).Draw(t, "field")}
		}
		m.Items = append(m.Items, item)
	}
	return m
}

// target draws what a mask or cap can hide: a call of a reply, or a result. Sometimes it is invalid.
func (w *Writer) target(t *rapid.T) (seq uint64, call string) {
	var places []conversation.CapItem
	for _, e := range w.log.Events() {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			for _, c := range b.Calls {
				places = append(places, conversation.CapItem{Event: e.Seq, Call: c.ID})
			}
		case conversation.ToolResult:
			places = append(places, conversation.CapItem{Event: e.Seq})
		}
	}
	if len(places) == 0 || rapid.IntRange(0, 19).Draw(t, "fits") == 19 {
		return w.Seq(t), rapid.SampledFrom([]string{"", "a", "call_1"}).Draw(t, "call")
	}
	p := rapid.SampledFrom(places).Draw(t, "target")
	return p.Event, p.Call
}

// PolicyForm draws a compaction without a text (JP's RFD 064), with policies for single tools.
func (w *Writer) PolicyForm(t *rapid.T, style conversation.Style) conversation.Summary {
	p := &conversation.Policies{
		Reasoning: rapid.SampledFrom([]conversation.ReasoningPolicy{"", conversation.ReasoningStrip, "odd"}).Draw(t, "reasoning"),
		ToolCalls: rapid.SampledFrom([]conversation.ToolCallPolicy{
			conversation.ToolCallsOmit, conversation.ToolCallsStrip, "", "odd",
		}).Draw(t, "tool calls"),
		Request: rapid.Bool().Draw(t, "request"), Response: rapid.Bool().Draw(t, "response"),
		Preview: amount(t, "preview"), MinChars: rapid.SampledFrom([]int{0, 800, -1, math.MaxInt}).Draw(t, "min chars"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "tools") {
		if p.Tools == nil {
			p.Tools = map[string]conversation.ToolPolicy{}
		}
		p.Tools[rapid.SampledFrom(Tools).Draw(t, "tool")] = conversation.ToolPolicy{
			Request: rapid.Bool().Draw(t, "tool's request"), Response: rapid.Bool().Draw(t, "tool's response"),
		}
	}
	return conversation.Summary{Style: style, Version: 1, Spans: w.Spans(t), Policies: p}
}

func (w *Writer) summary(t *rapid.T, style conversation.Style) conversation.Summary {
	s := conversation.Summary{Style: style, Version: 1, Spans: w.Spans(t), Text: text(t, "summary"), Transcript: "t.jsonl",
		FromTurn: rapid.IntRange(-1, 9).Draw(t, "from turn"), ToTurn: rapid.IntRange(-1, 9).Draw(t, "to turn")}
	if rapid.Bool().Draw(t, "with an appendix") {
		s.Appendix = text(t, "appendix")
	}
	return s
}

// revert draws an undo or redo of an epoch or an overlay.
func (w *Writer) revert(t *rapid.T) conversation.Revert {
	var overlays, epochs []uint64
	for _, e := range w.log.Events() {
		if made, ok := conversation.OriginOf(e.Body); ok {
			overlays, epochs = append(overlays, e.Seq), append(epochs, made.Epoch)
		}
	}
	if len(overlays) == 0 || rapid.IntRange(0, 9).Draw(t, "aims") == 9 {
		return conversation.Revert{Epoch: w.Seq(t), Event: w.Seq(t)}
	}
	if rapid.Bool().Draw(t, "one overlay") {
		return conversation.Revert{Event: rapid.SampledFrom(overlays).Draw(t, "overlay taken back")}
	}
	return conversation.Revert{Epoch: rapid.SampledFrom(epochs).Draw(t, "epoch taken back")}
}

package compacttest

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// Span is the events from first to last.
func Span(first, last uint64) conversation.Span { return conversation.Span{First: first, Last: last} }

// InSpans is whether a span holds an event.
func InSpans(spans []conversation.Span, seq uint64) bool {
	return slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.Contains(seq) })
}

// LongLog is a log of n events of about 1 KB.
func LongLog(n int) []conversation.Event {
	var l conversation.Log
	kb := strings.Repeat("the quick brown fox jumps over it ", 30)
	for l.Len() < n {
		id := fmt.Sprintf("call_%d", l.Len())
		if err := l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: kb},
			conversation.AssistantMessage{Text: kb, Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: `{"path":"x"}`}}},
			conversation.ToolResult{CallID: id, Tool: "read_file", Text: kb}, conversation.AssistantMessage{Text: kb})); err != nil {
			panic(err)
		}
	}
	return l.Events()
}

// AppendTo is a log with more behind it.
func AppendTo(events []conversation.Event, bodies ...conversation.Body) []conversation.Event {
	l, err := conversation.NewLog(events)
	if err != nil {
		panic(err)
	}
	if err := l.Commit(l.Prepare(conversationtest.Epoch, bodies...)); err != nil {
		panic(err)
	}
	return l.Events()
}

// MaskAll hides n results and arguments of a log, one by an overlay.
func MaskAll(events []conversation.Event, n int) []conversation.Event {
	var bodies []conversation.Body
	mask := func(item conversation.MaskItem) {
		if len(bodies) < n {
			bodies = append(bodies, conversation.Mask{Style: conversation.StylePlimsoll, Version: 1, Preview: 250,
				Items: []conversation.MaskItem{item}})
		}
	}
	for _, e := range events {
		if _, ok := e.Body.(conversation.ToolResult); ok {
			mask(conversation.MaskItem{Event: e.Seq, Part: conversation.PartResult})
		}
	}
	for _, e := range events {
		if b, ok := e.Body.(conversation.AssistantMessage); ok && len(b.Calls) > 0 {
			mask(conversation.MaskItem{Event: e.Seq, Part: conversation.PartArguments, Call: b.Calls[0].ID})
		}
	}
	return AppendTo(events, bodies...)
}

// MaskResults hides results.
func MaskResults(results ...uint64) conversation.Mask {
	m := conversation.Mask{Style: conversation.StylePlimsoll, Version: projection.StubVersion, Preview: 60}
	for _, seq := range results {
		m.Items = append(m.Items, conversation.MaskItem{Event: seq, Part: conversation.PartResult})
	}
	return m
}

// NumberedLines is n lines.
func NumberedLines(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d %s\n", i+1, line)
	}
	return b.String()
}

// RandomLog draws a log with overlays of every kind on turns of every kind.
func RandomLog(t *rapid.T) []conversation.Event {
	base := conversationtest.Rich
	switch rapid.IntRange(0, 5).Draw(t, "base") {
	case 0:
		base = conversationtest.Malformed
	case 1:
		base = conversationtest.Log
	}
	return conversationtest.WithOverlays(t, base(t))
}

// PlimsollLog draws a log as Plimsoll's own rules leave it: its reductions, and pins and summaries.
func PlimsollLog(t *rapid.T) []conversation.Event {
	w := conversationtest.NewWriter(t, conversationtest.Rich(t))
	for range rapid.SampledFrom([]int{4, 6, 2, 0}).Draw(t, "passes") {
		switch rapid.IntRange(0, 5).Draw(t, "what next") {
		case 3:
			w.Turn(t)
		case 4:
			w.Add(t, conversation.Pin{Events: []uint64{w.Seq(t)}})
		case 5:
			w.Add(t, conversation.Summary{Style: conversation.StylePlimsoll, Spans: w.Spans(t), Text: "what was said"})
		default:
			w.Add(t, w.Reduction(t))
		}
	}
	return w.Events()
}

// PlainLog draws a log without overlays.
func PlainLog(t *rapid.T) []conversation.Event {
	if rapid.Bool().Draw(t, "malformed") {
		return conversationtest.Malformed(t)
	}
	return conversationtest.Log(t)
}

// ExtendedLog draws a log with masks of the rules' own in it, and turns behind them.
func ExtendedLog(t *rapid.T) []conversation.Event {
	w := conversationtest.NewWriter(t, PlimsollLog(t))
	for range rapid.IntRange(0, 3).Draw(t, "further turns") {
		w.Turn(t)
	}
	return w.Events()
}

// AnyLog draws a log for the planner: mostly one that is worth a plan.
func AnyLog(t *rapid.T) []conversation.Event {
	if rapid.IntRange(0, 3).Draw(t, "odd") == 3 {
		return RandomLog(t)
	}
	return ExtendedLog(t)
}

// BrokenLog is a random log as a damaged file may leave it: it begins later, lacks
// events in the middle, and holds some that cannot be read.
func BrokenLog(t *rapid.T) []conversation.Event {
	log := slices.Clone(RandomLog(t))
	for range rapid.IntRange(0, 3).Draw(t, "breaks") {
		if len(log) == 0 {
			break
		}
		at := rapid.IntRange(0, len(log)-1).Draw(t, "at")
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			log = log[at:]
		case 1:
			log = slices.Delete(log, at, at+1)
		case 2:
			log[at].Body = conversation.Unknown{Name: log[at].Body.Kind(), Raw: conversation.RawJSON(`{`)}
		}
	}
	return log
}

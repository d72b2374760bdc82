package compacttest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// Span returns the span of the events first to last.
func Span(first, last uint64) conversation.Span { return conversation.Span{First: first, Last: last} }

// AppendTo returns a log with further events at its end.
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

// MaskResults returns a mask of tool results.
func MaskResults(results ...uint64) conversation.Mask {
	m := conversation.Mask{Style: conversation.StylePlimsoll, Version: projection.StubVersion, Preview: 60}
	for _, seq := range results {
		m.Items = append(m.Items, conversation.MaskItem{Event: seq, Part: conversation.PartResult})
	}
	return m
}

// NumberedLines returns a line n times, with line numbers.
func NumberedLines(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d %s\n", i+1, line)
	}
	return b.String()
}

// RandomLog draws a log with all kinds of turns and overlays. It may be malformed.
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

// PlimsollLog draws a log after compactions by Plimsoll's own rules, with pins and summaries.
func PlimsollLog(t *rapid.T) []conversation.Event {
	w := conversationtest.NewWriter(t, conversationtest.Rich(t))
	for range rapid.SampledFrom([]int{4, 6, 2, 0}).Draw(t, "overlays") {
		switch rapid.IntRange(0, 5).Draw(t, "kind of event") {
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

// ExtendedLog draws a log as PlimsollLog does, with up to three more turns.
func ExtendedLog(t *rapid.T) []conversation.Event {
	w := conversationtest.NewWriter(t, PlimsollLog(t))
	for range rapid.IntRange(0, 3).Draw(t, "further turns") {
		w.Turn(t)
	}
	return w.Events()
}

// AnyLog draws a log for the planner: usually an ExtendedLog, sometimes a RandomLog.
func AnyLog(t *rapid.T) []conversation.Event {
	if rapid.IntRange(0, 3).Draw(t, "odd") == 3 {
		return RandomLog(t)
	}
	return ExtendedLog(t)
}

package session

import (
	"slices"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// BreakdownOf computes the context breakdown of a stored conversation with a model, as it would be at the start of another
// turn.
func BreakdownOf(rules preset.Rules, r *Snapshot, m llm.Model) inspect.Breakdown {
	m = m.WithStoredTTL(r.Events)
	idle, gone := r.idleSinceReply(m, time.Now())
	b := inspect.NewBreakdown(rules, planner.Check{
		Moment: planner.MomentTurn, Log: r.WithPartial, View: r.View, Meter: MeterOf(rules, r, m),
		Idle: idle, CacheInvalid: gone, Sheet: m.Sheet(), Past: planner.PastOf(r.WithPartial),
	}, catalog.Savings(m))
	b.CacheRetention = m.CacheKept(r.WithPartial, float64(b.Reading.Used))
	return b
}

// idleSinceReply returns the time since the model's newest reply, or that there was none since system prompt and tools
// changed: then the provider's cache holds nothing of the next request.
func (r *Snapshot) idleSinceReply(m llm.Model, now time.Time) (idle time.Duration, gone bool) {
	for _, e := range slices.Backward(r.Events) {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			return 0, true // no request carried these instructions yet
		case conversation.Usage:
			if b.Purpose == conversation.PurposeReply && b.Model == m.Name() {
				return now.Sub(e.Time), false
			}
		}
	}
	return 0, true
}

// MeterOf returns the meter of a stored conversation for a model.
func MeterOf(rules preset.Rules, r *Snapshot, m llm.Model) meter.Meter {
	in, _ := newestInstructions(r.Events)
	if m.Caps.NoTools {
		in.ToolsSize = conversation.Size{}
	}
	n := meter.New(m.MeterOptions(rules)).WithPrompt(in.SystemSize, in.ToolsSize).WithView(r.View)
	set := core.Settings{Model: m, System: r.system, Tools: r.tools, ThinkingAfter: core.ThinkingAfter(r.Events)}
	if t, ok := set.Thinking(r.View); ok {
		n = n.WithThinking(t)
	}
	return n.WithHistory(r.Events, m.Name())
}

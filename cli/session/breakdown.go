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
func BreakdownOf(rules preset.Rules, snapshot *Snapshot, m llm.Model) inspect.Breakdown {
	m = m.WithStoredTTL(snapshot.Events)
	idle, cacheInvalid := snapshot.idleSinceReply(m, time.Now())
	measured := MeterOf(rules, snapshot, m)
	b := inspect.NewBreakdown(rules, planner.Check{
		Moment: planner.MomentTurn, Log: snapshot.WithPartial, View: snapshot.View, Meter: measured,
		Idle: idle, CacheInvalid: cacheInvalid, Sheet: m.Sheet(), History: planner.HistoryOf(snapshot.WithPartial),
	}, catalog.Savings(m))
	b.CacheRetention = m.CacheRetention(snapshot.WithPartial, float64(b.Reading.Used), planner.EvictionSizes(rules, measured))
	return b
}

// idleSinceReply returns the time since the model's newest reply. cacheInvalid is true if the model has not replied since system
// prompt and tools changed: then the provider's cache holds no part of the next request.
func (snapshot *Snapshot) idleSinceReply(m llm.Model, now time.Time) (idle time.Duration, cacheInvalid bool) {
	for _, e := range slices.Backward(snapshot.Events) {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			return 0, true // no request carried these instructions yet
		case conversation.Usage:
			if (b.Purpose == conversation.PurposeReply || b.Purpose == conversation.PurposeWarm && b.HasPromptCount()) && b.Model == m.Name() {
				return now.Sub(e.Time), false
			}
		}
	}
	return 0, true
}

// MeterOf returns the meter of a stored conversation for a model.
func MeterOf(rules preset.Rules, snapshot *Snapshot, m llm.Model) meter.Meter {
	instructions, _ := conversation.Newest[conversation.Instructions](snapshot.Events)
	if m.Caps.NoTools {
		instructions.ToolsSize = conversation.Size{}
	}
	n := meter.New(m.MeterOptions(rules)).WithPrompt(instructions.SystemSize, instructions.ToolsSize).WithView(snapshot.View).
		WithKeptOut(core.KeptOut(snapshot.Events, snapshot.Tools) + conversation.KeptOutByTasks(snapshot.Events))
	settings := core.Settings{Model: m, System: snapshot.system, Tools: snapshot.Tools, ThinkingAfter: core.ThinkingAfter(snapshot.Events)}
	if t, ok := settings.Thinking(snapshot.View); ok {
		n = n.WithThinking(t)
	}
	return n.WithHistory(snapshot.Events, m.Name())
}

package replay

import (
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// The baselines. raw sends everything. truncate does what most clients do when a window fills up: above the load line
// it drops the oldest units, without a note, until half the window is used. It never drops the newest user message or
// the last unit. Nothing protects the first message, and dropped messages cannot be recalled.

func newTruncatePolicy(s PolicySetting, rules preset.Rules) Policy {
	limit := loadLine(s, rules)
	target := preset.TruncateShare * limit
	return Policy{
		Transform:  withoutNotes,
		UsesPrices: s.Steps, // the load line lies below a price step
		Decide: func(in PolicyInput) (Decision, error) {
			if in.TurnEnd || limit == 0 || in.Used <= limit {
				return Decision{}, nil
			}
			spans := oldestUnits(in.View.Messages, in.Used-target)
			if len(spans) == 0 {
				return Decision{}, nil
			}
			return Decision{Overlays: []conversation.Body{conversation.Drop{Spans: spans}}}, nil
		},
	}
}

// loadLine returns the load line of rules in tokens, 0 for an unknown window.
func loadLine(s PolicySetting, r preset.Rules) float64 {
	if s.Window <= 0 {
		return 0
	}
	limit := r.TriggerRatio * float64(s.Window)
	if r.TokenThreshold > 0 {
		limit = min(limit, float64(r.TokenThreshold))
	}
	if s.Sheet.Step > 0 {
		limit = min(limit, preset.DefaultHardRatio*float64(s.Sheet.Step))
	}
	return limit
}

// withoutNotes returns a view without the notes about dropped messages.
func withoutNotes(v projection.View) projection.View {
	out := projection.View{Revision: v.Revision, Through: v.Through}
	for _, m := range v.Messages {
		if m.State != projection.StateDropped {
			out.Messages = append(out.Messages, m)
			m.AddTo(&out.Sizes)
		}
	}
	return out
}

// oldestUnits returns spans of the oldest units that together have at least tokensToGo tokens, if there are enough.
func oldestUnits(messages []projection.Message, tokensToGo float64) []conversation.Span {
	newest, last := newestOfUser(messages), lastUnit(messages)
	var out []conversation.Span
	removedChars := 0
	for i := 0; i < last && tokens(removedChars) < tokensToGo; {
		end := projection.UnitEnd(messages, i)
		if i == newest {
			i = end
			continue
		}
		for ; i < end; i++ {
			removedChars += chars(&messages[i])
			for _, seq := range messages[i].Events {
				out = append(out, conversation.Span{First: seq, Last: seq})
			}
		}
	}
	return out
}

// newestOfUser returns the index of the newest user message, -1 without one.
func newestOfUser(messages []projection.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == projection.RoleUser {
			return i
		}
	}
	return -1
}

// lastUnit returns the index of the first message of the last unit.
func lastUnit(messages []projection.Message) int {
	i := len(messages) - 1
	for i > 0 && messages[i].Role == projection.RoleTool {
		i--
	}
	return i
}

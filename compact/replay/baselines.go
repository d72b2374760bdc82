package replay

import (
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What everything is compared with. raw sends all. truncate does what most
// clients do when a window fills up: above the load line it leaves out the oldest
// units, without a word, until half the window is used; never the newest message
// of the user or the last unit. It spares no first message, and what it leaves
// out is gone.

func newTruncatePolicy(s PolicySetting, rules preset.Rules) Policy {
	soft := loadLine(s, rules)
	target := preset.TruncateShare * soft
	return Policy{
		Transform:  withoutNotes,
		UsesPrices: s.Steps, // the load line lies below a price step
		Decide: func(l PolicyInput) (Decision, error) {
			if l.TurnEnd || soft == 0 || l.Used <= soft {
				return Decision{}, nil
			}
			spans := oldestUnits(l.View.Messages, l.Used-target)
			if len(spans) == 0 {
				return Decision{}, nil
			}
			return Decision{Overlays: []conversation.Body{conversation.Drop{Spans: spans}}}, nil
		},
	}
}

// loadLine is where rules act, in tokens, 0 for an unknown window.
func loadLine(s PolicySetting, r preset.Rules) float64 {
	if s.Window <= 0 {
		return 0
	}
	soft := r.TriggerRatio * float64(s.Window)
	if r.TokenThreshold > 0 {
		soft = min(soft, float64(r.TokenThreshold))
	}
	if s.Sheet.Step > 0 {
		soft = min(soft, preset.DefaultHardRatio*float64(s.Sheet.Step))
	}
	return soft
}

// withoutNotes is a view without the lines that say what was left out.
func withoutNotes(v projection.View) projection.View {
	notes := 0
	for i := range v.Messages {
		if v.Messages[i].State == projection.StateDropped {
			notes++
		}
	}
	if notes == 0 {
		return v
	}
	out := projection.View{Revision: v.Revision, Through: v.Through, Messages: make([]projection.Message, 0, len(v.Messages)-notes)}
	for _, m := range v.Messages {
		if m.State != projection.StateDropped {
			out.Messages = append(out.Messages, m)
			m.AddTo(&out.Sizes)
		}
	}
	return out
}

// oldestUnits is the oldest units that hold so many tokens together, or as many as
// there are.
func oldestUnits(messages []projection.Message, tokensToGo float64) []conversation.Span {
	newest, last := newestOfUser(messages), lastUnit(messages)
	var out []conversation.Span
	gone := 0
	for i := 0; i < last && tokens(gone) < tokensToGo; {
		end := unitEnd(messages, i)
		if i == newest {
			i = end
			continue
		}
		for ; i < end; i++ {
			gone += chars(&messages[i])
			for _, seq := range messages[i].Events {
				out = append(out, conversation.Span{First: seq, Last: seq})
			}
		}
	}
	return out
}

// newestOfUser is the index of the newest message of the user, -1 without one.
func newestOfUser(messages []projection.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == projection.RoleUser {
			return i
		}
	}
	return -1
}

// lastUnit is the index at which the last unit begins.
func lastUnit(messages []projection.Message) int {
	i := len(messages) - 1
	for i > 0 && messages[i].Role == projection.RoleTool {
		i--
	}
	return i
}

// unitEnd is the index behind the unit that begins at i: a reply with its
// results, or one message alone.
func unitEnd(messages []projection.Message, i int) int {
	calls := len(messages[i].Calls)
	for i++; calls > 0 && i < len(messages) && messages[i].Role == projection.RoleTool; i++ {
	}
	return i
}

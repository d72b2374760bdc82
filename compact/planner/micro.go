package planner

import (
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// J-CLI's first layer (JCL): of the results older than the newest few, those
// over a size become a line, exempt tools' stay. Its own example shows two of
// three results replaced while three are kept; the rule wins.

// MicroItems chooses what the layer hides in a view, oldest first. What points to
// a result goes with it, or would stand in full next.
func MicroItems(v projection.View, r preset.Rules) []conversation.MaskItem {
	var results []*projection.Message
	for i := range v.Messages {
		if v.Messages[i].Role == projection.RoleTool {
			results = append(results, &v.Messages[i])
		}
	}
	var items []conversation.MaskItem
	chosen := map[uint64]bool{}
	for i := 0; i < len(results)-max(r.Micro.KeepRecent, 0); i++ {
		m := results[i]
		hidden := len(m.Text) <= r.Micro.MinBytes || m.State == projection.StateMasked || m.State == projection.StatePinned
		if r.Tools[m.Tool].Exempt || hidden && !chosen[m.Repeats] {
			continue
		}
		chosen[m.Events[0]] = true
		items = append(items, conversation.MaskItem{Event: m.Events[0], Part: conversation.PartResult})
	}
	return items
}

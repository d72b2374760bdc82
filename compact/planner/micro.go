package planner

import (
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// The first layer of J-CLI (preset jcli) replaces results over a size by a line, except
// the newest few and those of exempt tools. Its documentation keeps three results by rule, but
// replaces two of three in an example. This code follows the rule.

// MicroItems returns the results of a view that this layer masks, oldest first. With a result
// it masks the pointers to it, because the projection would otherwise show one in full.
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
		unsuitable := len(m.Text) <= r.Micro.MinBytes || m.State == projection.StateMasked || m.State == projection.StatePinned
		if r.Tools[m.Tool].Exempt || unsuitable && !chosen[m.Repeats] {
			continue
		}
		chosen[m.Events[0]] = true
		items = append(items, conversation.MaskItem{Event: m.Events[0], Part: conversation.PartResult})
	}
	return items
}

package agent

import (
	"context"
	"maps"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Settings that change while the conversation goes on are events, so that a log
// says by what rules each compaction was made.

// Configure puts settings in force from here on: set is what is new, by dotted
// key with the value in YAML form, and rules is what all of them come to. It is
// recorded at once while idle, otherwise when the turn goes on or ends; before
// anything was said, with the first message.
func (a *Agent) Configure(set map[string]string, rules compact.Rules) {
	set = maps.Clone(set)
	a.inbox.put(func(ctx context.Context) {
		overrides := map[string]string{}
		maps.Copy(overrides, a.settings.overrides) // the caller's map stays as it is
		maps.Copy(overrides, set)
		a.settings.overrides = overrides
		a.rules = rules
		a.meter = a.meter.WithRules(rules)
		a.compactor.planner.refreshPast()
		a.compactor.dropStale()
		a.display.showMeter()
		if !a.inTurn {
			a.recordConfig(ctx)
		}
	})
}

// recordConfig records settings that are new, if anything was said.
func (a *Agent) recordConfig(ctx context.Context) {
	if set := a.settings.newOverrides(); len(set) > 0 && a.log.Len() > 0 {
		a.keepForLater(ctx, conversation.ConfigChanged{Set: set})
	}
}

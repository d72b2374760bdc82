package replay_test

import (
	"context"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
)

// TestTheChosenLifetimeIsNeverMuchDearerThanTheBetterFixedOne replays recordings by each lifetime of the cache and by
// the one that each conversation chooses.
func TestTheChosenLifetimeIsNeverMuchDearerThanTheBetterFixedOne(t *testing.T) {
	sources, notes := recordings(t), withoutModel()
	const most = 1.02
	for _, window := range []int{32_000, 128_000, 200_000} {
		r, err := replay.Run(context.Background(), sources, replay.Options{
			Window: window, Policies: []preset.Name{preset.Plimsoll, preset.Raw, preset.Truncate}, Own: []replay.Named{notes},
			Sheets: replay.ClaudeSheets(), PlanSheet: "claude",
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range r.Totals {
			c := f.Cost
			better := min(c["claude-5m"], c["claude-1h"])
			if c["claude"] > most*better {
				t.Errorf("in %d, %s costs %.4f of the better fixed lifetime", window, name, c["claude"]/better)
			}
		}
	}
}

package compact_test

import (
	"testing"

	"plimsoll/compact"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

func TestArrivalCapFollowsPresetAndWindow(t *testing.T) {
	t.Parallel()
	type setting struct{ maxChars, window int }
	for s, want := range map[setting]int{
		{0, 0}: 30_000, {0, 8_192}: 30_000, {0, 30_000}: 30_000, {0, 30_001}: 30_001, {0, 200_000}: 200_000, {0, 1_000_000}: 1_000_000,
		{100, 200_000}: 100, {500_000, 8_192}: 500_000, {500_000, 0}: 500_000,
	} {
		if got, want := compact.ArrivalCap(preset.Plimsoll, s.maxChars, s.window), (conversation.ArrivalCap{Chars: want, DescribesRest: true}); got != want {
			t.Errorf("%+v: %+v, want %+v", s, got, want)
		}
	}
	for _, p := range preset.All() {
		if p == preset.Plimsoll {
			continue
		}
		if got, want := compact.ArrivalCap(p, 0, 200_000), (conversation.ArrivalCap{Chars: conversation.ResultMaxChars}); got != want {
			t.Errorf("%s: %+v, want that of ONE", p, got)
		}
		if got := compact.ArrivalCap(p, 100, 200_000); got.Chars != 100 || got.DescribesRest {
			t.Errorf("%s, configured: %+v", p, got)
		}
	}
}

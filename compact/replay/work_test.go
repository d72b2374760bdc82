package replay_test

import (
	"testing"
	"testing/synctest"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
)

// A run of the first conversation waits for one of the second: they end only if
// the second one begins while the first is replayed.
func TestConversationsAreReplayedBesideEachOtherAsWorkersAreFree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		arrived := make(chan struct{})
		meets := func(s replay.PolicySetting) replay.Policy {
			_, second := s.Arguments["look"]
			return replay.Policy{Decide: func(l replay.PolicyInput) (replay.Decision, error) {
				switch {
				case !l.First:
				case second:
					close(arrived)
				default:
					<-arrived
				}
				return replay.Decision{}, nil
			}}
		}
		raw := preset.RulesOf(preset.Raw)
		o := replay.Options{Policies: []preset.Name{}, Workers: 4, ExtraPolicies: []replay.NamedPolicy{{Name: "meets", Rules: raw, Maker: meets}}}
		r := run(t, o, (&builder{}).user("go").call("read", `{"n":1}`, "ok").reply("a"), (&builder{}).user("go").call("look", `{"n":1}`, "ok").reply("b"))
		if len(r.Files) != 2 || r.Files[0].Name != "conversation 0" || r.Files[1].Name != "conversation 1" {
			t.Errorf("the files are %+v", r.Files)
		}
	})
}

package compact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// What was taken back lies between what a rule covers, and may come back.
func TestSummaryOfARuleLeavesOutWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	tale := filesRead(3, 40).add(conversation.Rewind{Turn: 2}).user("Another way.").reply("Yes.").user("And now?")
	log := tale.events()
	v := compact.Project(log)
	s := compact.Situation{Meter: compact.NewMeter(window(100_000)).WithView(v), Now: conversationtest.Epoch, Cold: true}
	spans := compact.BandSpans(v, s.Meter, compact.BandRule{})
	pass, err := compact.NewSummaryPass(log, compact.PresetRules(compact.PresetPlimsoll), s, spans, conversation.Made{})
	if err != nil {
		t.Fatal(err)
	}
	gone := conversation.TakenBack(log)
	covered := map[uint64]bool{}
	for i, e := range log {
		for _, span := range pass.Spans {
			if span.Holds(e.Seq) {
				covered[e.Seq] = true
				if gone[i] != 0 {
					t.Errorf("e%d was taken back, and is covered", e.Seq)
				}
			}
		}
	}
	if pass.Job == nil || len(covered) == 0 {
		t.Fatalf("nothing is covered: %v", pass.Spans)
	}
	if d := cmp.Diff(compact.InputRaw, pass.Job.Input); d != "" {
		t.Error(d)
	}
}

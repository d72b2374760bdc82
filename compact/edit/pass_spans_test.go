package edit_test

import (
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// In the mode raw-union a rule's summary tells everything again from what was
// said, earlier summaries included; in bands each has its own.
func TestSummaryOfARuleTakesEarlierOnesInWhereItsModeSaysSo(t *testing.T) {
	t.Parallel()
	for mode, whole := range map[preset.SummaryMode]bool{preset.ModeBands: false, preset.ModeRawUnion: true} {
		log := compacttest.FilesRead(6, 40).User("And now?").Events()
		r := preset.RulesOf(preset.Plimsoll)
		r.Summary.Mode = mode
		pass := func(first, last uint64) edit.Proposal {
			s := edit.Inputs{Meter: meter.New(compacttest.Window(100_000)).WithView(projection.Project(log)), Now: conversationtest.Epoch, Cold: true}
			p, err := edit.ProposeSummary(log, r, s, []conversation.Span{{First: first, Last: last}}, conversation.Made{})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Extract(); err != nil {
				t.Fatal(err)
			}
			return p
		}
		unit := uint64(len(log)-1) / 6
		first := pass(1, 3*unit)
		log = append(log, conversation.Following(log, conversationtest.Epoch, first.Bodies(0)...)...)
		second := pass(3*unit+1, 5*unit)
		log = append(log, conversation.Following(log, conversationtest.Epoch, second.Bodies(0)...)...)
		if covers := second.Spans[0].First == 1; covers != whole {
			t.Errorf("%s: covered %v", mode, second.Spans)
		}
		told := 0
		for _, m := range projection.Project(log).Messages {
			if m.State == projection.StateSummarised {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s: %d blocks", mode, told)
		}
	}
}

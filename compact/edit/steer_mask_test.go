package edit_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestMasksByHandHideAndCanBeTakenBack(t *testing.T) {
	t.Parallel()
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, steerable(t))
		log, events := w.Events(), someEvents(t, w)
		rules := preset.RulesOf(rapid.SampledFrom(preset.All()).Draw(t, "preset"))
		rules.Mask.Preview = rapid.SampledFrom([]int{250, 0, 60}).Draw(t, "preview")
		before := projection.Project(log)
		body, err := edit.MaskByHand(rules, log, before, events)
		if err != nil {
			if !errors.Is(err, edit.ErrNothingToMask) || body != nil {
				t.Fatalf("%+v, %v", body, err)
			}
			return
		}
		made++
		masked := byHand(log, body)
		after := projection.Project(masked)
		if compacttest.Chars(after) >= compacttest.Chars(before) {
			t.Fatalf("the view was %d characters long, and is %d", compacttest.Chars(before), compacttest.Chars(after))
		}
		mask := body.(conversation.Mask)
		if mask.Style != conversation.StylePlimsoll || mask.Version != projection.StubVersion || mask.Preview != rules.Mask.Preview {
			t.Fatalf("%+v", mask)
		}
		for _, item := range mask.Items {
			if _, ok := log[item.Event-1].Body.(conversation.ToolResult); !ok || item.Part != conversation.PartResult {
				t.Fatalf("%+v", item)
			}
		}
		for _, m := range after.Messages {
			said := slices.ContainsFunc(mask.Items, func(i conversation.MaskItem) bool { return i.Event == m.Events[0] })
			if said && m.State == projection.StatePinned {
				t.Fatalf("event %d is pinned", m.Events[0])
			}
		}
		epochs := conversation.Epochs(masked)
		if e := epochs[len(epochs)-1]; e.ID != uint64(len(masked)) || !e.InForce {
			t.Fatalf("%+v", e)
		}
		undo, err := edit.Undo(masked, uint64(len(masked)))
		if err != nil {
			t.Fatal(err)
		}
		sameMessages(t, before, projection.Project(byHand(masked, undo)))
	})
	if made == 0 {
		t.Error("nothing was masked in any conversation")
	}
}

func TestMasksByHandNameWhatIsShownInFull(t *testing.T) {
	t.Parallel()
	long := compacttest.Numbered(100, "of a file")
	twice := (&compacttest.Tale{}).User("Read both.").Add(
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "a", Name: "read_file", Arguments: "{}"}, {ID: "b", Name: "run_command", Arguments: "{}"},
			{ID: "c", Name: "run_command", Arguments: "{}"}}},
		conversation.ToolResult{CallID: "a", Tool: "read_file", Text: long}, conversation.ToolResult{CallID: "b", Tool: "run_command", Text: "short"},
		conversation.ToolResult{CallID: "c", Tool: "run_command", Text: compacttest.Numbered(100, "of another")})
	again := compacttest.FilesRead(2, 100).User("Once more.").Add(
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "a", Name: "read_file", Arguments: "{}"}}},
		conversation.ToolResult{CallID: "a", Tool: "read_file", Text: compacttest.FilesRead(1, 100).Events()[2].Body.(conversation.ToolResult).Text, Repeats: 3})
	capped := compacttest.FilesRead(2, 400).Epoch(conversation.Cap{Items: []conversation.CapItem{{Event: 3, Head: 2000, Tail: 2000}}})
	for name, c := range map[string]struct {
		log    *compacttest.Tale
		events []uint64
		want   []uint64
	}{
		"a result":                       {compacttest.FilesRead(2, 60), []uint64{7, 7}, []uint64{7}},
		"a reply stands for its results": {twice, []uint64{2}, []uint64{3, 5}},
		"a reply and one of them":        {twice, []uint64{3, 2}, []uint64{3, 5}},
		"one of them":                    {twice, []uint64{5}, []uint64{5}},
		"what points to it goes with it": {again, []uint64{3}, []uint64{3, 11}},
		"capped":                         {capped, []uint64{3}, []uint64{3}},
		"not what is pinned":             {compacttest.FilesRead(2, 60).Epoch(conversation.Pin{Events: []uint64{3}}), []uint64{3, 7}, []uint64{7}},
		"not what is masked":             {compacttest.FilesRead(2, 60).Epoch(compacttest.Masks(3)), []uint64{2, 6}, []uint64{7}},
		"what the first turn has":        {compacttest.FilesRead(1, 60), []uint64{1, 2, 3, 4, 99}, []uint64{3}},
	} {
		v := projection.Project(c.log.Events())
		body, err := edit.MaskByHand(compacttest.PlanRules(), c.log.Events(), v, c.events)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []uint64
		for _, item := range body.(conversation.Mask).Items {
			got = append(got, item.Event)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
		after := projection.Project(byHand(c.log.Events(), body))
		for _, seq := range c.want {
			i := slices.IndexFunc(after.Messages, func(m projection.Message) bool { return m.Events[0] == seq })
			if m := after.Messages[i]; m.State != projection.StateMasked || m.Repeats != 0 {
				t.Errorf("%s: event %d is %s", name, seq, m.State)
			}
		}
	}
}

package planner_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// What went wrong with compaction elsewhere, one test for each kind that
// projecting, hardening, epochs and selection can keep from happening.

func TestCatalogueB4OrphansNeverReachARequest(t *testing.T) {
	t.Parallel()
	span := func(first, last uint64) []conversation.Span { return []conversation.Span{{First: first, Last: last}} }
	for name, overlay := range map[string]conversation.Body{
		"a summary that ends between call and result":   conversation.Summary{Spans: span(1, 2), Text: "s"},
		"a summary that begins between call and result": conversation.Summary{Spans: span(3, 4), Text: "s"},
		"a drop of the call":                            conversation.Drop{Spans: span(2, 2)},
		"a drop of the result":                          conversation.Drop{Spans: span(3, 3)},
		"calls left out of a half": conversation.Summary{Style: conversation.StyleJP, Spans: span(2, 2),
			Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}},
		"a pin of the call, the rest summarised": conversation.Pin{Events: []uint64{2}},
	} {
		l := compacttest.FilesRead(2, 5).Epoch(conversation.Summary{Spans: span(1, 4), Text: "s"}).Add(conversation.Revert{Event: 9}).Epoch(overlay)
		if name == "a pin of the call, the rest summarised" {
			l.Epoch(conversation.Summary{Spans: span(1, 4), Text: "s"})
		}
		l.User("And now?")
		messages, err := projection.Harden(projection.Project(l.Events()), projection.Capabilities{})
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range compacttest.Problems(messages, projection.Capabilities{}) {
			t.Errorf("%s: %s", name, problem)
		}
		for _, m := range messages {
			if strings.HasPrefix(m.Text, "interrupted") {
				t.Errorf("%s: a call lost its result", name)
			}
		}
	}
}

func TestCatalogueB5RepliesWithoutTheirCallsAreNotEmpty(t *testing.T) {
	t.Parallel()
	for _, style := range []conversation.Style{conversation.StyleJP, conversation.StylePlimsoll} {
		l := compacttest.FilesRead(3, 40)
		l.Epoch(conversation.Summary{Style: style, Spans: l.All(), Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}})
		for _, m := range projection.Project(l.User("x").Events()).Messages {
			if m.Text == "" || len(m.Calls) > 0 {
				t.Errorf("%s: %+v", style, m)
			}
		}
	}
}

func TestCatalogueB6NoRequestEndsWithAReply(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]*compacttest.Tale{
		"a reply":                        compacttest.FilesRead(1, 5),
		"everything summarised by JP":    compacttest.FilesRead(1, 5).Summary(conversation.StyleJP, 1, 4, 0, 0, "s"),
		"everything summarised by J-CLI": compacttest.FilesRead(1, 5).Summary(conversation.StyleJCLI, 1, 4, 0, 0, "s"),
		"nothing":                        {},
	} {
		if _, err := projection.Harden(projection.Project(l.Events()), projection.Capabilities{}); !errors.Is(err, projection.ErrNothingToSend) {
			t.Errorf("%s: %v", name, err)
		}
		messages, err := projection.Harden(projection.Project(l.User("Go on.").Events()), projection.Capabilities{})
		if err != nil || messages[len(messages)-1].Text != "Go on." {
			t.Errorf("%s, with a message: %v", name, err)
		}
	}
}

func TestCatalogueB7InstructionsAndUsersWordsAreOutOfReach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, conversationtest.Rich(t))
		w.Add(t, conversation.Instructions{System: "sha", SystemSize: conversation.Size{ASCII: 9}})
		for range 3 {
			w.Add(t, w.Reduction(t))
			w.Turn(t)
		}
		said := map[uint64]string{}
		for _, e := range w.Events() {
			if b, ok := e.Body.(conversation.UserMessage); ok {
				said[e.Seq] = b.Text
			}
		}
		for _, m := range projection.Project(w.Events()).Messages {
			if m.Role == projection.RoleSystem {
				t.Fatal("a system message is part of the view")
			}
			if text, ok := said[m.Events[0]]; ok && m.Text != text {
				t.Fatalf("the user said %q, the view says %q", text, m.Text)
			}
			delete(said, m.Events[0])
		}
		if len(said) > 0 {
			t.Fatalf("words of the user that are not shown: %v", said)
		}
	})
}

func TestCatalogueB8AStubIsTheSameForEver(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, compacttest.FilesRead(6, 60).Events())
		w.Add(t, compacttest.Masks(3, 7))
		first := projection.Project(w.Events())
		w.Turn(t)
		// Neither another setting nor another pass touches what is hidden already.
		w.Add(t, conversation.ConfigChanged{Set: map[string]string{"compaction.mask.preview": "0"}}, compacttest.Masks(11), compacttest.Masks(15))
		w.Turn(t)
		later := projection.Project(w.Events())
		const untouched = 10 // messages before the third result
		if d := cmp.Diff(first.Messages[:untouched], later.Messages[:untouched]); d != "" {
			t.Fatalf("(-first +later)\n%s", d)
		}
	})
}

func TestCatalogueB8OnePassBreaksThePrefixOnce(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(6, 60)
	before := projection.Project(l.Events())
	l.Epoch(compacttest.Masks(15, 11), conversation.Cap{Items: []conversation.CapItem{{Event: 19, Head: 60, Tail: 60}}})
	after := projection.Project(l.Events())
	broken := 0
	for i := range before.Messages {
		if before.Messages[i].Text != after.Messages[i].Text {
			broken = i
			break
		}
	}
	if before.Messages[broken].Events[0] != 11 {
		t.Errorf("the prefix ends at event %d", before.Messages[broken].Events[0])
	}
	l.User("And now?")
	if d := cmp.Diff(after.Messages, projection.Project(l.Events()).Messages[:len(after.Messages)]); d != "" {
		t.Errorf("it broke again:\n%s", d)
	}
}

func TestCatalogueB18ReasoningThatIsNotResentIsNotCounted(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).User("x").Add(conversation.AssistantMessage{Text: "y", Reasoning: strings.Repeat("thought ", 1000)})
	for echo, want := range map[bool]bool{true: true, false: false} {
		options := compacttest.Window(100_000)
		options.EchoReasoning = echo
		m := meter.New(options)
		if r := m.WithView(projection.Project(l.Events())).Reading(); (r.Used > 1000) != want {
			t.Errorf("sent back %v: used %d", echo, r.Used)
		}
	}
	l.Epoch(conversation.Summary{Style: conversation.StylePlimsoll, Spans: l.All(), Policies: &conversation.Policies{Reasoning: conversation.ReasoningStrip}})
	options := compacttest.Window(100_000)
	options.EchoReasoning = true
	if r := meter.New(options).WithView(projection.Project(l.Events())).Reading(); r.Used > 1000 {
		t.Errorf("stripped: used %d", r.Used)
	}
}

func TestCatalogueB19ArgumentsCanShrink(t *testing.T) {
	t.Parallel()
	arguments := `{"path":"a.go","content":"` + strings.Repeat(`package a\n`, 20_000) + `"}`
	for name, c := range map[string]struct {
		overlay conversation.Body
		most    int
	}{
		"masked": {conversation.Mask{Style: conversation.StylePlimsoll,
			Items: []conversation.MaskItem{{Event: 2, Part: conversation.PartArguments, Call: "call_1"}}}, 2},
		"capped": {conversation.Cap{Items: []conversation.CapItem{{Event: 2, Call: "call_1", Head: 500, Tail: 500}}}, 1200},
	} {
		l := (&compacttest.Tale{}).User("Write it.").Call("create_file", arguments, conversation.ResultOK, "created").Epoch(c.overlay)
		got := projection.Project(l.Events()).Messages[1].Calls[0].Arguments
		if repaired, ok := conversation.RepairArguments(got); len(got) > c.most || !ok || repaired != got {
			t.Errorf("%s: %d bytes: %.80s", name, len(got), got)
		}
	}
}

// TestCatalogueB20OwnWordsNeverSoundLikeAFailure reads what masks, caps and drops put in the
// place of texts that hold none of these words themselves.
func TestCatalogueB20OwnWordsNeverSoundLikeAFailure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l conversation.Log
		call := conversation.ToolCall{ID: "a", Name: "read_file", Arguments: `{"path":"` + strings.Repeat("x", 3000) + `"}`}
		status := rapid.SampledFrom([]conversation.ResultStatus{conversation.ResultOK, conversation.ResultInterrupted}).Draw(t, "status")
		result := conversation.ToolResult{CallID: "a", Tool: "read_file", Status: status, Text: strings.Repeat("a line of it\n", 500)}
		if err := l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "hi"}, conversation.AssistantMessage{Calls: []conversation.ToolCall{call}}, result,
			conversation.AssistantMessage{Text: strings.Repeat("then ", 300)})); err != nil {
			t.Fatal(err)
		}
		w := conversationtest.NewWriter(t, l.Events())
		w.Add(t, w.Reduction(t), conversation.Drop{Spans: w.Spans(t)})
		for _, m := range projection.Project(w.Events()).Messages {
			text := strings.ToLower(m.Text)
			for _, word := range []string{"missing", "omitted", "failed", "truncated", "unavailable", "lost"} {
				if strings.Contains(text, word) {
					t.Fatalf("%q has the word %q", m.Text, word)
				}
			}
		}
	})
}

func TestCatalogueB20NoPlaceholderStandsInArguments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, conversationtest.Rich(t))
		for range 2 {
			w.Add(t, w.Mask(t, conversation.StylePlimsoll), w.PolicyForm(t, conversation.StyleJP))
		}
		said := map[string]string{}
		for _, e := range w.Events() {
			b, _ := e.Body.(conversation.AssistantMessage) // others have no calls
			for _, c := range b.Calls {
				said[c.ID] = c.Arguments
			}
		}
		for _, m := range projection.Project(w.Events()).Messages {
			for _, c := range m.Calls {
				if c.Arguments != "{}" && c.Arguments != said[c.ID] {
					t.Fatalf("the arguments %s became %s", said[c.ID], c.Arguments)
				}
			}
		}
	})
}

func TestCatalogueB21StubsNameTheEventThatHoldsTheOriginal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, conversationtest.Rich(t))
		for range 3 {
			w.Add(t, w.Mask(t, conversation.StylePlimsoll))
			w.Turn(t)
		}
		log := w.Events()
		for _, m := range projection.Project(log).Messages {
			_, text, stub := strings.Cut(m.Text, "The whole text: recall ")
			if m.State != projection.StateMasked || m.Role != projection.RoleTool || !stub {
				continue
			}
			id, _, _ := strings.Cut(text, "\n")
			at, ok := conversation.ParseRecallID(id)
			if !ok {
				t.Fatalf("no id: %q", id)
			}
			if r, _ := log[m.Events[0]-1].Body.(conversation.ToolResult); r.Tool == conversation.ToolRecall && r.Status == conversation.ResultOK {
				continue // of what it brought back: it says so itself
			}
			if seq, one := at.Event(); !one || seq != m.Events[0] {
				t.Fatalf("the stub of event %d names %s", m.Events[0], id)
			}
		}
	})
}

func TestCatalogueB22ASummaryIsAMessageOfTheUser(t *testing.T) {
	t.Parallel()
	for _, style := range []conversation.Style{conversation.StylePlimsoll, conversation.StyleOneClaw, conversation.StyleJCLI, conversation.StyleJP} {
		v := projection.Project(compacttest.FilesRead(2, 5).Summary(style, 1, 4, 0, 0, "s").Events())
		if m := v.Messages[0]; m.Role != projection.RoleUser || m.State != projection.StateSummarised {
			t.Errorf("%s: %+v", style, m)
		}
	}
}

func TestCatalogueB24EveryPassIsListedAndCanBeTakenBack(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(4, 60)
	raw := projection.Project(l.Events()).Messages
	l.Epoch(compacttest.Masks(3), conversation.Summary{Spans: []conversation.Span{{First: 5, Last: 8}}, Text: "s"})
	l.Epoch(conversation.Drop{Spans: []conversation.Span{{First: 2, Last: 4}}})
	epochs := conversation.Epochs(l.Events())
	if len(epochs) != 2 || len(epochs[0].Overlays) != 2 || epochs[0].ID != 17 || epochs[1].ID != 19 || epochs[1].Made.Before != 900 ||
		epochs[1].Made.After != 100 || epochs[1].Made.Why != "asked for" || !epochs[0].InForce {
		t.Fatalf("%+v", epochs)
	}
	for range 2 {
		revert, err := edit.Undo(l.Events(), 0)
		if err != nil {
			t.Fatal(err)
		}
		l.Epoch(revert)
	}
	if d := cmp.Diff(raw, projection.Project(l.Events()).Messages, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}

func TestCatalogueB25AHugeResultDoesNotFillTheWindow(t *testing.T) {
	t.Parallel()
	text, total := conversation.Cut(strings.Repeat("a line of a huge result\n", 1<<18), conversation.ResultMaxChars)
	l := (&compacttest.Tale{}).User("x").Add(conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "a", Name: "fetch", Arguments: "{}"}}},
		conversation.ToolResult{CallID: "a", Tool: "fetch", Status: conversation.ResultOK, Text: text, Total: total})
	chars := func() int { return projection.Project(l.Events()).Messages[2].Size.Chars() }
	if n := chars(); n > conversation.ResultMaxChars+100 {
		t.Errorf("%d characters on arrival", n)
	}
	l.Epoch(conversation.Cap{Items: []conversation.CapItem{{Event: 3, Head: 2000, Tail: 2000}}})
	if n := chars(); n > 4200 {
		t.Errorf("%d characters once capped", n)
	}
	l.Epoch(compacttest.Masks(3))
	if n := chars(); n > 400 {
		t.Errorf("%d characters once masked", n)
	}
	if m := projection.Project(l.Events()).Messages[2]; m.Before.Chars() != total || !strings.Contains(m.Text, "6,291,456 characters") {
		t.Errorf("%+v", m)
	}
}

func TestCatalogueB26ACutAcrossACompaction(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(4, 60).Epoch(compacttest.Masks(3, 15), conversation.Summary{Spans: []conversation.Span{{First: 5, Last: 12}}, FromTurn: 1, ToTurn: 2, Text: "turns 1 and 2"})
	compacted := projection.Project(l.Events()).Messages
	l.Add(conversation.Rewind{Turn: 2})
	var states []projection.State
	for _, m := range projection.Project(l.Events()).Messages {
		states = append(states, m.State)
	}
	v, k := projection.StateVerbatim, projection.StateMasked
	if d := cmp.Diff([]projection.State{v, v, k, v, v, v, v, v}, states); d != "" {
		t.Errorf("after the rewind the mask stays and the summary that reaches across it goes:\n%s", d)
	}
	l.Add(conversation.Revert{Event: uint64(l.Log.Len())})
	if d := cmp.Diff(compacted, projection.Project(l.Events()).Messages); d != "" {
		t.Errorf("the rewind taken back:\n%s", d)
	}
	// A copy that was cut holds overlays of events that it does not hold.
	short := slices.Clone(l.Events()[:4])
	short = append(short, conversation.Event{Seq: 5, Body: compacttest.Masks(3, 15)},
		conversation.Event{Seq: 6, Body: conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 12}}, Text: "s"}})
	view := projection.Project(short)
	if len(view.Messages) != 4 || view.Messages[2].State != k || len(view.Notes) != 1 {
		t.Errorf("%+v", view)
	}
}

func TestCatalogueB27OverlaysNeverCopyWhatWasSaid(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(100, 1000)
	log, items := l.Events(), []uint64{}
	for _, e := range log {
		if _, ok := e.Body.(conversation.ToolResult); ok {
			items = append(items, e.Seq)
		}
	}
	l.Epoch(compacttest.Masks(items...), conversation.Summary{Spans: l.All(), Text: "s"},
		conversation.Drop{Spans: planner.DropSpans(projection.Project(log), meter.New(compacttest.Window(8000)), 10)})
	size := 0
	for _, e := range l.Events()[len(log):] {
		data, err := conversation.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		size += len(data)
	}
	if size > 64*len(items) {
		t.Errorf("overlays on %d results take %d bytes", len(items), size)
	}
}

func TestCatalogueB28ASmallerWindowIsMadeRoomFor(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(30, 300) // about 1,300 tokens a turn
	v, rules := projection.Project(l.Events()), preset.RulesOf(preset.Plimsoll)
	rules.Mask.Enabled, rules.Mask.FirstTurnTokens = true, 0
	large, small := meter.New(compacttest.Window(200_000)), meter.New(compacttest.Window(16_000))
	atLarge, atSmall := len(planner.MaskItems(v, rules, large)), len(planner.MaskItems(v, rules, small))
	if atLarge == 0 || atSmall <= atLarge {
		t.Errorf("%d results are masked for a large window, %d for a small one", atLarge, atSmall)
	}
	const target = 5000
	spans := planner.DropSpans(v, small, target)
	l.Epoch(conversation.Drop{Spans: spans})
	if used := small.WithView(projection.Project(l.Events())).Reading().Used; used > target+100 {
		t.Errorf("%d tokens after dropping down to %d", used, target)
	}
}

package projection_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// states is how the messages of a log are shown.
func states(log []conversation.Event) []projection.State {
	var out []projection.State
	for _, m := range projection.Project(log).Messages {
		out = append(out, m.State)
	}
	return out
}

const (
	plain      = projection.StateVerbatim
	pinned     = projection.StatePinned
	summarised = projection.StateSummarised
)

func TestAPinHoldsForResultsThatCameLater(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).User("x").Asked("a").Asked("b").Add(conversation.Pin{Events: []uint64{2}})
	v := projection.Project(l.Events())
	l.Answered("a", "of a").Answered("b", "of b")
	if d := cmp.Diff(projection.Project(l.Events()), v.Extend(l.Events()), compacttest.IgnoreUnexported); d != "" {
		t.Fatal(d)
	}
	l.Add(conversation.Mask{Style: conversation.StyleJCLI, Items: []conversation.MaskItem{
		{Event: 5, Part: conversation.PartResult}, {Event: 6, Part: conversation.PartResult}}})
	if d := cmp.Diff([]projection.State{plain, pinned, plain, pinned, projection.StateMasked}, states(l.Events())); d != "" {
		t.Error(d)
	}
	l.Add(conversation.Unpin{Events: []uint64{5}}) // of the result, and so of its unit
	if got := states(l.Events()); got[1] != plain || got[3] != projection.StateMasked {
		t.Errorf("unpinned: %v", got)
	}
}

func TestARewindTakesUnitsWhole(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).User("x").Asked("a").User("meanwhile").Answered("a", "late, but of turn 0").Asked("b").Add(conversation.Rewind{Turn: 1})
	l.Answered("b", "of a call that was taken back")
	view := projection.Project(l.Events())
	var events []uint64
	for _, m := range view.Messages {
		events = append(events, m.Events...)
	}
	if d := cmp.Diff([]uint64{1, 2, 4, 7}, events); d != "" {
		t.Error(d)
	}
	messages, err := projection.Harden(view, projection.Capabilities{})
	if err != nil || len(messages) != 3 || messages[2].Text != "late, but of turn 0" {
		t.Errorf("%v: %+v", err, messages)
	}
}

func TestAnOpenUnitIsNeverCovered(t *testing.T) {
	t.Parallel()
	for name, overlay := range map[string]conversation.Body{
		"summary": conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 2}}, Text: "s"},
		"drop":    conversation.Drop{Spans: []conversation.Span{{First: 2, Last: 2}}},
		"omit": conversation.Summary{Style: conversation.StyleJP, Spans: []conversation.Span{{First: 2, Last: 2}},
			Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}},
	} {
		l := (&compacttest.Tale{}).User("x").Asked("a").Add(overlay)
		before := projection.Project(l.Events())
		if before.Messages[1].State != plain {
			t.Errorf("%s: %+v", name, before.Messages)
		}
		after := projection.Project(l.Answered("a", "it").Events()) // closing it does not bring it under the overlay
		if d := cmp.Diff(before.Messages, after.Messages[:2], cmpopts.EquateEmpty()); d != "" || after.Messages[2].State != plain {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestASecondAnswerToACoveredCallStandsAlone(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).User("x").Asked("a").Answered("a", "it").Summary(conversation.StylePlimsoll, 1, 3, 0, 0, "s")
	v := projection.Project(l.Events())
	l.Answered("a", "again").User("y")
	if d := cmp.Diff(projection.Project(l.Events()), v.Extend(l.Events()), compacttest.IgnoreUnexported); d != "" {
		t.Fatal(d)
	}
	if d := cmp.Diff([]projection.State{summarised, plain, plain}, states(l.Events())); d != "" {
		t.Error(d)
	}
	messages, err := projection.Harden(projection.Project(l.Events()), projection.Capabilities{})
	if err != nil || len(messages) != 2 {
		t.Errorf("%v: %+v", err, messages)
	}
}

func TestTheNewestCapCountsUnlessItShowsMore(t *testing.T) {
	t.Parallel()
	cut := func(head, tail int) conversation.Cap {
		return conversation.Cap{Items: []conversation.CapItem{{Event: 2, Head: head, Tail: tail}, {Event: 1, Call: "call_1", Head: head, Tail: tail}}}
	}
	arguments := `{"content":"` + strings.Repeat("x", 3000) + `"}`
	for name, c := range map[string]struct {
		caps   []conversation.Body
		result int // code points shown
		by     uint64
	}{
		"one":                     {[]conversation.Body{cut(100, 100)}, 300, 3},
		"a shorter one":           {[]conversation.Body{cut(300, 100), cut(100, 100)}, 300, 4},
		"a longer one":            {[]conversation.Body{cut(100, 100), cut(300, 100)}, 300, 3},
		"the same again":          {[]conversation.Body{cut(100, 100), cut(100, 100)}, 300, 4},
		"one that shows it all":   {[]conversation.Body{cut(2000, 2000)}, 3000, 0},
		"one that makes no sense": {[]conversation.Body{cut(-1, 5)}, 3000, 0},
	} {
		l := (&compacttest.Tale{}).Call("create_file", arguments, conversation.ResultOK, strings.Repeat("y", 3000)).Add(c.caps...)
		m := projection.Project(l.Events()).Messages
		if n := m[1].Size.Chars(); n > c.result+20 || n < c.result-100 || m[1].Overlay != c.by || m[0].Overlay != c.by {
			t.Errorf("%s: %d characters of the result by %d, of the arguments by %d", name, n, m[1].Overlay, m[0].Overlay)
		}
	}
}

func TestAnOverlayNeverSpeaksOfWhatIsSaidLater(t *testing.T) {
	t.Parallel()
	early := []conversation.Span{{First: 1, Last: 99}}
	policies := &conversation.Policies{ToolCalls: conversation.ToolCallsStrip, Reasoning: conversation.ReasoningStrip, Request: true, Response: true}
	for name, overlay := range map[string]conversation.Body{
		"mask":                    compacttest.Masks(3, 99),
		"letter":                  conversation.Mask{Style: conversation.StyleJCLI, Items: compacttest.Masks(99, 4).Items},
		"cap":                     conversation.Cap{Items: []conversation.CapItem{{Event: 99}, {Event: 4}}},
		"pin":                     conversation.Pin{Events: []uint64{3, 4, 99}},
		"summary":                 conversation.Summary{Spans: early, Text: "s"},
		"one that ends at itself": conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 2}}, Text: "s"},
		"policies":                conversation.Summary{Style: conversation.StyleJP, Spans: []conversation.Span{{First: 2, Last: 99}}, Policies: policies},
		"drop":                    conversation.Drop{Spans: []conversation.Span{{First: 2, Last: 99}}},
		"rewind":                  conversation.Rewind{Turn: 1},
	} {
		l := (&compacttest.Tale{}).User("x").Add(overlay) // e2
		before := projection.Project(l.Events())
		l.Asked("a").Answered("a", compacttest.Numbered(90, "of it")).User("y").Asked("b").Answered("b", "z") // e3 to e7
		for l.Log.Len() < 99 {
			l.Reply("and so on")
		}
		whole := projection.Project(l.Events())
		if d := cmp.Diff(whole, before.Extend(l.Events()), compacttest.IgnoreUnexported); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		for _, m := range whole.Messages {
			if m.Events[len(m.Events)-1] > 2 && (m.State != plain || len(m.Events) > 1) {
				t.Errorf("%s: %+v", name, m)
			}
		}
	}
}

func TestPoliciesLeaveShortResultsAlone(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).User("x").Call("t", "{}", conversation.ResultOK, compacttest.Numbered(40, "of it")).Call("t", "{}", conversation.ResultOK, compacttest.Numbered(90, "of it"))
	l.Add(conversation.Summary{Style: conversation.StylePlimsoll, Spans: l.All(),
		Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsStrip, Response: true, MinChars: 500}})
	if d := cmp.Diff([]projection.State{plain, plain, plain, plain, projection.StateMasked}, states(l.Events())); d != "" {
		t.Error(d)
	}
}

func TestAReplyWithMaskedAndCappedArgumentsIsMasked(t *testing.T) {
	t.Parallel()
	arguments := `{"content":"` + strings.Repeat("x", 3000) + `"}`
	l := (&compacttest.Tale{}).User("x").Add(conversation.AssistantMessage{Calls: []conversation.ToolCall{
		{ID: "a", Name: "create_file", Arguments: arguments}, {ID: "b", Name: "create_file", Arguments: arguments}, {ID: "c", Name: "t", Arguments: "{}"}}})
	l.Add(conversation.Mask{Style: conversation.StylePlimsoll, Items: []conversation.MaskItem{{Event: 2, Part: conversation.PartArguments, Call: "a"}}},
		conversation.Cap{Items: []conversation.CapItem{{Event: 2, Call: "a", Head: 9}, {Event: 2, Call: "b", Head: 9}, {Event: 2, Call: "c"}}})
	m := projection.Project(l.Events()).Messages[1]
	if m.State != projection.StateMasked || m.Overlay != 4 || m.Calls[0].Arguments != "{}" || m.Calls[1].Arguments != `{"content":"xxxxxxxxx\n…\n"}` {
		t.Errorf("%+v", m)
	}
	if said := l.Events()[1].Body.(conversation.AssistantMessage); said.Calls[0].Arguments != arguments {
		t.Error("the log was changed")
	}
}

func TestWordsOfJPStayWithoutCallsAndReasoning(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).User("x").Add(conversation.AssistantMessage{Text: "I look.", Reasoning: "why", Calls: []conversation.ToolCall{{ID: "a", Name: "t", Arguments: "{}"}}}).
		Answered("a", "it")
	l.Add(conversation.Summary{Style: conversation.StyleJP, Spans: l.All(),
		Policies: &conversation.Policies{Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsOmit}})
	v := projection.Project(l.Events())
	if m := v.Messages[1]; m.Text != "I look." || m.Reasoning != "" || len(m.Calls) > 0 || m.ReasoningSize.Chars() > 0 {
		t.Errorf("%+v", m)
	}
}

func TestASummaryThatNamesNothingShowsNothing(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(1, 3)
	want := projection.Project(l.Events()).Messages
	l.Add(conversation.Summary{Text: "of nothing"}, conversation.Summary{Text: "in the middle of a unit", Spans: []conversation.Span{{First: 2, Last: 2}}},
		conversation.Drop{}, conversation.Pin{}, conversation.Mask{}, conversation.Cap{})
	if d := cmp.Diff(want, projection.Project(l.Events()).Messages); d != "" {
		t.Error(d)
	}
}

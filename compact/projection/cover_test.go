package projection_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

const (
	plain  = projection.StateVerbatim
	pinned = projection.StatePinned
)

func TestNewestCapAppliesUnlessItShowsMore(t *testing.T) {
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
		l := (&compacttest.LogBuilder{}).Call("create_file", arguments, conversation.ResultOK, strings.Repeat("y", 3000)).Add(c.caps...)
		m := projection.Project(l.Events()).Messages
		if n := m[1].Size.Chars(); n > c.result+20 || n < c.result-100 || m[1].Overlay != c.by || m[0].Overlay != c.by {
			t.Errorf("%s: %d characters of the result by %d, of the arguments by %d", name, n, m[1].Overlay, m[0].Overlay)
		}
	}
}

func TestOverlaysDoNotAffectLaterEvents(t *testing.T) {
	t.Parallel()
	early := []conversation.Span{{First: 1, Last: 99}}
	policies := &conversation.Policies{ToolCalls: conversation.ToolCallsStrip, Reasoning: conversation.ReasoningStrip, Request: true, Response: true}
	for name, overlay := range map[string]conversation.Body{
		"mask":                    compacttest.MaskResults(3, 99),
		"letter":                  conversation.Mask{Style: conversation.StyleJCLI, Items: compacttest.MaskResults(99, 4).Items},
		"cap":                     conversation.Cap{Items: []conversation.CapItem{{Event: 99}, {Event: 4}}},
		"pin":                     conversation.Pin{Events: []uint64{3, 4, 99}},
		"summary":                 conversation.Summary{Spans: early, Text: "s"},
		"one that ends at itself": conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 2}}, Text: "s"},
		"policies":                conversation.Summary{Style: conversation.StyleJP, Spans: []conversation.Span{{First: 2, Last: 99}}, Policies: policies},
		"drop":                    conversation.Drop{Spans: []conversation.Span{{First: 2, Last: 99}}},
		"rewind":                  conversation.Rewind{Turn: 1},
	} {
		l := (&compacttest.LogBuilder{}).User("x").Add(overlay) // e2
		before := projection.Project(l.Events())
		l.OpenCall("a").Result("a", compacttest.NumberedLines(90, "of it")).User("y").OpenCall("b").Result("b", "z") // e3 to e7
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

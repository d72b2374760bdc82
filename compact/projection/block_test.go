package projection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// outline lists the texts and appendices in a view, in order, with a
// bar where a message ends.
func outline(l *compacttest.LogBuilder) string {
	var out []string
	for _, m := range projection.Project(l.Events()).Messages {
		if m.State != projection.StateSummarised {
			out = append(out, "|")
			continue
		}
		for _, line := range strings.Split(m.Text, "\n") {
			if name, ok := strings.CutPrefix(line, "### Appendix "); ok {
				out = append(out, "("+name+")")
			}
			if name, ok := strings.CutPrefix(line, "text "); ok {
				out = append(out, name)
			}
		}
		out = append(out, "|")
	}
	return strings.Join(out, " ")
}

func TestBlockShowsItsAppendixOnce(t *testing.T) {
	t.Parallel()
	const own = conversation.StylePlimsoll
	said := func() *compacttest.LogBuilder { return (&compacttest.LogBuilder{}).ChatTurns(5) } // 10 events
	undone := said().SummaryEpoch(2, own, "a", compacttest.Span(2, 3)).SummaryEpoch(2, own, "b", compacttest.Span(4, 5))
	compacttest.Undo(t, undone)
	for name, c := range map[string]struct {
		log  *compacttest.LogBuilder
		want string
	}{
		"one band":                                {said().SummaryEpoch(2, own, "a", compacttest.Span(2, 5)), "| a (a) | | | | | |"},
		"two":                                     {said().SummaryEpoch(2, own, "a", compacttest.Span(2, 3)).SummaryEpoch(2, own, "b", compacttest.Span(4, 5)), "| a b (b) | | | | | |"},
		"the newer one stands before":             {said().SummaryEpoch(2, own, "b", compacttest.Span(4, 5)).SummaryEpoch(2, own, "a", compacttest.Span(2, 3)), "| a b (a) | | | | | |"},
		"the newest one taken back":               {undone, "| a (a) | | | | | | | |"},
		"version 1 keeps its own":                 {said().SummaryEpoch(1, own, "a", compacttest.Span(2, 3)).SummaryEpoch(1, own, "b", compacttest.Span(4, 5)), "| a (a) b (b) | | | | | |"},
		"version 2 behind version 1":              {said().SummaryEpoch(1, own, "a", compacttest.Span(2, 3)).SummaryEpoch(2, own, "b", compacttest.Span(4, 5)), "| a (a) b (b) | | | | | |"},
		"version 1 behind version 2":              {said().SummaryEpoch(2, own, "a", compacttest.Span(2, 3)).SummaryEpoch(1, own, "b", compacttest.Span(4, 5)), "| a b (b) (a) | | | | | |"},
		"blocks apart: the newest has it":         {said().SummaryEpoch(2, own, "a", compacttest.Span(2, 2)).SummaryEpoch(2, own, "b", compacttest.Span(4, 5)), "| a | | b (b) | | | | | |"},
		"a band that stands on both sides":        {said().SummaryEpoch(2, own, "a", compacttest.Span(2, 2), compacttest.Span(4, 5)), "| a (a) | | | | | | | |"},
		"a newer one within, which parts nothing": {said().SummaryEpoch(2, own, "a", compacttest.Span(2, 7)).SummaryEpoch(2, own, "b", compacttest.Span(4, 5)), "| a b (b) | | | |"},
		"consolidated":                            {said().SummaryEpoch(2, own, "a", compacttest.Span(2, 3)).SummaryEpoch(2, own, "b", compacttest.Span(2, 5)), "| b (b) | | | | | |"},
		"notes: the first block has the newest":   {said().SummaryEpoch(3, own, "a", compacttest.Span(2, 2)).SummaryEpoch(3, own, "b", compacttest.Span(4, 5)), "| a (b) | | b | | | | | |"},
		"a note behind version 1":                 {said().SummaryEpoch(1, own, "a", compacttest.Span(2, 3)).SummaryEpoch(3, own, "b", compacttest.Span(4, 5)), "| a (a) b (b) | | | | | |"},
		"a note behind version 1, apart":          {said().SummaryEpoch(1, own, "a", compacttest.Span(2, 2)).SummaryEpoch(3, own, "b", compacttest.Span(4, 5)), "| a (a) (b) | | b | | | | | |"},
		"a note behind version 2, apart":          {said().SummaryEpoch(2, own, "a", compacttest.Span(2, 2)).SummaryEpoch(3, own, "b", compacttest.Span(4, 5)), "| a (b) | | b | | | | | |"},
		"a note behind a summary of ONE":          {said().SummaryEpoch(2, conversation.StyleOneClaw, "a", compacttest.Span(1, 1)).SummaryEpoch(3, own, "b", compacttest.Span(4, 5)), "a (a) | | | b (b) | | | | | |"},
		"ONE":                                     {said().SummaryEpoch(2, conversation.StyleOneClaw, "a", compacttest.Span(1, 5)), "a (a) | | | | | |"},
	} {
		if d := cmp.Diff(c.want, outline(c.log)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestONEAndJCLShowTheirSummaryOnce(t *testing.T) {
	t.Parallel()
	for style, messages := range map[conversation.Style]int{conversation.StyleOneClaw: 1, conversation.StyleJCLI: 2} {
		// The newest message of the user, e5, parts what is covered.
		l := (&compacttest.LogBuilder{}).ChatTurns(2).UserTokens(10).ReadTokens(100).ReadTokens(100).ReadTokens(100).SummaryEpoch(2, style, "a", compacttest.Span(1, 4), compacttest.Span(6, 9))
		v := projection.Project(l.Events())
		told := 0
		for _, m := range v.Messages {
			told += strings.Count(m.Text, "text a")
		}
		if told != 1 || len(v.Messages) != messages+1+2 {
			t.Errorf("%s: the summary is shown %d times in %d messages", style, told, len(v.Messages))
		}
		var absent []string
		for _, a := range v.Absent {
			absent = append(absent, fmt.Sprintf("e%d %s %d", a.Event, a.State, a.Overlay))
			if a.Why == "" {
				t.Errorf("%s: e%d without a reason", style, a.Event)
			}
		}
		if d := cmp.Diff([]string{"e6 summarised 12", "e7 summarised 12", "e8 summarised 12", "e9 summarised 12"}, absent); d != "" {
			t.Errorf("%s:\n%s", style, d)
		}
		// What is pinned in it stands all the same, and a request can be made.
		l.Add(conversation.Pin{Events: []uint64{8}})
		v = projection.Project(l.Events())
		if len(v.Absent) != 2 || v.Messages[messages+1].State != projection.StatePinned {
			t.Errorf("%s: absent %+v, want 2 and the pin in the view", style, v.Absent)
		}
		hard, err := projection.Harden(v, projection.Capabilities{})
		conversationtest.Must(t, err)
		for _, problem := range compacttest.RequestProblems(hard, projection.Capabilities{}) {
			t.Errorf("%s: %s", style, problem)
		}
	}
	// Plimsoll's own says that it is told above.
	l := (&compacttest.LogBuilder{}).ChatTurns(2).UserTokens(10).ReadTokens(100).ReadTokens(100).ReadTokens(100).SummaryEpoch(2, conversation.StylePlimsoll, "a", compacttest.Span(1, 4), compacttest.Span(6, 9))
	v := projection.Project(l.Events())
	if len(v.Absent) != 0 || v.Messages[2].State != projection.StateSummarised || strings.Contains(v.Messages[2].Text, "text a") {
		t.Errorf("the view is %+v, want the note without the summary's text", v)
	}
}

package compact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// band is a summary with an appendix, of the version of the words around it.
func (l *tale) band(version int, style conversation.Style, name string, spans ...conversation.Span) *tale {
	return l.pass(conversation.Summary{Style: style, Version: version, Spans: spans, Text: "text " + name, Appendix: "### Appendix " + name,
		Transcript: "t.jsonl"})
}

// outline is the texts and appendices that a view tells of, in order, with a
// stroke where a message ends.
func outline(l *tale) string {
	var out []string
	for _, m := range projection.Project(l.events()).Messages {
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

func TestTheAppendixOfABlockStandsOnce(t *testing.T) {
	t.Parallel()
	const own = conversation.StylePlimsoll
	said := func() *tale { return (&tale{}).talks(5) } // 10 events
	undone := said().band(2, own, "a", span(2, 3)).band(2, own, "b", span(4, 5))
	undone.undo(t)
	for name, c := range map[string]struct {
		log  *tale
		want string
	}{
		"one band":                                {said().band(2, own, "a", span(2, 5)), "| a (a) | | | | | |"},
		"two":                                     {said().band(2, own, "a", span(2, 3)).band(2, own, "b", span(4, 5)), "| a b (b) | | | | | |"},
		"the newer one stands before":             {said().band(2, own, "b", span(4, 5)).band(2, own, "a", span(2, 3)), "| a b (a) | | | | | |"},
		"the newest one taken back":               {undone, "| a (a) | | | | | | | |"},
		"version 1 keeps its own":                 {said().band(1, own, "a", span(2, 3)).band(1, own, "b", span(4, 5)), "| a (a) b (b) | | | | | |"},
		"version 2 behind version 1":              {said().band(1, own, "a", span(2, 3)).band(2, own, "b", span(4, 5)), "| a (a) b (b) | | | | | |"},
		"version 1 behind version 2":              {said().band(2, own, "a", span(2, 3)).band(1, own, "b", span(4, 5)), "| a b (b) (a) | | | | | |"},
		"blocks apart: the newest has it":         {said().band(2, own, "a", span(2, 2)).band(2, own, "b", span(4, 5)), "| a | | b (b) | | | | | |"},
		"a band that stands on both sides":        {said().band(2, own, "a", span(2, 2), span(4, 5)), "| a (a) | | | | | | | |"},
		"a newer one within, which parts nothing": {said().band(2, own, "a", span(2, 7)).band(2, own, "b", span(4, 5)), "| a b (b) | | | |"},
		"consolidated":                            {said().band(2, own, "a", span(2, 3)).band(2, own, "b", span(2, 5)), "| b (b) | | | | | |"},
		"notes: the first block has the newest":   {said().band(3, own, "a", span(2, 2)).band(3, own, "b", span(4, 5)), "| a (b) | | b | | | | | |"},
		"a note behind version 1":                 {said().band(1, own, "a", span(2, 3)).band(3, own, "b", span(4, 5)), "| a (a) b (b) | | | | | |"},
		"a note behind version 1, apart":          {said().band(1, own, "a", span(2, 2)).band(3, own, "b", span(4, 5)), "| a (a) (b) | | b | | | | | |"},
		"a note behind version 2, apart":          {said().band(2, own, "a", span(2, 2)).band(3, own, "b", span(4, 5)), "| a (b) | | b | | | | | |"},
		"a note behind a summary of ONE":          {said().band(2, conversation.StyleOneClaw, "a", span(1, 1)).band(3, own, "b", span(4, 5)), "a (a) | | | b (b) | | | | | |"},
		"ONE":                                     {said().band(2, conversation.StyleOneClaw, "a", span(1, 5)), "a (a) | | | | | |"},
	} {
		if d := cmp.Diff(c.want, outline(c.log)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// A text joins a step without a note of its own. When nothing is left of the note beside
// it, the one before is the newest.
func TestANoteStandsInForANewerOneThatIsGone(t *testing.T) {
	t.Parallel()
	step := func() *tale {
		text := conversation.Summary{Style: conversation.StylePlimsoll, Version: 3, Spans: []conversation.Span{span(3, 4)}, Text: "text b"}
		note := conversation.Summary{Style: conversation.StylePlimsoll, Version: 3, Spans: []conversation.Span{span(5, 6)}, Appendix: "### Appendix c"}
		first := conversation.Summary{Style: conversation.StylePlimsoll, Version: 3, Spans: []conversation.Span{span(1, 2)}, Appendix: "### Appendix a"}
		return (&tale{}).talks(5).pass(first).pass(text, note)
	}
	for name, c := range map[string]struct {
		log  *tale
		want string
	}{
		"both stand":     {step(), "b (c) | | | | |"},
		"taken back":     {step().pass(conversation.Rewind{Turn: 2}), "b (a) |"},
		"all of it pins": {step().pass(conversation.Pin{Events: []uint64{5, 6}}), "b (a) | | | | | | |"},
	} {
		if d := cmp.Diff(c.want, outline(c.log)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// A note behind what ONE told above is not silent with it.
func TestANoteBehindASummaryOfONEIsShown(t *testing.T) {
	t.Parallel()
	l := (&tale{}).talks(5).band(2, conversation.StyleOneClaw, "a", span(1, 2), span(4, 5))
	l.pass(conversation.Summary{Style: conversation.StylePlimsoll, Version: 3, Spans: []conversation.Span{span(6, 7)}, Appendix: "### Appendix b"})
	if d := cmp.Diff("a (a) | | (b) | | | |", outline(l)); d != "" {
		t.Error(d)
	}
}

func TestONEAndJCLTellTheirSummaryOnce(t *testing.T) {
	t.Parallel()
	for style, messages := range map[conversation.Style]int{conversation.StyleOneClaw: 1, conversation.StyleJCLI: 2} {
		// The newest message of the user, e5, parts what is covered.
		l := (&tale{}).talks(2).says(10).reads(100).reads(100).reads(100).band(2, style, "a", span(1, 4), span(6, 9))
		v := projection.Project(l.events())
		told := 0
		for _, m := range v.Messages {
			told += strings.Count(m.Text, "text a")
		}
		if told != 1 || len(v.Messages) != messages+1+2 {
			t.Errorf("%s: told %d times in %d messages", style, told, len(v.Messages))
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
		l.add(conversation.Pin{Events: []uint64{8}})
		v = projection.Project(l.events())
		if len(v.Absent) != 2 || v.Messages[messages+1].State != projection.StatePinned {
			t.Errorf("%s: %+v", style, v.Absent)
		}
		hard, err := projection.Harden(v, projection.Capabilities{})
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range problems(hard, projection.Capabilities{}) {
			t.Errorf("%s: %s", style, problem)
		}
	}
	// Plimsoll's own says that it is told above.
	l := (&tale{}).talks(2).says(10).reads(100).reads(100).reads(100).band(2, conversation.StylePlimsoll, "a", span(1, 4), span(6, 9))
	v := projection.Project(l.events())
	if len(v.Absent) != 0 || v.Messages[2].State != projection.StateSummarised || strings.Contains(v.Messages[2].Text, "text a") {
		t.Errorf("%+v", v)
	}
}

package summary_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// results are tool results of events from 3 on, every fourth.
func results(texts ...string) []conversation.Event {
	var out []conversation.Event
	for i, text := range texts {
		out = append(out, conversation.Event{Seq: uint64(3 + 4*i), Turn: i, Body: conversation.ToolResult{Tool: "read_file", Text: text, Size: conversation.Measure(text)}})
	}
	return out
}

func TestNamesStandByTheNewestEventThatHeldThem(t *testing.T) {
	t.Parallel()
	said := results("open plan.go and band.go", "plan.go again, with recover.go", "nothing of note")
	said = append(said, conversation.Event{Seq: 99, Body: conversation.UserMessage{Text: "not_of_a_result"}})
	want := "### Names in tool results, by event\ne3: band.go\ne7: plan.go recover.go"
	if d := cmp.Diff(want, summary.NamesIn(said, 1000)); d != "" {
		t.Error(d)
	}
}

func TestNamesWithinLongerNamesTakeNoRoom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		texts []string
		room  float64
		want  string
	}{
		"listed before":  {[]string{"plan.go band.go", "plan.go compact/plan.go"}, 1000, "e3: band.go\ne7: compact/plan.go"},
		"listed behind":  {[]string{"compact/plan.go compact/plan.go", "band.go", "plan.go compact/plan.go"}, 1000, "e7: band.go\ne11: compact/plan.go"},
		"part of a word": {[]string{"plan.go compact/replan.go"}, 1000, "e3: plan.go compact/replan.go"},
		"alone":          {[]string{"plan.go", "compact/plan.go"}, 1000, "e7: compact/plan.go"},
	} {
		if d := cmp.Diff("### Names in tool results, by event\n"+c.want, summary.NamesIn(results(c.texts...), c.room)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	// What the shorter names leave is room for others.
	short, long := "", ""
	for i := range 10 {
		short += fmt.Sprintf("name_%d.go ", i)
		long += fmt.Sprintf("compact/name_%d.go ", i)
	}
	if got := summary.NamesIn(results(short+long), 74); strings.Count(got, "name_") != strings.Count(got, "compact/name_") || !strings.Contains(got, "compact/name_") {
		t.Errorf("%q", got)
	}
}

func TestNamesThatMatterMostHaveTheRoom(t *testing.T) {
	t.Parallel()
	// What many results hold comes first, then what is new, then what is short.
	var texts []string
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("often_held only_in_%02d ", i)+strings.Repeat("filler ", 1200))
	}
	got := summary.NamesIn(results(texts...), 60)
	if !strings.Contains(got, " often_held") || !strings.Contains(got, "only_in_59") || strings.Contains(got, "only_in_00") {
		t.Errorf("%q", got)
	}
	short := summary.NamesIn(results("a_very_long_name_of_sixty_characters_that_takes_what_room_is a_name b_name c_name"), 60)
	if short != "### Names in tool results, by event\ne3: a_very_long_name_of_sixty_characters_that_takes_what_room_is a_name b_name c_name" {
		t.Errorf("%q", short)
	}
	// Three names of 20 tokens and one of 2 in a room for two of them and the lines.
	long := strings.Repeat("x", 78) + "_"
	if got := summary.NamesIn(results(long+"a "+long+"b "+long+"c tiny_one"), 62); got != "### Names in tool results, by event\ne3: "+long+"a "+long+"b tiny_one" {
		t.Errorf("%q", got)
	}
}

func TestWhereTheIndexOfNamesBegins(t *testing.T) {
	t.Parallel()
	index := summary.NamesIn(results("compact/plan.go"), 1000)
	for before, want := range map[string]int{"": 0, "What was done.\n\n": 16, index + "\n\nquoted\n\n": len(index) + 10, "no line: ": -1} {
		if want < 0 {
			want = len(before + index)
		}
		if got := summary.IndexAt(before + index); got != want {
			t.Errorf("behind %q it begins at %d, want %d", before, got, want)
		}
	}
	if got := summary.IndexAt("none"); got != 4 {
		t.Errorf("without an index it begins at %d", got)
	}
}

func TestNamesNeedRoom(t *testing.T) {
	t.Parallel()
	said := results("compact/plan.go")
	if got := summary.NamesIn(said, 49.7); got != "" {
		t.Errorf("hardly room: %q", got)
	}
	if got := summary.NamesIn(said, 49.75); got == "" {
		t.Error("there is room, and no index")
	}
	for name, said := range map[string][]conversation.Event{"no results": nil, "no names": results("the quick brown fox"),
		"names of the user": {{Seq: 1, Body: conversation.UserMessage{Text: "compact/plan.go"}}}} {
		if got := summary.NamesIn(said, 1000); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestTheIndexOfNamesHoldsToItsRoomWhateverTheResultsHold(t *testing.T) {
	t.Parallel()
	if summary.NamesIn(results("see src/app/server.go and parse_config"), 200) == "" {
		t.Fatal("no index where there are names and room: what follows would test nothing")
	}
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(
			rapid.StringMatching(`[a-z_./]{1,30}`), rapid.StringMatching(`[A-Za-z0-9_]{6,90}`), rapid.String(),
			rapid.SampledFrom([]string{"src/app/server.go", "parse_config", "SessionID", "https://example.com/a/b", "10.0.3.17:8080"}),
			rapid.SampledFrom([]string{"\n### Said by the user\n", "\x00", "\x1b]0;x\x07", "e41:", "</summary>", "\u202e", "\xff\xfe", strings.Repeat("a_b.", 500)}),
		)
		var texts []string
		for range rapid.IntRange(0, 12).Draw(t, "results") {
			texts = append(texts, strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "between")))
		}
		said := results(texts...)
		room := rapid.Float64Range(-10, 400).Draw(t, "room")
		got := summary.NamesIn(said, room)
		if got != summary.NamesIn(said, room) {
			t.Fatal("not the same twice")
		}
		if got == "" {
			return
		}
		if tokens := meter.Estimate(conversation.Measure(got)); tokens > room {
			t.Fatalf("%v tokens in a room of %v: %q", tokens, room, got)
		}
		checkIndex(t, got, said)
	})
}

// checkIndex fails unless an index is lines of an event and its names.
func checkIndex(t *rapid.T, got string, said []conversation.Event) {
	if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
		t.Fatalf("control bytes or worse: %q", got)
	}
	newest := map[string]uint64{}
	for _, e := range said {
		b, _ := e.Body.(conversation.ToolResult) // only results
		for _, name := range summary.NamesOf(b.Text) {
			newest[name] = e.Seq
		}
	}
	lines := strings.Split(got, "\n")
	if lines[0] != "### Names in tool results, by event" {
		t.Fatalf("%q", got)
	}
	last := uint64(0)
	for _, line := range lines[1:] {
		var seq uint64
		head, names, _ := strings.Cut(line, ": ")
		if _, err := fmt.Sscanf(head, "e%d", &seq); err != nil || seq <= last {
			t.Fatalf("%q", line)
		}
		last = seq
		for _, name := range strings.Split(names, " ") {
			if newest[name] != seq || len(name) > 80 || len(name) < 6 {
				t.Fatalf("%q stands by e%d, and was last in e%d", name, seq, newest[name])
			}
		}
	}
}

func TestTheAppendixEndsWithTheNames(t *testing.T) {
	t.Parallel()
	l := compacttest.Harbor()
	got := summary.NoteWithin(l.Events(), compacttest.FirstTurns(l), 8000)
	sections := strings.Split(got, "\n\n")
	i := slices.IndexFunc(sections, func(s string) bool { return strings.HasPrefix(s, "### Names in tool results") })
	if i != len(sections)-1 {
		t.Fatalf("%q", got)
	}
	if !strings.Contains(sections[i], "upload/server.go") {
		t.Errorf("%q", sections[i])
	}
	var long []string
	for i := range 3000 {
		long = append(long, fmt.Sprintf("pkg%d/file_%d.go", i, i))
	}
	names := summary.NoteWithin(results(strings.Join(long, "\n")), []conversation.Span{compacttest.Span(3, 3)}, 8000)
	if tokens := meter.Estimate(conversation.Measure(names)); tokens > 4100 || tokens < 3000 {
		t.Errorf("%v tokens of names", tokens)
	}
	if tokens := meter.Estimate(conversation.Measure(summary.NoteWithin(results(strings.Join(long, "\n")), []conversation.Span{compacttest.Span(3, 3)}, 400))); tokens > 220 {
		t.Errorf("%v tokens of names, for a budget of 400", tokens)
	}
}

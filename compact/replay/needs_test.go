package replay_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
)

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"see src/main.go:12, and then ./lib/b/ or ~/notes/x.md.": {"src/main.go", "./lib/b", "~/notes/x.md"},
		"call fmt.Println(user_name) on HttpServer and readFile": {"fmt.Println", "user_name", "HttpServer", "readFile"},
		"SessionID and getUserID, XMLHttpRequest, __fooBar":      {"SessionID", "getUserID", "XMLHttpRequest", "__fooBar"},
		"commit 1a2b3c4d5e, not deadbeef or facade":              {"1a2b3c4d5e"},
		"issue #12345 but not #123":                              {"#12345"},
		"a.b is too short, Hello is one hump, README is none":    nil,
		"MAX_LEN v1.2.3 and x":                                   {"MAX_LEN", "v1.2.3"},
		"見る日本語src/app.ts。終わり":                                    {"src/app.ts"},
		strings.Repeat("a", 119) + ".b":                          nil,
		strings.Repeat("a", 118) + ".b":                          {strings.Repeat("a", 118) + ".b"},
	} {
		if d := cmp.Diff(want, replay.Identifiers(text)); d != "" {
			t.Errorf("%s:\n%s", text, d)
		}
	}
}

func TestInstructionsAreSentencesWithADemand(t *testing.T) {
	t.Parallel()
	text := "Hello there. You must not touch v2! Is that clear? Say \"yes\".\nsee https://example.org now\nUse port 8080, please. Fine, dont. I don’t know.\nOnly this\na2b c"
	want := []string{"You must not touch v2!", `Say "yes".`, "see https://example.org now", "Use port 8080, please.", "I don’t know.", "Only this"}
	if d := cmp.Diff(want, replay.Instructions(text)); d != "" {
		t.Error(d)
	}
}

func TestFinderFindsWhatStandsInATextAndNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("ab/é")), 1, 20, -1)
		below := rapid.Map(rapid.StringOfN(rapid.SampledFrom([]rune("ab/")), 0, 8, -1), func(name string) string { return "/one/folder/" + name })
		needles := rapid.SliceOfN(rapid.OneOf(word, below), 1, 30).Draw(t, "needles")
		texts := rapid.SliceOfN(rapid.OneOf(rapid.StringOfN(rapid.SampledFrom([]rune("ab/é")), 0, 60, -1), below), 0, 5).Draw(t, "texts")
		texts = append(texts, rapid.SampledFrom(needles).Draw(t, "one of them"))
		var want []int32
		for i, n := range needles {
			if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, n) }) {
				want = append(want, int32(i))
			}
		}
		got := replay.Found(needles, texts...)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

func TestTextsStandInArgumentsAsJSONWritesThem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		var back string
		if err := json.Unmarshal([]byte(`"`+replay.AsJSON(text)+`"`), &back); err != nil || back != text {
			t.Fatalf("%q becomes %q: %v", text, back, err)
		}
	})
	if got, want := replay.AsJSON("a\t\"é\" 😀 </p>\x01"), `a\t\"\u00e9\" \ud83d\ude00 </p>\u0001`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// figuresOf is the figures of the policy in place of plimsoll on one conversation.
func figuresOf(t *testing.T, p replay.PolicyMaker, one *builder) (replay.Figures, replay.File) {
	t.Helper()
	r := replayed(t, 100_000, p, one)
	return r.Totals[preset.Plimsoll], r.Files[0]
}

// searchConversation is a conversation in which a result names things that the reply to request 3
// uses. Events: 1 user, 2 call, 3 result, 4 call, 5 result, 6 reply, 7 user.
func searchConversation() *builder {
	return (&builder{}).system("the prompt names src/prompt.go").user("look at src/known.go").
		call("search", `{"q":"x"}`, "found src/deep.go and src/known.go, "+text(2000)).
		call("search", `{"q":"y"}`, "nothing").
		reply("well").user("go on").
		call("open", `{"path":"src/deep.go","also":["src/known.go", 5]}`, "ok").
		reply("src/prompt.go and src/new.go, and src/new.go again")
}

func TestRecallCountsNamesThatAreUsedAgain(t *testing.T) {
	t.Parallel()
	f, file := figuresOf(t, policy(replay.Policy{}), searchConversation())
	// src/deep.go and src/known.go in the call, src/prompt.go in the last reply;
	// src/new.go never stood anywhere.
	if file.References != 3 || file.ToolReferences != 1 {
		t.Fatalf("%d references, %d of them to results alone; want 3 and 1", file.References, file.ToolReferences)
	}
	checkNear(t, "recall", float64(f.RecallAll), 1)
	checkNear(t, "of results alone", float64(f.RecallTool), 1)

	f, file = figuresOf(t, once(3, mask(conversation.StyleJCLI, 3)), searchConversation())
	checkNear(t, "recall with the result hidden", float64(f.RecallAll), 2/3.0)
	checkNear(t, "of results alone with it hidden", float64(f.RecallTool), 0)
	checkNear(t, "what recall would bring back", file.Policies[preset.Plimsoll].LookupTokens, float64(36+2000)/4)
}

func TestRecallFindsWhatStubsStillShow(t *testing.T) {
	t.Parallel()
	stub := mask(conversation.StylePlimsoll, 3)
	stub.Preview = 250
	f, _ := figuresOf(t, once(3, stub), searchConversation())
	checkNear(t, "recall", float64(f.RecallTool), 1)
	stub.Preview = 10
	f, _ = figuresOf(t, once(3, stub), searchConversation())
	checkNear(t, "recall behind a short preview", float64(f.RecallTool), 0)
}

func TestHiddenTextIsRecoverableByTheIDsInView(t *testing.T) {
	t.Parallel()
	stub := mask(conversation.StylePlimsoll, 3)
	recalling := func(m replay.PolicyMaker) replay.PolicyMaker {
		return func(s replay.PolicySetting) replay.Policy {
			p := m(s)
			p.HasRecall = true
			return p
		}
	}
	summary := conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion, Text: "It went well.",
		Spans: []conversation.Span{{First: 1, Last: 5}}, FromTurn: 0, ToTurn: 0}
	jp := summary
	jp.Style = conversation.StyleJP
	for name, c := range map[string]struct {
		policy replay.PolicyMaker
		want   float64
	}{
		"a stub names its event":          {recalling(once(3, stub)), 1},
		"without recall nothing is":       {once(3, stub), 0},
		"a source's stub names nothing":   {recalling(once(3, mask(conversation.StyleJCLI, 3))), 0},
		"a block names turns":             {recalling(once(3, summary)), 1},
		"a source's block names nothing":  {recalling(once(3, jp)), 0},
		"a note names turns":              {recalling(once(3, conversation.Drop{Spans: []conversation.Span{{First: 2, Last: 5}}})), 1},
		"nothing is lost, nothing is due": {policy(replay.Policy{}), 1},
	} {
		f, _ := figuresOf(t, c.policy, searchConversation())
		checkNear(t, name+": it", float64(f.Recoverable), c.want)
	}
}

func TestTheSmallestMessageIsRecalled(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("go").
		call("read", "{}", "src/one.go src/two.go "+text(2000)).
		call("read", "{}", "src/two.go src/one.go "+text(1000)).
		call("read", "{}", "src/three.go").
		reply("src/one.go src/two.go src/three.go")
	_, file := figuresOf(t, once(3, mask(conversation.StyleJCLI, 3, 5, 7)), one)
	checkNear(t, "what recall would bring back", file.Policies[preset.Plimsoll].LookupTokens, float64(22+1000+12)/4)
}

// editConversation is a conversation of edits. Requests: 0 reads, 1 and 2 edit what was read, 3
// patches, 4 writes a file whole, 5 ends it.
func editConversation() *builder {
	lines := "12: first := compute(1)\n13: second := compute(2)\n14: short\n15: \"quoted line here\"\n" + text(2000)
	return (&builder{}).user("go").
		call("read", `{"path":"a"}`, lines).
		call("edit", `{"path":"a","old_string":"first := compute(1)\nshort a line\n","new_string":"third := compute(3)"}`, "ok").
		call("edit", `{"path":"a","edits":[{"old_text":"third := compute(3)"},{"old_text":"never seen before"}]}`, "ok").
		call("apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n@@\n second := compute(2)\n-third := compute(3)\n@@\n+added line that is new\n*** Add File: b\n second := compute(2)\n+first := compute(1)\n*** End Patch"}`, "ok").
		call("write", `{"path":"c","content":"first := compute(1)\n\"quoted line here\"\nthird := compute(3)\nshort"}`, "ok").
		reply("done")
}

func TestEditsNeedTheLinesTheyReplace(t *testing.T) {
	t.Parallel()
	f, file := figuresOf(t, policy(replay.Policy{}), editConversation())
	// The first edit and the first hunk: the second edit also replaces a line that
	// never stood anywhere, the second hunk replaces none.
	if file.EditAnchors != 2 {
		t.Errorf("%d anchors, want 2", file.EditAnchors)
	}
	// Two lines stood in the result; the third one was only ever written.
	if file.WrittenLines != 2 {
		t.Errorf("%d written lines, want 2", file.WrittenLines)
	}
	checkNear(t, "anchors in view", float64(f.EditAnchors), 1)
	checkNear(t, "written lines in view", float64(f.WriteLines), 1)

	// Hidden before the patch: the line of its context is gone, and of the written
	// ones the one that the first edit does not hold.
	f, _ = figuresOf(t, once(3, mask(conversation.StyleJCLI, 3)), editConversation())
	checkNear(t, "anchors in view, one hidden", float64(f.EditAnchors), 1/2.0)
	checkNear(t, "written lines in view, one hidden", float64(f.WriteLines), 1/2.0)
}

// Every client has names of its own for the text that it replaces.
func TestAnchorsAreKnownByTheNamesOfEveryClient(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{
		`{"path":"a","oldText":"first := compute(1)","newText":"x"}`, // pi
		`{"path":"a","edits":[{"oldText":"first := compute(1)","newText":"x"}]}`,
		`{"filename":"a","search":"first := compute(1)","replace":"x"}`, // swe-agent
		`{"filename":"a","edits":[{"search":"first := compute(1)","replace":"x"}]}`,
		`{"path":"a","old":"first := compute(1)","new":"x"}`,                      // modify_file
		`{"path":"a","string_to_replace":"first := compute(1)","new_string":"x"}`, // jp
		`{"path":"a","patterns":[{"string_to_replace":"first := compute(1)","new":"x"}]}`,
	} {
		_, file := figuresOf(t, policy(replay.Policy{}), (&builder{}).user("go").call("read", `{"path":"a"}`, "first := compute(1)\n").call("edit", arguments, "ok").reply("done"))
		if file.EditAnchors != 1 {
			t.Errorf("%s: %d anchors", arguments, file.EditAnchors)
		}
	}
	for _, arguments := range []string{`{"search":"first := compute(1)"}`, `{"old":"first := compute(1)"}`} {
		_, file := figuresOf(t, policy(replay.Policy{}), (&builder{}).user("go").call("read", `{"path":"a"}`, "first := compute(1)\n").call("find", arguments, "ok").reply("done"))
		if file.EditAnchors != 0 {
			t.Errorf("%s: a search alone has %d anchors", arguments, file.EditAnchors)
		}
	}
}

func TestInstructionsCountInEveryRequestThatFollowsThem(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("You must be kind. Never shout.").reply("a").user("And use 3 words.").reply("b").user("x").reply("c")
	f, _ := figuresOf(t, policy(replay.Policy{}), one)
	checkNear(t, "instructions in view", float64(f.Instructions), 1)
	// Dropped before the third request: of 2 + 3 + 3 two are gone.
	f, _ = figuresOf(t, once(2, conversation.Drop{Spans: []conversation.Span{{First: 1, Last: 2}}}), one)
	checkNear(t, "with two dropped", float64(f.Instructions), 6/8.0)
	kept := conversation.Summary{Style: conversation.StylePlimsoll, Text: "The user said: Never shout. " + text(40),
		Spans: []conversation.Span{{First: 1, Last: 2}}}
	f, _ = figuresOf(t, once(2, kept), one)
	checkNear(t, "with one in a summary", float64(f.Instructions), 7/8.0)
}

func TestSystemMessagesInTheMiddleBindNobodyAndOpenNoTurn(t *testing.T) {
	t.Parallel()
	one := (&builder{}).system("prompt").user("go").reply("a").system("You must obey.").reply("b").user("x").reply("c")
	var starts []bool
	note := policy(replay.Policy{Decide: func(l replay.PolicyInput) (replay.Decision, error) {
		if !l.TurnEnd {
			starts = append(starts, l.TurnStart)
		}
		return replay.Decision{}, nil
	}})
	r := replayed(t, 100_000, note, one)
	if d := cmp.Diff([]bool{true, false, true}, starts); d != "" {
		t.Errorf("turns start:\n%s", d)
	}
	if f := r.Totals[preset.Plimsoll]; f.Instructions.IsKnown() {
		t.Errorf("instructions: %v", f.Instructions)
	}
}

func TestTextsNameEventsAndTurns(t *testing.T) {
	t.Parallel()
	for text, named := range map[string]struct{ events, turns []uint64 }{
		"nothing e or t4x":            {},
		"hidden (e12), recall e14-16": {events: []uint64{12, 14, 15, 16}},
		"e9-7, e7 and e8-12":          {events: []uint64{7, 8, 9, 10, 11, 12}},
		"t3-5, Turn 9 and turns 1–2":  {turns: []uint64{1, 2, 3, 4, 5, 9}},
		"e99999999999999999999999":    {},
	} {
		for n := range uint64(20) {
			if got, want := replay.Names(text, n, 999), slices.Contains(named.events, n); got != want {
				t.Errorf("%q names event %d: %v", text, n, got)
			}
			if got, want := replay.Names(text, 999, n), slices.Contains(named.turns, n); got != want {
				t.Errorf("%q names turn %d: %v", text, n, got)
			}
		}
	}
}

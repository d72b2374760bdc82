package summary_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

var compareJobs = cmp.Options{cmpopts.IgnoreUnexported(summary.Job{}), cmpopts.EquateEmpty()}

func TestSummaryRequestInTheFormOfTheView(t *testing.T) {
	t.Parallel()
	l := compacttest.Harbor()
	j := summary.ViewJob(projection.Project(l.Events()), projection.Capabilities{}, summary.Options{
		Spans: compacttest.FirstTurns(l), Rules: preset.SummaryRules{MaxTokens: 900, Model: "demo/other"}, Focus: "the port\nand CI", Free: 700})
	compacttest.Golden(t, "view", wholeText(j))
	if j.Input != preset.InputView || j.System != "" || j.FromTurn != 0 || j.ToTurn != 1 || j.MaxTokens != 700 || j.Model != "demo/other" || j.Version != 1 {
		t.Errorf("%+v", j)
	}
}

func TestSummaryRequestWrittenOut(t *testing.T) {
	t.Parallel()
	l := compacttest.Harbor()
	j := summary.RawJob(l.Events(), summary.Options{Spans: compacttest.FirstTurns(l), Rules: preset.SummaryRules{MaxTokens: 900}})
	compacttest.Golden(t, "raw", wholeText(j))
	if j.Input != preset.InputRaw || len(j.Messages) != 1 || j.Messages[0].Role != projection.RoleUser || j.MaxTokens != 900 || j.FromTurn != 0 || j.ToTurn != 1 {
		t.Errorf("%+v", j)
	}
}

func TestSummaryRequestOfAnEarlierSummaryAndWhatCameAfter(t *testing.T) {
	t.Parallel()
	l := compacttest.Harbor()
	prior := conversation.Summary{Spans: compacttest.FirstTurns(l), FromTurn: 0, ToTurn: 1, Text: "### Goal\nThe upload test passes on CI (t0).", Appendix: "### Files read"}
	rest := []conversation.Span{{First: prior.Spans[0].Last + 1, Last: uint64(len(l.Events()))}}
	ask := summary.Options{Spans: rest}
	j := summary.MergedJob([]conversation.Summary{prior}, l.Events(), ask)
	compacttest.Golden(t, "merged", wholeText(j))
	if d := cmp.Diff(l.All(), j.Spans); d != "" || j.FromTurn != 0 || j.ToTurn != 3 || j.Input != preset.InputMerged {
		t.Errorf("%+v\n%s", j, d)
	}
	ask.Style = conversation.StyleOneClaw
	compacttest.Golden(t, "oneclaw", wholeText(summary.MergedJob([]conversation.Summary{prior}, l.Events(), ask)))

	only := summary.MergedJob([]conversation.Summary{prior, {Spans: rest, FromTurn: 2, ToTurn: 3, Text: "The suite passed."}}, l.Events(), summary.Options{})
	if text := only.Messages[0].Text; strings.Contains(text, "e1 user") || !strings.Contains(text, "The suite passed.") || only.ToTurn != 3 {
		t.Errorf("turns to %d: %s", only.ToTurn, text)
	}
}

func TestJCLISummaryRequestHasTheWordsOfTheSeed(t *testing.T) {
	t.Parallel()
	const prompt = "Summarize this conversation for continuity. Include: 1) What was accomplished, 2) Current state, 3) Key decisions made. " +
		"4) If a skill/workflow was actively being followed, preserve its key steps and current progress so the model can continue following it. " +
		"Be concise but preserve critical details.\n\n"
	l := compacttest.Harbor()
	ask := summary.Options{Spans: l.All(), Style: conversation.StyleJCLI, Rules: preset.RulesOf(preset.JCLI).Summary}
	j := summary.RawJob(l.Events(), ask)
	text, ok := strings.CutPrefix(j.Messages[0].Text, prompt)
	if !ok || j.System != "" || j.MaxTokens != 20_000 || len(j.Messages) != 1 {
		t.Fatalf("%d tokens, system %q: %s", j.MaxTokens, j.System, j.Messages[0].Text)
	}
	var messages []struct{ Role, Content string }
	if err := json.Unmarshal([]byte(text), &messages); err != nil || len(messages) != 20 || messages[0].Content != "The upload test fails on CI. Find out why.\nYou must never touch hull/hull.go, and keep port 8080." {
		t.Errorf("%v, %d messages: %s", err, len(messages), text)
	}
	ask.Focus = "the skill"
	if text := summary.RawJob(l.Events(), ask).Messages[0].Text; !strings.Contains(text, "details.\nPreserve in particular: the skill\n\n[{") {
		t.Errorf("the focus is not passed on: %.600s", text)
	}
}

func TestJCLISummaryRequestLosesItsOldestText(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).User("OLDEST " + strings.Repeat("漢字 and \"quotes\" ", 10_000)).Reply(strings.Repeat("a reply ", 5000)).User("NEWEST")
	ask := summary.Options{Spans: l.All(), Style: conversation.StyleJCLI}
	_, text, _ := strings.Cut(summary.RawJob(l.Events(), ask).Messages[0].Text, "\n\n")
	if n := utf8.RuneCountInString(text); n != 80_000 || strings.Contains(text, "OLDEST") || !strings.HasSuffix(text, `"NEWEST"}]`) {
		t.Errorf("%d characters, ends with %s", n, text[len(text)-40:])
	}
	prior := conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 1}}, Text: "EARLIER", Transcript: "/t.jsonl"}
	merged := summary.MergedJob([]conversation.Summary{prior}, l.Add(conversation.UserMessage{Text: strings.Repeat("x", 90_000) + "LAST"}).Events(),
		summary.Options{Spans: l.All(), Style: conversation.StyleJCLI})
	_, text, _ = strings.Cut(merged.Messages[0].Text, "\n\n")
	if n := utf8.RuneCountInString(text); n != 80_000 || !strings.HasPrefix(text, `[{"role":"user","content":"[Conversation compressed. Transcript: /t.jsonl]\n\nEARLIER"},{"role":"assistant"`) || !strings.HasSuffix(text, `LAST"}]`) {
		t.Errorf("%d characters: %.200s", n, text)
	}
	ask.Budget = 2000
	if small := summary.RawJob(l.Events(), ask); small.Tokens() > 2000 || !strings.HasSuffix(small.Messages[0].Text, `"NEWEST"}]`) {
		t.Errorf("%d tokens for a budget of 2,000", small.Tokens())
	}
}

func TestProfileInstructionsReplaceTheBuiltInOnes(t *testing.T) {
	t.Parallel()
	l := compacttest.Harbor()
	for _, style := range []conversation.Style{conversation.StylePlimsoll, conversation.StyleOneClaw, conversation.StyleJCLI} {
		ask := summary.Options{Spans: compacttest.FirstTurns(l), Style: style, Focus: "ports", Rules: preset.SummaryRules{Instructions: "List the files.\n\nNothing else."}}
		for name, j := range map[string]summary.Job{
			"raw": summary.RawJob(l.Events(), ask), "view": summary.ViewJob(projection.Project(l.Events()), projection.Capabilities{}, ask)} {
			text := wholeText(j)
			if !strings.Contains(text, "List the files.\n\nNothing else.\nPreserve in particular: ports\n") || strings.Contains(text, "Constraints and preferences") ||
				strings.Contains(text, "Summarize this") || strings.Contains(text, "concise, factual") || j.Version != 0 {
				t.Errorf("%s, %s, version %d:\n%s", style, name, j.Version, text)
			}
		}
	}
}

func TestViewRequestSaysWhichTurnsToCover(t *testing.T) {
	t.Parallel()
	l := compacttest.Harbor()
	view := projection.Project(l.Events())
	wish := func(spans ...conversation.Span) string {
		j := summary.ViewJob(view, projection.Capabilities{}, summary.Options{Spans: spans})
		return j.Messages[len(j.Messages)-1].Text
	}
	last := uint64(len(l.Events()))
	for _, c := range []struct {
		name  string
		spans []conversation.Span
		says  []string
		not   string
	}{
		{"the beginning", compacttest.FirstTurns(l), []string{"Cover turns 0–1 only", `begins with the user's message "The upload test fails`, `ends before the user's message "Yes, but only ./upload."`, `t1 "Good. Do that`}, "What stands before"},
		{"a middle that begins in a turn", []conversation.Span{{First: 5, Last: 8}}, []string{"Cover turns 0–1 only", `begins with the reply that calls run_command`, `ends before the reply that calls todo_write`, "What stands before it stays"}, ""},
		{"the end", []conversation.Span{{First: 16, Last: last}}, []string{"ends with the last message above", "What stands before it stays"}, "ends before"},
		{"everything", l.All(), []string{"Cover turns 0–3 only", "is all of the conversation above"}, "What stands before"},
		{"what is not shown", []conversation.Span{{First: 900, Last: 999}}, []string{"Cover all of the conversation above"}, ""},
	} {
		text := wish(c.spans...)
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing from\n%s", c.name, want, text)
			}
		}
		if c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: %q should not be in\n%s", c.name, c.not, text)
		}
	}
}

func TestViewRequestQuotesManyTurnsByTheirEnds(t *testing.T) {
	t.Parallel()
	l := &compacttest.Tale{}
	for range 100 {
		l.User("Say \"it\" again").Reply("It.")
	}
	j := summary.ViewJob(projection.Project(l.Events()), projection.Capabilities{}, summary.Options{Spans: l.All()})
	text := j.Messages[len(j.Messages)-1].Text
	if n := strings.Count(text, `"Say \"it\" again"`); n != 25 || !strings.Contains(text, "t0 ") || !strings.Contains(text, "t99 ") {
		t.Errorf("%d quotations:\n%s", n, text)
	}
}

// All that stands before the wish is what the next request sends, so that it is
// read from the cache.
func TestViewRequestLeavesTheViewAsItIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		view, caps := projection.Project(compacttest.PlainLog(t)), compacttest.Capabilities(t)
		caps.Alternate, caps.NoTools = false, false // those merge the wish into its neighbour
		before, _ := projection.Harden(view, caps)  // a view that ends with a reply is hardened all the same
		j := summary.ViewJob(view, caps, summary.Options{Spans: []conversation.Span{{First: 1, Last: 9}}})
		if n := len(j.Messages); len(before) > 0 {
			if d := cmp.Diff(before, j.Messages[:n-1], cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("the prefix changed (-request +job):\n%s", d)
			}
		}
		if m := j.Messages[len(j.Messages)-1]; m.Role != projection.RoleUser || !strings.Contains(m.Text, "summary") {
			t.Fatalf("the wish is %+v", m)
		}
	})
}

func TestViewRequestIsMergedWhereTheEndpointWantsAlternation(t *testing.T) {
	t.Parallel()
	l := compacttest.Harbor()
	j := summary.ViewJob(projection.Project(l.Events()), projection.Capabilities{Alternate: true}, summary.Options{Spans: compacttest.FirstTurns(l)})
	if m := j.Messages[len(j.Messages)-1]; !strings.HasPrefix(m.Text, "Thanks. What is next?\n\nThis is a request of the program") {
		t.Errorf("the last message is %.80q", m.Text)
	}
}

// S64: summarising reads the raw events, whatever lies over them.
func TestWrittenRequestsReadTheRawStream(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := compacttest.PlainLog(t)
		n := uint64(len(events))
		ask := summary.Options{Spans: []conversation.Span{{First: 1, Last: n}}, Budget: rapid.SampledFrom([]int{0, 300, 2000}).Draw(t, "budget"),
			Style: rapid.SampledFrom([]conversation.Style{conversation.StylePlimsoll, conversation.StyleOneClaw, conversation.StyleJCLI}).Draw(t, "style")}
		plain := summary.RawJob(events, ask)
		covered := overlaid(t, events)
		if d := cmp.Diff(plain, summary.RawJob(covered, ask), compareJobs); d != "" {
			t.Fatalf("an overlay changed the request:\n%s", d)
		}
		if d := cmp.Diff(plain, summary.RawJob(events, ask), compareJobs); d != "" {
			t.Fatalf("the same log gives another request:\n%s", d)
		}
	})
}

// Overlays may also stand between what was said: where another event stands in
// their place, the request is the same.
func TestWrittenRequestsDoNotSeeOverlaysBetween(t *testing.T) {
	t.Parallel()
	build := func(between conversation.Body) summary.Job {
		l := (&compacttest.Tale{}).User("One.").Call("read_file", `{"path":"a.go"}`, conversation.ResultOK, strings.Repeat("line\n", 2000)).Add(between).Reply("Two.").Add(between).User("Three.")
		return summary.RawJob(l.Events(), summary.Options{Spans: l.All(), Budget: 900})
	}
	plain := build(conversation.Notice{Text: "nothing to see"})
	for _, overlay := range []conversation.Body{
		conversation.Mask{Items: []conversation.MaskItem{{Event: 3, Part: conversation.PartResult}, {Event: 2, Part: conversation.PartArguments, Call: "call_1"}}},
		conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 3}}, Text: "an earlier summary", ToTurn: 0},
		conversation.Drop{Spans: []conversation.Span{{First: 1, Last: 3}}},
		conversation.Cap{Items: []conversation.CapItem{{Event: 3, Head: 5, Tail: 5}}},
		conversation.Pin{Events: []uint64{3}},
	} {
		if d := cmp.Diff(plain, build(overlay), compareJobs); d != "" {
			t.Errorf("%T:\n%s", overlay, d)
		}
	}
}

// overlaid is a log with overlays behind it that hide all of it.
func overlaid(t *rapid.T, events []conversation.Event) []conversation.Event {
	l, err := conversation.NewLog(append([]conversation.Event(nil), events...))
	if err != nil {
		t.Fatal(err)
	}
	spans := []conversation.Span{{First: 1, Last: max(uint64(len(events)), 1)}}
	mask := conversation.Mask{Style: conversation.StylePlimsoll, Version: 1}
	for _, e := range events {
		mask.Items = append(mask.Items, conversation.MaskItem{Event: e.Seq, Part: conversation.PartResult})
	}
	bodies := []conversation.Body{mask, conversation.Summary{Spans: spans, Text: "hidden"}, conversation.Drop{Spans: spans},
		conversation.Summary{Spans: spans, Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}}}
	some := rapid.SliceOfN(rapid.SampledFrom(bodies), 1, 4).Draw(t, "overlays")
	if err := l.Commit(l.Prepare(conversationtest.Epoch, some...)); err != nil {
		t.Fatal(err)
	}
	return l.Events()
}

// rawJob is a raw job over all of a log.
func rawJob(l *compacttest.Tale) summary.Job {
	return summary.RawJob(l.Events(), summary.Options{Spans: l.All()})
}

// wholeText is a request as one text.
func wholeText(j summary.Job) string {
	var b strings.Builder
	if j.System != "" {
		b.WriteString("== system\n" + j.System + "\n\n")
	}
	for _, m := range j.Messages {
		b.WriteString("== " + string(m.Role))
		for _, c := range m.Calls {
			b.WriteString(" calls " + c.Name + " " + c.Arguments)
		}
		b.WriteString("\n" + m.Text + "\n\n")
	}
	return b.String()
}

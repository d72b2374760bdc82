package summary_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// good is a summary of [compacttest.Harbor] that nothing is wrong with.
const good = "### Goal\nThe upload test passes on CI (t0).\n### Constraints\nNever touch hull/hull.go; keep port 8080 (t0).\n" +
	"### Done\nA free port in upload/server_test.go (t1).\n### Next step\nAnswer \"What is next?\" (t3)."

func TestAcceptsASummary(t *testing.T) {
	t.Parallel()
	j := rawJob(compacttest.Harbor())
	for name, text := range map[string]string{
		"plain":              good,
		"white space around": "\n\n  " + good + " \n",
		"thoughts before it": "<think>The user wants\na summary.</think>\n\n" + good,
		"NUL in it":          strings.Replace(good, "CI", "\x00CI", 1),
	} {
		got, err := summary.Accept(j, summary.Answer{Text: text, Stop: conversation.StopEnd, Input: preset.InputRaw})
		if err != nil || strings.ReplaceAll(got, "\u2400", "") != good {
			t.Errorf("%s: %v, %q", name, err, got)
		}
	}
}

func TestRefusesWhatIsNoSummary(t *testing.T) {
	t.Parallel()
	small := rawJob(compacttest.Harbor())
	large := small
	large.CoveredTokens, large.MaxTokens = 6000, 900
	echoed := rawJob((&compacttest.Tale{}).User(strings.Repeat("The long question goes on with other words each time it is put. ", 12)).Reply(strings.Repeat("All work and no play. ", 200)))
	end := conversation.StopEnd
	for _, c := range []struct {
		name   string
		job    summary.Job
		answer summary.Answer
		want   error
		says   string
	}{
		{"cut off", large, summary.Answer{Text: good, Stop: conversation.StopLength}, summary.ErrCut, "the summary was cut off at the length limit of 900 tokens; nothing was changed"},
		{"withheld", small, summary.Answer{Text: good, Stop: conversation.StopFiltered}, summary.ErrUnended, "the summary did not come to its end (filtered); nothing was changed"},
		{"no reason to stop", small, summary.Answer{Text: good}, summary.ErrUnended, "the summary did not come to its end; nothing was changed"},
		{"cancelled", small, summary.Answer{Text: good, Stop: conversation.StopCancelled}, summary.ErrUnended, ""},
		{"calls", small, summary.Answer{Text: good, Stop: end, Calls: 1}, summary.ErrCalls, "the model called a tool instead of writing a summary; nothing was changed"},
		{"stopped for calls", small, summary.Answer{Text: good, Stop: conversation.StopCalls}, summary.ErrCalls, ""},
		{"a call as text", small, summary.Answer{Text: "<tool_call>\n{\"name\":\"read_file\"}", Stop: end}, summary.ErrCalls, ""},
		{"empty", small, summary.Answer{Stop: end}, summary.ErrEmpty, "the summary came back empty; nothing was changed"},
		{"white space", small, summary.Answer{Text: " \n\t\u00a0", Stop: end}, summary.ErrEmpty, ""},
		{"marks only", small, summary.Answer{Text: "...\n---", Stop: end}, summary.ErrEmpty, ""},
		{"thoughts only", small, summary.Answer{Text: "<think>I should write a summary", Stop: end}, summary.ErrEmpty, ""},
		{"too long", small, summary.Answer{Text: strings.Repeat("Other words than before, 12. ", 60), Stop: end}, summary.ErrLong,
			"the summary would not be short enough: 435 tokens in place of 390, and at most 40% are taken; nothing was changed"},
		{"nothing covered", summary.Job{}, summary.Answer{Text: good, Stop: end}, summary.ErrLong, ""},
		{"far too short", large, summary.Answer{Text: "They talked about the upload test and a port.", Stop: end}, summary.ErrShort,
			"the summary is far too short for what it covers (45 characters for 6,000 tokens); nothing was changed"},
		{"an echo", echoed, summary.Answer{Text: strings.Repeat("The long question goes on with\n  other words each time it is put. ", 6), Stop: end}, summary.ErrEcho,
			"the model repeated the conversation instead of summarising it; nothing was changed"},
		{"an echo with a heading", echoed, summary.Answer{Text: "### Summary\n\n" + strings.Repeat("The long question goes on with other words each time it is put. ", 6), Stop: end}, summary.ErrEcho, ""},
		{"an echo of the instructions", large, summary.Answer{Text: large.System, Stop: end}, summary.ErrEcho, ""},
	} {
		got, err := summary.Accept(c.job, c.answer)
		if !errors.Is(err, summary.ErrRefused) || !errors.Is(err, c.want) || got != "" {
			t.Errorf("%s: %q, %v; want %v", c.name, got, err, c.want)
			continue
		}
		if !strings.HasSuffix(err.Error(), "; nothing was changed") || c.says != "" && err.Error() != c.says {
			t.Errorf("%s: the user reads %q, want %q", c.name, err, c.says)
		}
		for _, other := range []error{summary.ErrCut, summary.ErrUnended, summary.ErrCalls, summary.ErrEmpty, summary.ErrDeclined,
			summary.ErrFailure, summary.ErrEcho, summary.ErrShort, summary.ErrLong} {
			if other != c.want && errors.Is(err, other) {
				t.Errorf("%s: %v is also %v", c.name, err, other)
			}
		}
	}
}

func TestRefusesRefusalsAndErrors(t *testing.T) {
	t.Parallel()
	j := rawJob(compacttest.Harbor())
	for text, want := range map[string]error{
		"I'm sorry, but I can't help with that.":                               summary.ErrDeclined,
		"I’m very sorry, I cannot summarise this conversation.":                summary.ErrDeclined,
		"**I cannot assist with this request.**":                               summary.ErrDeclined,
		"Unfortunately, I don't have any conversation to summarise.":           summary.ErrDeclined,
		"As an AI language model, I have no memory.":                           summary.ErrDeclined,
		"Could you please provide the conversation you want summarised?":       summary.ErrDeclined,
		"Please share the text.":                                               summary.ErrDeclined,
		"There is no conversation above.":                                      summary.ErrDeclined,
		"抱歉，我无法完成这个请求。":                                                        summary.ErrDeclined,
		"Error: 429 Too Many Requests":                                         summary.ErrFailure,
		"Internal server error: try again":                                     summary.ErrFailure,
		`{"error": {"message": "overloaded"}}`:                                 summary.ErrFailure,
		"HTTP 503 Service Unavailable":                                         summary.ErrFailure,
		"<!DOCTYPE html><title>502</title>":                                    summary.ErrFailure,
		"(empty summary)":                                                      summary.ErrFailure,
		"null":                                                                 summary.ErrFailure,
		"I cannot reproduce the failure on a laptop; on CI port 8080 is taken": nil,
		"Error handling was added to main.go, then logging.":                   nil,
		"Errors: the port was taken (t0), resolved with :0 (t1).":              nil,
		"Fixed the error: the port was taken twice.":                           nil,
		"404 pages are now logged; the user apologised for the noise.":         nil,
		"The user was sorry to hear that the test fails. Port 8080 stays.":     nil,
		"Sorry state of the docs was discussed; README.md gets rewritten.":     nil,
		"None of the tests pass: port 8080 is taken (t0).":                     nil,
		"I'm sorry. " + strings.Repeat("Long texts are not looked at. ", 14):   nil,
	} {
		_, err := summary.Accept(j, summary.Answer{Text: text, Stop: conversation.StopEnd, Input: preset.InputRaw})
		if !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// A summary may quote, also at length, as long as most of it is its own words.
func TestQuotationsAreNoEcho(t *testing.T) {
	t.Parallel()
	said := "You must never touch hull/hull.go, nor hull/keel.go, nor anything that the crew of the harbour wrote by hand, and if you have to, ask first and wait for the answer of the harbour master, who is in from nine to five."
	l := (&compacttest.Tale{}).User(said).Reply(strings.Repeat("I will think about it at great length. ", 100))
	quoting := "The user asked for this: \"" + said + "\" Nothing has been changed so far, the reply thought about it at length, and the harbour master has not been asked yet."
	if _, err := summary.Accept(rawJob(l), summary.Answer{Text: quoting, Stop: conversation.StopEnd}); err != nil {
		t.Error(err)
	}
}

func FuzzAccept(f *testing.F) {
	f.Add(good, "stop", 0, 1000)
	f.Add("<think>", "length", 1, 0)
	f.Add(strings.Repeat("All work and no play. ", 40), "stop", 0, 10_000)
	f.Add("漢字\xff\x00", "", -1, -5)
	base := rawJob((&compacttest.Tale{}).User(strings.Repeat("All work and no play. ", 200)).Reply("漢字かな\u2028交じり文"))
	f.Fuzz(func(t *testing.T, text, stop string, calls, covered int) {
		j := base
		j.CoveredTokens = covered
		got, err := summary.Accept(j, summary.Answer{Text: text, Stop: conversation.StopReason(stop), Calls: calls})
		switch {
		case err != nil && (got != "" || !errors.Is(err, summary.ErrRefused) || !utf8.ValidString(err.Error()) || strings.Contains(err.Error(), "\n")):
			t.Fatalf("%q, %q", got, err)
		case err == nil && (stop != "stop" || calls > 0 || strings.TrimSpace(got) != got || got == "" || !utf8.ValidString(got) ||
			meter.Estimate(conversation.Measure(got)) > 0.4*float64(covered)):
			t.Fatalf("%q is taken", got)
		}
	})
}

// extracted is the extract of a job, which is checked in every way it promises.
func extracted(t interface {
	Fatalf(string, ...any)
}, log []conversation.Event, j summary.Job) string {
	x := summary.Extractive{Log: log}
	a, err := x.Summarise(context.Background(), j)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if again, _ := x.Summarise(context.Background(), j); again != a {
		t.Fatalf("a second run gives %q, the first %q", again.Text, a.Text)
	}
	if a.Input != preset.InputExtract || a.Model != "" {
		t.Fatalf("%+v", a)
	}
	text, err := summary.Accept(j, a)
	if err != nil {
		t.Fatalf("%v: %s", err, a.Text)
	}
	if tokens := meter.Estimate(conversation.Measure(text)); j.MaxTokens > 0 && tokens > float64(j.MaxTokens) {
		t.Fatalf("%.1f tokens, at most %d were asked for", tokens, j.MaxTokens)
	}
	return text
}

func TestExtractSaysWhatBindsFirst(t *testing.T) {
	t.Parallel()
	l := compacttest.Harbor()
	j := rawJob(l)
	j.CoveredTokens = 2000 // room for everything
	compacttest.Golden(t, "extract", extracted(t, l.Events(), j)+"\n")

	j.CoveredTokens = 200
	text := extracted(t, l.Events(), j)
	if !strings.Contains(text, "t0 You must never touch hull/hull.go, and keep port 8080.") || !strings.Contains(text, "t0 The upload test fails on CI.") {
		t.Errorf("with little room the demands are lost: %s", text)
	}
}

func TestExtractPrefersWhatTheFocusNames(t *testing.T) {
	t.Parallel()
	l := &compacttest.Tale{}
	l.User("Begin.").User("Use port 9000 for the crane.")
	for i := range 60 {
		l.User(fmt.Sprintf("Move container %d to quay %d.", i, i+100))
	}
	j := rawJob(l)
	if text := extracted(t, l.Events(), j); strings.Contains(text, "crane") {
		t.Fatalf("everything has room, nothing is chosen: %s", text)
	}
	j.Focus = "the Crane, please"
	if text := extracted(t, l.Events(), j); !strings.Contains(text, "crane") {
		t.Errorf("the focus is not looked at: %s", text)
	}
}

func TestExtractIsAlwaysAccepted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, err := conversation.NewLog(append([]conversation.Event(nil), conversationtest.Log(t)...))
		if err != nil {
			t.Fatal(err)
		}
		long := rapid.SampledFrom([]string{"-----", "Never touch port 8080, it's \"taken\". ", "漢字かな。", "x", "I can't help with that. ", "word\n", "\x1b[31m必ず", "https://example.org/a/b "})
		for range rapid.IntRange(1, 4).Draw(t, "longer texts") {
			text := strings.Repeat(long.Draw(t, "text"), rapid.SampledFrom([]int{1, 40, 900}).Draw(t, "times"))
			reply := conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd}
			if err := l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: text}, reply)); err != nil {
				t.Fatal(err)
			}
		}
		j := summary.RawJob(l.Events(), summary.Options{Spans: []conversation.Span{{First: 1, Last: uint64(l.Len())}}})
		j.MaxTokens = rapid.SampledFrom([]int{0, 50, 500, 20_000}).Draw(t, "max")
		if j.CoveredTokens > 200 {
			extracted(t, l.Events(), j)
		}
	})
}

// An extract is made of what was said, never of a summary of it.
func TestExtractReadsTheRawStream(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := compacttest.PlainLog(t)
		j := summary.RawJob(events, summary.Options{Spans: []conversation.Span{{First: 1, Last: uint64(len(events))}}, Covered: 5000})
		plain, hidden := extracted(t, events, j), extracted(t, overlaid(t, events), j)
		if plain != hidden {
			t.Fatalf("%q behind overlays, %q without", hidden, plain)
		}
	})
}

// BenchmarkExtract reads a conversation of 3 MB, as replay does again and again:
// budget 500 ms.
func BenchmarkExtract(b *testing.B) {
	l := &compacttest.Tale{}
	for i := range 1000 {
		l.User(fmt.Sprintf("You must never touch file%d.go. %s", i, strings.Repeat("And so on it goes. ", 20)))
		l.Call("read_file", fmt.Sprintf(`{"path":"file%d.go"}`, i), conversation.ResultOK, strings.Repeat("x := y\n", 300))
		l.Reply(strings.Repeat("A sentence about it. ", 20))
	}
	j := rawJob(l)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (summary.Extractive{Log: l.Events()}).Summarise(context.Background(), j); err != nil {
			b.Fatal(err)
		}
	}
}

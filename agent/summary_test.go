package agent_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

func heavyRequest() edit.Request { return profileRequest(preset.ProfileHeavy, 1) }

func summaryReply(text string) agenttest.Reply {
	cost := 0.25
	return agenttest.Join(agenttest.StreamText(text), agenttest.Stop(conversation.StopEnd),
		agenttest.StreamChunk(llm.Chunk{Usage: &llm.Tokens{Prompt: 5000, Cached: -1, CacheWrite: -1, Completion: 90, Reasoning: -1, CostUSD: &cost}}))
}

func TestSummaryReplacesTheTurnsAndItsCostIsRecordedWithIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 4, nil, summaryReply(goodSummary), textReply("fine"))
		before, batches := r.reading(), len(r.memory.Batches())
		w := heavyRequest()
		w.Focus = "the names of the files"
		r.compact(w)
		r.checkIdle()
		if n := len(r.memory.Batches()) - batches; n != 1 {
			t.Fatalf("%d transactions (%v), want one", n, r.compactionErrors())
		}
		events := r.memory.Events()
		usage, isUsage := events[len(events)-2].Body.(conversation.Usage)
		s, isSummary := events[len(events)-1].Body.(conversation.Summary)
		if !isUsage || !isSummary {
			t.Fatalf("the last events are %v, want a usage and a summary", describe(events[len(events)-2:]))
		}
		if usage.Purpose != conversation.PurposeSummary || usage.Reply != 0 || usage.Prompt != 5000 || usage.Estimate <= 0 || *usage.CostUSD != 0.25 {
			t.Errorf("the usage is %+v, want the summary request's, with its cost", usage)
		}
		if s.Text != goodSummary || s.Origin.Epoch != events[len(events)-1].Seq || s.Model != "test/m" || s.Focus != w.Focus || s.Input != string(preset.InputView) {
			t.Errorf("the summary is %+v", s)
		}
		after := r.reading()
		if !after.Estimated || after.Used >= before.Used/2 || after.CostUSD == nil || *after.CostUSD != 0.25 {
			t.Errorf("the meter shows %d (estimated %v), cost %v; was %d", after.Used, after.Estimated, after.CostUSD, before.Used)
		}
		if sum := segmentSum(after); sum != after.Used || after.Segments[projection.Summary] == 0 {
			t.Errorf("the segments are %v, the meter shows %d", after.Segments, after.Used)
		}
		working := agenttest.UpdatesOf[updates.Compacting](r.watch)
		if len(working) != 1 || !working[0].Summary || working[0].Since.IsZero() {
			t.Errorf("compacting updates %+v, want one of a summary with its focus", working)
		}
		if made := r.compactions(); len(made) != 1 || made[0].Epoch != s.Origin.Epoch || made[0].Preview.Summary != nil || made[0].Preview.After != after.Used {
			t.Errorf("compaction updates %+v, want one that agrees with the log and the meter", made)
		}
		if n := len(agenttest.UpdatesOf[updates.Delta](r.watch)); n != 8 && strings.Contains(r.watch.OnScreen(), "Goal") {
			t.Error("the summary streamed onto the screen")
		}
		r.sendAndWait("go on")
		if got := wireMessages(r.lastRequest().Messages); len(got) != 6 || !strings.Contains(got[0].Text, goodSummary) || got[1].Text != "show me listing 3 of the uploads" {
			t.Errorf("the request has %d messages, want 6; the first is %.80q", len(got), got[0].Text)
		}
		r.finish()
	})
}

func TestUnsavedSummaryHasNoEffectButItsCostCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var full atomic.Bool
		r := startWithListings(t, 4, failWritesWhile(&full), agenttest.Join(agenttest.Pause(time.Second), summaryReply(goodSummary)), textReply("fine"))
		before := r.view()
		r.compact(heavyRequest())
		full.Store(true)
		time.Sleep(2 * time.Second)
		r.waitIdle()
		full.Store(false)
		if refused := r.compactionErrors(); len(refused) != 1 || refused[0].Class != llm.NotSaved || len(r.compactions()) != 0 {
			t.Fatalf("errors %v, want one that is not saved", refused)
		}
		r.sendAndWait("go on")
		if diff := cmp.Diff(before, r.view()[:len(before)]); diff != "" || len(r.overlays()) != 0 {
			t.Errorf("%d overlays, want none; view (-want +got): %s", len(r.overlays()), diff)
		}
		if got := r.reading().CostUSD; got == nil || *got != 0.25 || len(r.failedCompactions()) != 1 {
			t.Errorf("the cost is %v, want 0.25; %d failed compactions, want 1", got, len(r.failedCompactions()))
		}
		r.finish()
	})
}

func checkFailedUnchanged(r *rig, before []wireMessage, class llm.Class, outcome string) *llm.Error {
	r.t.Helper()
	r.checkIdle()
	refused, attempts := r.compactionErrors(), r.failedCompactions()
	if len(refused) != 1 || len(attempts) != 1 || len(r.compactions()) != 0 || len(r.overlays()) != 0 {
		r.t.Fatalf("errors %v, compactions %v, failed ones %v, %d overlays", refused, r.compactions(), attempts, len(r.overlays()))
	}
	if diff := cmp.Diff(before, r.view()); diff != "" {
		r.t.Errorf("the view changed: %s", diff)
	}
	if refused[0].Class != class || refused[0].Hint == "" || refused[0].Message == "" {
		r.t.Errorf("the error is %+v, want class %s", refused[0], class)
	}
	model := "test/m"
	if class == llm.NotFound { // no model was asked
		model = ""
	}
	if a := attempts[0]; a.Outcome != outcome || a.Why != refused[0].Message || a.Profile != preset.ProfileHeavy || a.Before == 0 || a.Model != model ||
		a.Source != conversation.SourceManual || a.Trigger != "command" || a.Preset != "plimsoll" {
		r.t.Errorf("the failed compaction is %+v, want outcome %s", a, outcome)
	}
	return refused[0]
}

func TestUnusableSummariesChangeNothing(t *testing.T) {
	stop := agenttest.Stop(conversation.StopEnd)
	call := agenttest.Join(agenttest.StreamText(goodSummary), callsReply(agenttest.StreamCall(0, "cx", "look", `{"n":1}`)))
	for name, test := range map[string]struct {
		replies  []agenttest.Reply
		class    llm.Class
		says     string
		requests int
	}{
		"empty": {[]agenttest.Reply{stop, stop}, llm.Empty, "empty", 2},
		"cut off": {[]agenttest.Reply{
			agenttest.Join(agenttest.StreamText(goodSummary), agenttest.Stop(conversation.StopLength)),
			agenttest.Join(agenttest.StreamText(goodSummary), agenttest.Stop(conversation.StopLength)),
		}, llm.Malformed, "cut off", 2},
		"refused":       {[]agenttest.Reply{textReply("I'm sorry, I can't help with that."), textReply("I'm sorry, but no.")}, llm.Malformed, "declined", 2},
		"an error text": {[]agenttest.Reply{textReply("Error: 503 service unavailable"), textReply("null")}, llm.Malformed, "error message", 2},
		"a call":        {[]agenttest.Reply{call, call}, llm.Malformed, "called a tool", 2},
		"longer than what it replaces": {[]agenttest.Reply{textReply(strings.Repeat(goodSummary, 40))},
			llm.Malformed, "40%", 1},
		"withheld":      {[]agenttest.Reply{agenttest.Join(agenttest.StreamText(goodSummary), agenttest.ReportTokens(4000, 7), agenttest.Stop(conversation.StopFiltered))}, llm.Malformed, "did not come to its end", 1},
		"provider down": {[]agenttest.Reply{agenttest.Fail(serverFault()), agenttest.Fail(serverFault())}, llm.ServerFault, "no summary was written", 2},
		"no credit":     {[]agenttest.Reply{agenttest.Fail(&llm.Error{Class: llm.Quota, Message: "out of credit"})}, llm.Quota, "out of credit", 1},
		"broken off":    {[]agenttest.Reply{agenttest.StreamText(goodSummary), agenttest.StreamText(goodSummary)}, llm.Truncated, "broke off", 2},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := startWithListings(t, 4, nil, append(test.replies, textReply("fine"))...)
			before, requests, ran := r.view(), len(r.provider.Requests()), len(r.tools.Calls())
			r.compact(heavyRequest())
			time.Sleep(time.Minute) // back-off
			r.waitIdle()
			if e := checkFailedUnchanged(r, before, test.class, conversation.AttemptFailed); !strings.Contains(e.Message, test.says) {
				t.Errorf("reported %q, want it to say %q", e.Message, test.says)
			}
			if n := len(r.provider.Requests()) - requests; n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
			if a := r.failedCompactions(); name == "withheld" && (len(a) != 1 || a[0].Tokens != 4007) {
				t.Errorf("failed compactions %+v, want one of 4007 tokens", a)
			}
			if n := len(r.tools.Calls()) - ran; n != 0 {
				t.Errorf("%d calls of the summary's reply ran, want none", n)
			}
			r.provider.Add(textReply("fine"))
			r.sendAndWait("go on")
			if n := len(agenttest.UpdatesOf[updates.Failed](r.watch)); n != 0 {
				t.Errorf("%d failures of the conversation, want none", n)
			}
			r.finish()
		})
	}
}

func serverFault() error {
	return &llm.Error{Class: llm.ServerFault, Message: "the server failed", Status: 503}
}

func TestFailedSummaryRequestIsRetriedOnceSilently(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 4, nil, agenttest.Join(agenttest.ReportTokens(4000, 0), agenttest.Fail(serverFault())), summaryReply(goodSummary))
		requests := len(r.provider.Requests())
		r.compact(heavyRequest())
		time.Sleep(time.Second)
		r.waitIdle()
		if len(r.compactions()) != 1 || len(r.compactionErrors()) != 0 {
			t.Fatalf("compactions %v, want one; errors %v", r.compactions(), r.compactionErrors())
		}
		all := r.provider.Requests()
		if n := len(all) - requests; n != 2 {
			t.Fatalf("%d requests, want 2", n)
		}
		if diff := cmp.Diff(wireMessages(all[requests].Messages), wireMessages(all[requests+1].Messages)); diff != "" {
			t.Errorf("the retried request (-first +retry): %s", diff)
		}
		spent := 0
		for _, e := range r.memory.Events() {
			if u, isUsage := e.Body.(conversation.Usage); isUsage && u.Purpose == conversation.PurposeSummary {
				spent++
			}
		}
		if spent != 2 {
			t.Errorf("%d of 2 requests are recorded", spent)
		}
		for _, s := range agenttest.UpdatesOf[updates.Status](r.watch) {
			if s.Phase == updates.Retrying {
				t.Error("the retry is not silent")
			}
		}
		r.finish()
	})
}

func TestUnusableSummaryIsRequestedAgainFromATranscript(t *testing.T) {
	bubble(t, func(t *testing.T) {
		call := agenttest.Join(agenttest.StreamText("I will look first."), callsReply(agenttest.StreamCall(0, "cx", "look", `{"n":1}`)))
		r := startWithListings(t, 4, nil, call, summaryReply(goodSummary))
		r.compact(heavyRequest())
		if len(r.compactions()) != 1 {
			t.Fatalf("the compaction failed: %v", r.compactionErrors())
		}
		asked := r.lastRequest()
		if len(asked.Messages) != 1 || len(asked.Tools) != 0 || asked.System == "be brief" || !strings.Contains(asked.Messages[0].Text, "t1 e") {
			t.Errorf("%d messages, want 1; %d tools, want none: %.80q", len(asked.Messages), len(asked.Tools), asked.Messages[0].Text)
		}
		if s := r.overlays()[0].Body.(conversation.Summary); s.Input != string(preset.InputRaw) {
			t.Errorf("the recorded input is %s, want the transcript", s.Input)
		}
		r.finish()
	})
}

func TestSummaryTimeLimitIncludesRetries(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 4, nil, agenttest.Join(agenttest.Pause(40*time.Second), agenttest.Fail(serverFault())), agenttest.Join(agenttest.Pause(40*time.Second), summaryReply(goodSummary)))
		before := r.view()
		r.compact(heavyRequest())
		time.Sleep(59 * time.Second)
		if len(r.compactionErrors()) != 0 {
			t.Error("the compaction failed before its time limit")
		}
		time.Sleep(2 * time.Second)
		r.waitIdle()
		if e := checkFailedUnchanged(r, before, llm.Stalled, conversation.AttemptFailed); !strings.Contains(e.Message, "1m0s") {
			t.Errorf("reported %q", e.Message)
		}
		if d := r.failedCompactions()[0].Duration; d != 60_000 {
			t.Errorf("it took %d ms, want 60000", d)
		}
		r.finish()
	})
}

func TestColdCacheSummarisesATranscript(t *testing.T) {
	hour := func(o *core.Options) { o.Model.CacheTTL = 0 }
	minutes := func(o *core.Options) { o.Model.CacheTTL = 5 * time.Minute }
	for name, test := range map[string]struct {
		change func(*core.Options)
		idle   time.Duration
		then   func(*rig)
		view   bool
	}{
		"at once":                       {nil, 0, nil, true},
		"unknown lifetime, in time":     {hour, 59 * time.Minute, nil, true},
		"unknown lifetime, too late":    {hour, time.Hour + time.Second, nil, false},
		"known lifetime, too late":      {minutes, 5*time.Minute + time.Second, nil, false},
		"another model":                 {nil, 0, func(r *rig) { r.SwitchModel(llm.Model{Provider: "test", ID: "n"}, r.provider) }, false},
		"the window of the model known": {nil, 0, func(r *rig) { r.SetMaxOut("test/m", 4000) }, true},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := startWithListings(t, 4, test.change, summaryReply(goodSummary))
			time.Sleep(test.idle)
			if test.then != nil {
				test.then(r)
			}
			r.compact(heavyRequest())
			if len(r.compactions()) != 1 {
				t.Fatalf("the compaction failed: %v", r.compactionErrors())
			}
			if got := len(r.lastRequest().Messages) > 1; got != test.view {
				t.Errorf("the summary request has the view's form: %v, want %v", got, test.view)
			}
			r.finish()
		})
	}
}

func TestOverflowingSummaryIsRequestedInSmallerParts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		long := agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "too long"})
		r := startWithListings(t, 6, func(o *core.Options) { o.Model.Window = meter.Window{} }, long, long,
			summaryReply("First: "+goodSummary), summaryReply("Second: "+goodSummary), summaryReply(goodSummary), summaryReply(goodSummary), summaryReply(goodSummary))
		requests := len(r.provider.Requests())
		r.compact(heavyRequest())
		if len(r.compactions()) != 1 {
			t.Fatalf("the compaction failed: %v", r.compactionErrors())
		}
		all := r.provider.Requests()[requests:]
		if len(all) < 4 || len(all[0].Messages) < 2 || len(all[1].Messages) != 1 || !strings.Contains(all[2].Messages[0].Text, "This is piece 1 of ") {
			t.Fatalf("%d requests, want the view, a transcript and its pieces", len(all))
		}
		s := r.overlays()[0].Body.(conversation.Summary)
		if !strings.HasPrefix(s.Text, "First: ") || !strings.Contains(s.Text, "\n\nSecond: ") || s.FromTurn != 0 || s.ToTurn != 4 {
			t.Errorf("the summary of turns %d to %d is %.80q, want both parts, turns 0 to 4", s.FromTurn, s.ToTurn, s.Text)
		}
		r.finish()
	})
}

func TestSummaryRequestThatCannotFitIsNotSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 6, nil, summaryReply(goodSummary), summaryReply(goodSummary), summaryReply(goodSummary))
		r.SetWindow("test/m", meter.Window{Tokens: 4500, Source: meter.WindowFlag})
		requests := len(r.provider.Requests())
		r.compact(heavyRequest())
		for _, q := range r.provider.Requests()[requests:] {
			if len(q.Messages) != 1 || q.MaxTokens < 512 || q.MaxTokens >= 4500 {
				t.Errorf("the request has %d messages, want 1, and a bound of %d, want 512 to 4499", len(q.Messages), q.MaxTokens)
			}
		}
		if len(r.compactions()) != 1 {
			t.Errorf("the compaction failed: %v", r.compactionErrors())
		}
		r.finish()
	})
}

func TestProfileHasItsOwnModelForSummaries(t *testing.T) {
	own := func(o *core.Options) {
		o.Rules = preset.RulesOf(preset.Plimsoll)
		p := o.Rules.Profiles[preset.ProfileHeavy]
		p.Summary.Model = "other/n"
		o.Rules.Profiles[preset.ProfileHeavy] = p
	}
	runBubble(t, "there", func(t *testing.T) {
		other := agenttest.NewProvider(summaryReply(goodSummary))
		r := startWithListings(t, 4, combine(own, func(o *core.Options) {
			o.Summarisers = func(name string) (llm.Model, llm.Provider, bool) {
				return llm.Model{Provider: "other", ID: "n", MaxOut: 700}, other, name == "other/n"
			}
		}))
		before := r.currentMeter().Calibration()
		r.compact(heavyRequest())
		all := other.Requests()
		if len(all) != 1 || all[0].Model != "n" || all[0].MaxTokens != 700 || len(all[0].Messages) != 1 || len(all[0].Tools) != 0 {
			t.Fatalf("summary requests %+v, want one to n; errors %v", all, r.compactionErrors())
		}
		if s := r.overlays()[0].Body.(conversation.Summary); s.Model != "other/n" {
			t.Errorf("the summary's model is %s, want other/n", s.Model)
		}
		if got := r.currentMeter().Calibration(); got != before {
			t.Errorf("the calibration of the conversation's model is %+v, want %+v", got, before)
		}
		if got := r.reading().CostUSD; got == nil || *got != 0.25 {
			t.Errorf("the cost is %v, want 0.25", got)
		}
		r.finish()
	})
	runBubble(t, "missing", func(t *testing.T) {
		r := startWithListings(t, 4, own)
		before, requests := r.view(), len(r.provider.Requests())
		r.compact(heavyRequest())
		if e := checkFailedUnchanged(r, before, llm.NotFound, conversation.AttemptFailed); !strings.Contains(e.Message, "other/n") {
			t.Errorf("reported %q", e.Message)
		}
		if n := len(r.provider.Requests()) - requests; n != 0 {
			t.Errorf("%d requests to the conversation's model, want none", n)
		}
		r.finish()
	})
}

func TestJCLISavesTheTranscriptBeforeItReplacesTheHistory(t *testing.T) {
	for name, failure := range map[string]error{"saved": nil, "not saved": errors.New("no space")} {
		runBubble(t, name, func(t *testing.T) {
			var saved []projection.View
			r := startWithListings(t, 4, func(o *core.Options) {
				o.Rules = preset.RulesOf(preset.JCLI)
				o.Transcript = func(_ context.Context, v projection.View) (string, error) {
					saved = append(saved, v)
					return "/data/transcripts/transcript_1.jsonl", failure
				}
			}, summaryReply(goodSummary), textReply("fine"))
			before, requests := r.view(), len(r.provider.Requests())
			r.compact(profileRequest("", -1))
			if len(saved) != 1 {
				t.Fatalf("the transcript was saved %d times, want once", len(saved))
			}
			if diff := cmp.Diff(before, wireMessages(saved[0].Messages)); diff != "" {
				t.Errorf("the transcript (-view +saved): %s", diff)
			}
			if failure != nil {
				if e := r.compactionErrors(); len(e) != 1 || e[0].Class != llm.NotSaved || len(r.provider.Requests()) != requests {
					t.Errorf("errors %v, want one that is not saved, before any request", e)
				}
				r.finish()
				return
			}
			want := []wireMessage{
				{Role: "user", Text: "[Conversation compressed. Transcript: /data/transcripts/transcript_1.jsonl]\n\n" + goodSummary},
				{Role: "assistant", Text: "Understood. I have the context from the summary. Continuing."},
			}
			checkEqual(t, want, r.view())
			r.sendAndWait("go on")
			r.checkIdle()
			r.finish()
		})
	}
}

func TestSummaryRequestSharesThePrefixOfTheNextRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 4, nil, agenttest.Fail(&llm.Error{Class: llm.Quota, Message: "out of credit"}), textReply("fine"))
		r.compact(heavyRequest())
		asked := r.lastRequest()
		r.sendAndWait("go on")
		next := r.lastRequest()
		n := len(asked.Messages) - 1
		if diff := cmp.Diff(wireMessages(asked.Messages[:n]), wireMessages(next.Messages[:n])); diff != "" || n != len(next.Messages)-1 {
			t.Errorf("the summary request shares %d of %d messages (-next +summary): %s", n, len(next.Messages), diff)
		}
		if asked.System != next.System || asked.System == "" || asked.Model != next.Model || asked.Conversation != next.Conversation {
			t.Errorf("the summary request has prompt %q of %s, the next %q of %s", asked.System, asked.Model, next.System, next.Model)
		}
		if diff := cmp.Diff(next.Tools, asked.Tools); diff != "" || len(asked.Tools) == 0 {
			t.Errorf("the tools differ: %s", diff)
		}
		if last := asked.Messages[n]; last.Role != projection.RoleUser || !strings.Contains(last.Text, "Cover turns 0–2 only") {
			t.Errorf("the summary request ends with %.200q", last.Text)
		}
		if asked.MaxTokens <= 0 || asked.MaxTokens > 20_000 {
			t.Errorf("the summary's bound is %d tokens, want 1 to 20000", asked.MaxTokens)
		}
		r.finish()
	})
}

func (r *rig) currentMeter() meter.Meter {
	all := agenttest.UpdatesOf[updates.Metered](r.watch)
	return all[len(all)-1].Meter
}

func TestEndlesslyShrinkingWindowsEndTheSummary(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var refusals []agenttest.Reply
		for i := range 50 {
			refusals = append(refusals, agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "too long", Window: 20_000 - 10*i}))
		}
		r := startWithListings(t, 4, func(o *core.Options) { o.Model.Window = meter.Window{} }, refusals...)
		before, requests := r.view(), len(r.provider.Requests())
		r.compact(heavyRequest())
		if n := len(r.provider.Requests()) - requests; n > 10 {
			t.Errorf("%d requests, want 10 at most", n)
		}
		checkFailedUnchanged(r, before, llm.Overflow, conversation.AttemptFailed)
		r.finish()
	})
}

func jcliWithLog(b *strings.Builder) func(*core.Options) {
	return func(o *core.Options) {
		o.Rules = preset.RulesOf(preset.JCLI)
		o.Rules.Micro.KeepRecent, o.Rules.Summary.Retries = 2, 0
		o.Logger = slog.New(slog.NewTextHandler(b, nil))
	}
}

func TestJCLILogsHowManyResultsItReplaces(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var b strings.Builder
		r := startWithListings(t, 4, jcliWithLog(&b), textReply("fine"))
		r.sendAndWait("go on")
		r.finish()
		// The third turn's reply replaces one result, each later reply one more.
		if log := b.String(); strings.Count(log, `msg="micro_compact triggered" compacted=1`) != 2 || strings.Contains(log, "compacted=2") {
			t.Errorf("the log says %s", log)
		}
	})
}

func TestJCLILogsThatItFailed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var b strings.Builder
		r := startWithListings(t, 4, jcliWithLog(&b), agenttest.Fail(&llm.Error{Class: llm.Quota, Message: "the secret plan"}), textReply("fine"))
		r.compact(profileRequest("", -1))
		r.sendAndWait("go on")
		r.finish()
		log := b.String()
		if !strings.Contains(log, `level=ERROR msg="auto_compact failed: quota"`) || strings.Contains(log, "secret") {
			t.Errorf("the log says %s", log)
		}
	})
}

// When the conversation changes while a summary is written, the summary is cancelled and not applied.
func TestSummaryOfAChangedConversationIsNotApplied(t *testing.T) {
	for name, act := range map[string]func(r *rig){
		"a mask":            func(r *rig) { r.Mask(r.results()[1:2]) },
		"a pin":             func(r *rig) { r.Pin(r.results()[1:2], true) },
		"an undo":           func(r *rig) { r.UndoCompaction(0) },
		"a rewind and back": func(r *rig) { r.Rewind(-1); r.RestoreTurns() },
		"a smaller window":  func(r *rig) { r.SwitchModel(otherModel("small", 60_000), r.provider) },
	} {
		runBubble(t, name, func(t *testing.T) {
			gate := agenttest.NewGate()
			r := startWithListings(t, 5, nil, agenttest.Join(agenttest.WaitAtGate(gate), summaryReply(goodSummary)), textReply("fine"))
			r.compact(profileRequest(preset.ProfileDefault, 4))
			r.compact(heavyRequest())
			act(r)
			r.waitIdle()
			if n := r.provider.Running(); n != 0 {
				t.Error("the request for the stale summary still streams")
			}
			gate.Open()
			r.waitIdle()
			if a := r.failedCompactions(); len(r.modelSummaries()) != 0 || len(a) != 1 || a[0].Outcome != conversation.AttemptStale {
				t.Errorf("model summaries %v, want none; failed compactions %+v, want one stale", r.modelSummaries(), a)
			}
			r.sendAndWait("go on")
			r.checkAnswered()
			r.finish()
		})
	}
}

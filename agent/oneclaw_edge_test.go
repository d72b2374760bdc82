package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

func TestOneClawEdgeCases(t *testing.T) {
	lines(t, []line{
		{says: "Session with 0 messages", holds: noMessages},
		{says: "Session with only 1 user message", holds: oneMessage},
		{says: "Session where all messages are within the protected window", holds: allProtected},
		{says: "Tool result exactly at 30,000 characters", holds: resultAtTheLimit},
		{says: "Tool result with multi-byte Unicode characters", holds: resultOfManyBytes},
		{says: "Model switch mid-session to a smaller context window", holds: smallerWindow},
		{says: "Compact triggered while compact is already in progress (must not double-compact)", holds: inProgress},
		{says: "Session already has a compactedSummary from a previous compact", holds: alreadyHasASummary},
	})
}

func noMessages(t *testing.T, p preset.Name) {
	k := talksUnder(t, p, func(o *core.Options) { o.System = strings.Repeat("rule ", 9000) }) // above every line by itself
	k.SwitchModel(llm.Model{Provider: "test", ID: "small", Window: meter.Window{Tokens: 5000, Source: meter.WindowConfig}}, k.provider)
	k.wait()
	k.untouched()
	k.Compact(wish("", -1))
	k.wait()
	k.asks(0)
	if len(k.overlays()) != 0 || len(k.refused()) != 1 || k.refused()[0].Hint == "" {
		t.Errorf("overlays %v, told %v", brief(k.overlays()), k.refused())
	}
	k.ends()
}

func oneMessage(t *testing.T, p preset.Name) {
	k := talksUnder(t, p, nil)
	k.provider.Add(agenttest.Fail(&llm.Error{Class: llm.Quota, Message: "out of credit"}))
	k.say(spoken(0, 9000)) // above the threshold, and below the hard line
	k.untouched()
	if n := len(k.provider.Requests()); n != 1 || len(k.last().Messages) != 1 || k.last().Messages[0].Text != spoken(0, 9000) {
		t.Errorf("%d requests", n)
	}
	if diff := cmp.Diff([]llm.Class{llm.Quota}, k.failures()); diff != "" {
		t.Error(diff)
	}
	k.idle()
	k.finish()
}

func allProtected(t *testing.T, p preset.Name) {
	k := talksUnder(t, p, func(o *core.Options) { o.System = strings.Repeat("rule ", 5600) })
	if p == preset.Plimsoll { // protects of what the prompt leaves: the newest unit alone
		k.hears(0, 1900)
	} else {
		k.hears(0, 900)
		k.hears(1, 900)
	}
	if got := k.reading(); got.Used <= got.LoadLine || got.Used > got.HardLine {
		t.Fatalf("used %d, between %d and %d", got.Used, got.LoadLine, got.HardLine)
	}
	k.untouched()
	if p == preset.Plimsoll {
		k.summaries.Add(summarises(account)) // the long reply is no longer the newest
	}
	k.answered("and now?")
	if p != preset.Plimsoll {
		k.untouched()
	}
	k.ends()

	// Few but very recent long messages: more than the protected share, and the last of them is all that could go.
	k = talksUnder(t, p, nil)
	k.hears(0, 8600)
	k.untouched()
	k.ends()
}

func resultAtTheLimit(t *testing.T, p preset.Name) {
	for _, text := range []string{strings.Repeat("x", 30_000), strings.Repeat("漢", 30_000)} {
		k, r := oneCut(t, p, text)
		if r.Text != text || r.Total != 0 || r.Blob != "" {
			t.Errorf("of %d bytes %d are stored, and the total is %d", len(text), len(r.Text), r.Total)
		}
		k.ends()
	}
}

func resultOfManyBytes(t *testing.T, p preset.Name) {
	for _, char := range []string{"é", "漢", "😀"} {
		k, r := oneCut(t, p, strings.Repeat(char, 30_001))
		if want := strings.Repeat(char, 30_000) + fmt.Sprintf(oneMarker, 30_001); r.Text != want {
			t.Errorf("%s: %d bytes are stored, which end %q", char, len(r.Text), r.Text[len(r.Text)-90:])
		}
		k.ends()
	}
}

// smallerWindow goes from 200,000 tokens to 10,000. Room is made before the next
// message is sent: under oneclaw by the model that can read all of it; under plimsoll,
// which waits for no summary, by a note.
func smallerWindow(t *testing.T, p preset.Name) {
	gate := agenttest.NewGate()
	k := after(t, p, 14, func(o *core.Options) { o.Model.Window.Tokens = 200_000 }, agenttest.Join(agenttest.Hold(gate), summarises(account)))
	k.untouched()
	small := agenttest.NewProvider(answers("in fewer words"))
	k.SwitchModel(llm.Model{Provider: "other", ID: "small", Window: meter.Window{Tokens: talkWindow, Source: meter.WindowConfig}},
		voices{small, agenttest.NewProvider()})
	if p == preset.Plimsoll {
		k.wait() // between turns there is time for a summary
	}
	k.Send("and now?")
	k.wait()
	if n := len(small.Requests()); n != map[preset.Name]int{preset.Plimsoll: 1}[p] {
		t.Fatalf("%d requests before there is a summary", n)
	}
	k.asks(1)
	gate.Open()
	k.wait()
	k.idle()
	if p == preset.Plimsoll {
		k.evictedFor(small)
		return
	}
	if s := k.stories(); len(s) != 1 || s[0].Model != "test/m" || k.summaries.Requests()[0].Model != "m" {
		t.Errorf("written by %+v, refused %v", s, k.refused())
	}
	got := small.Requests()
	if len(got) != 1 || got[0].Model != "small" || got[0].Messages[len(got[0].Messages)-1].Text != "and now?" {
		t.Fatalf("sent %+v", got)
	}
	if all := fmt.Sprint(onWire(got[0].Messages)); strings.Count(all, account) != 1 || !strings.Contains(all, "words of turn 13") || strings.Contains(all, "words of turn 3") {
		t.Errorf("sent %.300s", all)
	}
	if r := k.reading(); r.Used > r.LoadLine || k.trimmed() != 0 {
		t.Errorf("%d tokens, trimmed %d times", r.Used, k.trimmed())
	}
	k.ends()
}

func inProgress(t *testing.T, p preset.Name) {
	gate := agenttest.NewGate()
	k := after(t, p, 9, nil, agenttest.Join(agenttest.Hold(gate), summarises(account)))
	k.asks(1)
	k.answered("one") // is above the threshold when it is answered, and so is the next
	k.answered("two")
	k.Compact(wish("heavy", -1)) // joins it
	k.wait()
	k.asks(1)
	gate.Open()
	k.wait()
	k.asks(1)
	if n := len(k.stories()); n != 1 || len(k.attempts())+len(k.refused()) != 0 || len(k.made()) != 1 {
		t.Errorf("%d summaries, attempts %v, told %v and %v", n, k.attempts(), k.refused(), k.made())
	}
	k.answered("three")
	k.asks(1)
	k.ends()
}

func alreadyHasASummary(t *testing.T, p preset.Name) {
	first := after(t, p, 9, nil, summarises(account))
	first.ends()
	events := first.memory.Events()
	if len(first.stories()) != 1 {
		t.Fatal("there is no summary")
	}
	k := talksUnder(t, p, func(o *core.Options) {
		m := &agenttest.Memory{}
		if err := m.Append(t.Context(), events); err != nil {
			t.Fatal(err)
		}
		o.Log, o.Stored.Events = m, events
	}, summarises(next(p)))
	k.answered("and now?")
	k.asks(0) // the summary counts, not what it stands for
	if all := fmt.Sprint(onWire(k.last().Messages)); strings.Count(all, account) != 1 || strings.Contains(all, "words of turn 3") {
		t.Errorf("sent %.300s", all)
	}
	k.turns(9, 7)
	k.asks(1)
	read := fmt.Sprint(onWire(k.summaries.Requests()[0].Messages))
	if p == preset.OneClaw && (!strings.Contains(read, "The user goes through the listings") || strings.Contains(read, "words of turn 3")) {
		t.Errorf("the next one is made of %.300s", read)
	}
	k.answered("and then?")
	blocks := 0
	for _, m := range k.last().Messages {
		if m.State == projection.StateSummarised {
			blocks++
		}
	}
	if len(k.stories()) != 2 || blocks != 1 {
		t.Errorf("%d summaries in %d blocks, refused %v", len(k.stories()), blocks, k.refused())
	}
	k.ends()
}

// evictedFor checks that the only request was made to fit by a note, and that the
// summary which came later waits.
func (k *talker) evictedFor(small *agenttest.Provider) {
	k.t.Helper()
	o := k.overlays()
	if len(o) != 1 || len(k.stories()) != 0 || len(agenttest.Of[updates.Prepared](k.watch)) != 1 {
		k.t.Fatalf("made %v, told %v", brief(o), k.refused())
	}
	all := fmt.Sprint(onWire(small.Requests()[0].Messages))
	if !strings.Contains(all, "words of turn 13") || strings.Contains(all, spoken(3, 1000)) {
		k.t.Errorf("sent %.300s", all)
	}
	if r := k.reading(); r.Used > r.LoadLine || k.trimmed() != 0 {
		k.t.Errorf("%d tokens, trimmed %d times", r.Used, k.trimmed())
	}
	k.ends()
}

func TestOneClawCompactRules(t *testing.T) {
	lines(t, []line{
		{says: "Compact triggers only after a complete API response (including all tool call rounds), never mid-stream", holds: neverMidStream},
		{says: "The 85% threshold is calculated against the current model's contextWindowSize", holds: thresholdOfTheModel},
		{says: "If contextWindowSize is null (unknown), compact does not trigger (no-op)", holds: windowIsNull},
		{says: "The protected window (recent messages) targets 25% of the context window by token count", holds: protectedWindow},
		{says: "The summarization request uses the same model, provider, and API key as the current conversation", holds: sameModel},
		{says: "The summary prompt is a fixed system prompt instructing the model to produce a concise factual summary", holds: fixedPrompt, only: preset.OneClaw},
		{says: "Compact is idempotent – triggering it when already under threshold is a no-op", holds: idempotent},
	})
}

func neverMidStream(t *testing.T, p preset.Name) {
	// A reply that arrives is over the threshold long before it ends.
	gate, tool, round := agenttest.NewGate(), agenttest.NewGate(), agenttest.NewGate()
	k := after(t, p, 7, withTools(agenttest.Reader("look", gated(map[string]*agenttest.Gate{"c1": tool}))), summarises(account))
	k.provider.Add(agenttest.Join(agenttest.Say(spoken(7, 1700)), agenttest.Call(0, "c1", "look", `{}`), agenttest.Hold(gate), agenttest.Stop(conversation.StopCalls)),
		agenttest.Join(agenttest.Hold(round), answers("done")))
	k.Send(asked(7))
	time.Sleep(time.Minute)
	k.wait()
	k.untouched()
	gate.Open()
	k.wait()
	k.untouched() // while the tool runs
	tool.Open()
	k.wait()
	if p == preset.OneClaw {
		k.untouched() // nor between the rounds; plimsoll looks before each request
	}
	round.Open()
	k.wait()
	k.asks(1)
	if len(k.stories()) != 1 {
		t.Errorf("refused %v", k.refused())
	}
	k.ends()
}

func thresholdOfTheModel(t *testing.T, p preset.Name) {
	k := after(t, p, 9, func(o *core.Options) { o.Model.Window.Tokens = 200_000 }, summarises(account), summarises(account))
	k.untouched()
	k.SwitchModel(llm.Model{Provider: "test", ID: "n", Window: meter.Window{Tokens: 11_000, Source: meter.WindowConfig}}, voices{k.provider, k.summaries})
	k.wait()
	k.untouched() // 9,128 tokens are less than 9,350
	k.SwitchModel(llm.Model{Provider: "test", ID: "o", Window: meter.Window{Tokens: 10_500, Source: meter.WindowConfig}}, voices{k.provider, k.summaries})
	k.wait()
	k.asks(map[preset.Name]int{preset.OneClaw: 1, preset.Plimsoll: 2}[p]) // one was prepared for the larger window
	if len(k.stories()) != 1 {
		t.Errorf("refused %v", k.refused())
	}
	k.ends()
}

func sameModel(t *testing.T, p preset.Name) {
	k := after(t, p, 9, nil, summarises(account))
	k.asks(1) // of the provider of the conversation, with its key
	if r := k.summaries.Requests()[0]; r.Model != k.last().Model || r.Conversation != k.last().Conversation {
		t.Errorf("asked %s about %s", r.Model, r.Conversation)
	}
	k.ends()
}

func fixedPrompt(t *testing.T, p preset.Name) {
	k := after(t, p, 9, nil, summarises(account), summarises(further))
	k.turns(9, 7)
	k.asks(2)
	r := k.summaries.Requests()
	if r[0].System != r[1].System || !strings.Contains(r[0].System, "concise, factual summary") || len(r[0].Tools)+len(r[1].Tools) != 0 {
		t.Errorf("asked with %q, then %q", r[0].System, r[1].System)
	}
	k.ends()
}

func idempotent(t *testing.T, p preset.Name) {
	k := after(t, p, 9, nil, summarises(account))
	k.asks(1)
	overlays := k.overlays()
	for i := range 4 {
		k.answered(fmt.Sprintf("and %d?", i))
	}
	k.asks(1)
	if diff := cmp.Diff(brief(overlays), brief(k.overlays())); diff != "" || len(k.attempts()) != 0 {
		t.Error(diff)
	}
	k.ends()
}

package agent_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// randomProvider answers, calls tools, fails or is slow at random, and checks the
// requests that it gets. Every request costs a dollar.
type randomProvider struct {
	mu       sync.Mutex // guards all below: a summary is written beside a reply
	chance   *rand.Rand
	requests int
	paid     float64
	wrong    []string
}

func (w *randomProvider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests++
	for _, what := range agenttest.CheckRequest(r) {
		w.wrong = append(w.wrong, fmt.Sprintf("request %d: %s", w.requests, what))
	}
	stream := agenttest.NewProvider(w.reply(r)).Stream(ctx, r)
	return func(yield func(llm.Chunk, error) bool) {
		for c, err := range stream {
			if !yield(c, err) {
				return
			}
			if c.Usage != nil {
				w.mu.Lock()
				w.paid++
				w.mu.Unlock()
			}
		}
	}
}

func (w *randomProvider) reply(r llm.Request) agenttest.Reply {
	cost, n := 1.0, w.requests
	pause := agenttest.Pause(time.Duration(w.chance.IntN(3)) * time.Second)
	paid := agenttest.Join(pause, agenttest.StreamChunk(llm.Chunk{Usage: &llm.Tokens{Prompt: 1000, Cached: -1, CacheWrite: -1, Completion: 10, Reasoning: -1, CostUSD: &cost}}))
	switch chance := w.chance.IntN(20); {
	case chance == 0:
		return agenttest.Join(paid, agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "too long", Window: 5000}))
	case chance == 1:
		return agenttest.Join(paid, agenttest.Fail(&llm.Error{Class: llm.ServerFault, Message: "it fell over"}))
	case chance == 2:
		return agenttest.Join(paid, agenttest.StreamText("and so on and"), agenttest.Stop(conversation.StopLength))
	case agenttest.PurposeOf(r) == conversation.PurposeSummary:
		return agenttest.Join(paid, agenttest.StreamText(fmt.Sprintf("ACCOUNT %d: %s", n, goodSummary[:90])), pause, agenttest.StreamText(goodSummary[90:]), pause, agenttest.Stop(conversation.StopEnd))
	case chance < 8:
		return agenttest.Join(paid, callsLook(n))
	case chance < 10:
		return agenttest.Join(paid, callsCompact(fmt.Sprintf("k%d", n), `{}`))
	}
	return agenttest.Join(paid, agenttest.StreamText(fmt.Sprintf("answer %d ", n)), pause, textReply(strings.Repeat("in words ", 40)))
}

// randomSession is a conversation that gets random commands at random times.
type randomSession struct {
	*rig
	chance  *rand.Rand
	whim    *randomProvider
	options func(*core.Options)
	model   llm.Model
	rules   preset.Rules
	sent    map[string]int
	back    []string // messages that returned to the composer in earlier runs
}

// open runs an agent on the stored log.
func (d *randomSession) open(t *testing.T) {
	d.rig = start(t, d.options)
}

// quit ends the program and checks that the queued messages return to the composer.
func (d *randomSession) quit() {
	d.t.Helper()
	d.finish()
	d.back = append(d.back, d.returned()...)
	for _, text := range d.memory.Waiting() {
		if !slices.Contains(d.back, text) {
			d.t.Errorf("the queued %q did not return to the composer", text)
		}
	}
}

func (d *randomSession) actAtRandom(t *testing.T, n int) {
	chance, presets := d.chance, preset.All()
	switch chance.IntN(21) {
	case 0, 1, 2, 3:
		text := fmt.Sprintf("message %d", n)
		d.sent[text]++
		d.Send(text)
	case 4, 5:
		d.Compact(profileRequest([]string{preset.ProfileDefault, preset.ProfileHeavy, preset.ProfileHeavy, ""}[chance.IntN(4)], chance.IntN(3)))
	case 6:
		d.UndoCompaction(0)
	case 7:
		d.RedoCompaction()
	case 8:
		[]func(){d.Cancel, d.ReturnQueued}[chance.IntN(2)]()
	case 9:
		d.Preview(heavyRequest())
	case 10:
		d.rules = preset.RulesOf(presets[chance.IntN(len(presets))])
		d.Configure(map[string]string{"compaction.keep_last": fmt.Sprint(n)}, d.rules)
	case 11:
		window := meter.Window{Tokens: 20_000 + 5000*chance.IntN(3), Source: meter.WindowCatalogue}
		d.model = llm.Model{Provider: "test", ID: []string{"m", "n"}[chance.IntN(2)], Window: window}
		d.SwitchModel(d.model, d.whim)
	case 12:
		d.Pin(d.randomResult(), chance.IntN(3) > 0)
	case 13:
		d.Mask(d.randomResult())
	case 14:
		[]func(){d.RestoreTurns, d.Inspect}[chance.IntN(2)]()
	case 15:
		d.Compact(heavyWithReview())
	case 16:
		shown, _ := d.summaryInReview()
		d.Review(shown.Text+[]string{"", " It was read."}[chance.IntN(2)], chance.IntN(3) > 0)
	case 17:
		d.Rewind(chance.IntN(6) - 2)
	case 18:
		if chance.IntN(4) == 0 {
			d.quit()
			d.open(t)
		}
	default:
		time.Sleep(time.Duration(chance.IntN(4)) * time.Second)
	}
}

// randomResult returns one tool result of the log, or nil for a log without results.
func (d *randomSession) randomResult() []uint64 {
	all := d.results()
	if len(all) == 0 {
		return nil
	}
	i := d.chance.IntN(len(all))
	return all[i : i+1]
}

// After any commands in any order, with restarts at any time, the conversation becomes idle, every request is valid,
// and no message and no cost is lost or counted twice.
func TestCommandsInAnyOrderLoseNothing(t *testing.T) {
	t.Parallel()
	presets := preset.All()
	for seed := range uint64(100) {
		synctest.Test(t, func(t *testing.T) {
			memory := &agenttest.Memory{Fail: func(string) error {
				time.Sleep(time.Duration(seed%3) * 100 * time.Millisecond) // a slow disk
				return nil
			}}
			d := &randomSession{chance: rand.New(rand.NewPCG(seed, 1)), whim: &randomProvider{chance: rand.New(rand.NewPCG(seed, 2))},
				model: testModel, rules: preset.RulesOf(presets[seed%uint64(len(presets))]), sent: map[string]int{}}
			d.options = combine(withTools(lookTool(), compactTool()), func(o *core.Options) {
				o.Log, o.Calibrations, o.Backlog, o.Stored.Events = memory, memory, memory, memory.Events()
				o.Provider, o.Model, o.Rules = d.whim, d.model, d.rules
				o.Rules.Summary.Review = seed%4 == 0
				o.Transcript = func(context.Context, projection.View) (string, error) { return "/transcript", nil }
			})
			d.open(t)
			for n := range 40 {
				d.actAtRandom(t, n)
				if d.chance.IntN(2+int(seed%8)) == 0 { // waiting less often makes more actions overlap
					d.waitIdle()
				}
			}
			for waits := true; waits; _, waits = d.summaryInReview() {
				d.Review("", false)
				time.Sleep(time.Hour) // time for running work to end
				d.waitIdle()
			}
			if phases := d.watch.Phases(); len(phases) > 0 {
				d.checkIdle()
			}
			d.quit()
			d.checkAtEnd(t)
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		})
	}
}

// checkAtEnd checks the log, the costs and the meter after the end.
func (d *randomSession) checkAtEnd(t *testing.T) {
	events := d.memory.Events()
	for _, what := range d.whim.wrong {
		t.Error(what)
	}
	costs, got := 0.0, map[string]int{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			got[b.Text]++
		case conversation.Usage:
			if b.CostUSD != nil {
				costs += *b.CostUSD
			}
		case conversation.Summary:
			if b.Policies == nil && b.Text != "" && !strings.HasPrefix(b.Text, "ACCOUNT") {
				t.Errorf("%q is stored as a summary", b.Text)
			}
		}
	}
	rewound := slices.ContainsFunc(events, func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindRewind })
	for _, text := range d.back {
		if got[text]++; rewound {
			got[text] = 1 // a rewound message also returns to the composer
		}
	}
	if diff := cmp.Diff(d.sent, got); diff != "" {
		t.Errorf("user messages (-sent +logged): %s", diff)
	}
	reading := d.reading()
	if shown := reading.CostUSD; costs > 0 && (shown == nil || *shown != costs) || costs != d.whim.paid {
		t.Errorf("the meter shows costs of %v, the log has %v, and %v were paid", shown, costs, d.whim.paid)
	}
	checkEpochsInOneWrite(t, d.memory.Batches())
	var o core.Options
	d.options(&o)
	o.System, o.Stored.ID = "be brief", "conversation"
	fresh, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	want, have := fresh.Meter(), d.currentMeter()
	if have.RequestEstimate() != want.RequestEstimate() {
		t.Errorf("the meter estimates %v tokens, and after a restart %v", have.RequestEstimate(), want.RequestEstimate())
	}
}

// checkEpochsInOneWrite checks that the overlays of each epoch are next to each other in one transaction.
func checkEpochsInOneWrite(t *testing.T, batches [][]conversation.Event) {
	seen := map[uint64]bool{}
	for n, batch := range batches {
		in := map[uint64]uint64{} // the newest overlay by epoch
		for _, e := range batch {
			if !e.Body.Kind().IsOverlay() {
				continue
			}
			id := conversation.EpochOf(e)
			if last, ok := in[id]; ok && last+1 != e.Seq || seen[id] {
				t.Errorf("overlay e%d of epoch %d is not next to the others, in transaction %d", e.Seq, id, n)
			}
			in[id] = e.Seq
		}
		for id := range in {
			seen[id] = true
		}
	}
}

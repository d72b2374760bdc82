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

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// whim is a provider that answers, calls, fails and is slow by chance, and
// looks at what it is sent. Every request costs a dollar.
type whim struct {
	mu       sync.Mutex // guards all below while a summary is written beside a reply
	chance   *rand.Rand
	requests int
	wrong    []string
}

func (w *whim) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests++
	w.inspect(r.Messages)
	pause, steps := time.Duration(w.chance.IntN(3))*time.Second, w.reply(r)
	return func(yield func(llm.Chunk, error) bool) {
		t := time.NewTimer(pause)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			yield(llm.Chunk{}, &llm.Error{Class: llm.Cancelled, Message: "stopped"})
			return
		}
		for _, s := range steps {
			if s.Err != nil {
				yield(llm.Chunk{}, s.Err)
				return
			}
			if !yield(*s.Chunk, nil) {
				return
			}
		}
	}
}

func (w *whim) reply(r llm.Request) agenttest.Reply {
	cost, n := 1.0, w.requests
	paid := agenttest.Send(llm.Chunk{Usage: &llm.Tokens{Prompt: 1000, Cached: -1, CacheWrite: -1, Completion: 10, Reasoning: -1, CostUSD: &cost}})
	wish := r.Messages[len(r.Messages)-1].Text
	forSummary := strings.Contains(wish, "request of the program") || strings.Contains(wish, "That was the conversation") || strings.HasPrefix(wish, "Summarize this")
	switch chance := w.chance.IntN(20); {
	case chance == 0:
		return agenttest.Join(paid, agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "too long", Window: 5000}))
	case chance == 1:
		return agenttest.Join(paid, agenttest.Fail(&llm.Error{Class: llm.ServerFault, Message: "it fell over"}))
	case chance == 2:
		return agenttest.Join(paid, agenttest.Say("and so on and"), agenttest.Stop(conversation.StopLength))
	case forSummary:
		return agenttest.Join(paid, agenttest.Say(fmt.Sprintf("ACCOUNT %d: %s", n, account)), agenttest.Stop(conversation.StopEnd))
	case chance < 8:
		return agenttest.Join(paid, looks(n))
	case chance < 10:
		return agenttest.Join(paid, wantsCompaction(fmt.Sprintf("k%d", n), `{}`))
	}
	return agenttest.Join(paid, answers(fmt.Sprintf("answer %d %s", n, strings.Repeat("in words ", 40))))
}

// inspect notes what an endpoint would refuse.
func (w *whim) inspect(messages []projection.Message) {
	note := func(what string, i int) {
		w.wrong = append(w.wrong, fmt.Sprintf("request %d, message %d of %d: %s", w.requests, i, len(messages), what))
	}
	if messages[0].Role != projection.RoleUser || messages[len(messages)-1].Role == projection.RoleAssistant {
		note("begins or ends with the wrong role", 0)
	}
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if m.Role == projection.RoleTool {
			note("answers no call", i)
		}
		if len(m.Calls) == 0 && strings.TrimSpace(m.Text) == "" {
			note("is empty", i)
		}
		for _, c := range m.Calls {
			if i++; i >= len(messages) || messages[i].CallID != c.ID {
				note("does not answer the call before it", i)
			}
		}
	}
}

// order is a random thing to ask of an agent; what is said is noted.
func (r *rig) order(chance *rand.Rand, n int, w *whim, said map[string]int) {
	presets := preset.All()
	switch chance.IntN(20) {
	case 0, 1, 2, 3:
		text := fmt.Sprintf("message %d", n)
		said[text]++
		r.Send(text)
	case 4, 5:
		r.Compact(byProfile([]string{preset.ProfileDefault, preset.ProfileHeavy, preset.ProfileHeavy, ""}[chance.IntN(4)], chance.IntN(3)))
	case 6:
		r.UndoCompaction(0)
	case 7:
		r.RedoCompaction()
	case 8:
		[]func(){r.Cancel, r.TakeBack}[chance.IntN(2)]()
	case 9:
		r.Preview(heavy())
	case 10:
		r.Configure(map[string]string{"compaction.keep_last": fmt.Sprint(n)}, preset.RulesOf(presets[chance.IntN(len(presets))]))
	case 11:
		window := meter.Window{Tokens: 20_000 + 5000*chance.IntN(3), Source: meter.WindowCatalogue}
		r.SwitchModel(llm.Model{Provider: "test", ID: []string{"m", "n"}[chance.IntN(2)], Window: window}, w)
	case 12:
		r.Pin(r.anyResult(chance), chance.IntN(3) > 0)
	case 13:
		r.Mask(r.anyResult(chance))
	case 14:
		[]func(){r.RestoreTurns, r.Inspect}[chance.IntN(2)]()
	case 15:
		r.Compact(reviewed())
	case 16:
		shown, _ := r.waiting()
		r.Review(shown.Text+[]string{"", " It was read."}[chance.IntN(2)], chance.IntN(3) > 0)
	case 17:
		r.Rewind(chance.IntN(6) - 2)
	default:
		time.Sleep(time.Duration(chance.IntN(4)) * time.Second)
	}
}

// anyResult is one of the results in the log, none if there is none.
func (r *rig) anyResult(chance *rand.Rand) []uint64 {
	all := r.results()
	if len(all) == 0 {
		return nil
	}
	i := chance.IntN(len(all))
	return all[i : i+1]
}

// Whatever is asked for in whatever order, the conversation comes to rest, every
// request can be sent, and no message and no cost is lost or counted twice.
func TestOrdersInAnyOrder(t *testing.T) {
	t.Parallel()
	presets := preset.All()
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			chance, w, sent := rand.New(rand.NewPCG(seed, 1)), &whim{chance: rand.New(rand.NewPCG(seed, 2))}, map[string]int{}
			r := start(t, both(withTools(looked(), compactTool()), func(o *core.Options) {
				o.Provider, o.Rules = w, preset.RulesOf(presets[seed%uint64(len(presets))])
				o.Rules.Summary.Review = seed%4 == 0
				o.Transcript = func(context.Context, projection.View) (string, error) { return "/transcript", nil }
			}))
			for n := range 40 {
				r.order(chance, n, w, sent)
				if chance.IntN(2+int(seed%8)) == 0 { // the rarer, the more comes at the same time
					r.wait()
				}
			}
			for waits := true; waits; _, waits = r.waiting() {
				r.Review("", false)
				time.Sleep(time.Hour) // whatever is under way ends
				r.wait()
			}
			r.atRest(seed, w, sent)
			r.finish()
		})
	}
}

// atRest checks a conversation in which nothing moves any more.
func (r *rig) atRest(seed uint64, w *whim, sent map[string]int) {
	r.t.Helper()
	if phases := r.watch.Phases(); len(phases) > 0 {
		r.idle()
	}
	for _, what := range w.wrong {
		r.t.Errorf("seed %d: %s", seed, what)
	}
	costs, got := 0.0, map[string]int{}
	for _, e := range r.memory.Events() {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			got[b.Text]++
		case conversation.Usage:
			if b.CostUSD != nil {
				costs += *b.CostUSD
			}
		case conversation.Summary:
			if b.Policies == nil && b.Text != "" && !strings.HasPrefix(b.Text, "ACCOUNT") {
				r.t.Errorf("seed %d: %q is taken for a summary", seed, b.Text)
			}
		}
	}
	rewound := slices.ContainsFunc(r.memory.Events(), func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindRewind })
	for _, text := range r.returned() {
		if got[text]++; rewound {
			got[text] = 1 // what is taken back from the log is given back as well
		}
	}
	if diff := cmp.Diff(sent, got); diff != "" || len(r.memory.Waiting()) > 0 {
		r.t.Errorf("seed %d: %v wait, and of what was said: %s", seed, r.memory.Waiting(), diff)
	}
	if shown := r.reading().CostUSD; costs > 0 && (shown == nil || *shown != costs) || costs > float64(w.requests) {
		r.t.Errorf("seed %d: the meter shows costs of %v, the log has %v, for %d requests", seed, shown, costs, w.requests)
	}
	m := r.meterOf()
	if want := m.WithView(projection.Project(r.memory.Events())).RequestEstimate(); m.RequestEstimate() != want {
		r.t.Errorf("seed %d: the meter estimates %v tokens, and %v make up the next request", seed, m.RequestEstimate(), want)
	}
}

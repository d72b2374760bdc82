package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/jsonl"
)

// equal compares reports, in which missing numbers are the same.
func equal(a, b replay.Report) string {
	return cmp.Diff(a, b, cmp.Comparer(func(x, y replay.Ratio) bool { return x == y || !x.IsKnown() && !y.IsKnown() }))
}

func TestReportsAreTheSameWithAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	builders := []*builder{searchConversation(), editConversation(), turns(8, 3000), work(40, 2000)}
	one := run(t, replay.Options{Window: 12_000, Policies: preset.All(), Workers: 1}, builders...)
	for _, workers := range []int{1, 3, 16} {
		if d := equal(one, run(t, replay.Options{Window: 12_000, Policies: preset.All(), Workers: workers}, builders...)); d != "" {
			t.Errorf("%d workers:\n%s", workers, d)
		}
	}
}

func TestReportsOfBadRecordsAreWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := rapid.OneOf(rapid.Custom(conversationtest.Malformed), rapid.Custom(conversationtest.Log), rapid.Custom(conversationtest.Rich)).Draw(t, "log")
		window := rapid.SampledFrom([]int{0, 1, 4010, 4100, 5000, math.MaxInt}).Draw(t, "window")
		doc := jsonl.FromLog(log, func(name string) (string, bool) { return "You must read " + name, name != "" })
		sources := []replay.Source{loaded(replay.Load(doc, "bad"))}
		r, err := replay.Run(context.Background(), sources, replay.Options{Window: window, Policies: preset.All(), Workers: 1})
		conversationtest.Must(t, err)
		for p, f := range r.Totals {
			if f.Violations != 0 {
				t.Errorf("%s: %d violations", p, f.Violations)
			}
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}

func TestReportsHaveTheKeysOfTheContract(t *testing.T) {
	t.Parallel()
	r := run(t, replay.Options{Window: 12_000, Policies: []preset.Name{"raw"}}, (&builder{}).user("a").reply("b"))
	data, err := json.Marshal(r)
	conversationtest.Must(t, err)
	var back struct {
		Files []struct {
			Name     string
			Policies map[string]map[string]any
		}
		Totals map[string]map[string]any
	}
	conversationtest.Must(t, json.Unmarshal(data, &back))
	want := []string{
		"content", "cost", "cost_ratio", "cost_vs_truncate", "cost_with_debt", "cost_with_debt_ratio", "cost_with_debt_vs_truncate",
		"edit_anchors", "instructions", "lookup_tokens", "lookups", "medians", "ns_per_request", "overflow", "prefix_breaks", "recall_all",
		"recall_in_place", "recall_tool", "recoverable", "rewritten_tokens", "served", "sessions_worse", "silent_losses", "summaries",
		"summary_input", "tokens_p95", "tokens_peak", "tokens_sent", "violations", "worst_fit", "worst_over", "write_lines",
	}
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(back.Totals["raw"]))); d != "" {
		t.Errorf("totals:\n%s", d)
	}
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(back.Files[0].Policies["raw"]))); d != "" {
		t.Errorf("of a file:\n%s", d)
	}
	costs, _ := back.Totals["raw"]["cost_ratio"].(map[string]any)
	if d := cmp.Diff([]string{"anthropic-1h", "anthropic-5m", "gpt-4o", "gpt-5.6", "openai"}, slices.Sorted(maps.Keys(costs))); d != "" {
		t.Errorf("sheets:\n%s", d)
	}
	if v, there := back.Totals["raw"]["edit_anchors"]; v != nil || !there {
		t.Errorf("a share of nothing is %v", v)
	}
	var again replay.Report
	conversationtest.Must(t, json.Unmarshal(data, &again))
	if d := equal(r, again); d != "" {
		t.Errorf("read back:\n%s", d)
	}
}

func TestProgressNeverFalls(t *testing.T) {
	t.Parallel()
	last := 0
	o := replay.Options{Policies: []preset.Name{preset.Raw}, Workers: 4, Progress: func(done, total int) { // one call at a time
		if done <= last || total != 6 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}}
	if r := run(t, o, work(150, 10), (&builder{}).user("nobody answers"), work(150, 10)); last != 6 || len(r.Files) != 2 {
		t.Errorf("it ends with %d; %d files have a request", last, len(r.Files))
	}
}

func TestTheFirstErrorEndsTheOtherRuns(t *testing.T) {
	t.Parallel()
	failed := errors.New("out of order")
	ended := make(chan struct{})
	broken := policy(replay.Policy{Decide: func(replay.PolicyInput) (replay.Decision, error) {
		close(ended)
		return replay.Decision{}, failed
	}})
	asked := 0
	patient := policy(replay.Policy{Decide: func(l replay.PolicyInput) (replay.Decision, error) {
		<-ended
		asked++
		runtime.Gosched()
		return replay.Decision{}, nil
	}})
	c := work(5000, 0).conversation()
	raw := preset.RulesOf(preset.Raw)
	o := replay.Options{Policies: []preset.Name{}, Workers: 2,
		ExtraPolicies: []replay.NamedPolicy{{Name: "patient", Rules: raw, Maker: patient}, {Name: "broken", Rules: raw, Maker: broken}}}
	_, err := replay.Run(context.Background(), []replay.Source{loaded(c)}, o)
	if !errors.Is(err, failed) || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "broken") {
		t.Errorf("it ends with %v", err)
	}
	if asked == c.Requests() {
		t.Error("the other run was replayed to its end")
	}
}

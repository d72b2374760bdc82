package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

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

// listing returns a long tool result that differs for each n.
func listing(n int) string {
	var b strings.Builder
	for i := range 90 {
		fmt.Fprintf(&b, "%d: line %d of the listing that was asked for in turn %d\n", i, i, n)
	}
	return b.String()
}

// lookTool returns a tool that answers {"n":N} with listing(N).
func lookTool() agenttest.Tool {
	return agenttest.Reader("look", func(_ context.Context, c conversation.ToolCall, _ func(string)) conversation.Outcome {
		var args struct{ N int }
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
			return conversation.Outcome{Status: conversation.ResultError, Text: err.Error()}
		}
		return okOutcome(listing(args.N))
	})
}

// compactTool returns the tool with which a model requests a compaction.
func compactTool() agenttest.Tool {
	return agenttest.Reader(conversation.ToolCompact, func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
		return okOutcome("Compression requested")
	})
}

// callsLook returns a reply that calls look once.
func callsLook(n int) agenttest.Reply {
	return callsReply(agenttest.StreamCall(0, fmt.Sprintf("c%d", n), "look", fmt.Sprintf(`{"n":%d}`, n)))
}

// startWithListings returns an idle rig after that many turns, each with a long tool result.
func startWithListings(t *testing.T, turns int, change func(*core.Options), script ...agenttest.Reply) *rig {
	t.Helper()
	var all []agenttest.Reply
	for i := range turns {
		all = append(all, callsLook(i), textReply(fmt.Sprintf("that was listing %d", i)))
	}
	setup := withTools(lookTool(), compactTool())
	if change != nil {
		setup = combine(setup, change)
	}
	r := start(t, setup, append(all, script...)...)
	for i := range turns {
		r.sendAndWait(fmt.Sprintf("show me listing %d of the uploads", i))
	}
	return r
}

// failWritesWhile makes every write to the log fail while full is set.
func failWritesWhile(full *atomic.Bool) func(*core.Options) {
	return func(o *core.Options) {
		o.Log = &agenttest.Memory{Fail: func(string) error {
			if full.Load() {
				return errDisk
			}
			return nil
		}}
	}
}

func profileRequest(profile string, keepLast int) edit.Request {
	w := edit.NewRequest()
	w.Profile, w.KeepLast = profile, keepLast
	return w
}

// compact requests a compaction and waits until it has ended.
func (r *rig) compact(w edit.Request) {
	r.Compact(w)
	r.waitIdle()
}

func (r *rig) overlays() []conversation.Event {
	var out []conversation.Event
	for _, e := range r.memory.Events() {
		if e.Body.Kind().IsOverlay() {
			out = append(out, e)
		}
	}
	return out
}

func (r *rig) failedCompactions() []conversation.Attempt {
	return bodies[conversation.Attempt](r.memory.Events())
}

func (r *rig) compactionErrors() []*llm.Error {
	var out []*llm.Error
	for _, u := range agenttest.UpdatesOf[updates.CompactionFailed](r.watch) {
		out = append(out, u.Err)
	}
	return out
}

// compactions returns the updates about committed compactions.
func (r *rig) compactions() []updates.Compacted {
	return agenttest.UpdatesOf[updates.Compacted](r.watch)
}

func (r *rig) lastRequest() llm.Request {
	all := r.provider.Requests()
	return all[len(all)-1]
}

// wireMessage is the part of a message that an endpoint gets, without event numbers.
type wireMessage struct {
	Role, Text, CallID string
	Calls              []string
}

func wireMessages(messages []projection.Message) []wireMessage {
	var out []wireMessage
	for _, m := range messages {
		w := wireMessage{Role: string(m.Role), Text: m.Text, CallID: m.CallID}
		for _, c := range m.Calls {
			w.Calls = append(w.Calls, c.ID+" "+c.Name+" "+c.Arguments)
		}
		out = append(out, w)
	}
	return out
}

// view projects the stored log.
func (r *rig) view() []wireMessage {
	return wireMessages(projection.Project(r.memory.Events()).Messages)
}

func (r *rig) checkIdle() {
	r.t.Helper()
	if got := r.watch.Phases(); len(got) == 0 || got[len(got)-1] != updates.Idle {
		r.t.Errorf("the phases are %v, want idle at last", got)
	}
}

// goodSummary is a summary that passes the acceptance checks for a few turns.
const goodSummary = "### Goal\nThe user goes through the listings of the uploads, one in each turn (t0 and later).\n" +
	"### Done\nEach listing was fetched with look and shown; every one has ninety lines and none of them names a failure.\n" +
	"### Next step\nShow the next listing when the user asks for it, as before: \"show me listing\"."

func TestCompactionWhileIdleIsOneTransactionAndTakesEffectAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 5, nil, textReply("fine"))
		before, batches := r.reading(), len(r.memory.Batches())
		r.compact(profileRequest("", -1))
		r.checkIdle()
		overlays, made := r.overlays(), r.compactions()
		if len(overlays) != 1 || len(made) != 1 {
			t.Fatalf("%d overlays and %d updates, want one each", len(overlays), len(made))
		}
		if n := len(r.memory.Batches()) - batches; n != 1 {
			t.Errorf("%d transactions, want one", n)
		}
		s := overlays[0].Body.(conversation.Summary)
		if s.Origin.Epoch != overlays[0].Seq || made[0].Epoch != overlays[0].Seq {
			t.Errorf("epoch %d, %d in the update, want overlay %d", s.Origin.Epoch, made[0].Epoch, overlays[0].Seq)
		}
		if s.FromTurn != 0 || s.ToTurn != 1 || s.Origin.Source != conversation.SourceManual || s.Origin.Profile != preset.ProfileDefault {
			t.Errorf("the overlay is %+v, want a manual one of turns 0 to 1 by the default profile", s)
		}
		after := r.reading()
		if !after.Estimated || after.Used >= before.Used || after.Used != made[0].Preview.After || after.Revision != overlays[0].Seq {
			t.Errorf("the meter went from %d to %d at revision %d: %+v", before.Used, after.Used, after.Revision, made[0].Preview)
		}
		if sum := segmentSum(after); sum != after.Used || after.Segments[projection.Stubs] == 0 {
			t.Errorf("the segments %v add up to %d, the meter shows %d", after.Segments, sum, after.Used)
		}
		r.sendAndWait("thanks")
		sent := wireMessages(r.lastRequest().Messages)
		checkEqual(t, r.view()[:len(sent)], sent)
		if strings.Contains(sent[2].Text, "line 50 of the listing") || !strings.Contains(sent[10].Text, "line 50 of the listing") {
			t.Errorf("the first result is %.80q, want a stub; the third %.80q, want its text", sent[2].Text, sent[10].Text)
		}
		r.finish()
	})
}

func segmentSum(r meter.Reading) (sum int) {
	for _, s := range projection.Segments() {
		sum += r.Segments[s]
	}
	return sum
}

func TestCompactionInATurnWaitsForItsNextRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := startWithListings(t, 4, nil, agenttest.Join(agenttest.WaitAtGate(gate), callsLook(4)), textReply("that was listing 4"))
		r.sendAndWait("one more")
		events := len(r.memory.Events())
		r.compact(profileRequest("", 0))
		if got := len(r.memory.Events()); got != events {
			t.Errorf("%d events were appended while a reply streams", got-events)
		}
		gate.Open()
		r.waitIdle()
		r.checkIdle()
		var kinds []conversation.Kind
		for _, e := range r.memory.Events()[events:] {
			kinds = append(kinds, e.Body.Kind())
		}
		want := []conversation.Kind{conversation.KindAssistant, conversation.KindUsage, conversation.KindResult, conversation.KindSummary,
			conversation.KindAssistant, conversation.KindUsage}
		checkEqual(t, want, kinds)
		sent := wireMessages(r.lastRequest().Messages)
		if !strings.Contains(sent[len(sent)-1].Text, "line 50 of the listing") {
			t.Error("the result that the model has not read yet is masked")
		}
		if strings.Contains(sent[2].Text, "line 50 of the listing") {
			t.Error("an old result is not masked")
		}
		r.finish()
	})
}

func TestUsageOfARequestBeforeTheCompactionDoesNotAnchorTheMeter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 4, nil, replyWithUsage("fine", 9000), replyWithUsage("fine again", 3000))
		r.sendAndWait("how full is it?")
		if got := r.reading(); got.Used != 9001 {
			t.Fatalf("the meter shows %d before the compaction, want 9001", got.Used)
		}
		r.compact(profileRequest("", 1))
		if got := r.reading(); !got.Estimated || got.Used > 9000*3/4 {
			t.Errorf("the meter shows %d (estimated %v) after it, want an estimate of 6750 at most", got.Used, got.Estimated)
		}
		r.sendAndWait("and now?")
		if got := r.reading(); got.Used != 3001 || got.Estimated {
			t.Errorf("the meter shows %d (estimated %v), want the provider's count", got.Used, got.Estimated)
		}
		revisions := map[uint64]bool{}
		for _, u := range bodies[conversation.Usage](r.memory.Events()) {
			revisions[u.Revision] = true
		}
		if !revisions[0] || !revisions[r.overlays()[0].Seq] || len(revisions) != 2 {
			t.Errorf("the requests have the revisions %v, want 0 and the overlay's", revisions)
		}
		r.finish()
	})
}

func TestCompactionThatCannotBeStoredDoesNotTakeEffect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var full atomic.Bool
		r := startWithListings(t, 4, failWritesWhile(&full), textReply("fine"))
		before, used := r.view(), r.reading().Used
		full.Store(true)
		r.compact(profileRequest("", 1))
		full.Store(false)
		r.checkIdle()
		refused := r.compactionErrors()
		if len(refused) != 1 || refused[0].Class != llm.NotSaved || refused[0].Hint == "" || len(r.compactions()) != 0 {
			t.Fatalf("errors %v, want one that is not saved; compactions %v, want none", refused, r.compactions())
		}
		r.sendAndWait("go on")
		checkEqual(t, before, r.view()[:len(before)])
		if n := len(r.overlays()); n != 0 || r.reading().Used < used {
			t.Errorf("%d overlays in force, want none and an unchanged meter", n)
		}
		r.finish()
	})
}

func TestPendingEventsDoNotShiftTheEpoch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var full atomic.Bool
		r := startWithListings(t, 4, failWritesWhile(&full))
		full.Store(true)
		r.Rename("a title that cannot be stored yet")
		r.waitIdle()
		full.Store(false)
		r.compact(profileRequest("", 1))
		overlay := r.overlays()
		if len(overlay) != 1 || overlay[0].Body.(conversation.Summary).Origin.Epoch != overlay[0].Seq {
			t.Fatalf("the overlays are %+v, want one whose epoch is its own number", overlay)
		}
		if events := r.memory.Events(); events[len(events)-2].Body.Kind() != conversation.KindRenamed {
			t.Errorf("the last events are %v, want the pending title before the overlay", describe(events[len(events)-2:]))
		}
		r.finish()
	})
}

func TestResultThatRepeatsAnEarlierOnePointsToIt(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(*preset.Rules)
		compact bool
		points  bool
	}{
		"as it is":                    {points: true},
		"the earlier one is masked":   {compact: true},
		"rules that know no pointers": {change: func(r *preset.Rules) { *r = preset.RulesOf(preset.JP) }},
		"masks are turned on":         {change: func(r *preset.Rules) { r.Mask.Enabled = true }, points: true},
	} {
		runBubble(t, name, func(t *testing.T) {
			again := callsReply(agenttest.StreamCall(0, "again", "look", `{"n":0}`), agenttest.StreamCall(1, "other", "look", `{"n":7}`))
			r := startWithListings(t, 3, func(o *core.Options) {
				o.Rules = preset.RulesOf(preset.Plimsoll)
				if test.change != nil {
					test.change(&o.Rules)
				}
			}, again, textReply("the same"))
			if test.compact {
				r.compact(profileRequest("", 0))
			}
			r.sendAndWait("listing 0 again, and 7")
			results := map[string]uint64{}
			var first uint64
			for _, e := range r.memory.Events() {
				if b, isResult := e.Body.(conversation.ToolResult); isResult {
					results[b.CallID] = b.Repeats
					if first == 0 {
						first = e.Seq
					}
				}
			}
			if want := map[bool]uint64{true: first}[test.points]; results["again"] != want || results["other"] != 0 || results["c0"] != 0 {
				t.Errorf("results repeat %v, want again: %d", results, want)
			}
			texts := fmt.Sprint(wireMessages(r.lastRequest().Messages))
			if n := strings.Count(texts, "line 50 of the listing that was asked for in turn 0"); test.points && n != 1 {
				t.Errorf("the listing is sent %d times, want once", n)
			}
			r.finish()
		})
	}
}

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

// listing is a long result, another one for each n.
func listing(n int) string {
	var b strings.Builder
	for i := range 90 {
		fmt.Fprintf(&b, "%d: line %d of the listing that was asked for in turn %d\n", i, i, n)
	}
	return b.String()
}

// looked is the tool that gives a listing for {"n":N}.
func looked() agenttest.Tool {
	return agenttest.Reader("look", func(_ context.Context, c conversation.ToolCall, _ func(string)) conversation.Outcome {
		var args struct{ N int }
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
			return conversation.Outcome{Status: conversation.ResultError, Text: err.Error()}
		}
		return ok(listing(args.N))
	})
}

// compactTool is the tool by which a model asks for a compaction.
func compactTool() agenttest.Tool {
	return agenttest.Reader(conversation.ToolCompact, func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
		return ok("Compression requested")
	})
}

// looks is a reply that calls look once.
func looks(n int) agenttest.Reply {
	return asks(agenttest.Call(0, fmt.Sprintf("c%d", n), "look", fmt.Sprintf(`{"n":%d}`, n)))
}

// talk is an idle rig in which turns were said, each with a long result.
func talk(t *testing.T, turns int, change func(*core.Options), script ...agenttest.Reply) *rig {
	t.Helper()
	var all []agenttest.Reply
	for i := range turns {
		all = append(all, looks(i), answers(fmt.Sprintf("that was listing %d", i)))
	}
	setup := withTools(looked(), compactTool())
	if change != nil {
		setup = both(setup, change)
	}
	r := start(t, setup, append(all, script...)...)
	for i := range turns {
		r.say(fmt.Sprintf("show me listing %d of the uploads", i))
	}
	return r
}

// diskFullWhile has every write fail while full is set.
func diskFullWhile(full *atomic.Bool) func(*core.Options) {
	return func(o *core.Options) {
		o.Log = &agenttest.Memory{Fail: func(string) error {
			if full.Load() {
				return errDisk
			}
			return nil
		}}
	}
}

// byProfile is a request for a compaction by hand with a profile.
func byProfile(profile string, keepLast int) edit.Request {
	w := edit.NewRequest()
	w.Profile, w.KeepLast = profile, keepLast
	return w
}

// compacts compacts and waits until nothing moves.
func (r *rig) compacts(w edit.Request) {
	r.Compact(w)
	r.wait()
}

// overlays are the overlays in the log.
func (r *rig) overlays() []conversation.Event {
	var out []conversation.Event
	for _, e := range r.memory.Events() {
		if e.Body.Kind().IsOverlay() {
			out = append(out, e)
		}
	}
	return out
}

// attempts are the failed compactions in the log.
func (r *rig) attempts() []conversation.Attempt {
	return bodies[conversation.Attempt](r.memory.Events())
}

// refused are the failures of compactions that the user was told.
func (r *rig) refused() []*llm.Error {
	var out []*llm.Error
	for _, u := range agenttest.Of[updates.CompactionFailed](r.watch) {
		out = append(out, u.Err)
	}
	return out
}

// made are the compactions that the user was told.
func (r *rig) made() []updates.Compacted { return agenttest.Of[updates.Compacted](r.watch) }

// last is the newest request.
func (r *rig) last() llm.Request {
	all := r.provider.Requests()
	return all[len(all)-1]
}

// wire is what a message says to an endpoint, without where it came from.
type wire struct {
	Role, Text, CallID string
	Calls              []string
}

func onWire(messages []projection.Message) []wire {
	var out []wire
	for _, m := range messages {
		w := wire{Role: string(m.Role), Text: m.Text, CallID: m.CallID}
		for _, c := range m.Calls {
			w.Calls = append(w.Calls, c.ID+" "+c.Name+" "+c.Arguments)
		}
		out = append(out, w)
	}
	return out
}

// view is what the stored log shows the model.
func (r *rig) view() []wire { return onWire(projection.Project(r.memory.Events()).Messages) }

// idle checks that the conversation rests.
func (r *rig) idle() {
	r.t.Helper()
	if got := r.watch.Phases(); len(got) == 0 || got[len(got)-1] != updates.Idle {
		r.t.Errorf("the phases are %v, want idle at last", got)
	}
}

// account is a summary that counts for a few turns of talk.
const account = "### Goal\nThe user goes through the listings of the uploads, one in each turn (t0 and later).\n" +
	"### Done\nEach listing was fetched with look and shown; every one has ninety lines and none of them names a failure.\n" +
	"### Next step\nShow the next listing when the user asks for it, as before: \"show me listing\"."

func TestCompactionWhileIdleIsOneTransactionAndInForceAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 5, nil, answers("fine"))
		before, batches := r.reading(), len(r.memory.Batches())
		r.compacts(byProfile("", -1))
		r.idle()
		overlays, made := r.overlays(), r.made()
		if len(overlays) != 1 || len(made) != 1 {
			t.Fatalf("%d overlays and %d updates, want one each", len(overlays), len(made))
		}
		if n := len(r.memory.Batches()) - batches; n != 1 {
			t.Errorf("%d transactions, want one", n)
		}
		s := overlays[0].Body.(conversation.Summary)
		if s.Origin.Epoch != overlays[0].Seq || made[0].Epoch != overlays[0].Seq {
			t.Errorf("epoch %d, told as %d, of overlay %d", s.Origin.Epoch, made[0].Epoch, overlays[0].Seq)
		}
		if s.FromTurn != 0 || s.ToTurn != 1 || s.Origin.Source != conversation.SourceManual || s.Origin.Profile != preset.ProfileDefault {
			t.Errorf("the overlay is %+v", s)
		}
		after := r.reading()
		if !after.Estimated || after.Used >= before.Used || after.Used != made[0].Preview.After || after.Revision != overlays[0].Seq {
			t.Errorf("the meter went from %d to %d of revision %d, with %+v told", before.Used, after.Used, after.Revision, made[0].Preview)
		}
		if sum := segmentSum(after); sum != after.Used || after.Segments[projection.Stubs] == 0 {
			t.Errorf("the segments %v make %d of %d", after.Segments, sum, after.Used)
		}
		r.say("thanks")
		sent := onWire(r.last().Messages)
		same(t, r.view()[:len(sent)], sent)
		if strings.Contains(sent[2].Text, "line 50 of the listing") || !strings.Contains(sent[10].Text, "line 50 of the listing") {
			t.Errorf("the first result reads %.80q, the third %.80q", sent[2].Text, sent[10].Text)
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
		r := talk(t, 4, nil, agenttest.Join(agenttest.Hold(gate), looks(4)), answers("that was listing 4"))
		r.say("one more")
		events := len(r.memory.Events())
		r.compacts(byProfile("", 0))
		if got := len(r.memory.Events()); got != events {
			t.Errorf("%d events were appended while a reply streams", got-events)
		}
		gate.Open()
		r.wait()
		r.idle()
		var kinds []conversation.Kind
		for _, e := range r.memory.Events()[events:] {
			kinds = append(kinds, e.Body.Kind())
		}
		want := []conversation.Kind{conversation.KindAssistant, conversation.KindUsage, conversation.KindResult, conversation.KindSummary,
			conversation.KindAssistant, conversation.KindUsage}
		same(t, want, kinds)
		sent := onWire(r.last().Messages)
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
		r := talk(t, 4, nil, reports("fine", 9000), reports("fine again", 3000))
		r.say("how full is it?")
		if got := r.reading(); got.Used != 9001 {
			t.Fatalf("used is %d before", got.Used)
		}
		r.compacts(byProfile("", 1))
		if got := r.reading(); !got.Estimated || got.Used > 9000*3/4 {
			t.Errorf("used is %d (estimated %v) right after", got.Used, got.Estimated)
		}
		r.say("and now?")
		if got := r.reading(); got.Used != 3001 || got.Estimated {
			t.Errorf("used is %d (estimated %v), want what the provider said", got.Used, got.Estimated)
		}
		revisions := map[uint64]bool{}
		for _, u := range bodies[conversation.Usage](r.memory.Events()) {
			revisions[u.Revision] = true
		}
		if !revisions[0] || !revisions[r.overlays()[0].Seq] || len(revisions) != 2 {
			t.Errorf("the requests were made under the revisions %v", revisions)
		}
		r.finish()
	})
}

func TestCompactionThatCannotBeStoredIsNotMade(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var full atomic.Bool
		r := talk(t, 4, diskFullWhile(&full), answers("fine"))
		before, used := r.view(), r.reading().Used
		full.Store(true)
		r.compacts(byProfile("", 1))
		full.Store(false)
		r.idle()
		refused := r.refused()
		if len(refused) != 1 || refused[0].Class != llm.NotSaved || refused[0].Hint == "" || len(r.made()) != 0 {
			t.Fatalf("told %v and %v", refused, r.made())
		}
		r.say("go on")
		same(t, before, r.view()[:len(before)])
		if n := len(r.overlays()); n != 0 || r.reading().Used < used {
			t.Errorf("%d overlays are in force after all", n)
		}
		r.finish()
	})
}

func TestPendingEventsDoNotShiftTheEpoch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var full atomic.Bool
		r := talk(t, 4, diskFullWhile(&full))
		full.Store(true)
		r.Rename("a title that cannot be stored yet")
		r.wait()
		full.Store(false)
		r.compacts(byProfile("", 1))
		overlay := r.overlays()
		if len(overlay) != 1 || overlay[0].Body.(conversation.Summary).Origin.Epoch != overlay[0].Seq {
			t.Fatalf("the overlays are %+v", overlay)
		}
		if events := r.memory.Events(); events[len(events)-2].Body.Kind() != conversation.KindRenamed {
			t.Errorf("what was pending is not stored before: %v", brief(events[len(events)-2:]))
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
			again := asks(agenttest.Call(0, "again", "look", `{"n":0}`), agenttest.Call(1, "other", "look", `{"n":7}`))
			r := talk(t, 3, func(o *core.Options) {
				o.Rules = preset.RulesOf(preset.Plimsoll)
				if test.change != nil {
					test.change(&o.Rules)
				}
			}, again, answers("the same"))
			if test.compact {
				r.compacts(byProfile("", 0))
			}
			r.say("listing 0 again, and 7")
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
			texts := fmt.Sprint(onWire(r.last().Messages))
			if n := strings.Count(texts, "line 50 of the listing that was asked for in turn 0"); test.points && n != 1 {
				t.Errorf("the listing is sent %d times", n)
			}
			r.finish()
		})
	}
}

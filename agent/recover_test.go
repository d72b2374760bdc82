package agent_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What a program that was killed in mid-reply left, and what the next one makes of
// it: the request is on record, and what it filled the window with is read as
// before.

// killed is what is on disk when a program is killed.
type killed struct {
	events  []conversation.Event
	partial conversation.PartialReply
	request llm.Request // the one that was being answered
	at      time.Time
	learned conversation.Calibration
}

// killedInReply is a conversation that fills so much of the window that its last
// reply has a bound, killed two seconds after parts of that reply came.
func killedInReply(t *testing.T, parts ...agenttest.Reply) killed {
	t.Helper()
	hold := agenttest.NewGate()
	half := append(append([]agenttest.Reply{}, parts...), agenttest.Pause(2*time.Second), agenttest.Hold(hold), answers("never"))
	r := start(t, bounded,
		agenttest.Join(agenttest.Send(llm.Chunk{BodyHash: "first", Form: "form"}), answers("hello"), agenttest.Used(900, 2)),
		agenttest.Join(half...))
	r.say(strings.Repeat("word ", 600))
	r.Send("go")
	<-hold.Reached()
	r.wait()
	p := r.memory.Partial()
	if p == nil {
		t.Fatal("no partial reply was kept")
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	k := killed{events: r.memory.Events(), request: r.provider.Requests()[1], at: time.Now(), learned: r.memory.Calibration(testModel.CalibrationKey)}
	if err := json.Unmarshal(data, &k.partial); err != nil {
		t.Fatal(err)
	}
	hold.Open()
	r.wait()
	r.finish()
	return k
}

// bounded is a window whose reserve does not fit behind 900 tokens.
func bounded(o *core.Options) {
	o.Model.Window = meter.Window{Tokens: 1000, Source: meter.WindowConfig}
	o.Rules = preset.Rules{}
}

// opens opens what is left, an hour later.
func (k killed) opens(t *testing.T, change func(*core.Options), script ...agenttest.Reply) *rig {
	t.Helper()
	memory := &agenttest.Memory{}
	if err := memory.Append(t.Context(), k.events); err != nil {
		t.Fatal(err)
	}
	if err := memory.KeepPartial(t.Context(), k.partial); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(k.at.Add(time.Hour)))
	p := k.partial
	setup := both(bounded, func(o *core.Options) {
		o.Log, o.Calibrations = memory, memory
		o.Model.Calibration = k.learned
		o.Stored = core.Stored{ID: "conversation", Events: k.events, Partial: &p}
	})
	if change != nil {
		setup = both(setup, change)
	}
	return start(t, setup, script...)
}

func TestRequestOfARecoveredReplyCanBeMadeAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := killedInReply(t, agenttest.Send(llm.Chunk{Waiting: true, BodyHash: "second", Form: "form 2"}), agenttest.Say("half an ans"))
		r := k.opens(t, nil, answers("fine"))
		n := uint64(len(k.events))
		batches := r.memory.Batches()
		if got := brief(batches[len(batches)-1]); len(batches) != 2 || len(got) != 2 {
			t.Fatalf("%d transactions, the newest of %q", len(batches), got)
		}
		u, isUsage := batches[1][1].Body.(conversation.Usage)
		want := conversation.Usage{Reply: n + 1, Model: "test/m", Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1,
			Estimate: u.Estimate, BodyHash: "second", Through: n, MaxTokens: k.request.MaxTokens, WireForm: "form 2"}
		if diff := cmp.Diff(want, u); !isUsage || diff != "" || u.Estimate <= 0 || u.MaxTokens <= 0 {
			t.Errorf("recorded %+v: %s", u, diff)
		}
		r.say("next")
		r.finish()

		events := r.memory.Events()
		list := inspect.SentRequests(events)
		if len(list) != 3 || list[1].Event != n+2 || list[1].Reply != n+1 || list[1].Through != n {
			t.Fatalf("listed %+v", list)
		}
		made, err := projection.Harden(projection.Project(events[:list[1].Through]), projection.Capabilities{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(onWire(k.request.Messages), onWire(made)); diff != "" {
			t.Errorf("made again (-sent +made):\n%s", diff)
		}
	})
}

// The provider's cache has not been used since the reply stopped arriving.
func TestRecoveredReplyStandsAtTheTimeWhenItArrived(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := killedInReply(t, agenttest.Say("half an ans"))
		opened := k.at.Add(time.Hour)
		for name, c := range map[string]struct {
			kept, want time.Time
		}{
			"as it was kept":           {k.partial.Time, k.at.Add(-2 * time.Second)},
			"by an earlier version":    {time.Time{}, opened},
			"by a clock set back":      {k.events[0].Time.Add(-time.Hour), opened},
			"by a clock that was fast": {opened.Add(time.Hour), opened},
		} {
			again := k
			again.partial.Time = c.kept
			r := again.opens(t, nil)
			for _, e := range r.memory.Events()[len(k.events):] {
				if got := e.Time; got.Sub(c.want).Abs() > time.Minute {
					t.Errorf("%s: %s stands at %s, not %s", name, e.Body.Kind(), got, c.want)
				}
			}
			r.finish()
		}
	})
}

// What the log records of a request makes the same request again.

// formed is a reply whose first chunk says how the request was put into bytes.
func formed(r agenttest.Reply, n int) agenttest.Reply {
	return agenttest.Join(agenttest.Send(llm.Chunk{BodyHash: fmt.Sprintf("hash %d", n), Form: fmt.Sprintf("form %d", n)}), r)
}

// faulty answers as a long talk does, but some tries fail halfway, and so do some
// summaries.
func faulty(l *longTalk) {
	l.server.Answer = func(n int, r llm.Request) agenttest.Reply {
		if n%9 == 4 {
			return formed(agenttest.Join(agenttest.Say("it is "), agenttest.Fail(fault())), n)
		}
		return formed(l.answer(n, r), n)
	}
	l.server.Summary = func(n int, r llm.Request) agenttest.Reply { return formed(agenttest.Healthy(n, r), n) }
}

func TestEveryRequestCanBeMadeAgainFromTheLog(t *testing.T) {
	const turns = 60
	acts := map[int]func(*longTalk){
		9:  func(l *longTalk) { l.Compact(byProfile(preset.ProfileDefault, 1)) },
		12: func(l *longTalk) { l.UndoCompaction(0) },
		15: func(l *longTalk) { l.Rewind(-1) },
		17: func(l *longTalk) { l.Compact(heavy()) },
		19: func(l *longTalk) { l.RestoreTurns() },
		23: func(l *longTalk) { l.Rewind(20) },
		25: func(l *longTalk) { l.RestoreTurns() },
		27: func(l *longTalk) { l.Compact(byProfile(preset.ProfileDefault, 2)) },
		28: func(l *longTalk) { l.UndoCompaction(0); l.RedoCompaction() },
		31: func(l *longTalk) { l.SwitchModel(other("large", 4*longWindow), l.server) },
		33: func(l *longTalk) {
			m := other("echoes", 4*longWindow) // and the server's is smaller
			m.Caps.EchoReasoning, m.Caps.NoTools = true, false
			l.SwitchModel(m, l.server)
		},
		41: func(l *longTalk) { l.Mask(l.results()[len(l.results())-1:]) },
		42: func(l *longTalk) { l.Pin(l.results()[len(l.results())-2:], true) },
		43: func(l *longTalk) { l.Pin(l.results()[len(l.results())-2:], false) },
		47: func(l *longTalk) { l.SwitchModel(other("m", longWindow), l.server) },
		55: func(l *longTalk) {
			l.Configure(map[string]string{"compaction.preset": "jp-auto"}, preset.RulesOf(preset.JPAuto))
		},
	}
	bubble(t, func(t *testing.T) {
		l := startLong(t, faulty, window(longWindow, meter.WindowCatalogue))
		for n := range turns {
			l.Send(turnText(n))
			if act := acts[n]; act != nil && n%2 == 0 {
				act(l) // while it is answered
			}
			l.rests()
			if act := acts[n]; act != nil && n%2 == 1 {
				act(l)
				l.rests()
			}
		}
		time.Sleep(time.Hour)
		l.rests()
		l.checkRecord()
		l.finish()
	})
}

// results are the results in the log, by their Seq.
func (r *rig) results() (seqs []uint64) {
	for _, e := range r.memory.Events() {
		if e.Body.Kind() == conversation.KindResult {
			seqs = append(seqs, e.Seq)
		}
	}
	return seqs
}

// checkRecord makes each request again of which the log tells, and compares it with
// what the server got.
func (l *longTalk) checkRecord() {
	l.t.Helper()
	events := l.memory.Events()
	got := map[uint64][]agenttest.Served{} // by what they were made of
	for _, s := range l.requests(conversation.PurposeReply) {
		if !s.Refused { // that one was never heard of again
			got[uint64(s.Mark)] = append(got[uint64(s.Mark)], s)
		}
	}
	caps := map[string]projection.Capabilities{"test/echoes": {EchoReasoning: true}}
	replies, summaries := 0, 0
	for _, e := range events {
		u, isUsage := e.Body.(conversation.Usage)
		switch {
		case !isUsage:
			continue
		case u.WireForm == "" || u.BodyHash == "":
			l.t.Errorf("usage %d has the form %q of %q", e.Seq, u.WireForm, u.BodyHash)
		case u.Purpose == conversation.PurposeSummary:
			summaries++
			if u.Through != 0 || u.MaxTokens <= 0 {
				l.t.Errorf("the summary's usage %d is of a request through %d, of %d tokens at most", e.Seq, u.Through, u.MaxTokens)
			}
			continue
		}
		replies++
		same := got[u.Through]
		if len(same) == 0 {
			l.t.Errorf("usage %d: no request was made through event %d", e.Seq, u.Through)
			continue
		}
		got[u.Through] = same[1:] // tries come in order
		made, err := projection.Harden(projection.Project(events[:u.Through]), caps[u.Model])
		if err != nil {
			l.t.Fatal(err)
		}
		if !reflect.DeepEqual(made, same[0].Request.Messages) {
			l.t.Errorf("usage %d: through event %d: %s", e.Seq, u.Through, cmp.Diff(onWire(made), onWire(same[0].Request.Messages)))
		}
		if u.MaxTokens != same[0].Request.MaxTokens {
			l.t.Errorf("usage %d: at most %d tokens, and the request had %d", e.Seq, u.MaxTokens, same[0].Request.MaxTokens)
		}
	}
	for through, left := range got {
		if len(left) > 0 {
			l.t.Errorf("of %d requests through event %d nothing is recorded", len(left), through)
		}
	}
	if replies < 60 || summaries < 3 {
		l.t.Errorf("%d replies and %d summaries are too few to tell", replies, summaries)
	}
}

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

// These tests kill the program during a reply and start the next one on the stored
// log: the request can be rebuilt, and the meter still shows the tokens of the request.

// killedProgram is the stored state after a program was killed.
type killedProgram struct {
	events  []conversation.Event
	partial conversation.PartialReply
	request llm.Request // the one that was being answered
	at      time.Time
	learned conversation.Calibration
}

// killedInReply returns a nearly full conversation, whose last reply has a token limit,
// killed two seconds after parts of that reply arrived.
func killedInReply(t *testing.T, parts ...agenttest.Reply) killedProgram {
	t.Helper()
	hold := agenttest.NewGate()
	half := append(append([]agenttest.Reply{}, parts...), agenttest.Pause(2*time.Second), agenttest.WaitAtGate(hold), textReply("never"))
	r := start(t, withNarrowWindow,
		agenttest.Join(agenttest.StreamChunk(llm.Chunk{BodyHash: "first", WireForm: "form"}), textReply("hello"), agenttest.ReportTokens(900, 2)),
		agenttest.Join(half...))
	r.sendAndWait(strings.Repeat("word ", 600))
	r.Send("go")
	<-hold.Reached()
	r.waitIdle()
	p := r.memory.Partial()
	if p == nil {
		t.Fatal("no partial reply was kept")
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	k := killedProgram{events: r.memory.Events(), request: r.provider.Requests()[1], at: time.Now(), learned: r.memory.Calibration(testModel.CalibrationKey)}
	if err := json.Unmarshal(data, &k.partial); err != nil {
		t.Fatal(err)
	}
	hold.Open()
	r.waitIdle()
	r.finish()
	return k
}

// withNarrowWindow sets a window whose reserve does not fit after 900 tokens.
func withNarrowWindow(o *core.Options) {
	o.Model.Window = meter.Window{Tokens: 1000, Source: meter.WindowConfig}
	o.Rules = preset.Rules{}
}

// reopen starts an agent on the stored state, an hour later.
func (k killedProgram) reopen(t *testing.T, change func(*core.Options), script ...agenttest.Reply) *rig {
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
	setup := combine(withNarrowWindow, func(o *core.Options) {
		o.Log, o.Calibrations = memory, memory
		o.Model.Calibration = k.learned
		o.Stored = core.Stored{ID: "conversation", Events: k.events, Partial: &p}
	})
	if change != nil {
		setup = combine(setup, change)
	}
	return start(t, setup, script...)
}

func TestRequestOfARecoveredReplyCanBeRebuilt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := killedInReply(t, agenttest.StreamChunk(llm.Chunk{Waiting: true, BodyHash: "second", WireForm: "form 2"}), agenttest.StreamText("half an ans"))
		r := k.reopen(t, nil, textReply("fine"))
		n := uint64(len(k.events))
		batches := r.memory.Batches()
		if got := describe(batches[len(batches)-1]); len(batches) != 2 || len(got) != 2 {
			t.Fatalf("%d transactions, want 2; the newest has %q, want 2 events", len(batches), got)
		}
		u, isUsage := batches[1][1].Body.(conversation.Usage)
		want := conversation.Usage{Reply: n + 1, Model: "test/m", Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1,
			Estimate: u.Estimate, BodyHash: "second", Through: n, MaxTokens: k.request.MaxTokens, WireForm: "form 2"}
		if diff := cmp.Diff(want, u); !isUsage || diff != "" || u.Estimate <= 0 || u.MaxTokens <= 0 {
			t.Errorf("the usage is %+v (-want +got): %s", u, diff)
		}
		r.sendAndWait("next")
		r.finish()

		events := r.memory.Events()
		list := inspect.SentRequests(events)
		if len(list) != 3 || list[1].Event != n+2 || list[1].Usage.Reply != n+1 || list[1].Through != n {
			t.Fatalf("the requests are %+v, want 3, the second of the recovered reply", list)
		}
		made, err := projection.Harden(projection.Project(events[:list[1].Through]), projection.Capabilities{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wireMessages(k.request.Messages), wireMessages(made)); diff != "" {
			t.Errorf("the rebuilt request (-sent +rebuilt):\n%s", diff)
		}
	})
}

// The age of the provider's cache counts from the time when the reply stopped arriving.
func TestRecoveredReplyHasTheTimeOfItsArrival(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := killedInReply(t, agenttest.StreamText("half an ans"))
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
			r := again.reopen(t, nil)
			for _, e := range r.memory.Events()[len(k.events):] {
				if got := e.Time; got.Sub(c.want).Abs() > time.Minute {
					t.Errorf("%s: %s stands at %s, not %s", name, e.Body.Kind(), got, c.want)
				}
			}
			r.finish()
		}
	})
}

// The tests below rebuild requests from the records in the log.

// replyWithForm returns a reply whose first chunk has the form of the request body.
func replyWithForm(r agenttest.Reply, n int) agenttest.Reply {
	return agenttest.Join(agenttest.StreamChunk(llm.Chunk{BodyHash: fmt.Sprintf("hash %d", n), WireForm: fmt.Sprintf("form %d", n)}), r)
}

// failSometimes makes some replies and some summaries of a long conversation fail halfway.
func failSometimes(l *longConversation) {
	l.server.Answer = func(n int, r llm.Request) agenttest.Reply {
		if n%9 == 4 {
			return replyWithForm(agenttest.Join(agenttest.StreamText("it is "), agenttest.Fail(serverFault())), n)
		}
		return replyWithForm(l.answer(n, r), n)
	}
	l.server.Summary = func(n int, r llm.Request) agenttest.Reply { return replyWithForm(agenttest.ReplyWithSummary(n, r), n) }
}

func TestEveryRequestCanBeRebuiltFromTheLog(t *testing.T) {
	const turns = 60
	acts := map[int]func(*longConversation){
		9:  func(l *longConversation) { l.Compact(profileRequest(preset.ProfileDefault, 1)) },
		12: func(l *longConversation) { l.UndoCompaction(0) },
		15: func(l *longConversation) { l.Rewind(-1) },
		17: func(l *longConversation) { l.Compact(heavyRequest()) },
		19: func(l *longConversation) { l.RestoreTurns() },
		23: func(l *longConversation) { l.Rewind(20) },
		25: func(l *longConversation) { l.RestoreTurns() },
		27: func(l *longConversation) { l.Compact(profileRequest(preset.ProfileDefault, 2)) },
		28: func(l *longConversation) { l.UndoCompaction(0); l.RedoCompaction() },
		31: func(l *longConversation) { l.SwitchModel(otherModel("large", 4*longWindow), l.server) },
		33: func(l *longConversation) {
			m := otherModel("echoes", 4*longWindow) // and the server's is smaller
			m.Caps.EchoReasoning, m.Caps.NoTools = true, false
			l.SwitchModel(m, l.server)
		},
		41: func(l *longConversation) { l.Mask(l.results()[len(l.results())-1:]) },
		42: func(l *longConversation) { l.Pin(l.results()[len(l.results())-2:], true) },
		43: func(l *longConversation) { l.Pin(l.results()[len(l.results())-2:], false) },
		47: func(l *longConversation) { l.SwitchModel(otherModel("m", longWindow), l.server) },
		55: func(l *longConversation) {
			l.Configure(map[string]string{"compaction.preset": "jp-auto"}, preset.RulesOf(preset.JPAuto))
		},
	}
	bubble(t, func(t *testing.T) {
		l := startLong(t, failSometimes, withWindow(longWindow, meter.WindowCatalogue))
		for n := range turns {
			l.Send(turnText(n))
			if act := acts[n]; act != nil && n%2 == 0 {
				act(l) // while it is answered
			}
			l.waitUntilSettled()
			if act := acts[n]; act != nil && n%2 == 1 {
				act(l)
				l.waitUntilSettled()
			}
		}
		time.Sleep(time.Hour)
		l.waitUntilSettled()
		l.checkRequestsFromLog()
		l.finish()
	})
}

func (r *rig) results() (seqs []uint64) {
	for _, e := range r.memory.Events() {
		if e.Body.Kind() == conversation.KindResult {
			seqs = append(seqs, e.Seq)
		}
	}
	return seqs
}

// checkRequestsFromLog rebuilds each recorded request from the log, and compares it with
// the request that the server got.
func (l *longConversation) checkRequestsFromLog() {
	l.t.Helper()
	events := l.memory.Events()
	got := map[uint64][]agenttest.Served{} // by what they were made of
	for _, s := range l.requestsFor(conversation.PurposeReply) {
		if !s.Refused { // that one was never heard of again
			got[uint64(s.After)] = append(got[uint64(s.After)], s)
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
			l.t.Errorf("usage %d: through event %d: %s", e.Seq, u.Through, cmp.Diff(wireMessages(made), wireMessages(same[0].Request.Messages)))
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

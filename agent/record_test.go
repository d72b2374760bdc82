package agent_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

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
	const turns = 90
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
		60: func(l *longTalk) { l.SwitchModel(other("m", longWindow), l.server) },
		70: func(l *longTalk) {
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
		l.checkMet()
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
	for _, s := range l.requests(conversation.ForReply) {
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
		case u.Form == "" || u.BodyHash == "":
			l.t.Errorf("usage %d has the form %q of %q", e.Seq, u.Form, u.BodyHash)
		case u.For == conversation.ForSummary:
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
	if replies < 100 || summaries < 3 {
		l.t.Errorf("%d replies and %d summaries are too few to tell", replies, summaries)
	}
}

// checkMet checks that the conversation met with all that changes requests.
func (l *longTalk) checkMet() {
	l.t.Helper()
	met, bounded := map[conversation.Kind]int{}, 0
	for _, e := range l.memory.Events() {
		met[e.Body.Kind()]++
		if u, ok := e.Body.(conversation.Usage); ok && u.For == conversation.ForReply && u.MaxTokens > 0 {
			bounded++
		}
	}
	for _, k := range []conversation.Kind{conversation.KindMask, conversation.KindPin, conversation.KindUnpin, conversation.KindSummary, conversation.KindRewind, conversation.KindRevert,
		conversation.KindModel, conversation.KindConfig, conversation.KindResult} {
		if met[k] == 0 {
			l.t.Errorf("it met with no %s", k)
		}
	}
	refused := 0
	for _, s := range l.server.Served() {
		if s.Refused {
			refused++
		}
	}
	if refused == 0 || bounded == 0 {
		l.t.Errorf("%d requests were refused, and %d had a bound", refused, bounded)
	}
}

package agent_test

import (
	"strings"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// wantsCompaction is a reply that calls compact.
func wantsCompaction(id, arguments string) agenttest.Reply {
	return asks(agenttest.Call(0, id, conversation.ToolCompact, arguments))
}

func TestModelThatAsksGetsItsCompactionBeforeItsNextRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 5, nil, wantsCompaction("k1", `{"focus":"the\nfailures"}`), summarises(account), answers("done"))
		r.say("tidy up and go on")
		overlays := r.overlays()
		if len(overlays) != 1 {
			t.Fatalf("%d overlays, refused %v", len(overlays), r.refused())
		}
		s := overlays[0].Body.(conversation.Summary)
		if s.Origin.Source != conversation.SourceTool || s.Origin.Trigger != "compact tool" || s.Focus != "the failures" || s.Origin.Profile != preset.ProfileHeavy {
			t.Errorf("made as %+v for %q", s.Origin, s.Focus)
		}
		if s.FromTurn != 0 || s.ToTurn != 2 {
			t.Errorf("covers turns %d to %d", s.FromTurn, s.ToTurn)
		}
		all := r.provider.Requests()
		asked, next := all[len(all)-2], all[len(all)-1]
		if !strings.Contains(asked.Messages[len(asked.Messages)-1].Text, "Preserve in particular: the failures") {
			t.Error("the focus is not passed on")
		}
		got := onWire(next.Messages)
		if !strings.Contains(got[0].Text, account) || got[len(got)-1].Text != "Compression requested" || got[len(got)-3].Text != "tidy up and go on" {
			t.Errorf("went on with %+v", got[len(got)-3:])
		}
		all2 := said(r.memory.Events())
		if all2[len(all2)-1] != "assistant stop done" {
			t.Errorf("the turn ended with %q", all2[len(all2)-1])
		}
		r.idle()
		r.finish()
	})
}

func TestModelThatAsksInItsFirstTurnCompactsWhatIsDoneOfIt(t *testing.T) {
	for _, name := range []preset.Name{preset.Plimsoll, preset.JCLI, preset.JP, preset.OneClaw} {
		runBubble(t, string(name), func(t *testing.T) {
			r := start(t, both(withTools(looked(), compactTool()), func(o *core.Options) { o.Rules = preset.RulesOf(name) }),
				looks(0), looks(1), looks(2), wantsCompaction("k1", `{}`), summarises(account), answers("done"))
			r.say("read all listings of the uploads and say what is wrong")
			if o := r.overlays(); len(o) != 1 {
				t.Fatalf("made %+v, refused %v", o, r.refused())
			}
			got := onWire(r.last().Messages)
			if got[0].Text != "read all listings of the uploads and say what is wrong" || got[len(got)-1].CallID != "k1" {
				t.Errorf("went on with %+v", got)
			}
			if n := strings.Count(strings.Join(texts(got), "\n"), account); n != 1 {
				t.Errorf("the summary stands there %d times", n)
			}
			if list := said(r.memory.Events()); list[len(list)-1] != "assistant stop done" {
				t.Errorf("the turn ended with %q", list[len(list)-1])
			}
			r.finish()
		})
	}
}

func texts(messages []wire) []string {
	var out []string
	for _, m := range messages {
		out = append(out, m.Text)
	}
	return out
}

// secondAccount is another summary: one that repeats the first does not count.
const secondAccount = "### Done\nFour more listings were read in one turn (t7); all are of the same length and complete.\n" +
	"### Current state\nNothing is left to be read, and no file was changed on the way."

func TestModelThatAsksAgainWaitsUntilTheConversationHasGrown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 5, func(o *core.Options) { o.Model.Window = meter.Window{Tokens: 12_000, Source: meter.WindowConfig} },
			wantsCompaction("k1", `{}`), summarises(account), answers("done"),
			wantsCompaction("k2", `{}`), answers("done again"),
			looks(6), wantsCompaction("kx", `{}`), answers("and again"),
			looks(5), answers("long"), wantsCompaction("k3", `{}`), summarises(secondAccount), answers("at last"))
		r.say("tidy up")
		r.say("tidy up more")
		r.say("tidy up once more")
		if n, a := len(r.overlays()), r.attempts(); n != 1 || len(a) != 2 || !strings.Contains(a[0].Why, "hardly grown") || a[0].Source != conversation.SourceTool {
			t.Fatalf("%d compactions, recorded %+v", n, a)
		}
		r.say("read more")
		r.say("now tidy up")
		o := r.overlays()
		if len(o) != 2 {
			t.Fatalf("%d compactions, refused %v", len(o), r.refused())
		}
		if first, second := o[0].Body.(conversation.Summary), o[1].Body.(conversation.Summary); second.FromTurn != first.ToTurn+1 {
			t.Errorf("turns %d to %d, then %d to %d", first.FromTurn, first.ToTurn, second.FromTurn, second.ToTurn)
		}
		if list := said(r.memory.Events()); list[len(list)-1] != "assistant stop at last" {
			t.Errorf("the turn ended with %q", list[len(list)-1])
		}
		r.finish()
	})
}

func TestTurnGoesOnWhenTheModelsCompactionComesToNothing(t *testing.T) {
	for name, test := range map[string]struct {
		turns  int
		change func(*core.Options)
		reply  agenttest.Reply
		says   string
	}{
		"nothing to compact": {0, nil, nil, "nothing to compact"},
		"provider down":      {5, nil, agenttest.Fail(&llm.Error{Class: llm.Quota, Message: "out of credit"}), "out of credit"},
		"turned off": {5, func(o *core.Options) {
			o.Rules = preset.RulesOf(preset.Plimsoll)
			o.Rules.Enabled = false
		}, nil, "compaction is turned off"},
		"no profile": {5, func(o *core.Options) {
			o.Rules = preset.RulesOf(preset.Plimsoll)
			delete(o.Rules.Profiles, preset.ProfileHeavy)
		}, nil, "no profile makes summaries"},
	} {
		runBubble(t, name, func(t *testing.T) {
			script := []agenttest.Reply{wantsCompaction("k1", `{"focus":7}`)}
			if test.reply != nil {
				script = append(script, test.reply)
			}
			r := talk(t, test.turns, test.change, append(script, answers("done"))...)
			r.say("tidy up and go on")
			a := r.attempts()
			if len(a) != 1 || !strings.Contains(a[0].Why, test.says) || a[0].Source != conversation.SourceTool || len(r.overlays()) != 0 {
				t.Fatalf("recorded %+v", a)
			}
			if u := agenttest.Of[updates.CompactionFailed](r.watch); len(u) != 1 || u[0].Request.Source != conversation.SourceTool {
				t.Errorf("told %+v", u)
			}
			if list := said(r.memory.Events()); list[len(list)-1] != "assistant stop done" || len(agenttest.Of[updates.Failed](r.watch)) != 0 {
				t.Errorf("the turn ended with %q", list[len(list)-1])
			}
			r.idle()
			r.finish()
		})
	}
}

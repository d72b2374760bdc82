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

func callsCompact(id, arguments string) agenttest.Reply {
	return callsReply(agenttest.StreamCall(0, id, conversation.ToolCompact, arguments))
}

func TestCompactionRequestedByTheModelComesBeforeItsNextRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 5, nil, callsCompact("k1", `{"focus":"the\nfailures"}`), summaryReply(goodSummary), textReply("done"))
		r.sendAndWait("tidy up and go on")
		overlays := r.overlays()
		if len(overlays) != 1 {
			t.Fatalf("%d overlays, want 1; errors %v", len(overlays), r.compactionErrors())
		}
		s := overlays[0].Body.(conversation.Summary)
		if s.Origin.Source != conversation.SourceTool || s.Origin.Trigger != "compact tool" || s.Focus != "the failures" || s.Origin.Profile != preset.ProfileHeavy {
			t.Errorf("origin %+v, focus %q; want the compact tool's, \"the failures\"", s.Origin, s.Focus)
		}
		if s.FromTurn != 0 || s.ToTurn != 2 {
			t.Errorf("the summary covers turns %d to %d, want 0 to 2", s.FromTurn, s.ToTurn)
		}
		all := r.provider.Requests()
		asked, next := all[len(all)-2], all[len(all)-1]
		if !strings.Contains(asked.Messages[len(asked.Messages)-1].Text, "Preserve in particular: the failures") {
			t.Error("the summary request lacks the focus")
		}
		got := wireMessages(next.Messages)
		if !strings.Contains(got[0].Text, goodSummary) || got[len(got)-1].Text != "Compression requested" || got[len(got)-3].Text != "tidy up and go on" {
			t.Errorf("the request after the compaction ends with %+v", got[len(got)-3:])
		}
		all2 := messageLines(r.memory.Events())
		if all2[len(all2)-1] != "assistant stop done" {
			t.Errorf("the turn ended with %q, want \"assistant stop done\"", all2[len(all2)-1])
		}
		r.checkIdle()
		r.finish()
	})
}

func TestCompactionRequestedInTheFirstTurnCoversItsFinishedSteps(t *testing.T) {
	for _, name := range []preset.Name{preset.Plimsoll, preset.JCLI, preset.JP, preset.OneClaw} {
		runBubble(t, string(name), func(t *testing.T) {
			r := start(t, combine(withTools(lookTool(), compactTool()), func(o *core.Options) { o.Rules = preset.RulesOf(name) }),
				callsLook(0), callsLook(1), callsLook(2), callsCompact("k1", `{}`), summaryReply(goodSummary), textReply("done"))
			r.sendAndWait("read all listings of the uploads and say what is wrong")
			if o := r.overlays(); len(o) != 1 {
				t.Fatalf("overlays %+v, want 1; errors %v", o, r.compactionErrors())
			}
			got := wireMessages(r.lastRequest().Messages)
			if got[0].Text != "read all listings of the uploads and say what is wrong" || got[len(got)-1].CallID != "k1" {
				t.Errorf("the request after the compaction is %+v", got)
			}
			if n := strings.Count(strings.Join(messageTexts(got), "\n"), goodSummary); n != 1 {
				t.Errorf("the request has the summary %d times, want once", n)
			}
			if list := messageLines(r.memory.Events()); list[len(list)-1] != "assistant stop done" {
				t.Errorf("the turn ended with %q, want \"assistant stop done\"", list[len(list)-1])
			}
			r.finish()
		})
	}
}

func messageTexts(messages []wireMessage) []string {
	var out []string
	for _, m := range messages {
		out = append(out, m.Text)
	}
	return out
}

// otherSummary differs from goodSummary: a summary that repeats the earlier one is refused.
const otherSummary = "### Done\nFour more listings were read in one turn (t7); all are of the same length and complete.\n" +
	"### Current state\nNothing is left to be read, and no file was changed on the way."

func TestModelCannotRequestCompactionAgainUntilTheConversationGrows(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 5, func(o *core.Options) { o.Model.Window = meter.Window{Tokens: 12_000, Source: meter.WindowConfig} },
			callsCompact("k1", `{}`), summaryReply(goodSummary), textReply("done"),
			callsCompact("k2", `{}`), textReply("done again"),
			callsLook(6), callsCompact("kx", `{}`), textReply("and again"),
			callsLook(5), textReply("long"), callsCompact("k3", `{}`), summaryReply(otherSummary), textReply("at last"))
		r.sendAndWait("tidy up")
		r.sendAndWait("tidy up more")
		r.sendAndWait("tidy up once more")
		if n, a := len(r.overlays()), r.failedCompactions(); n != 1 || len(a) != 2 || !strings.Contains(a[0].Why, "hardly grown") || a[0].Source != conversation.SourceTool {
			t.Fatalf("%d compactions, want 1; failed compactions %+v, want 2", n, a)
		}
		r.sendAndWait("read more")
		r.sendAndWait("now tidy up")
		o := r.overlays()
		if len(o) != 2 {
			t.Fatalf("%d compactions, want 2; errors %v", len(o), r.compactionErrors())
		}
		if first, second := o[0].Body.(conversation.Summary), o[1].Body.(conversation.Summary); second.FromTurn != first.ToTurn+1 {
			t.Errorf("turns %d to %d, then %d to %d, want no gap", first.FromTurn, first.ToTurn, second.FromTurn, second.ToTurn)
		}
		if list := messageLines(r.memory.Events()); list[len(list)-1] != "assistant stop at last" {
			t.Errorf("the turn ended with %q, want \"assistant stop at last\"", list[len(list)-1])
		}
		r.finish()
	})
}

func TestTurnContinuesWhenTheModelsCompactionFails(t *testing.T) {
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
			script := []agenttest.Reply{callsCompact("k1", `{"focus":7}`)}
			if test.reply != nil {
				script = append(script, test.reply)
			}
			r := startWithListings(t, test.turns, test.change, append(script, textReply("done"))...)
			r.sendAndWait("tidy up and go on")
			a := r.failedCompactions()
			if len(a) != 1 || !strings.Contains(a[0].Why, test.says) || a[0].Source != conversation.SourceTool || len(r.overlays()) != 0 {
				t.Fatalf("failed compactions %+v, want one by the tool and no overlay", a)
			}
			if u := agenttest.UpdatesOf[updates.CompactionFailed](r.watch); len(u) != 1 || u[0].Request.Source != conversation.SourceTool {
				t.Errorf("failure updates %+v, want one of the tool's request", u)
			}
			if list := messageLines(r.memory.Events()); list[len(list)-1] != "assistant stop done" || len(agenttest.UpdatesOf[updates.Failed](r.watch)) != 0 {
				t.Errorf("the turn ended with %q, want \"assistant stop done\" and no failure", list[len(list)-1])
			}
			r.checkIdle()
			r.finish()
		})
	}
}

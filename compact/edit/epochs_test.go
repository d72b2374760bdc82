package edit_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func redo(t *testing.T, l *compacttest.LogBuilder) bool {
	t.Helper()
	r, err := edit.Redo(l.Events())
	if err != nil && !errors.Is(err, edit.ErrNothingToRedo) {
		t.Fatal(err)
	}
	if err == nil {
		l.Epoch(r)
	}
	return err == nil
}

func TestUndoAndRedoStepThroughTheEpochs(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(4, 60)
	if compacttest.Undo(t, l) || redo(t, l) {
		t.Fatal("undo or redo works in a conversation without compactions")
	}
	var views [][]projection.Message
	view := func() []projection.Message { return projection.Project(l.Events()).Messages }
	views = append(views, view())
	l.Epoch(compacttest.MaskResults(3), compacttest.MaskResults(7)) // epoch 17
	views = append(views, view())
	l.Epoch(compacttest.MaskResults(11)) // epoch 19
	views = append(views, view())

	steps := []struct {
		do   func(*testing.T, *compacttest.LogBuilder) bool
		done bool
		view int
	}{
		{redo, false, 2}, {compacttest.Undo, true, 1}, {compacttest.Undo, true, 0}, {compacttest.Undo, false, 0},
		{redo, true, 1}, {redo, true, 2}, {redo, false, 2},
		{compacttest.Undo, true, 1}, {redo, true, 2}, {compacttest.Undo, true, 1}, {compacttest.Undo, true, 0}, {redo, true, 1}, {compacttest.Undo, true, 0},
	}
	for i, s := range steps {
		if s.do(t, l) != s.done {
			t.Fatalf("step %d: it returned %v, want %v", i, !s.done, s.done)
		}
		if d := cmp.Diff(views[s.view], view(), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("step %d:\n%s", i, d)
		}
	}
	l.Epoch(compacttest.MaskResults(15))
	if redo(t, l) {
		t.Error("redo works although a newer compaction was made")
	}
}

func TestRangeFromLastStartsAfterTheCoveredTurns(t *testing.T) {
	t.Parallel()
	byProfile := conversation.Origin{Source: conversation.SourceManual, Profile: preset.ProfileDefault}
	l := compacttest.FilesRead(6, 60) // each turn has four events
	check := func(want int) {
		t.Helper()
		if turn := edit.AfterLastCompaction(l.Events()); turn != want {
			t.Errorf("turn %d, want %d", turn, want)
		}
	}
	check(0)
	l.EpochOf(byProfile, covering(l, 0, 1)) // made when the newest turn was 5
	check(2)
	l.User("And more.").Reply("Here.").EpochOf(byProfile, covering(l, 2, 3))
	check(4)
	l.EpochOf(byProfile, covering(l, 0, 0)) // what reaches less far takes nothing back
	check(4)
	compacttest.Undo(t, l)
	compacttest.Undo(t, l)
	check(2)
	l.Epoch(compacttest.MaskResults(15)) // by hand
	check(2)
	redo(t, l)
	check(2)
	compacttest.Undo(t, l)
	compacttest.Undo(t, l)
	check(0)
}

func covering(l *compacttest.LogBuilder, from, to int) conversation.Summary {
	r := edit.Range{From: from, To: to}
	return conversation.Summary{Text: "Read.", FromTurn: from, ToTurn: to, Spans: r.Spans(l.Events(), nil)}
}

func TestUndoneEpochIsNotInForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, compacttest.RandomLog(t))
		for range 3 {
			r, err := edit.Undo(w.Events(), 0)
			if err != nil {
				return
			}
			w.Add(t, conversation.WithOrigin(r, conversation.Origin{Epoch: uint64(len(w.Events()) + 1)}))
			for _, e := range conversation.Epochs(w.Events()) {
				if e.ID == r.Epoch && (e.InForce || e.RevertedBy != uint64(len(w.Events()))) {
					t.Fatalf("after the undo %+v its epoch is %+v", r, e)
				}
			}
		}
	})
}

// callAndResult is a reply with a call, and its result.
func callAndResult(id string) []conversation.Body {
	return []conversation.Body{
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "run_command", Arguments: `{}`}}},
		conversation.ToolResult{CallID: id, Tool: "run_command", Status: conversation.ResultOK, Text: strings.Repeat("a line of "+id+"\n", 200)},
	}
}

// turnWithCalls is a message of the user with so many calls, and a final reply if it is over.
func turnWithCalls(name string, calls int, over bool) []conversation.Body {
	bodies := []conversation.Body{conversation.UserMessage{Text: "do " + name}}
	for i := range calls {
		bodies = append(bodies, callAndResult(name+string(rune('a'+i)))...)
	}
	if over {
		bodies = append(bodies, conversation.AssistantMessage{Text: "done with " + name, Stop: conversation.StopEnd})
	}
	return bodies
}

func proposalIn(log []conversation.Event, name preset.Name, profile string, answering bool) (edit.Proposal, error) {
	w := edit.NewRequest()
	w.Profile, w.KeepLast = profile, 0
	m := meter.New(meter.Options{}).WithView(projection.Project(log))
	return edit.NewProposal(log, preset.RulesOf(name), edit.Inputs{Meter: m, Now: time.Unix(2e9, 0), Cold: true, TurnInProgress: answering}, w)
}

func TestProposalDuringATurnLeavesTheNewestMessages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bodies []conversation.Body
		want   []conversation.Span
		turns  edit.Range
	}{
		// e1 user, e2 e3 call a, e4 reply; e5 user
		"a message alone": {append(turnWithCalls("one", 1, true), turnWithCalls("two", 0, false)...), []conversation.Span{{First: 1, Last: 4}}, edit.Range{}},
		// older turns weigh more: e1 to e6, then e7 user and one call
		"older turns": {append(turnWithCalls("one", 2, true), turnWithCalls("two", 1, false)...), []conversation.Span{{First: 1, Last: 6}}, edit.Range{}},
		// e1 user, e2 reply; e3 user, calls e4 to e9, of which the last stays
		"this turn": {append(turnWithCalls("one", 0, true), turnWithCalls("two", 3, false)...), []conversation.Span{{First: 4, Last: 7}}, edit.Range{From: 1, To: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proposal, err := proposalIn(compacttest.AppendTo(nil, test.bodies...), preset.Plimsoll, preset.ProfileHeavy, true)
			conversationtest.Must(t, err)
			if diff := cmp.Diff(test.want, proposal.Spans); diff != "" || proposal.Range != test.turns {
				t.Errorf("turns %+v, spans (-want +got): %s", proposal.Range, diff)
			}
		})
	}
}

func TestRequestAfterACompactionDuringATurnCanBeAnswered(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var bodies []conversation.Body
		for i := range rapid.IntRange(0, 4).Draw(t, "turns") {
			bodies = append(bodies, turnWithCalls(string(rune('k'+i)), rapid.IntRange(0, 3).Draw(t, "calls"), true)...)
		}
		bodies = append(bodies, turnWithCalls("z", rapid.IntRange(0, 3).Draw(t, "calls now"), false)...)
		log := compacttest.AppendTo(nil, bodies...)
		name := rapid.SampledFrom(preset.All()).Draw(t, "preset")
		profile := rapid.SampledFrom([]string{preset.ProfileDefault, preset.ProfileHeavy, preset.ProfileLight}).Draw(t, "profile")
		proposal, err := proposalIn(log, name, profile, true)
		if err == nil && proposal.Job != nil {
			err = proposal.Accept(summary.Answer{Text: "short account", Stop: conversation.StopEnd, Input: preset.InputExtract})
		}
		if err != nil {
			return // nothing to do, or nothing to gain
		}
		next := log[len(log)-1].Seq + 1
		for i, b := range proposal.Bodies(next) {
			log = append(log, conversation.Event{Seq: next + uint64(i), Turn: log[len(log)-1].Turn, Body: b})
		}
		before, after := projection.Project(log[:next-1]).Messages, projection.Project(log).Messages
		if _, err := projection.Harden(projection.Project(log), projection.Capabilities{}); err != nil {
			t.Fatalf("%s of %s: %v", profile, name, err)
		}
		if got, want := after[len(after)-1].Text, before[len(before)-1].Text; got != want {
			t.Fatalf("%s of %s: the request ends with %.60q, not with %.60q", profile, name, got, want)
		}
		texts, newest := 0, 0
		for _, m := range after {
			texts += strings.Count(m.Text, "short account")
			if m.Role == projection.RoleUser && m.Text == "do z" {
				newest++
			}
		}
		if texts > 1 || newest != 1 {
			t.Fatalf("%s of %s: the view has the summary %d times, the newest message %d times", profile, name, texts, newest)
		}
	})
}

// Requirements of OneClaw's FEAT-011 for this package. The others are tested in
// package agent.

package edit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// boundaryLog is a log made of bodies, as an agent would store them.
func boundaryLog(t interface{ Fatal(...any) }, bodies ...conversation.Body) []conversation.Event {
	log := &conversation.Log{}
	if err := log.Commit(log.Prepare(time.Unix(1e9, 0), bodies...)); err != nil {
		t.Fatal(err)
	}
	return log.Events()
}

// worked is a reply with a call, and its result.
func worked(id string) []conversation.Body {
	return []conversation.Body{
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "run_command", Arguments: `{}`}}},
		conversation.ToolResult{CallID: id, Tool: "run_command", Status: conversation.ResultOK, Text: strings.Repeat("a line of "+id+"\n", 200)},
	}
}

// spokenTurn is a message of the user with so many calls, and a reply if it is over.
func spokenTurn(name string, calls int, over bool) []conversation.Body {
	bodies := []conversation.Body{conversation.UserMessage{Text: "do " + name}}
	for i := range calls {
		bodies = append(bodies, worked(name+string(rune('a'+i)))...)
	}
	if over {
		bodies = append(bodies, conversation.AssistantMessage{Text: "done with " + name, Stop: conversation.StopEnd})
	}
	return bodies
}

func boundaryPass(log []conversation.Event, name preset.Name, profile string, answering bool) (edit.Proposal, error) {
	w := edit.NewRequest()
	w.Profile, w.KeepLast = profile, 0
	m := meter.New(meter.Options{}).WithView(projection.Project(log))
	return edit.NewProposal(log, preset.RulesOf(name), edit.Inputs{Meter: m, Now: time.Unix(2e9, 0), Cold: true, Answering: answering}, w)
}

func TestPassInATurnLeavesWhatTheNextRequestAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bodies []conversation.Body
		want   []conversation.Span
		turns  edit.Range
	}{
		// e1 user, e2 e3 call a, e4 reply; e5 user
		"a message alone": {append(spokenTurn("one", 1, true), spokenTurn("two", 0, false)...), []conversation.Span{{First: 1, Last: 4}}, edit.Range{}},
		// older turns weigh more: e1 to e6, then e7 user and one call
		"older turns": {append(spokenTurn("one", 2, true), spokenTurn("two", 1, false)...), []conversation.Span{{First: 1, Last: 6}}, edit.Range{}},
		// e1 user, e2 reply; e3 user, calls e4 to e9, of which the last stays
		"this turn": {append(spokenTurn("one", 0, true), spokenTurn("two", 3, false)...), []conversation.Span{{First: 4, Last: 7}}, edit.Range{From: 1, To: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pass, err := boundaryPass(boundaryLog(t, test.bodies...), preset.Plimsoll, preset.ProfileHeavy, true)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, pass.Spans); diff != "" || pass.Range != test.turns {
				t.Errorf("turns %+v: %s", pass.Range, diff)
			}
		})
	}
}

func TestRequestAfterAPassInATurnCanBeAnswered(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var bodies []conversation.Body
		for i := range rapid.IntRange(0, 4).Draw(t, "turns") {
			bodies = append(bodies, spokenTurn(string(rune('k'+i)), rapid.IntRange(0, 3).Draw(t, "calls"), true)...)
		}
		bodies = append(bodies, spokenTurn("z", rapid.IntRange(0, 3).Draw(t, "calls now"), false)...)
		log := boundaryLog(t, bodies...)
		name := rapid.SampledFrom(preset.All()).Draw(t, "preset")
		profile := rapid.SampledFrom([]string{preset.ProfileDefault, preset.ProfileHeavy, preset.ProfileLight}).Draw(t, "profile")
		pass, err := boundaryPass(log, name, profile, true)
		if err == nil && pass.Job != nil {
			err = pass.Accept(summary.Answer{Text: "short account", Stop: conversation.StopEnd, Input: preset.InputExtract})
		}
		if err != nil {
			return // nothing to do, or nothing to gain
		}
		next := log[len(log)-1].Seq + 1
		for i, b := range pass.Bodies(next) {
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
			t.Fatalf("%s of %s: the summary stands there %d times, the newest message %d times", profile, name, texts, newest)
		}
	})
}

func TestNextBandBeginsBehindTheNewestSummary(t *testing.T) {
	t.Parallel()
	bodies := append(append(spokenTurn("one", 1, true), spokenTurn("two", 1, true)...), spokenTurn("three", 1, true)...) // e1-4, e5-8, e9-12
	summary := func(first, last uint64, from, to int) conversation.Body {
		return conversation.Summary{Spans: []conversation.Span{{First: first, Last: last}}, FromTurn: from, ToTurn: to, Text: "it"}
	}
	for name, test := range map[string]struct {
		more []conversation.Body
		want int
	}{
		"no summary":          {nil, 0},
		"whole turns":         {[]conversation.Body{summary(1, 8, 0, 1)}, 2},
		"a turn in part":      {[]conversation.Body{summary(1, 7, 0, 1)}, 1},
		"two bands":           {[]conversation.Body{summary(5, 8, 1, 1), summary(1, 4, 0, 0)}, 2},
		"taken back":          {[]conversation.Body{summary(1, 8, 0, 1), conversation.Revert{Event: 13}}, 0},
		"policies":            {[]conversation.Body{conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 8}}, ToTurn: 1, Policies: &conversation.Policies{}}}, 0},
		"a summary of naught": {[]conversation.Body{conversation.Summary{ToTurn: 9, Text: "it"}}, 0},
	} {
		if got := edit.NextBand(boundaryLog(t, append(bodies[:len(bodies):len(bodies)], test.more...)...)); got != test.want {
			t.Errorf("%s: turn %d, want %d", name, got, test.want)
		}
	}
}

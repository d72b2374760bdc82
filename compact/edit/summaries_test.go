package edit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// spokenOf is turns of talk without tools, about a number.
func spokenOf(from, turns int) []conversation.Body {
	var out []conversation.Body
	for n := from; n < from+turns; n++ {
		out = append(out, conversation.UserMessage{Text: fmt.Sprintf("question %d: %s", n, strings.Repeat("some words about it. ", 60))},
			conversation.AssistantMessage{Text: fmt.Sprintf("answer %d: %s", n, strings.Repeat("more words in reply. ", 60)), Stop: conversation.StopEnd})
	}
	return out
}

// heavyPass is a summary worked out by hand of all but so many turns.
func heavyPass(t *testing.T, log []conversation.Event, name preset.Name, keep int, cold bool) edit.Proposal {
	t.Helper()
	w := edit.NewRequest()
	w.Profile, w.KeepLast = preset.ProfileHeavy, keep
	m := meter.New(meter.Options{Window: meter.Window{Tokens: 32_000}}).WithView(projection.Project(log))
	pass, err := edit.NewProposal(log, preset.RulesOf(name), edit.Inputs{Meter: m, Now: time.Unix(2e9, 0), Cold: cold}, w)
	if err != nil {
		t.Fatal(err)
	}
	return pass
}

// answered is the log with the pass in force, its job answered with a text.
func answered(t *testing.T, log []conversation.Event, pass edit.Proposal, text string) []conversation.Event {
	t.Helper()
	if err := pass.Accept(summary.Answer{Text: text, Stop: conversation.StopEnd, Input: pass.Job.Input}); err != nil {
		t.Fatal(err)
	}
	return compacttest.With(log, pass.Bodies(uint64(len(log)+1))...)
}

func TestCumulativeSummaryReadsTheLastOneAndNoneBeforeIt(t *testing.T) {
	t.Parallel()
	for _, name := range []preset.Name{preset.OneClaw, preset.JCLI} {
		log := compacttest.With(nil, spokenOf(0, 4)...)
		for n := range 4 {
			pass := heavyPass(t, log, name, 1, true)
			asked := pass.Job.Messages[0].Text
			for old := range n {
				if got := strings.Contains(asked, fmt.Sprintf("ACCOUNT %d", old)); got != (old == n-1) {
					t.Errorf("%s: summary %d reads summary %d: %v", name, n, old, got)
				}
			}
			log = answered(t, log, pass, fmt.Sprintf("ACCOUNT %d of all that was said so far, with what matters of it.", n))
			s := log[len(log)-1].Body.(conversation.Summary)
			if s.Depth != n || len(s.Parents) != min(n, 1) {
				t.Errorf("%s: summary %d has depth %d and the parents %v", name, n, s.Depth, s.Parents)
			}
			log = compacttest.With(log, spokenOf(4+3*n, 3)...)
		}
	}
}

func TestAnswerToTheFallbackIsJudgedByWhatItRead(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("The page says on this line what it says on no other line of it at all. ", 12)
	log := compacttest.With(nil, append(worked("a"), spokenOf(0, 4)...)...)
	log = compacttest.With(log, conversation.UserMessage{Text: "look"},
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "p", Name: "run_command", Arguments: `{}`}}},
		conversation.ToolResult{CallID: "p", Tool: "run_command", Status: conversation.ResultOK, Text: page},
		conversation.AssistantMessage{Text: "I looked.", Stop: conversation.StopEnd})
	log = compacttest.With(log, conversation.Mask{Style: conversation.StylePlimsoll, Version: 1,
		Items: []conversation.MaskItem{{Event: uint64(len(log) - 1), Part: conversation.PartResult}}})
	pass := heavyPass(t, log, preset.Plimsoll, 0, false)
	if pass.Job.Input != preset.InputView {
		t.Fatalf("asked in the form %s", pass.Job.Input)
	}
	err := pass.Accept(summary.Answer{Text: page, Stop: conversation.StopEnd, Input: preset.InputRaw})
	if err == nil || !strings.Contains(err.Error(), "repeated the conversation") {
		t.Errorf("a piece of what was written out is taken for a summary: %v", err)
	}
}

package agent_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// mixed is a server that writes one summary of three at once, fails at one, and takes
// longer over one than the conversation waits.
func mixed(n int, r llm.Request) agenttest.Reply {
	switch n % 4 {
	case 1, 2: // and once more
		return agenttest.Fail(&llm.Error{Class: llm.ServerFault, Message: "it fell over", Status: 500})
	case 3:
		return agenttest.Join(agenttest.Pause(50*time.Second), agenttest.Healthy(n, r))
	}
	return agenttest.Healthy(n, r)
}

// workText is the n-th message of a conversation that fills a window of 32,000 tokens
// every dozen turns; some are so long that they leap over both lines.
func workText(n int) string {
	words := 700
	if n%19 == 11 {
		words = 5200
	}
	return turnText(n) + strings.Repeat(fmt.Sprintf(" Part %d has to hold.", n), words/6)
}

// A conversation of many windows goes through all kinds of steps, and of summaries:
// nothing waits, nothing is lost, each step is explained, and undone and redone to
// the byte.
func TestLongTalkIsEvictedAndNothingWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const turns = 200
		l := startLong(t, func(l *longTalk) {
			l.server.Window, l.server.Summary = autoWindow, mixed
		}, both(window(autoWindow, meter.WindowConfig), func(o *core.Options) { o.Rules = autoRules() }))
		for n := range turns {
			l.sends(workText(n))
			l.rests()
			if n%23 == 20 {
				time.Sleep(3 * time.Hour)
			}
		}
		l.rests()
		l.checkRequests(1)
		l.checkSaid()
		l.checkOverlays()
		l.checkRest()
		for _, c := range agenttest.Of[updates.Compacting](l.watch) {
			if c.Held {
				t.Errorf("a request waits for the summary of %s", c.Since)
			}
		}
		l.checkRecallable()
		l.checkExplained()
		l.checkUndo()
		l.tell()
		l.finish()
	})
}

var noteHead = regexp.MustCompile(`## Note on turns? [\d–]+ \(e(\d+)-(\d+)\)`)

// checkRecallable checks that every message that the view does not show stands behind
// a block whose note names it for recall.
func (l *longTalk) checkRecallable() {
	l.t.Helper()
	view, shown := projection.Project(l.memory.Events()), map[uint64]bool{}
	var hidden []uint64
	note := ""
	for _, m := range view.Messages {
		for _, seq := range m.Events {
			shown[seq] = true
			if m.State == projection.StateSummarised {
				hidden = append(hidden, seq)
			}
		}
		if m.State == projection.StateSummarised && note == "" {
			note = m.Text
		}
	}
	ids := noteHead.FindStringSubmatch(note)
	if ids == nil || !strings.Contains(note, "recall") {
		l.t.Fatalf("no note stands in front: %.300q", note)
	}
	first, _ := strconv.ParseUint(ids[1], 10, 64)
	last, _ := strconv.ParseUint(ids[2], 10, 64)
	for _, seq := range hidden {
		if seq < first || seq > last {
			l.t.Errorf("e%d is hidden, and the note speaks of e%d to e%d", seq, first, last)
		}
	}
	for _, e := range l.memory.Events() {
		switch e.Body.Kind() {
		case conversation.KindUser, conversation.KindAssistant, conversation.KindResult:
			if !shown[e.Seq] {
				l.t.Errorf("e%d stands nowhere in the view", e.Seq)
			}
		}
	}
}

// checkExplained checks that the ledger explains every step, and that there were all
// kinds of them: with a text that was there in time, with one that came late, without
// one, and failed attempts.
func (l *longTalk) checkExplained() {
	l.t.Helper()
	triggers, texts, failed := map[string]int{}, 0, 0
	for _, e := range inspect.Ledger(l.memory.Events()) {
		if e.Why == "" || e.Trigger == "" || e.Preset != string(preset.Plimsoll) {
			l.t.Errorf("e%d is not explained: %+v", e.Event, e)
		}
		switch {
		case e.Kind == inspect.EntryAttempt && e.Result == inspect.ResultFailed:
			failed++
		case e.Kind == inspect.EntryEpoch:
			triggers[e.Trigger]++
			if e.After >= e.Before {
				l.t.Errorf("e%d saves nothing: %d to %d", e.Event, e.Before, e.After)
			}
			if e.Model != "" {
				texts++
				if e.Prompt == 0 {
					l.t.Errorf("e%d has a summary for which nothing was paid", e.Event)
				}
			} else if e.Trigger != planner.TriggerCold && !strings.Contains(e.Why, "; no summary") {
				l.t.Errorf("e%d does not say why it has no summary: %q", e.Event, e.Why)
			}
			if !strings.Contains(e.Why, " evicted, note") {
				l.t.Errorf("e%d does not say how much it evicts: %q", e.Event, e.Why)
			}
		}
	}
	all := triggers[planner.TriggerCold] + triggers[planner.TriggerLoadLine] + triggers[planner.TriggerHardLine]
	if triggers[planner.TriggerCold] == 0 || triggers[planner.TriggerLoadLine] == 0 || triggers[planner.TriggerHardLine] == 0 ||
		failed == 0 || texts == 0 || texts == all || l.late() == 0 {
		l.t.Errorf("steps %v, %d of them with a text, %d late ones, %d attempts failed", triggers, texts, l.late(), failed)
	}
}

// late is how many texts were in force only after a note alone had been put over what
// they cover.
func (l *longTalk) late() int {
	n := 0
	var notes []conversation.Summary
	for _, e := range l.overlays() {
		s, isSummary := e.Body.(conversation.Summary)
		if !isSummary {
			continue
		}
		if s.Text == "" {
			notes = append(notes, s)
			continue
		}
		if slices.ContainsFunc(notes, func(note conversation.Summary) bool {
			covered, _ := inCommon(l.memory.Events(), s.Spans, note.Spans)
			return covered > 0
		}) {
			n++
		}
	}
	return n
}

// checkUndo checks that the newest step is undone and redone to the byte.
func (l *longTalk) checkUndo() {
	l.t.Helper()
	before := l.view()
	reverse := func(what func()) []wire {
		what()
		l.rests()
		return l.view()
	}
	undone := reverse(func() { l.UndoCompaction(0) })
	if cmp.Equal(before, undone) {
		l.t.Error("an undo changes nothing")
	}
	if diff := cmp.Diff(before, reverse(l.RedoCompaction)); diff != "" {
		l.t.Errorf("redone: %.2000s", diff)
	}
	if diff := cmp.Diff(undone, reverse(func() { l.UndoCompaction(0) })); diff != "" {
		l.t.Errorf("undone again: %.2000s", diff)
	}
}

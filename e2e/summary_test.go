package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// A compaction that a model writes a summary for: nobody waits for it, and
// until it is there and counts nothing has changed.

const optimizing = "Optimizing conversation context…"

// checkSummarised answers with a summary when the gate opens.
func summarises(gate <-chan struct{}) reply {
	return func(w *wire) {
		w.text("### Goal")
		w.await(gate)
		w.text(strings.TrimPrefix(summaryOfVoyage, "### Goal"))
		w.end("stop", 0, 0)
	}
}

// beside waits until all of the texts are on the screen while a summary is
// written, and no turn runs.
func (t *terminal) beside(texts ...string) screen {
	t.t.Helper()
	return t.wait("summary beside "+strings.Join(texts, ", "), func(s screen) bool {
		return s.has(append(texts, optimizing)...) && !s.has("(esc stops)") && !s.has("stopping") && s.broken() == ""
	})
}

// openGate is a gate that does not hold anybody up.
func openGate() <-chan struct{} {
	gate := make(chan struct{})
	close(gate)
	return gate
}

func TestTypingAndSendingGoOnWhileASummaryIsWritten(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	gate := make(chan struct{})
	s := newServer(t, says("The first of two."), says("The second of two."), says("Still here."))
	s.aside(summarises(gate))
	term := p.aboard(s, usual)
	full := term.shown()
	term.command("/summarize --keep-last 1 the names of ships")
	if shown := term.see(optimizing); shown.broken() != "" || shown.used() != full.used() {
		t.Errorf("%s, and the gauge says %q:\n%s", shown.broken(), shown.used(), shown.text)
	}
	p.asksForSummary(s.sent(0), s.summary(0), "Fair winds.", "the names of ships")
	term.say("one more thing")
	term.beside("▌ one more thing", "The first of two.")
	term.say("and another")
	term.beside("▌ and another", "The second of two.")
	for i, text := range []string{"one more thing", "and another"} {
		if more := s.sent(i+1).extends(t, s.sent(i)); len(more) != 2 || more[1].Content != text {
			t.Errorf("%q was sent as %v", text, more)
		}
	}
	const draft = "a draft, typed fast and with 漢字, that stays a draft"
	for _, r := range draft {
		term.typed(string(r))
	}
	typing := term.see("│ "+draft, optimizing)
	if typing.broken() != "" || typing.has("compacted") || strings.Contains(term.written(), "queued") {
		t.Errorf("%s:\n%s", typing.broken(), typing.text)
	}

	close(gate)
	done := term.idle("compacted turns 0–3: ", "1 summary", "│ "+draft)
	if done.has(optimizing) || strings.Index(done.text, "compacted turns") < strings.Index(done.text, "The second of two.") {
		t.Errorf("after the summary:\n%s", done.text)
	}
	term.key("enter")
	term.idle("Still here.")
	p.carriesSummary(s.sent(0), s.sent(3))
	s.sent(3).checkSummarised(t, s.sent(2), 2)
	if got := s.sent(3).read(t); got[len(got)-2].Content != "The second of two." || got[len(got)-1].Content != draft {
		t.Errorf("the draft was sent as %v", got[len(got)-2:])
	}
}

// asksForSummary checks that a request for a summary is the one before it, in
// the same bytes, with the reply and the request for a summary behind it: so the provider's cache
// serves it.
func (p *place) asksForSummary(before, ask request, reply string, words ...string) {
	p.t.Helper()
	more := ask.extends(p.t, before)
	if len(more) != 2 || more[0].Content != reply || more[1].Role != "user" {
		p.t.Fatalf("behind the request before it says %v", more)
	}
	for _, want := range append(words, "summary", "call no tools") {
		if !strings.Contains(more[1].Content, want) {
			p.t.Errorf("%q is not asked for: %s", want, more[1].Content)
		}
	}
}

// carriesSummary checks that a request has the summary in place of the voyage,
// as a message of the user, and the same system prompt and tools as one before.
func (p *place) carriesSummary(before, after request) {
	p.t.Helper()
	if string(before.Tools) != string(after.Tools) || string(before.Messages[0]) != string(after.Messages[0]) {
		p.t.Error("the tools or the system prompt are other ones after a summary")
	}
	got := after.read(p.t)
	if got[1].Role != "user" || !strings.Contains(got[1].Content, summaryOfVoyage) {
		p.t.Errorf("behind the system prompt it says %s: %.400s", got[1].Role, got[1].Content)
	}
	if body, err := json.Marshal(got); err != nil || strings.Contains(string(body), "watch 30 of day") || !strings.Contains(string(body), "how is the wind?") {
		p.t.Errorf("the request carries %s", body)
	}
}

func TestEscStopsASummary(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, func(w *wire) {
		w.text("On and on.")
		w.hang()
	}, says("Still here."))
	s.aside(summarises(nil), summarises(openGate()))
	term := p.aboard(s, usual)
	full := term.shown()
	term.command("/summarize --keep-last 1")
	term.see(optimizing)
	term.say("one more thing")
	term.see("On and on.", optimizing)
	term.say("and another")
	term.see("queued: and another")
	term.key("esc") // the turn comes first
	if turn := term.beside("■ stopped", "│ and another"); turn.has("queued") || turn.has("the compaction was stopped") {
		t.Errorf("after the turn was stopped:\n%s", turn.text)
	}
	term.key("esc")
	stopped := term.idle("the compaction was stopped", "│ and another")
	if stopped.has(optimizing) || stopped.has("compacted") || !almostEqual(stopped.share(t), full.share(t)) {
		t.Errorf("after the stop:\n%s", stopped.text)
	}
	id := p.newest(p.store())
	if diff := cmp.Diff([]conversation.Kind{conversation.KindAttempt}, p.overlays(id)); diff != "" {
		t.Error(diff)
	}
	term.key("ctrl+u")
	term.see("Ask something")
	term.command("/summarize --keep-last 2") // once more: this time it may
	term.idle("compacted turns 0–3: ")
	p.asksForSummary(s.sent(0), s.summary(0), "Fair winds.")
	p.asksForSummary(s.sent(1), s.summary(1), "On and on.")
	term.checkContinues()
	p.carriesSummary(s.sent(0), s.sent(2))
}

func TestSummariesThatDoNotCountChangeNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script []reply
		see    []string
	}{
		"cut":        {again(2, func(w *wire) { w.text(summaryOfVoyage[:300]); w.end("length", 0, 0) }), []string{"the summary was cut off at the length limit", "compaction.summary.max_tokens"}},
		"tool calls": {again(2, calls("c9", "run_command", object{"command": "touch called"})), []string{"the model called a tool instead of writing a summary"}},
		"refused":    {[]reply{status(400, nil, `{"error":{"message":"UNAVAILABLE"}}`)}, []string{"no summary was written", "UNAVAILABLE"}},
		"too late":   {[]reply{func(w *wire) { w.text("### Goal"); w.hang() }}, []string{"the summary was not ready after 1s"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, nil)
			s := newServer(t, append(c.script, says("Still here."))...)
			term := p.aboard(s, usual, "--cfg", "compaction.summary.timeout=1s")
			full := term.shown()
			term.command("/summarize --keep-last 1")
			failed := term.idle(c.see...)
			if failed.has(optimizing) || failed.has("compacted") || failed.used() != full.used() {
				t.Errorf("after it the screen shows\n%s", failed.text)
			}
			if n := s.count(); n != 1+len(c.script) {
				t.Errorf("%d requests were made, not %d", n, 1+len(c.script))
			}
			if _, err := os.Stat(filepath.Join(p.work, "called")); err == nil {
				t.Error("the call in place of a summary was run")
			}
			term.checkContinues()
			more := s.sent(-1).extends(t, s.sent(0))
			if len(more) != 2 || more[0].Content != "Fair winds." || more[1].Content != "and now?" {
				t.Errorf("the next request has in addition %v", more)
			}
			if diff := cmp.Diff([]conversation.Kind{conversation.KindAttempt}, p.overlays(p.newest(p.store()))); diff != "" {
				t.Error(diff)
			}
			p.quits(term)
			term = p.start(usual, s.args("-c")...)
			term.idle("Still here.", c.see[0]) // why stays in the transcript
		})
	}
}

func TestHostileWordsAboutACompaction(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, status(400, nil, `{"error":{"message":"no \u001b]52;c;UFdORUQ=\u0007\u001b[2J\u009b2J \u202e`+payload+`"}}`),
		says(hostile+"\n\n"+summaryOfVoyage), says("Still here."))
	term := p.aboard(s, usual)
	from := term.introduced()
	term.command("/summarize --keep-last 1")
	term.idle("no summary was written", payload)
	term.paste("/summarize --keep-last 1 --dry-run \u202e\u009b2J\u0007" + payload)
	term.see("│ /summarize")
	term.key("enter")
	term.see("Focus", payload, "enter compact")
	term.key("enter")
	term.idle("compacted turns 0–3: ")
	term.checkContinues()
	p.checkUnharmed(term, from)
	p.quits(term)
	term = p.start(usual, s.args("-c")...)
	term.idle("compacted turns 0–3: ")
	from = term.introduced()
	term.key("ctrl+o")
	for range 40 {
		term.key("pgup")
	}
	term.wait("beginning", func(s screen) bool { return s.has("▌ What happened on day 0?") && s.broken() == "" })
	p.checkUnharmed(term, from)
}

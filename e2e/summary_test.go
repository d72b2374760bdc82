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

// Compactions with a summary: the conversation continues while the model writes it, and nothing changes before it is
// committed.

const optimizing = "Optimizing conversation context…"

// summaryReply answers with a summary once the gate is closed.
func summaryReply(gate <-chan struct{}) reply {
	return func(w *wire) {
		w.text("### Goal")
		w.awaitGate(gate)
		w.text(strings.TrimPrefix(summaryOfVoyage, "### Goal"))
		w.end("stop", 0, 0)
	}
}

// awaitDuringSummary waits until all of the texts are on the screen while a summary is written and no turn runs.
func (t *terminal) awaitDuringSummary(texts ...string) screen {
	t.t.Helper()
	return t.wait("summary beside "+strings.Join(texts, ", "), func(s screen) bool {
		return s.has(append(texts, optimizing)...) && !s.has("(esc stops)") && !s.has("stopping") && s.frameFault() == ""
	})
}

// openGate returns a closed channel, which no reply waits for.
func openGate() <-chan struct{} {
	gate := make(chan struct{})
	close(gate)
	return gate
}

func TestMessagesAreSentWhileASummaryIsWritten(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	gate := make(chan struct{})
	s := newServer(t, textReply("The first of two."), textReply("The second of two."), textReply("Still here."))
	s.scriptSummaries(summaryReply(gate))
	term := p.openVoyage(s, defaultSize)
	full := term.shown()
	term.slashCommand("/summarize --keep-last 1 the names of ships")
	if shown := term.awaitText(optimizing); shown.frameFault() != "" || shown.gaugeShare() != full.gaugeShare() {
		t.Errorf("%s, and the gauge shows %q:\n%s", shown.frameFault(), shown.gaugeShare(), shown.text)
	}
	p.checkSummaryRequest(s.parsedRequest(0), s.summaryRequest(0), "Fair winds.", "the names of ships")
	term.sendMessage("one more thing")
	term.awaitDuringSummary("▌ one more thing", "The first of two.")
	term.sendMessage("and another")
	term.awaitDuringSummary("▌ and another", "The second of two.")
	for i, text := range []string{"one more thing", "and another"} {
		if more := s.parsedRequest(i+1).checkExtends(t, s.parsedRequest(i)); len(more) != 2 || more[1].Content != text {
			t.Errorf("%q was sent as %v", text, more)
		}
	}
	const draft = "a draft, typed fast and with 漢字, that stays a draft"
	for _, r := range draft {
		term.typeText(string(r))
	}
	typing := term.awaitText("│ "+draft, optimizing)
	if typing.frameFault() != "" || typing.has("▎ Compacted") || strings.Contains(term.written(), "queued") {
		t.Errorf("%s:\n%s", typing.frameFault(), typing.text)
	}

	close(gate)
	done := term.awaitIdle("Compacted turns 1–4   ", "│ "+draft)
	if done.has(optimizing) || strings.Index(done.text, "Compacted turns") < strings.Index(done.text, "The second of two.") {
		t.Errorf("after the summary:\n%s", done.text)
	}
	term.press("enter")
	term.awaitIdle("Still here.")
	p.checkCarriesSummary(s.parsedRequest(0), s.parsedRequest(3))
	s.parsedRequest(3).checkSummarised(t, s.parsedRequest(2), 2)
	if got := s.parsedRequest(3).decode(t); got[len(got)-2].Content != "The second of two." || got[len(got)-1].Content != draft {
		t.Errorf("the draft was sent as %v", got[len(got)-2:])
	}
}

// checkSummaryRequest checks that a request for a summary extends the previous request by the reply and the instruction, so
// that the provider's cache serves the rest.
func (p *sandbox) checkSummaryRequest(before, ask request, reply string, words ...string) {
	p.t.Helper()
	more := ask.checkExtends(p.t, before)
	if len(more) != 2 || more[0].Content != reply || more[1].Role != "user" {
		p.t.Fatalf("after the request before, the messages are %v", more)
	}
	for _, want := range append(words, "summary", "call no tools") {
		if !strings.Contains(more[1].Content, want) {
			p.t.Errorf("%q is not asked for: %s", want, more[1].Content)
		}
	}
}

// checkCarriesSummary checks that a request contains the summary in place of the voyage, as a user message, and the same
// system prompt and tools as an earlier request.
func (p *sandbox) checkCarriesSummary(before, after request) {
	p.t.Helper()
	if string(before.Tools) != string(after.Tools) || string(before.Messages[0]) != string(after.Messages[0]) {
		p.t.Error("the tools or the system prompt are other ones after a summary")
	}
	got := after.decode(p.t)
	if got[1].Role != "user" || !strings.Contains(got[1].Content, summaryOfVoyage) {
		p.t.Errorf("after the system prompt there is %s: %.400s", got[1].Role, got[1].Content)
	}
	if body, err := json.Marshal(got); err != nil || strings.Contains(string(body), "watch 30 of day") || !strings.Contains(string(body), "how is the wind?") {
		p.t.Errorf("the request carries %s", body)
	}
}

func TestEscStopsASummary(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, func(w *wire) {
		w.text("On and on.")
		w.hang()
	}, textReply("Still here."))
	s.scriptSummaries(summaryReply(nil), summaryReply(openGate()))
	term := p.openVoyage(s, defaultSize)
	full := term.shown()
	term.slashCommand("/summarize --keep-last 1")
	term.awaitText(optimizing)
	term.sendMessage("one more thing")
	term.awaitText("On and on.", optimizing)
	term.sendMessage("and another")
	term.awaitText("queued: and another")
	term.press("esc") // the turn comes first
	if turn := term.awaitDuringSummary("■ stopped", "│ and another"); turn.has("queued") || turn.has("the compaction was stopped") {
		t.Errorf("after the turn was stopped:\n%s", turn.text)
	}
	term.press("esc")
	stopped := term.awaitIdle("the compaction was stopped", "│ and another")
	if stopped.has(optimizing) || stopped.has("▎ Compacted") || !almostEqual(stopped.gaugePercent(t), full.gaugePercent(t)) {
		t.Errorf("after the stop:\n%s", stopped.text)
	}
	id := p.newestConversation(p.openStore())
	if diff := cmp.Diff([]conversation.Kind{conversation.KindAttempt}, p.overlayKinds(id)); diff != "" {
		t.Error(diff)
	}
	term.press("ctrl+u")
	term.awaitText("Ask something")
	term.slashCommand("/summarize --keep-last 2") // again, and this time it is not stopped
	term.awaitIdle("Compacted turns 1–4   ")
	p.checkSummaryRequest(s.parsedRequest(0), s.summaryRequest(0), "Fair winds.")
	p.checkSummaryRequest(s.parsedRequest(1), s.summaryRequest(1), "On and on.")
	term.checkContinues()
	p.checkCarriesSummary(s.parsedRequest(0), s.parsedRequest(2))
}

func TestUnusableSummariesChangeNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script []reply
		see    []string
	}{
		"cut":        {repeat(2, func(w *wire) { w.text(summaryOfVoyage[:300]); w.end("length", 0, 0) }), []string{"the summary was cut off at the length limit", "compaction.summary.max_tokens"}},
		"tool calls": {repeat(2, callReply("c9", "run_command", object{"command": "touch called"})), []string{"the model called a tool instead of writing a summary"}},
		"refused":    {[]reply{errorReply(400, nil, `{"error":{"message":"UNAVAILABLE"}}`)}, []string{"no summary was written", "UNAVAILABLE"}},
		"too late":   {[]reply{func(w *wire) { w.text("### Goal"); w.hang() }}, []string{"the summary was not ready after 1s"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newSandbox(t, nil)
			s := newServer(t, append(c.script, textReply("Still here."))...)
			timeout := map[bool]string{true: "1s", false: "1m"}[name == "too late"]
			term := p.openVoyage(s, defaultSize, "--cfg", "compaction.summary.timeout="+timeout)
			full := term.shown()
			term.slashCommand("/summarize --keep-last 1")
			failed := term.awaitIdle(c.see...)
			if failed.has(optimizing) || failed.has("▎ Compacted") || failed.gaugeShare() != full.gaugeShare() {
				t.Errorf("after the failure the screen shows\n%s", failed.text)
			}
			if n := s.requestCount(); n != 1+len(c.script) {
				t.Errorf("%d requests were made, not %d", n, 1+len(c.script))
			}
			if _, err := os.Stat(filepath.Join(p.work, "called")); err == nil {
				t.Error("the call in place of a summary was run")
			}
			term.checkContinues()
			more := s.parsedRequest(-1).checkExtends(t, s.parsedRequest(0))
			if len(more) != 2 || more[0].Content != "Fair winds." || more[1].Content != "and now?" {
				t.Errorf("the next request has in addition %v", more)
			}
			if diff := cmp.Diff([]conversation.Kind{conversation.KindAttempt}, p.overlayKinds(p.newestConversation(p.openStore()))); diff != "" {
				t.Error(diff)
			}
			p.quit(term)
			term = p.start(defaultSize, s.flags("-c")...)
			term.awaitIdle("Still here.", c.see[0]) // the reason stays in the transcript
		})
	}
}

func TestHostileTextInACompactionIsMadeSafe(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, errorReply(400, nil, `{"error":{"message":"no \u001b]52;c;UFdORUQ=\u0007\u001b[2J\u009b2J \u202e`+payload+`"}}`),
		textReply(hostile+"\n\n"+summaryOfVoyage), textReply("Still here."))
	term := p.openVoyage(s, defaultSize)
	from := term.startupLen()
	term.slashCommand("/summarize --keep-last 1")
	term.awaitIdle("no summary was written", payload)
	term.paste("/summarize --keep-last 1 --dry-run \u202e\u009b2J\u0007" + payload)
	term.awaitText("│ /summarize")
	term.press("enter")
	term.awaitText("Focus", payload, "enter compact")
	term.press("enter")
	term.awaitIdle("Compacted turns 1–4   ")
	term.checkContinues()
	p.checkUnharmed(term, from)
	p.quit(term)
	term = p.start(defaultSize, s.flags("-c")...)
	term.awaitIdle("Compacted turns 1–4   ")
	from = term.startupLen()
	term.press("ctrl+o")
	for range 40 {
		term.press("pgup")
	}
	term.wait("beginning", func(s screen) bool { return s.has("▌ What happened on day 0?") && s.frameFault() == "" })
	p.checkUnharmed(term, from)
}

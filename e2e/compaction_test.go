package e2e_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// A compaction that needs no model: preview, commit, undo, redo, and resume.

func (t *terminal) slashCommand(text string) {
	t.t.Helper()
	t.sendMessage(text + " ") // a blank closes the list of commands
}

// gaugePercent returns the used share of the window on the gauge, in percent.
func (s screen) gaugePercent(t testing.TB) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimRight(strings.TrimLeft(s.gaugeShare(), "~<"), "%"))
	if err != nil {
		t.Fatalf("the gauge shows %q", s.gaugeShare())
	}
	return n
}

// almostEqual reports whether two percentages differ only by rounding.
func almostEqual(a, b int) bool { return a-b <= 1 && b-a <= 1 }

var previewed = regexp.MustCompile(`~([0-9.]+k) → ~([0-9.]+k) tokens`)

func TestCompactionIsPreviewedCommittedAndUndone(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, textReply("Still here."), textReply("Still here."), textReply("Still here."))
	term := p.openVoyage(s, wide)
	full := term.shown()

	term.slashCommand("/compact --dry-run")
	plan := term.awaitText("turns 1–2; the newest 3 stay as they are", "› default", "results shortened", "saved", "cache rebuilt from turn 1", "enter compact")
	numbers := previewed.FindStringSubmatch(strings.ReplaceAll(plan.text, "\n", " "))
	if numbers == nil {
		t.Fatalf("the plan does not say before and after:\n%s", plan.text)
	}
	term.press("esc")
	left := term.wait("closed plan", func(s screen) bool { return !s.has("enter compact") && s.frameFault() == "" })
	if left.gaugeShare() != full.gaugeShare() || left.has("▎ Compacted") {
		t.Errorf("the preview changed something:\n%s", left.text)
	}

	term.slashCommand("/compact")
	line := "Compacted turns 1–2   " + numbers[1] + " "
	made := term.wait("a gauge below "+full.gaugeShare()+" after "+line, func(s screen) bool {
		return s.has(line, "→ "+numbers[2]+" ", "2 results shortened", "ctrl+t read · ctrl+x undo") && !s.busy() && strings.HasPrefix(s.gaugeShare(), "~") && s.gaugePercent(t) < full.gaugePercent(t)
	})
	term.press("ctrl+x")
	undone := term.wait("undone compaction", func(s screen) bool { return s.has("(undone)") && s.gaugeShare() != made.gaugeShare() })
	if !almostEqual(undone.gaugePercent(t), full.gaugePercent(t)) {
		t.Errorf("after the undo the gauge shows %q, at first %q", undone.gaugeShare(), full.gaugeShare())
	}
	term.checkContinues()
	if more := s.parsedRequest(1).checkExtends(t, s.parsedRequest(0)); len(more) != 2 {
		t.Errorf("after the undo the request has %d new messages: %v", len(more), more)
	}

	term.slashCommand("/redo-compact")
	term.wait("compaction back in force", func(s screen) bool {
		return s.has("ctrl+x undo") && !s.has("(undone)") && strings.HasPrefix(s.gaugeShare(), "~")
	})
	term.checkContinues()
	p.checkStubs(s.parsedRequest(1), s.parsedRequest(2))
}

// checkStubs checks that a request contains stubs for the first two logbooks, and otherwise equals the one before.
func (p *sandbox) checkStubs(before, after request) {
	p.t.Helper()
	if string(before.Tools) != string(after.Tools) || string(before.Messages[0]) != string(after.Messages[0]) {
		p.t.Error("the tools or the system prompt are other ones after a compaction")
	}
	for n, call := range []string{"call-0", "call-1", "call-2", "call-3"} {
		got, whole := after.result(p.t, call), n >= 2
		if whole != (got == logbook(n)) || !whole && !strings.Contains(got, "read_file: completed earlier (ok), 60 lines") {
			p.t.Errorf("the logbook of day %d is shown as %.300q", n, got)
		}
	}
	if len(after.Messages) != len(before.Messages)+2 {
		p.t.Errorf("%d messages became %d", len(before.Messages), len(after.Messages))
	}
}

func TestCompactionIsStoredWithTheConversation(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, textReply("Still here."), textReply("Still here."))
	term := p.openVoyage(s, defaultSize)
	term.slashCommand("/compact")
	made := term.awaitIdle("Compacted turns 1–2   ", "ctrl+x undo")
	term.checkContinues()
	term.press("ctrl+d")
	term.awaitExit()
	id := resumeLine(term)

	term = p.start(defaultSize, s.flags("-r", id)...)
	again := term.awaitIdle("Still here.", "Compacted turns 1–2   ", "ctrl+x undo")
	if a, b := epochLine(made), epochLine(again); a != b {
		t.Errorf("the line is %q, was %q", b, a)
	}
	term.checkContinues()
	if more := s.parsedRequest(2).checkExtends(t, s.parsedRequest(1)); len(more) != 2 {
		t.Errorf("the first request has %d new messages: %v", len(more), more)
	}
	term.press("ctrl+x")
	term.awaitIdle("(undone)")
	if diff := cmp.Diff([]conversation.Kind{conversation.KindSummary, conversation.KindRevert}, p.overlayKinds(id)); diff != "" {
		t.Error(diff)
	}
}

// epochLine returns the line of a compaction, or "".
func epochLine(s screen) string {
	for row := range strings.Lines(s.text) {
		if strings.HasPrefix(strings.TrimLeft(row, " "), "▎ Compacted ") {
			return strings.TrimSpace(row)
		}
	}
	return ""
}

func TestReadOnlyWindowShowsACompactionAndCannotUndoIt(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, textReply("Still here."))
	first := p.openVoyage(s, defaultSize)
	first.slashCommand("/compact")
	first.awaitIdle("Compacted turns 1–2   ")

	second := p.start(defaultSize, s.flags("-c")...)
	second.awaitIdle("Compacted turns 1–2   ", "2 results shortened", "Read-only")
	for _, attempt := range []func(){
		func() { second.press("ctrl+x") },
		func() { second.slashCommand("/compact --keep-last 0") },
		func() { second.slashCommand("/redo-compact") },
	} {
		second.press("ctrl+u") // a command that is refused stays in the composer
		attempt()
		second.wait("refusal above the hints", func(s screen) bool { return strings.Count(s.text, "/fork to continue in a copy") == 2 })
		second.awaitIdle("Compacted turns 1–2   ", "2 results shortened")
	}
	first.press("ctrl+x")
	first.awaitIdle("(undone)")
	second.awaitIdle("Compacted turns 1–2 (undone)", "Read-only")
}

func TestCompactionOfAForkLeavesTheOriginalUnchanged(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, textReply("Still here."), textReply("Still here."), textReply("Still here."))
	term := p.openVoyage(s, defaultSize)
	original, before := p.newestConversation(p.openStore()), s.parsedRequest(0)
	out := p.output("fork", original, "--compact")
	term.slashCommand("/fork")
	term.awaitIdle("Forked: you are in the copy")
	term.slashCommand("/compact")
	term.awaitIdle("Compacted turns 1–2   ", "2 results shortened", "ctrl+x undo")
	term.checkContinues()
	p.checkStubs(before, s.parsedRequest(1))
	p.quit(term)
	copies := []string{strings.TrimSpace(string(out)), resumeLine(term)}
	for _, id := range copies {
		if id == original || len(p.overlayKinds(id)) != 1 {
			t.Errorf("the copy %s of %s has the overlays %v", id, original, p.overlayKinds(id))
		}
	}
	if got := p.overlayKinds(original); len(got) != 0 {
		t.Errorf("the original has the overlays %v", got)
	}
	term = p.start(defaultSize, s.flags("-r", original)...)
	if shown := term.awaitIdle("Fair winds."); shown.has("▎ Compacted") {
		t.Errorf("the original shows a compaction:\n%s", shown.text)
	}
	term.checkContinues()
	if more := s.parsedRequest(-1).checkExtends(t, before); len(more) != 2 {
		t.Errorf("the original's request has %d new messages: %v", len(more), more)
	}
}

func TestOverflowNamesTheCompactionThatHelps(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	refuses := func(requested int) reply {
		return errorReply(400, nil, fmt.Sprintf(`{"error":{"message":"This model's maximum context length is 5000 tokens. However, you requested %d tokens."}}`, requested))
	}
	s := newServer(t, refuses(7100), refuses(5100), textReply("Still here."))
	s.scriptSummaries(textReply(summaryOfVoyage))
	term := p.openVoyage(s, wide, "--cfg", "compaction.protected_ratio=0.5") // so that two turns are enough
	term.sendMessage("is there room?")
	refused := term.awaitIdle("Compacted turns 1–2, refused as too long", "you requested 5100 tokens",
		"make room with /compact (outside the chat: plimsoll compact), start a new conversation, or")
	if strings.Contains(term.written(), "7100") {
		t.Errorf("the refusal that was recovered from is shown:\n%s", refused.text)
	}
	if at := s.parsedRequest(2).noteIndex(); at < 1 || s.requestCount() != 3 {
		t.Errorf("%d requests were made, and the last has the note at %d", s.requestCount(), at)
	}
	term.slashCommand("/compact")
	term.awaitIdle("Compacted turns 1–3   ", "1 result shortened")
	term.checkContinues()
	if got := s.parsedRequest(-1).result(t, "call-2"); !strings.Contains(got, "read_file: completed earlier (ok), 60 lines") {
		t.Errorf("the logbook of day 2 is shown as %.100q", got)
	}
}

func TestCompactionDuringATurnIsCommittedBeforeTheNextRequest(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{"log.txt": logbook(9)})
	gate := make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.text("I look.")
		w.awaitGate(gate)
		w.call(0, "c1", "read_file", object{"path": "log.txt"})
		w.end("tool_calls", 0, 0)
	}, textReply("Nothing new."), textReply("Still here."))
	term := p.openVoyage(s, defaultSize)
	term.sendMessage("and in the log?")
	term.awaitText("I look.")
	term.slashCommand("/compact")
	if shown := term.awaitText("compacts before the next request"); shown.has("▎ Compacted") || shown.frameFault() != "" {
		t.Errorf("%s:\n%s", shown.frameFault(), shown.text)
	}
	close(gate)
	term.awaitIdle("Compacted turns 1–3   ", "3 results shortened", "Nothing new.")
	last := s.parsedRequest(-1)
	for n, call := range []string{"call-0", "call-1", "call-2"} {
		if got := last.result(t, call); !strings.Contains(got, "read_file: completed earlier (ok), 60 lines") {
			t.Errorf("the logbook of day %d is shown as %.100q", n, got)
		}
	}
	if got := last.result(t, "c1"); !strings.Contains(got, "watch 30 of day 9") || string(last.Tools) != string(s.parsedRequest(1).Tools) {
		t.Errorf("the result that the turn waits for is shown as %.100q", got)
	}
	term.checkContinues()
}

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

// command types a slash command and runs it.
func (t *terminal) command(text string) {
	t.t.Helper()
	t.say(text + " ") // behind a blank the list of commands is closed
}

// share is the share of the window that the gauge shows, in percent.
func (s screen) share(t testing.TB) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimRight(strings.TrimLeft(s.used(), "~<"), "%"))
	if err != nil {
		t.Fatalf("the gauge says %q", s.used())
	}
	return n
}

// almostEqual reports whether two shares are the same but for rounding.
func almostEqual(a, b int) bool { return a-b <= 1 && b-a <= 1 }

var previewed = regexp.MustCompile(`~([0-9.]+k) → ~([0-9.]+k) tokens`)

func TestCompactionIsLookedAtMadeAndTakenBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, says("Still here."), says("Still here."), says("Still here."))
	term := p.aboard(s, wide)
	full := term.shown()

	term.command("/compact --dry-run")
	plan := term.see("turns 0–1; the newest 3 stay as they are", "› default", "results masked", "saved", "cache invalidated from turn 0", "enter compact")
	numbers := previewed.FindStringSubmatch(strings.ReplaceAll(plan.text, "\n", " "))
	if numbers == nil {
		t.Fatalf("the plan does not say before and after:\n%s", plan.text)
	}
	term.key("esc")
	left := term.wait("closed plan", func(s screen) bool { return !s.has("enter compact") && s.broken() == "" })
	if left.used() != full.used() || left.has("compacted") {
		t.Errorf("looking at it changed something:\n%s", left.text)
	}

	term.command("/compact")
	line := "compacted turns 0–1: " + numbers[1] + " → " + numbers[2] + " · 2 results masked · ctrl+t view · ctrl+x undo"
	made := term.idle(line)
	if !strings.HasPrefix(made.used(), "~") || made.share(t) >= full.share(t) {
		t.Errorf("after the compaction the gauge says %q, before %q", made.used(), full.used())
	}
	term.key("ctrl+x")
	undone := term.wait("undone compaction", func(s screen) bool { return s.has("(undone)") && s.used() != made.used() })
	if !almostEqual(undone.share(t), full.share(t)) {
		t.Errorf("after the undo the gauge says %q, at first %q", undone.used(), full.used())
	}
	term.checkContinues()
	if more := s.sent(1).extends(t, s.sent(0)); len(more) != 2 {
		t.Errorf("after the undo the request has %d new messages: %v", len(more), more)
	}

	term.command("/redo-compact")
	term.wait("compaction back in force", func(s screen) bool {
		return s.has("· ctrl+x undo") && !s.has("(undone)") && strings.HasPrefix(s.used(), "~")
	})
	term.checkContinues()
	p.showsStubs(s.sent(1), s.sent(2))
}

// showsStubs checks that a request has stubs in place of the first two logbooks, and is otherwise like the one before.
func (p *place) showsStubs(before, after request) {
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

func TestCompactionIsThereWhenTheConversationIsOpenedAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, says("Still here."), says("Still here."))
	term := p.aboard(s, usual)
	term.command("/compact")
	made := term.idle("compacted turns 0–1: ", "· ctrl+x undo")
	term.checkContinues()
	term.key("ctrl+d")
	term.end()
	id := resumeLine(term)

	term = p.start(usual, s.args("-r", id)...)
	again := term.idle("Still here.", "compacted turns 0–1: ", "· ctrl+x undo")
	if a, b := epochLine(made), epochLine(again); a != b {
		t.Errorf("the line is %q, was %q", b, a)
	}
	term.checkContinues()
	if more := s.sent(2).extends(t, s.sent(1)); len(more) != 2 {
		t.Errorf("the first request has %d new messages: %v", len(more), more)
	}
	term.key("ctrl+x")
	term.idle("(undone)")
	if diff := cmp.Diff([]conversation.Kind{conversation.KindSummary, conversation.KindRevert}, p.overlays(id)); diff != "" {
		t.Error(diff)
	}
}

// epochLine is the line of a compaction, "" without one.
func epochLine(s screen) string {
	for row := range strings.Lines(s.text) {
		if strings.HasPrefix(strings.TrimLeft(row, " "), "── ") && strings.Contains(row, " compacted ") {
			return strings.TrimSpace(row)
		}
	}
	return ""
}

func TestReaderSeesTheCompactionAndCannotUndoIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, says("Still here."))
	first := p.aboard(s, usual)
	first.command("/compact")
	first.idle("compacted turns 0–1: ")

	second := p.start(usual, s.args("-c")...)
	second.idle("compacted turns 0–1: ", "2 results masked", "Read-only")
	for _, attempt := range []func(){
		func() { second.key("ctrl+x") },
		func() { second.command("/compact --keep-last 0") },
		func() { second.command("/redo-compact") },
	} {
		second.key("ctrl+u") // a command that is refused stays in the composer
		attempt()
		second.wait("refusal above what the hints say", func(s screen) bool { return strings.Count(s.text, "/fork to continue in a copy") == 2 })
		second.idle("compacted turns 0–1: ", "2 results masked")
	}
	first.key("ctrl+x")
	first.idle("(undone)")
	second.idle("compacted (undone) turns 0–1: ", "Read-only")
}

func TestForkCompactsTheCopyAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, says("Still here."), says("Still here."), says("Still here."))
	term := p.aboard(s, usual)
	original, before := p.newest(p.store()), s.sent(0)
	out := p.prints("fork", original, "--compact")
	term.command("/fork")
	term.idle("forked: this is the copy")
	term.command("/compact")
	term.idle("compacted turns 0–1: ", "2 results masked", "ctrl+x undo")
	term.checkContinues()
	p.showsStubs(before, s.sent(1))
	p.quits(term)
	copies := []string{strings.TrimSpace(string(out)), resumeLine(term)}
	for _, id := range copies {
		if id == original || len(p.overlays(id)) != 1 {
			t.Errorf("the copy %s of %s has the overlays %v", id, original, p.overlays(id))
		}
	}
	if got := p.overlays(original); len(got) != 0 {
		t.Errorf("the original has the overlays %v", got)
	}
	term = p.start(usual, s.args("-r", original)...)
	if shown := term.idle("Fair winds."); shown.has("compacted") {
		t.Errorf("the original shows a compaction:\n%s", shown.text)
	}
	term.checkContinues()
	if more := s.sent(-1).extends(t, before); len(more) != 2 {
		t.Errorf("the original's request has %d new messages: %v", len(more), more)
	}
}

func TestOverflowNamesTheCompactionThatHelps(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	refuses := func(requested int) reply {
		return status(400, nil, fmt.Sprintf(`{"error":{"message":"This model's maximum context length is 5000 tokens. However, you requested %d tokens."}}`, requested))
	}
	s := newServer(t, refuses(7100), refuses(5100), says("Still here."))
	s.aside(says(summaryOfVoyage))
	term := p.aboard(s, wide, "--cfg", "compaction.protected_ratio=0.5") // so that two turns are enough
	term.say("is there room?")
	refused := term.idle("compacted turns 0–1 to recover from an overflow: ", "you requested 5100 tokens",
		"make room with /compact (outside the chat: plimsoll compact), start a new conversation, or")
	if strings.Contains(term.written(), "7100") {
		t.Errorf("the refusal that was recovered from is shown:\n%s", refused.text)
	}
	if at := s.sent(2).note(); at < 1 || s.count() != 3 {
		t.Errorf("%d requests were made, and the last has the note at %d", s.count(), at)
	}
	term.command("/compact")
	term.idle("compacted turns 0–2: ", "1 result masked")
	term.checkContinues()
	if got := s.sent(-1).result(t, "call-2"); !strings.Contains(got, "read_file: completed earlier (ok), 60 lines") {
		t.Errorf("the logbook of day 2 is shown as %.100q", got)
	}
}

func TestCompactionInATurnIsMadeBeforeTheNextRequest(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"log.txt": logbook(9)})
	gate := make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.text("I look.")
		w.await(gate)
		w.call(0, "c1", "read_file", object{"path": "log.txt"})
		w.end("tool_calls", 0, 0)
	}, says("Nothing new."), says("Still here."))
	term := p.aboard(s, usual)
	term.say("and in the log?")
	term.see("I look.")
	term.command("/compact")
	if shown := term.see("compacts before the next request"); shown.has("compacted") || shown.broken() != "" {
		t.Errorf("%s:\n%s", shown.broken(), shown.text)
	}
	close(gate)
	term.idle("compacted turns 0–2: ", "3 results masked", "Nothing new.")
	last := s.sent(-1)
	for n, call := range []string{"call-0", "call-1", "call-2"} {
		if got := last.result(t, call); !strings.Contains(got, "read_file: completed earlier (ok), 60 lines") {
			t.Errorf("the logbook of day %d is shown as %.100q", n, got)
		}
	}
	if got := last.result(t, "c1"); !strings.Contains(got, "watch 30 of day 9") || string(last.Tools) != string(s.sent(1).Tools) {
		t.Errorf("the result that the turn waits for is shown as %.100q", got)
	}
	term.checkContinues()
}

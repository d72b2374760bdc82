package e2e_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"plimsoll/tui/pane"
)

// The context view and the ledger show the same as the command line.

// contextJSON is the output of `context --json`.
type contextJSON struct {
	Window    int
	Used      int
	Estimated bool
	LoadLine  int `json:"load_line"`
	HardLine  int `json:"hard_line"`
	Reserve   int
	Segments  map[string]int
}

func (p *sandbox) contextOf(s *server, id string) contextJSON {
	p.t.Helper()
	var a contextJSON
	if err := json.Unmarshal(p.output(append([]string{"context", id, "--json"}, s.flags(roomy...)...)...), &a); err != nil {
		p.t.Fatal(err)
	}
	return a
}

// segmentNames are the names that the screen shows for the categories of the JSON.
var segmentNames = map[string]string{
	"system": "system prompt", "tools": "tools", "summary": "summary", "user": "your messages", "assistant": "replies",
	"reasoning": "reasoning", "calls": "tool calls", "results": "tool results", "stubs": "shortened",
}

func TestContextViewAndLedgerAgreeWithTheCommandLine(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, func(w *wire) {
		w.text("This is reply 1.")
		w.end("stop", 41000, 5)
	}, replyNumber(2))
	term, id := p.openCompacted(s, tall)
	a := p.contextOf(s, id)
	term.slashCommand("/context")
	shown := term.awaitText(" Context", "What fills it", "The window and its lines", "The heaviest")
	sum := 0
	for name, tokens := range a.Segments {
		sum += tokens
		if row := shown.rowNamed(segmentNames[name]); tokens > 0 && !strings.Contains(row+" ", " "+formatTokens(tokens, a.Estimated)+" ") {
			t.Errorf("%s has %d tokens, and the row says %q", name, tokens, row)
		}
	}
	if sum != a.Used || len(a.Segments) != len(segmentNames) {
		t.Errorf("%d categories come to %d tokens, and %d are used", len(a.Segments), sum, a.Used)
	}
	for row, want := range map[string]string{
		"free":      pane.Tokens(a.Window - a.Used),
		"window":    pane.Tokens(a.Window),
		"load line": fmt.Sprintf("%s · %s", pane.Tokens(a.LoadLine), pane.Percent(a.LoadLine, a.Window)),
		"hard line": fmt.Sprintf("%s · %s", pane.Tokens(a.HardLine), pane.Percent(a.HardLine, a.Window)),
		"reserve":   fmt.Sprintf("%s · %s", pane.Tokens(a.Reserve), pane.Percent(a.Reserve, a.Window)),
	} {
		if got := shown.rowNamed(row); !strings.Contains(got, want) {
			t.Errorf("the row of the %s is %q, not %q", row, got, want)
		}
	}
	full := pane.Percent(a.Used, a.Window)
	if a.Estimated {
		full = "~" + full
	}
	head := fmt.Sprintf("%s of %s tokens · %s", formatTokens(a.Used, a.Estimated), pane.Tokens(a.Window), full)
	if !shown.has(head) {
		t.Errorf("%q is not on the screen:\n%s", head, shown.text)
	}
	term.typeText("q")
	if left := term.awaitIdle("This is reply 1."); left.gaugeShare() != pane.Percent(a.Used, a.Window) && left.gaugeShare() != "~"+pane.Percent(a.Used, a.Window) {
		t.Errorf("the gauge shows %q", left.gaugeShare())
	}
	p.checkLedger(term, id)
}

// formatTokens formats a number of tokens as the screen does.
func formatTokens(tokens int, estimated bool) string {
	if estimated {
		return pane.About(tokens)
	}
	return pane.Tokens(tokens)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// rowNamed returns the row that begins with a name, after the cursor and the sign of its category.
func (s screen) rowNamed(name string) string {
	for line := range strings.Lines(s.text) {
		if strings.HasPrefix(strings.TrimLeft(line, "❯ █▓▞▌▒░▚▙▂·▲◆╱┄"), name+" ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// checkLedger undoes a compaction, pins a result and undoes a turn, and checks that the ledger lists all of it.
func (p *sandbox) checkLedger(term *terminal, id string) {
	t := p.t
	t.Helper()
	term.press("ctrl+x")
	term.awaitIdle("(undone)")
	term.slashCommand("/pin 51")
	term.awaitIdle("pinned: always sent in full")
	term.converseUntil("and now?", 2)
	term.slashCommand("/undo")
	term.awaitIdleDraft("and now?")
	term.press("ctrl+u")
	term.slashCommand("/ledger")
	words := []string{"compacted: turns 1–10", "compacted: turns 11–41", "compaction undone: turns 1", "pinned e", "undone: from turn"}
	shown := term.awaitText(append(words, " Ledger", "2 compactions, 1 active")...)
	at := -1
	for _, what := range words {
		if i := strings.LastIndex(shown.text, what); i < at {
			t.Errorf("%q is not in its place:\n%s", what, shown.text)
		} else {
			at = i
		}
	}
	if row := shown.rowWith("compacted: turns 11–41"); !strings.Contains(row, "undone") {
		t.Errorf("the ledger says %q", row)
	}
	if row := shown.rowWith("compacted: turns 1–10"); !strings.Contains(row, "active") {
		t.Errorf("the ledger says %q", row)
	}
	listed := string(p.output("print", id, "--ledger"))
	if n := strings.Count(listed, "\n"); n != 2*len(words) {
		t.Errorf("print --ledger says\n%s", listed)
	}
	term.typeText("r") // on the turns that were undone
	term.awaitText("what was undone is active")
	term.typeText("q")
	term.awaitIdle("This is reply 2.")
}

// rowWith returns the row that contains a text, or "".
func (s screen) rowWith(text string) string {
	for line := range strings.Lines(s.text) {
		if strings.Contains(line, text) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

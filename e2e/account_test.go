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

// account runs `context --json` for a conversation.
func (p *place) account(s *server, id string) contextJSON {
	p.t.Helper()
	var a contextJSON
	if err := json.Unmarshal(p.prints(append([]string{"context", id, "--json"}, s.args(roomy...)...)...), &a); err != nil {
		p.t.Fatal(err)
	}
	return a
}

// named are the categories of a window by their names in JSON.
var named = map[string]string{
	"system": "system prompt", "tools": "tools", "summary": "note, summary", "user": "your messages", "assistant": "replies",
	"reasoning": "reasoning", "calls": "tool calls", "results": "tool results", "stubs": "stubs",
}

func TestContextViewAndLedgerSayWhatTheCommandLineSays(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, func(w *wire) {
		w.text("This is reply 1.")
		w.end("stop", 41000, 5)
	}, replyNumber(2))
	term, id := p.openCompacted(s, tall)
	a := p.account(s, id)
	term.command("/context")
	shown := term.see(" Context", "What fills it", "The window and its lines", "The heaviest")
	sum := 0
	for name, tokens := range a.Segments {
		sum += tokens
		if row := shown.named(named[name]); tokens > 0 && !strings.Contains(row+" ", " "+about(tokens, a.Estimated)+" ") {
			t.Errorf("%s has %d tokens, and the row says %q", name, tokens, row)
		}
	}
	if sum != a.Used || len(a.Segments) != len(named) {
		t.Errorf("%d categories come to %d tokens, and %d are used", len(a.Segments), sum, a.Used)
	}
	for row, want := range map[string]string{
		"free":      pane.Tokens(a.Window - a.Used),
		"window":    pane.Tokens(a.Window),
		"load line": fmt.Sprintf("%s · %s", pane.Tokens(a.LoadLine), pane.Percent(a.LoadLine, a.Window)),
		"hard line": fmt.Sprintf("%s · %s", pane.Tokens(a.HardLine), pane.Percent(a.HardLine, a.Window)),
		"reserve":   fmt.Sprintf("%s · %s", pane.Tokens(a.Reserve), pane.Percent(a.Reserve, a.Window)),
	} {
		if got := shown.named(row); !strings.Contains(got, want) {
			t.Errorf("the row of the %s is %q, not %q", row, got, want)
		}
	}
	full := pane.Percent(a.Used, a.Window)
	if a.Estimated {
		full = "~" + full
	}
	head := fmt.Sprintf("%s of %s tokens · %s", about(a.Used, a.Estimated), pane.Tokens(a.Window), full)
	if !shown.has(head) {
		t.Errorf("%q is not on the screen:\n%s", head, shown.text)
	}
	term.typed("q")
	if left := term.idle("This is reply 1."); left.used() != pane.Percent(a.Used, a.Window) && left.used() != "~"+pane.Percent(a.Used, a.Window) {
		t.Errorf("the gauge says %q", left.used())
	}
	p.ledger(term, id)
}

// about formats a number of tokens as the screen does.
func about(tokens int, estimated bool) string {
	if estimated {
		return pane.About(tokens)
	}
	return pane.Tokens(tokens)
}

// oneLine is a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// named is the row that begins with a name, after the cursor and a sign.
func (s screen) named(name string) string {
	for line := range strings.Lines(s.text) {
		if strings.HasPrefix(strings.TrimLeft(line, "❯ █▓▞▌▒░▚▙▂·▲◆╱┄"), name+" ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// ledger undoes a compaction, pins, and undoes a turn in a compacted conversation, and checks the ledger.
func (p *place) ledger(term *terminal, id string) {
	t := p.t
	t.Helper()
	term.key("ctrl+x")
	term.idle("(undone)")
	term.command("/pin 50")
	term.idle("pinned: always sent in full")
	term.converseUntil("and now?", 2)
	term.command("/undo")
	term.drafted("and now?")
	term.key("ctrl+u")
	term.command("/ledger")
	words := []string{"compacted turns 0–9", "compacted turns 10–40", "compaction e", "pinned e", "undone: from turn"}
	shown := term.see(append(words, " Ledger", "2 compactions, 1 active")...)
	at := -1
	for _, what := range words {
		if i := strings.LastIndex(shown.text, what); i < at {
			t.Errorf("%q does not stand in its place:\n%s", what, shown.text)
		} else {
			at = i
		}
	}
	if row := shown.line("compacted turns 10–40"); !strings.Contains(row, "undone") {
		t.Errorf("the ledger says %q", row)
	}
	if row := shown.line("compacted turns 0–9"); !strings.Contains(row, "active") {
		t.Errorf("the ledger says %q", row)
	}
	listed := string(p.prints("print", id, "--ledger"))
	if n := strings.Count(listed, "\n"); n != 2*len(words) {
		t.Errorf("print --ledger says\n%s", listed)
	}
	term.typed("r") // on the turns that were undone
	term.see("turns that were undone", "undone: it hides nothing")
	term.typed("q")
	term.idle("This is reply 2.")
}

// line is the row that has a text, "" without one.
func (s screen) line(text string) string {
	for line := range strings.Lines(s.text) {
		if strings.Contains(line, text) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

package show

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/inspect"
	"plimsoll/conversation"
)

func logEntries() []inspect.Entry {
	cost := 0.75
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	return []inspect.Entry{
		{Kind: inspect.EntryEpoch, Event: 11, Time: at, Result: inspect.ResultUndone, Source: conversation.SourceAuto, Trigger: "load line",
			Why: "turns 0–3, \x1b[31m1 summary\nof 漢字", Model: "openai/m", Before: 91300, After: 34000, CostUSD: &cost, Duration: 4260 * time.Millisecond},
		{Kind: inspect.EntryUndo, Event: 12, Time: at, Result: inspect.ResultInForce, Source: conversation.SourceManual, Why: "taken back", Target: 11,
			After: 91300},
		{Kind: inspect.EntryAttempt, Event: 13, Time: at, Result: inspect.ResultFailed, Trigger: "command", Why: "too busy", Before: 500},
	}
}

func TestCompactionLogShowsEachActionAndItsReason(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := WriteCompactionLog(&b, 80, logEntries()); err != nil {
		t.Fatal(err)
	}
	want := `e11  compaction, undone  ~91,300 -> ~34,000  $0.75  4.3 s  2026-01-02 03:04
    auto, load line; openai/m; turns 0–3, ␛[31m1 summary of 漢字
e12  undo of e11, active  -> ~91,300  2026-01-02 03:04
    manual; taken back
e13  attempt, failed  ~500  2026-01-02 03:04
    command; too busy
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
	for limit := 1; limit < 200; limit++ {
		b.Reset()
		if err := WriteCompactionLog(&b, limit, logEntries()); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if ansi.StringWidth(line) > limit {
				t.Fatalf("at %d cells: %q", limit, line)
			}
		}
	}
}

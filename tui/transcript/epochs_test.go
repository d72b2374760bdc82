package transcript_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript"
)

// timeAt returns a time on the day of the test logs.
func timeAt(hour, minute int) time.Time { return time.Date(2026, 1, 2, hour, minute, 5, 0, time.UTC) }

// addAt appends bodies as one batch.
func (r *rig) addAt(now time.Time, bodies ...conversation.Body) {
	events := r.log.Prepare(now, bodies...)
	if err := r.log.Commit(events); err != nil {
		panic(err)
	}
	r.Append(events)
}

// addCompaction appends the overlays of one compaction, and returns its epoch.
func (r *rig) addCompaction(now time.Time, origin conversation.Origin, bodies ...conversation.Body) uint64 {
	epoch := uint64(r.log.Len() + 1)
	r.addAt(now, conversation.AssignEpoch(bodies, epoch, origin)...)
	return epoch
}

// addUndo reverts an epoch; redo reverts the newest undo.
func (r *rig) addUndo(t testing.TB, now time.Time, epoch uint64) {
	t.Helper()
	b, err := edit.Undo(r.log.Events(), epoch)
	if err != nil {
		t.Fatal(err)
	}
	r.addCompaction(now, conversation.Origin{Source: conversation.SourceManual}, b)
}

func (r *rig) addRedo(t testing.TB, now time.Time) {
	t.Helper()
	b, err := edit.Redo(r.log.Events())
	if err != nil {
		t.Fatal(err)
	}
	r.addCompaction(now, conversation.Origin{Source: conversation.SourceManual}, b)
}

// manualOrigin describes a compaction that the user requested.
func manualOrigin(before, after int) conversation.Origin {
	return conversation.Origin{Source: conversation.SourceManual, Before: before, After: after}
}

func summaryOf(from, to int) conversation.Summary {
	return conversation.Summary{Text: "what was done", FromTurn: from, ToTurn: to}
}

func maskOf(events ...uint64) conversation.Mask {
	var m conversation.Mask
	for _, e := range events {
		m.Items = append(m.Items, conversation.MaskItem{Event: e, Part: conversation.PartResult})
	}
	return m
}

func TestACompactionIsACard(t *testing.T) {
	t.Parallel()
	origin := func(source conversation.Source, before, after int) conversation.Origin {
		return conversation.Origin{Source: source, Before: before, After: after, Why: "turn 1, 1 result masked"}
	}
	text := "## Note on turns 0–2\n\n### Files read\n- a.go\n- b.go\n### Decisions\n- ports\n### Open questions\n* why"
	cost := 0.004
	for _, c := range []struct {
		name   string
		origin conversation.Origin
		body   conversation.Body
		price  float64
		want   []string
	}{
		{"a summary", origin(conversation.SourceAuto, 91_000, 34_000), conversation.Summary{Text: text, FromTurn: 0, ToTurn: 2}, 0.2, []string{
			"▎ Compacted turns 1–3   91k ███████████████ → 34k █████  −63%",
			"▎ kept: 2 files, 1 decision, 1 open point  ", " ctrl+x undo", "▎ cost $0.004 · saves $0.011 a request · cache rebuilt once"}},
		{"prose, for free", origin(conversation.SourceManual, 2000, 1000), summaryOf(3, 3), 0, []string{
			"▎ Compacted turn 4   2k ███████████████ → 1k ███████  −50%", "▎ kept: a summary of 3 words", "saves 1k tokens a request"}},
		{"results", origin(conversation.SourceTool, 2000, 1000), maskOf(4), 0, []string{"▎ Compacted, asked for by the model   2k", "▎ 1 result shortened"}},
		{"dropped", origin(conversation.SourceRecovery, 0, 0), conversation.Drop{Spans: []conversation.Span{{First: 1, Last: 5}}}, 0, []string{"▎ Trimmed, refused as too long"}},
		{"hostile", origin("", 9, 8), conversation.Summary{Text: "### Files\x1b]52;c;aGk=\x07\n- \u202e", ToTurn: 1}, 0, []string{"kept: 1 file "}},
		{"negative", origin("", -5, -7), maskOf(4), 0, []string{"▎ Compacted"}},
		{"huge", origin("", math.MaxInt, math.MinInt), maskOf(4), 0, []string{"▎ Compacted   9223372036855M ███████████████ → 0 █"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := openTranscript(t, 120, 60, turns(8)...)
			r.SetPrice(c.price)
			r.add(conversation.Usage{Purpose: conversation.PurposeSummary, CostUSD: &cost})
			r.addCompaction(timeAt(14, 2), c.origin, c.body)
			r.wantText(t, c.want...)
			for _, width := range []int{120, 80, 40, 20, 5, 1} {
				r.SetSize(width, 60)
				wantValidView(t, r.View(), width, 60)
			}
		})
	}
}

func TestACardShowsLaterUndos(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 120, 60, turns(8)...)
	first := r.addCompaction(timeAt(14, 2), manualOrigin(91_000, 60_000), maskOf(4))
	second := r.addCompaction(timeAt(14, 3), manualOrigin(60_000, 34_000), summaryOf(2, 5), maskOf(2))
	older, newest := fmt.Sprintf(" /undo-compact %d", first), "▎ Compacted turns 3–6   60k ███████████████ → 34k ████████"
	r.wantText(t, older, newest, "ctrl+x undo")

	r.addUndo(t, timeAt(14, 5), second)
	r.wantText(t, "▎ Compacted turns 3–6 (undone)   34k → 60k", "▎ all of it is sent again · /redo-compact compacts it again", "▎ Compacted   91k", "ctrl+x undo")
	r.SetSize(40, 60) // the words are in view rather than the sizes
	r.wantText(t, " ▎ Compacted turns 3–6 (undone)")
	r.SetSize(120, 60)
	r.addRedo(t, timeAt(14, 7))
	r.wantText(t, older, "▎ Compacted turns 3–6 (redone)   60k ███████████████ → 34k ████████", "▎ in force again · saves 26k tokens a request")
	r.addCompaction(timeAt(14, 11), conversation.Origin{}, conversation.Revert{Event: second + 1})
	r.wantText(t, "▎ Compacted turns 3–6 (partly undone)   60k", "ctrl+x undo")

	r.SetKeys(transcript.Keys{})
	r.wantText(t, fmt.Sprintf(" /undo-compact %d", second))
	for height, shown := range map[int]int{60: 3, 7: 3, 6: 2, 2: 1} { // the end, and the heads of the two cards
		r.SetSize(120, height)
		if n := pane.CountTrue(r.Shows(0), r.Shows(first), r.Shows(second), r.Shows(99)); n != shown {
			t.Errorf("%d lines show %d of them, want %d: %s", height, n, shown, r.screen())
		}
	}
	r.SetSize(120, 60)
	if n := strings.Count(r.screen(), "▎ Compacted"); n != 2 {
		t.Errorf("reverts have cards of their own: %s", r.screen())
	}
}

func TestAClickOnUndoUndoesTheCompaction(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 120, 60, turns(8)...)
	first := r.addCompaction(timeAt(14, 2), manualOrigin(91_000, 60_000), maskOf(4))
	second := r.addCompaction(timeAt(14, 3), manualOrigin(60_000, 34_000), maskOf(2))
	click := func(line int, word string) uint64 {
		t.Helper()
		before, _, ok := strings.Cut(r.lines()[line], word)
		if !ok {
			t.Fatalf("no %q in %q", word, r.lines()[line])
		}
		r.Press(len([]rune(before)), line)
		return r.Release().Undo
	}
	for _, c := range []struct {
		card, word string
		line       int
		want       uint64
	}{
		{"91k", "/undo-compact", 1, first}, {"91k", "Compacted", 0, 0}, {"91k", "saves", 2, 0},
		{" 34k", "ctrl+x", 1, second}, {" 34k", "undo", 1, second}, {" 34k", "▎", 1, 0},
	} {
		if got := click(r.row(c.card)+c.line, c.word); got != c.want {
			t.Errorf("a click on %q in the card of %s undoes %d, want %d", c.word, c.card, got, c.want)
		}
	}
	r.addUndo(t, timeAt(14, 5), second)
	if got := click(r.row("(undone)"), "undone"); got != 0 {
		t.Errorf("a click on an undone compaction undoes %d", got)
	}
	if got := r.drag(1, r.row("(undone)"), 200, r.row("(undone)")); got != "Compacted (undone)   34k → 60k" {
		t.Errorf("copied %q", got)
	}
}

// The lines agree with package conversation about which compactions are undone,
// no matter in which pieces the log arrived.
func TestLinesAgreeWithTheLog(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		events := conversationtest.WithOverlays(rt, rapid.Custom(conversationtest.Rich).Draw(rt, "log"))
		r := openTranscript(t, 250, 1)
		r.Reset(events)
		lines := drawnLines(r, 250)
		var got, want []bool // undone
		for _, l := range lines {
			if regexp.MustCompile(`^    ▎ (Compacted|Trimmed)`).MatchString(l) {
				got = append(got, strings.Contains(l, "(undone)"))
			}
		}
		for _, e := range conversation.Epochs(events) {
			want = append(want, !e.InForce)
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatalf("undone compactions (-log +lines): %s\n%s", d, strings.Join(lines, "\n"))
		}
		inPieces := openTranscript(t, 250, 1)
		for piece := range slices.Chunk(events, rapid.IntRange(1, 5).Draw(rt, "piece")) {
			inPieces.Append(piece)
			inPieces.View()
		}
		if d := cmp.Diff(lines, drawnLines(inPieces, 250)); d != "" {
			rt.Fatalf("a log that arrived in pieces is drawn differently: %s", d)
		}
	})
}

func drawnLines(r *rig, width int) []string {
	r.SetSize(width, r.CountLines(1<<20))
	return r.lines()
}

func TestNoLineIsWiderThanTheScreen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		amount := rapid.OneOf(rapid.IntRange(0, 200_000), rapid.Int())
		origin := conversation.Origin{
			Source: rapid.SampledFrom([]conversation.Source{"", conversation.SourceManual, conversation.SourceAuto, conversation.SourceTool,
				conversation.SourceRecovery, "?"}).Draw(rt, "source"),
			Before: amount.Draw(rt, "before"), After: amount.Draw(rt, "after"),
			Why: rapid.OneOf(rapid.String(), rapid.Just("turns 1–2, 漢字👨‍👩‍👧‍👦 \x1b[2J\u202e")).Draw(rt, "why"),
		}
		r := openTranscript(t, 80, 20, turns(2)...)
		body := rapid.SampledFrom([]conversation.Body{
			maskOf(2, 4, 99), conversation.Summary{Text: "x", FromTurn: amount.Draw(rt, "from"), ToTurn: amount.Draw(rt, "to")},
			conversation.Drop{Spans: []conversation.Span{{First: 9, Last: 1}}}, conversation.Pin{Events: make([]uint64, 3)},
			conversation.Rewind{Turn: amount.Draw(rt, "turn")}, conversation.Attempt{Why: origin.Why},
		}).Draw(rt, "body")
		epoch := r.addCompaction(timeAt(14, 2), origin, body)
		if rapid.Bool().Draw(rt, "undone") {
			r.addCompaction(timeAt(14, 3), conversation.Origin{}, conversation.Revert{Epoch: epoch})
		}
		for range 5 {
			width := rapid.IntRange(1, 250).Draw(rt, "width")
			r.SetSize(width, 20)
			wantValidView(t, r.View(), width, 20)
			if n := r.CountLines(100); body.Kind() != conversation.KindAttempt && body.Kind() != conversation.KindRewind && width >= 20 && (n < 10 || n > 12) {
				rt.Fatalf("%d lines at width %d, want 10 to 12:\n%s", n, width, r.screen())
			}
		}
	})
}

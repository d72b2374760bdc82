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

func TestCompactionLineShowsWhatWasDone(t *testing.T) {
	t.Parallel()
	origin := func(before, after int, why string) conversation.Origin {
		return conversation.Origin{Source: conversation.SourceManual, Before: before, After: after, Why: why}
	}
	auto := conversation.Origin{Source: conversation.SourceAuto, Before: 2000, After: 1000, Why: "turn 1, 1 result masked"}
	model := auto
	model.Source = conversation.SourceTool
	for _, c := range []struct {
		name   string
		origin conversation.Origin
		body   conversation.Body
		want   string
	}{
		{"turns in the reason", origin(12_100, 5300, "turns 0–2, 12 results masked, focus: the ports"), maskOf(4), "compacted turns 0–2: 12.1k → 5.3k · 12 results masked, focus: the ports · "},
		{"no turns in the reason", origin(12_100, 5300, "it was full"), maskOf(4), "compacted: 12.1k → 5.3k · it was full · "},
		{"no reason", origin(0, 0, ""), maskOf(4), "compacted · "},
		{"automatic", auto, maskOf(4), "compacted turn 1 automatically: 2k → 1k"},
		{"dropped", auto, conversation.Drop{Spans: []conversation.Span{{First: 1, Last: 5}}}, "trimmed turn 1 automatically"},
		{"requested by the model", model, maskOf(4), "compacted turn 1, asked for by the model: 2k → 1k"},
		{"hostile", origin(0, 0, "\x1b]52;c;aGk=\x07\u202e\n"+strings.Repeat("x", 5000)), conversation.Cap{}, "«U+202E» xxx"},
		{"negative", origin(-5, -7, ""), maskOf(4), "compacted · "},
		{"huge", origin(math.MaxInt, math.MinInt, ""), maskOf(4), "compacted: 4611686018427M → 0 · "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := openTranscript(t, 200, 60, turns(8)...)
			r.addCompaction(timeAt(14, 2), c.origin, c.body)
			r.wantText(t, c.want)
			wantValidView(t, r.View(), 200, 60)
		})
	}
}

func TestCompactionLineShowsLaterUndos(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 120, 60, turns(8)...)
	first := r.addCompaction(timeAt(14, 2), manualOrigin(91_000, 60_000), maskOf(4))
	second := r.addCompaction(timeAt(14, 3), manualOrigin(60_000, 34_000), summaryOf(2, 5), maskOf(2))
	older := fmt.Sprintf("14:02 compacted: 91k → 60k · /undo-compact %d ──", first)
	r.wantText(t, older, "14:03 compacted: 60k → 34k · ctrl+x undo ──")

	r.addUndo(t, timeAt(14, 5), second)
	r.wantText(t, "14:03 compacted (undone): 60k → 34k ──", "14:02 compacted: 91k → 60k · ctrl+x undo ──")
	r.addRedo(t, timeAt(14, 7))
	r.wantText(t, older, "14:03 compacted: 60k → 34k · ctrl+x undo ──")
	r.addCompaction(timeAt(14, 11), conversation.Origin{}, conversation.Revert{Event: second + 1})
	r.wantText(t, "14:03 compacted (partly undone): 60k → 34k · ctrl+x undo ──")

	r.SetUndoKey("")
	r.wantText(t, fmt.Sprintf("compacted (partly undone): 60k → 34k · /undo-compact %d ──", second))
	if n := strings.Count(r.screen(), "──\n"); n > 2 {
		t.Errorf("reverts have lines of their own:\n%s", r.screen())
	}
}

func TestAClickOnUndoUndoesTheCompaction(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 120, 60, turns(8)...)
	first := r.addCompaction(timeAt(14, 2), manualOrigin(91_000, 60_000), maskOf(4))
	second := r.addCompaction(timeAt(14, 3), manualOrigin(60_000, 34_000), maskOf(2))
	click := func(y int, word string) uint64 {
		t.Helper()
		before, _, ok := strings.Cut(r.lines()[y], word)
		if !ok {
			t.Fatalf("no %q in %q", word, r.lines()[y])
		}
		r.Press(len([]rune(before)), y)
		return r.Release().Undo
	}
	for _, c := range []struct {
		line, word string
		want       uint64
	}{
		{"14:02", "/undo-compact", first}, {"14:02", fmt.Sprint(" ", first, " ──")[1:], first}, {"14:02", "compacted", 0}, {"14:02", "· /undo", 0},
		{"14:03", "ctrl+x", second}, {"14:03", "undo ──", second}, {"14:03", " ──", 0}, {"14:03", "── 14", 0},
	} {
		if got := click(r.row(c.line), c.word); got != c.want {
			t.Errorf("a click on %q in the line of %s undoes %d, want %d", c.word, c.line, got, c.want)
		}
	}
	r.addUndo(t, timeAt(14, 5), second)
	if got := click(r.row("14:03"), "undone"); got != 0 {
		t.Errorf("a click on an undone compaction undoes %d", got)
	}
	if got := r.drag(1, r.row("14:03"), 200, r.row("14:03")); got != "── 14:03 compacted (undone): 60k → 34k ──" {
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
			if regexp.MustCompile(`^  ── \d\d:\d\d (compacted|trimmed)`).MatchString(l) {
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
			if n := r.CountLines(100); body.Kind() != conversation.KindAttempt && body.Kind() != conversation.KindRewind && width >= 20 && n != 10 {
				rt.Fatalf("%d lines at width %d, want 10:\n%s", n, width, r.screen())
			}
		}
	})
}

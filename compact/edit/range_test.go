package edit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// bound parses a bound that must be valid; "" means no bound.
func bound(t interface {
	Helper()
	Fatal(...any)
}, text string) *edit.Bound {
	if text == "" {
		return nil
	}
	b, err := edit.ParseBound(text)
	conversationtest.Must(t, err)
	return &b
}

// hourlyTurns is a log of turns without calls. Turn i was begun so many hours before
// noon that the last one began an hour ago.
func hourlyTurns(t *testing.T, turns int) []conversation.Event {
	t.Helper()
	var l conversation.Log
	for i := range turns {
		events := l.Prepare(compacttest.Noon.Add(time.Duration(i-turns)*time.Hour), conversation.UserMessage{Text: "question"},
			conversation.AssistantMessage{Text: "answer", Stop: conversation.StopEnd})
		conversationtest.Must(t, l.Commit(events))
	}
	return l.Events()
}

// rewound makes the test for RangeOptions.Rewound that is true for the given turns.
func rewound(turns ...int) func(int) bool {
	if len(turns) == 0 {
		return nil
	}
	isRewound := map[int]bool{}
	for _, n := range turns {
		isRewound[n] = true
	}
	return func(turn int) bool { return isRewound[turn] }
}

// chosen is a requested range of ten turns: turn 0 was begun 10 hours ago,
// turn 9 an hour ago.
type chosen struct {
	from, to string
	keep     int
	last     int
	gone     []int
}

func (c chosen) options(t *testing.T) edit.RangeOptions {
	return edit.RangeOptions{From: bound(t, c.from), To: bound(t, c.to), KeepLast: c.keep, Now: compacttest.Noon,
		FirstUncompacted: c.last, Rewound: rewound(c.gone...)}
}

// TestRFD064RangeBounds checks the forms in the RFD's table of bounds, and the meaning of
// flags without a value.
func TestRFD064RangeBounds(t *testing.T) {
	t.Parallel()
	log := hourlyTurns(t, 10)
	for _, row := range []struct {
		chosen
		want edit.Range
	}{
		{chosen{}, edit.Range{From: 0, To: 9}},
		{chosen{keep: 3}, edit.Range{From: 0, To: 6}},
		{chosen{keep: 9}, edit.Range{From: 0, To: 0}},
		{chosen{keep: -1}, edit.Range{From: 0, To: 9}},
		{chosen{from: "5", keep: 3}, edit.Range{From: 5, To: 6}},
		{chosen{from: "0", to: "0"}, edit.Range{From: 0, To: 0}},
		{chosen{from: "9", to: "9"}, edit.Range{From: 9, To: 9}},
		{chosen{to: "-3"}, edit.Range{From: 0, To: 6}},
		{chosen{to: "-3", keep: 8}, edit.Range{From: 0, To: 6}},
		{chosen{from: "-9", to: "-1"}, edit.Range{From: 0, To: 8}},
		{chosen{from: "5h", to: "1h"}, edit.Range{From: 5, To: 8}},
		{chosen{from: "5h"}, edit.Range{From: 5, To: 9}},
		{chosen{to: "5h"}, edit.Range{From: 0, To: 4}},
		{chosen{from: "270m", to: "150m"}, edit.Range{From: 6, To: 7}},
		{chosen{from: "52w"}, edit.Range{From: 0, To: 9}},
		{chosen{to: "0s"}, edit.Range{From: 0, To: 9}},
		{chosen{from: "last"}, edit.Range{From: 0, To: 9}},
		{chosen{from: "last", keep: 3, last: 4}, edit.Range{From: 4, To: 6}},
		{chosen{from: "last", last: 9}, edit.Range{From: 9, To: 9}},
		{chosen{to: "last", last: 4}, edit.Range{From: 0, To: 4}},
		{chosen{to: "last"}, edit.Range{From: 0, To: 0}},
		{chosen{to: "last", last: 99}, edit.Range{From: 0, To: 9}},
		{chosen{to: "last", last: 10}, edit.Range{From: 0, To: 9}},
		{chosen{from: "last", last: -7}, edit.Range{From: 0, To: 9}},
	} {
		got, err := edit.ResolveRange(log, row.options(t))
		if err != nil || got != row.want {
			t.Errorf("%+v: got %v (%v), want %v", row.chosen, got, err, row.want)
		}
	}
}

func TestEmptyRangesAreRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	log := hourlyTurns(t, 10)
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, row := range []struct {
		chosen
		want string
	}{
		{chosen{keep: 10}, "nothing is older than the 10 newest turns, kept whole unless you say --keep-last 0"},
		{chosen{gone: all}, "every turn is undone"},
		{chosen{from: "8", keep: 3}, "--from 8 (turn 8) is among the 3 newest turns, kept whole unless you say --keep-last 0"},
		{chosen{from: "8", to: "3"}, "--from 8 (turn 8) comes after --to 3 (turn 3)"},
		{chosen{from: "5h", to: "5h"}, "--from 5h (turn 5) comes after --to 5h (turn 4)"},
		{chosen{from: "10"}, "--from 10 names no turn; the turns are 0 to 9"},
		{chosen{to: "4", gone: all[1:]}, "--to 4 names no turn; the turns are 0 to 0"},
		{chosen{from: "-10"}, "--from -10 names no turn; the turns are 0 to 9"},
		{chosen{from: "59m"}, "--from 59m names no turn; the turns are 0 to 9"},
		{chosen{to: "10h"}, "--to 10h names no turn; the turns are 0 to 9"},
		{chosen{from: "last", last: 10}, "--from last: everything up to turn 9 is compacted, and no turn comes after it"},
	} {
		got, err := edit.ResolveRange(log, row.options(t))
		if !errors.Is(err, edit.ErrNoRange) || got != (edit.Range{}) {
			t.Errorf("%+v: range %v, error %v; want no range", row.chosen, got, err)
			continue
		}
		if want := "nothing to compact: " + row.want; err.Error() != want {
			t.Errorf("%+v:\n got %s\nwant %s", row.chosen, err, want)
		}
	}
	from, _ := edit.ParseBound("8")
	_, err := edit.ResolveRange(log, edit.RangeOptions{From: from.CountedFromOne(), KeepLast: 3})
	if about, ok := errors.AsType[*edit.RangeError](err); !ok || !strings.Contains(about.Counting(1), "--from 8 (turn 8) is among") || !strings.Contains(err.Error(), "(turn 7)") {
		t.Errorf("counted from 1: %v", err)
	}
}

// TestRFD064TurnBoundaries checks the edge cases that the RFD names as risks.
func TestRFD064TurnBoundaries(t *testing.T) {
	t.Parallel()
	user, reply := conversation.UserMessage{Text: "u"}, conversation.AssistantMessage{Text: "a", Stop: conversation.StopEnd}
	call := conversation.AssistantMessage{Stop: conversation.StopCalls,
		Calls: []conversation.ToolCall{{ID: "c", Name: "run_command", Arguments: "{}"}}}
	result := conversation.ToolResult{CallID: "c", Tool: "run_command", Status: conversation.ResultInterrupted, Text: "interrupted"}
	cut := conversation.AssistantMessage{Text: "half a", Stop: conversation.StopCancelled}
	notice := conversation.Notice{Level: conversation.NoticeInfo, Text: "n"}
	for name, row := range map[string]struct {
		log  []conversation.Event
		keep int
		want edit.Range
		err  string
	}{
		"no events":                 {err: "has no messages"},
		"no turn":                   {log: compacttest.AppendTo(nil, notice, conversation.Instructions{}), err: "has no messages"},
		"replies without a turn":    {log: compacttest.AppendTo(nil, reply, result), err: "has no messages"},
		"one turn":                  {log: compacttest.AppendTo(nil, user, reply), want: edit.Range{}},
		"one turn, three kept":      {log: compacttest.AppendTo(nil, user, reply), keep: 3, err: "nothing is older than the 3 newest turns"},
		"one turn, not answered":    {log: compacttest.AppendTo(nil, user), want: edit.Range{}},
		"events before the first":   {log: compacttest.AppendTo(nil, notice, reply, user, reply), want: edit.Range{}},
		"no calls":                  {log: compacttest.AppendTo(nil, user, reply, user, reply, user, reply), keep: 1, want: edit.Range{To: 1}},
		"reply was stopped":         {log: compacttest.AppendTo(nil, user, cut, user, reply), keep: 1, want: edit.Range{}},
		"calls were stopped":        {log: compacttest.AppendTo(nil, user, call, result, user, reply), keep: 1, want: edit.Range{}},
		"stopped before any answer": {log: compacttest.AppendTo(nil, user, user, user, reply), keep: 1, want: edit.Range{To: 1}},
		"last turn was stopped":     {log: compacttest.AppendTo(nil, user, reply, user), want: edit.Range{To: 1}},
	} {
		got, err := edit.ResolveRange(row.log, edit.RangeOptions{KeepLast: row.keep, Now: compacttest.Noon})
		switch {
		case row.err == "" && (err != nil || got != row.want):
			t.Errorf("%s: got %v (%v), want %v", name, got, err, row.want)
		case row.err != "" && (!errors.Is(err, edit.ErrNoRange) || !strings.Contains(err.Error(), row.err)):
			t.Errorf("%s: got %v (%v), want %q", name, got, err, row.err)
		}
	}
}

// bounds draws a bound of any form, or none.
func bounds(t *rapid.T, label string) *edit.Bound {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "last", "0", "9223372036854775807", "-9223372036854775807", "15250w", "0s"}),
		rapid.Map(rapid.IntRange(-8, 8), func(n int) string { return fmt.Sprint(n) }),
		rapid.Map(rapid.IntRange(0, 70), func(n int) string { return fmt.Sprintf("%ds", n) }),
	).Draw(t, label)
	return bound(t, text)
}

func TestResolvedRangesAreTurnsOfTheLog(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.PlainLog(t)
		isRewound := map[int]bool{}
		for _, turn := range rapid.SliceOfN(rapid.IntRange(0, 8), 0, 3).Draw(t, "gone") {
			isRewound[turn] = true
		}
		o := edit.RangeOptions{
			From: bounds(t, "from"), To: bounds(t, "to"),
			KeepLast:         rapid.OneOf(rapid.IntRange(-1, 4), rapid.Just(math.MaxInt), rapid.Just(math.MinInt)).Draw(t, "keep"),
			Now:              conversationtest.Epoch.Add(time.Duration(rapid.IntRange(-5, 70).Draw(t, "now")) * time.Second),
			FirstUncompacted: rapid.OneOf(rapid.IntRange(-1, 8), rapid.Just(math.MaxInt), rapid.Just(math.MinInt)).Draw(t, "last"),
			Rewound:          func(turn int) bool { return isRewound[turn] },
		}
		r, err := edit.ResolveRange(log, o)
		if err != nil {
			if !errors.Is(err, edit.ErrNoRange) || r != (edit.Range{}) {
				t.Fatalf("range %v with error %v, want an empty one", r, err)
			}
			return
		}
		begun := map[int]bool{}
		newer := 0 // turns after the range that were not taken back
		for _, e := range log {
			if _, ok := e.Body.(conversation.UserMessage); ok && !isRewound[e.Turn] {
				begun[e.Turn] = true
				if e.Turn > r.To {
					newer++
				}
			}
		}
		if r.From > r.To || !begun[r.From] || !begun[r.To] {
			t.Fatalf("%v is not in the turns %v", r, begun)
		}
		if keep := max(0, o.KeepLast); o.To == nil && newer != keep {
			t.Fatalf("range %v keeps %d turns, want %d", r, newer, keep)
		}
	})
}

func TestExtendOverIsTheSmallestRangeWithoutPartialOverlap(t *testing.T) {
	t.Parallel()
	const turns = 14
	partial := func(r, e edit.Range) bool {
		common, onlyR, onlyE := false, false, false
		for turn := range turns {
			inR, inE := r.From <= turn && turn <= r.To, e.From <= turn && turn <= e.To
			common, onlyR, onlyE = common || inR && inE, onlyR || inR && !inE, onlyE || inE && !inR
		}
		return common && onlyR && onlyE
	}
	anyPartial := func(r edit.Range, existing []edit.Range) bool {
		for _, e := range existing {
			if partial(r, e) {
				return true
			}
		}
		return false
	}
	ranges := rapid.Custom(func(t *rapid.T) edit.Range {
		from := rapid.IntRange(0, turns-1).Draw(t, "from")
		return edit.Range{From: from, To: min(turns-1, from+rapid.IntRange(0, 5).Draw(t, "length"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		r, existing := ranges.Draw(t, "range"), rapid.SliceOfN(ranges, 0, 6).Draw(t, "existing")
		want := edit.Range{From: 0, To: turns - 1}
		for from := 0; from <= r.From; from++ {
			for to := r.To; to < turns; to++ {
				try := edit.Range{From: from, To: to}
				if to-from < want.To-want.From && !anyPartial(try, existing) {
					want = try
				}
			}
		}
		if d := cmp.Diff(want, edit.ExtendOver(r, existing)); d != "" {
			t.Fatalf("%v over %v (-smallest +got):\n%s", r, existing, d)
		}
	})
}

func TestBoundsPrintAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "5", "007", "2147483647", "-1", "-3", "-03", "last", "5h", "30m", "2d", "1w", "90s", "0s", "15250w", "9223372036s"} {
		if b, err := edit.ParseBound(text); err != nil || b.String() != text {
			t.Errorf("%q prints as %q (%v)", text, b, err)
		}
	}
}

func TestInvalidBoundsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "-", "--3", "+5", "+5h", " 5", "last ", "Last", "h", "٥", "-0", "99999999999999999999", "-99999999999999999999", "15251w", "9223372037s",
		"15250w15250d", "-5h", "5 ", "5x", "5.5h", "1h30", "1h30m", "1hh", "5h\n", "0x10", "1_000", "30m1h", "5m5m", strings.Repeat("9", 5000) + "w"} {
		b, err := edit.ParseBound(text)
		if err == nil || b != (edit.Bound{}) || len(err.Error()) > 500 {
			t.Errorf("%.20q is read as %v, %v", text, b, err)
		}
	}
}

// FuzzParseBound checks that any text is a bound that prints as written, or an error
// that is safe to print.
func FuzzParseBound(f *testing.F) {
	for _, text := range []string{
		"", "0", "5", "-3", "-0", "+5", "last", "5h", "1h30m", "1w2d3h4m5s", "15250w", "15251w", "9223372036854775807",
		"-9223372036854775808", "٥", " 5", "5 h", "1.5h", "\xff", "\x1b[0m", "0s0s",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := edit.ParseBound(text)
		if err != nil {
			for _, r := range err.Error() {
				if !unicode.IsPrint(r) {
					t.Fatalf("%q is in the error %q", r, err)
				}
			}
			return
		}
		if strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("-0123456789wdhmslat", r) }) {
			t.Fatalf("%q is read as %v", text, b)
		}
		again, err := edit.ParseBound(b.String())
		if err != nil || again != b {
			t.Fatalf("%q prints as %q, which is parsed as %v (%v)", text, b, again, err)
		}
	})
}

func TestSpansHoldOnlyWholeUnits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.PlainLog(t)
		r := edit.Range{From: rapid.IntRange(-1, 6).Draw(t, "from"), To: rapid.IntRange(-1, 8).Draw(t, "to")}
		isRewound := rewound(rapid.SliceOfN(rapid.IntRange(0, 6), 0, 3).Draw(t, "gone")...)
		spans := r.Spans(log, isRewound)
		in := func(seq uint64) int {
			for i, s := range spans {
				if s.First <= seq && seq <= s.Last {
					return i + 1
				}
			}
			return 0
		}
		// ends holds the events that a span may begin or end at; uncovered holds the
		// gaps between spans that contain a message.
		ends, uncovered := map[uint64]bool{}, map[int]bool{}
		for _, u := range conversation.Units(log) {
			want := !u.Open
			for _, i := range u.Events {
				turn := log[i].Turn
				want = want && r.From <= turn && turn <= r.To && (isRewound == nil || !isRewound(turn))
			}
			for _, i := range u.Events {
				seq := log[i].Seq
				if got := in(seq) > 0; got != want {
					t.Fatalf("%v: event %d covered: %v, want %v", spans, seq, got, want)
				}
				ends[seq] = true
				for gap := 1; gap < len(spans); gap++ {
					if spans[gap-1].Last < seq && seq < spans[gap].First {
						uncovered[gap] = true
					}
				}
			}
		}
		for i, s := range spans {
			if s.First > s.Last || !ends[s.First] || !ends[s.Last] || i > 0 && (spans[i-1].Last >= s.First || !uncovered[i]) {
				t.Fatalf("%v: span %d is out of order, touches the one before or ends at nothing", spans, i)
			}
		}
	})
}

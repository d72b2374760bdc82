package edit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// bound reads a bound that is known to be one; "" is none.
func bound(t interface{ Fatal(...any) }, text string) *edit.Bound {
	if text == "" {
		return nil
	}
	b, err := edit.ParseBound(text)
	if err != nil {
		t.Fatal(err)
	}
	return &b
}

// said makes a log of bodies, all at one time.
func said(t *testing.T, bodies ...conversation.Body) []conversation.Event {
	t.Helper()
	var l conversation.Log
	if err := l.Commit(l.Prepare(compacttest.Noon, bodies...)); err != nil {
		t.Fatal(err)
	}
	return l.Events()
}

// hourly is a log of turns without calls. Turn i was begun so many hours before
// noon that the last one began an hour ago.
func hourly(t *testing.T, turns int) []conversation.Event {
	t.Helper()
	var l conversation.Log
	for i := range turns {
		events := l.Prepare(compacttest.Noon.Add(time.Duration(i-turns)*time.Hour), conversation.UserMessage{Text: "question"},
			conversation.AssistantMessage{Text: "answer", Stop: conversation.StopEnd})
		if err := l.Commit(events); err != nil {
			t.Fatal(err)
		}
	}
	return l.Events()
}

// taken makes a Gone of the turns that were taken back.
func taken(turns ...int) func(int) bool {
	if len(turns) == 0 {
		return nil
	}
	gone := map[int]bool{}
	for _, n := range turns {
		gone[n] = true
	}
	return func(turn int) bool { return gone[turn] }
}

// chosen is a range that is asked for, of ten turns: turn 0 was begun 10 hours ago,
// turn 9 an hour ago.
type chosen struct {
	from, to string
	keep     int
	last     int
	gone     []int
}

func (c chosen) options(t *testing.T) edit.RangeOptions {
	return edit.RangeOptions{From: bound(t, c.from), To: bound(t, c.to), KeepLast: c.keep, Now: compacttest.Noon,
		AfterLast: c.last, Gone: taken(c.gone...)}
}

// TestRFD064RangeBounds: the forms of the table of bounds, and what the flags
// stand for without a value.
func TestRFD064RangeBounds(t *testing.T) {
	t.Parallel()
	log := hourly(t, 10)
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
		{chosen{from: "4h30m", to: "2h30m"}, edit.Range{From: 6, To: 7}},
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

func TestRangesThatHoldNothingSayWhy(t *testing.T) {
	t.Parallel()
	log := hourly(t, 10)
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
		{chosen{from: "10"}, "--from 10: there is no turn 10; the turns are 0 to 9"},
		{chosen{to: "4", gone: all[1:]}, "--to 4: turn 4 has been undone; the turns are 0 to 0"},
		{chosen{from: "-10"}, "--from -10 lies before the first turn: the turns are 0 to 9"},
		{chosen{from: "59m"}, "--from 59m: no turn started since then"},
		{chosen{to: "10h"}, "--to 10h: no turn started before then"},
		{chosen{from: "last", last: 10}, "--from last: everything up to turn 9 is compacted, and no turn comes after it"},
	} {
		got, err := edit.ResolveRange(log, row.options(t))
		if !errors.Is(err, edit.ErrNoRange) || got != (edit.Range{}) {
			t.Errorf("%+v: got %v (%v)", row.chosen, got, err)
			continue
		}
		if want := "nothing to compact: " + row.want; err.Error() != want {
			t.Errorf("%+v:\n got %s\nwant %s", row.chosen, err, want)
		}
	}
}

// TestRFD064TurnBoundaries: the edge cases the risks of the RFD name.
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
		"no turn":                   {log: said(t, notice, conversation.Instructions{}), err: "has no messages"},
		"replies without a turn":    {log: said(t, reply, result), err: "has no messages"},
		"one turn":                  {log: said(t, user, reply), want: edit.Range{}},
		"one turn, three kept":      {log: said(t, user, reply), keep: 3, err: "nothing is older than the 3 newest turns"},
		"one turn, not answered":    {log: said(t, user), want: edit.Range{}},
		"events before the first":   {log: said(t, notice, reply, user, reply), want: edit.Range{}},
		"no calls":                  {log: said(t, user, reply, user, reply, user, reply), keep: 1, want: edit.Range{To: 1}},
		"reply was stopped":         {log: said(t, user, cut, user, reply), keep: 1, want: edit.Range{}},
		"calls were stopped":        {log: said(t, user, call, result, user, reply), keep: 1, want: edit.Range{}},
		"stopped before any answer": {log: said(t, user, user, user, reply), keep: 1, want: edit.Range{To: 1}},
		"last turn was stopped":     {log: said(t, user, reply, user), want: edit.Range{To: 1}},
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

func TestResolvedRangesLieInTheLog(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.PlainLog(t)
		gone := map[int]bool{}
		for _, turn := range rapid.SliceOfN(rapid.IntRange(0, 8), 0, 3).Draw(t, "gone") {
			gone[turn] = true
		}
		o := edit.RangeOptions{
			From: bounds(t, "from"), To: bounds(t, "to"),
			KeepLast:  rapid.OneOf(rapid.IntRange(-1, 4), rapid.Just(math.MaxInt), rapid.Just(math.MinInt)).Draw(t, "keep"),
			Now:       conversationtest.Epoch.Add(time.Duration(rapid.IntRange(-5, 70).Draw(t, "now")) * time.Second),
			AfterLast: rapid.OneOf(rapid.IntRange(-1, 8), rapid.Just(math.MaxInt), rapid.Just(math.MinInt)).Draw(t, "last"),
			Gone:      func(turn int) bool { return gone[turn] },
		}
		r, err := edit.ResolveRange(log, o)
		if err != nil {
			if !errors.Is(err, edit.ErrNoRange) || r != (edit.Range{}) {
				t.Fatalf("%v comes with %v", r, err)
			}
			return
		}
		begun := map[int]bool{}
		newer := 0 // turns after the range that were not taken back
		for _, e := range log {
			if _, ok := e.Body.(conversation.UserMessage); ok && !gone[e.Turn] {
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
			t.Fatalf("%v leaves out %d turns, not %d", r, newer, keep)
		}
	})
}

func TestTimesAgoCutAConversationInTwo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := conversationtest.Log(t)
		b := bound(t, fmt.Sprintf("%ds", rapid.IntRange(0, 60).Draw(t, "ago")))
		now := conversationtest.Epoch.Add(time.Duration(len(log)) * time.Second)
		older, errOlder := edit.ResolveRange(log, edit.RangeOptions{To: b, Now: now})
		newer, errNewer := edit.ResolveRange(log, edit.RangeOptions{From: b, Now: now})
		all, errAll := edit.ResolveRange(log, edit.RangeOptions{Now: now})
		switch {
		case errAll != nil:
			if errOlder == nil || errNewer == nil {
				t.Fatalf("a part of nothing: %v, %v", older, newer)
			}
		case errOlder != nil && errNewer != nil:
			t.Fatalf("%v has no parts: %v, %v", all, errOlder, errNewer)
		case errOlder != nil:
			older = edit.Range{From: newer.From, To: newer.From - 1}
		case errNewer != nil:
			newer = edit.Range{From: older.To + 1, To: older.To}
		}
		if errAll == nil && (older.From != all.From || older.To+1 != newer.From || newer.To != all.To) {
			t.Fatalf("%v and %v are not the halves of %v", older, newer, all)
		}
	})
}

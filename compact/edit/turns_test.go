package edit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestSpansOfARangeEndBetweenUnits(t *testing.T) {
	t.Parallel()
	user, reply := conversation.UserMessage{Text: "u"}, conversation.AssistantMessage{Text: "a", Stop: conversation.StopEnd}
	calls := func(ids ...string) conversation.AssistantMessage {
		m := conversation.AssistantMessage{Stop: conversation.StopCalls}
		for _, id := range ids {
			m.Calls = append(m.Calls, conversation.ToolCall{ID: id, Name: "t", Arguments: "{}"})
		}
		return m
	}
	result := func(id string) conversation.ToolResult {
		return conversation.ToolResult{CallID: id, Tool: "t", Status: conversation.ResultOK, Text: "r"}
	}
	usage := conversation.Usage{Prompt: 1}
	three := said(t, user, reply, usage, user, calls("a"), usage, result("a"), reply, usage, user, reply)
	for name, row := range map[string]struct {
		log  []conversation.Event
		r    edit.Range
		gone []int
		want []conversation.Span
	}{
		"no events":       {nil, edit.Range{}, nil, nil},
		"nothing sent":    {said(t, usage, usage), edit.Range{}, nil, nil},
		"first turn":      {three, edit.Range{From: 0, To: 0}, nil, []conversation.Span{{First: 1, Last: 2}}},
		"two turns":       {three, edit.Range{From: 0, To: 1}, nil, []conversation.Span{{First: 1, Last: 8}}},
		"last turn":       {three, edit.Range{From: 2, To: 2}, nil, []conversation.Span{{First: 10, Last: 11}}},
		"behind the last": {three, edit.Range{From: 3, To: 9}, nil, nil},
		"reversed":        {three, edit.Range{From: 1, To: 0}, nil, nil},
		"middle taken back": {three, edit.Range{From: 0, To: 2}, []int{1},
			[]conversation.Span{{First: 1, Last: 2}, {First: 10, Last: 11}}},
		"start taken back": {three, edit.Range{From: 0, To: 2}, []int{0, 1}, []conversation.Span{{First: 10, Last: 11}}},
		"all taken back":   {three, edit.Range{From: 0, To: 2}, []int{0, 1, 2}, nil},
		"before the first message": {said(t, usage, reply, user, reply), edit.Range{}, nil,
			[]conversation.Span{{First: 2, Last: 4}}},
		"not answered yet":   {said(t, user, reply, user), edit.Range{To: 1}, nil, []conversation.Span{{First: 1, Last: 3}}},
		"call open":          {said(t, user, reply, user, calls("a")), edit.Range{To: 1}, nil, []conversation.Span{{First: 1, Last: 3}}},
		"one of two calls":   {said(t, user, calls("a", "b"), usage, result("a")), edit.Range{}, nil, []conversation.Span{{First: 1, Last: 1}}},
		"both of two calls":  {said(t, user, calls("a", "b"), result("b"), result("a")), edit.Range{}, nil, []conversation.Span{{First: 1, Last: 4}}},
		"only an open unit":  {said(t, calls("a")), edit.Range{}, nil, nil},
		"open unit between":  {said(t, user, calls("a"), user, reply), edit.Range{To: 1}, nil, []conversation.Span{{First: 1, Last: 1}, {First: 3, Last: 4}}},
		"result in the next": {said(t, user, calls("a"), user, result("a"), reply), edit.Range{}, nil, []conversation.Span{{First: 1, Last: 1}}},
		"call in the one before": {said(t, user, calls("a"), user, result("a"), reply), edit.Range{From: 1, To: 1}, nil,
			[]conversation.Span{{First: 3, Last: 3}, {First: 5, Last: 5}}},
		"result of no call": {said(t, user, result("x"), reply), edit.Range{}, nil, []conversation.Span{{First: 1, Last: 3}}},
	} {
		if d := cmp.Diff(row.want, row.r.Spans(row.log, taken(row.gone...))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestSpansHoldUnitsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.PlainLog(t)
		r := edit.Range{From: rapid.IntRange(-1, 6).Draw(t, "from"), To: rapid.IntRange(-1, 8).Draw(t, "to")}
		gone := taken(rapid.SliceOfN(rapid.IntRange(0, 6), 0, 3).Draw(t, "gone")...)
		spans := r.Spans(log, gone)
		in := func(seq uint64) int {
			for i, s := range spans {
				if s.Holds(seq) {
					return i + 1
				}
			}
			return 0
		}
		// ends are the spans that begin or end at an event that is sent; uncovered
		// tells of each gap whether one lies in it.
		ends, uncovered := map[uint64]bool{}, map[int]bool{}
		for _, u := range conversation.Units(log) {
			want := !u.Open
			for _, i := range u.Events {
				turn := log[i].Turn
				want = want && r.From <= turn && turn <= r.To && (gone == nil || !gone(turn))
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

func TestRangesOfWellFormedLogsAreOneSpan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := conversationtest.Log(t)
		r, err := edit.ResolveRange(log, edit.RangeOptions{KeepLast: rapid.IntRange(0, 3).Draw(t, "keep")})
		if err != nil {
			t.SkipNow()
		}
		spans := r.Spans(log, nil)
		if len(spans) != 1 || spans[0].First != 1 || log[spans[0].Last-1].Turn != r.To {
			t.Fatalf("%v of %v", spans, r)
		}
	})
}

package compact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// marathon is one turn of many steps.
func marathon(steps int) *tale {
	l := (&tale{}).user("Do all of it.")
	for range steps {
		l.call("read_file", `{"path":"a.go"}`, conversation.ResultOK, numbered(100, "of a file"))
	}
	return l
}

func span(first, last uint64) conversation.Span { return conversation.Span{First: first, Last: last} }

func TestBandsOfOtherDesignsCoverTheFirstMessageToo(t *testing.T) {
	t.Parallel()
	v, m := projection.Project(filesRead(10, 100).user("And now?").events()), meter.New(window(100_000))
	want := []conversation.Span{span(1, 40)}
	if d := cmp.Diff(want, compact.BandSpans(v, m, compact.BandRule{First: true})); d != "" {
		t.Error(d)
	}
}

func TestBandsCoverTheOldestUnitsThatReachTheTarget(t *testing.T) {
	t.Parallel()
	m := meter.New(window(100_000))
	turns := filesRead(10, 100).user("And now?") // 4,789 tokens, 474 a turn of 4 events
	long := (&tale{}).user(strings.Repeat("a long task ", 1000)).reply("Yes.").user("Go on.").reply("Done.").user("x")
	banded := filesRead(10, 100).summary(conversation.StylePlimsoll, 5, 12, 1, 2, "turns 1 and 2").user("And now?")
	pinned := filesRead(10, 100).user("And now?").add(conversation.Pin{Events: []uint64{6}})
	steered := marathon(10).user("Faster.")
	for range 20 {
		steered.call("read_file", `{}`, conversation.ResultOK, numbered(100, "of a file"))
	}
	for name, c := range map[string]struct {
		log               *tale
		target, protected float64
		want              []conversation.Span
	}{
		"as few as it takes":              {turns, 3500, 0, []conversation.Span{span(2, 15)}},
		"everything but the newest":       {turns, 0, 0, []conversation.Span{span(2, 40)}},
		"not what is protected":           {turns, 0, 2000, []conversation.Span{span(2, 23)}},
		"all is protected":                {turns, 0, 1e9, nil},
		"a long first message":            {long, 0, 0, []conversation.Span{span(1, 4)}},
		"earlier bands stay":              {banded, 0, 0, []conversation.Span{span(2, 4), span(13, 40)}},
		"pins do not part a band":         {pinned, 0, 0, []conversation.Span{span(2, 40)}},
		"within the only turn":            {marathon(10), 0, 0, []conversation.Span{span(2, 19)}},
		"the older side, if it is enough": {steered, 9000, 0, []conversation.Span{span(2, 11)}},
		"both sides, if it is not":        {steered, 0, 0, []conversation.Span{span(2, 21), span(23, 60)}},
		"as few as it takes of both":      {steered, 4000, 0, []conversation.Span{span(2, 21), span(23, 46)}},
		"nothing":                         {&tale{}, 0, 0, nil},
	} {
		if d := cmp.Diff(c.want, compact.BandSpans(projection.Project(c.log.events()), m, compact.BandRule{Target: c.target, Protected: c.protected})); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestDropsSpareTheFirstAndTheNewestMessage(t *testing.T) {
	t.Parallel()
	m := meter.New(window(100_000))
	turns := filesRead(10, 100).user("And now?")
	pinned := filesRead(10, 100).user("And now?").add(conversation.Pin{Events: []uint64{6}})
	steered := marathon(3).user("Faster.").call("read_file", `{}`, conversation.ResultOK, "x").call("read_file", `{}`, conversation.ResultOK, "y")
	for name, c := range map[string]struct {
		log    *tale
		target float64
		want   []conversation.Span
	}{
		"the first message":  {(&tale{}).user(strings.Repeat("a long task ", 1000)).reply("Yes.").user("Go on."), 0, []conversation.Span{span(2, 2)}},
		"enough":             {turns, 1e9, nil},
		"as few as it takes": {turns, 3500, []conversation.Span{span(2, 11)}},
		"all":                {turns, 0, []conversation.Span{span(2, 40)}},
		"not pins":           {pinned, 0, []conversation.Span{span(2, 5), span(8, 40)}},
		"within a turn":      {steered, 0, []conversation.Span{span(2, 7), span(9, 10)}},
		"the open unit":      {marathon(1), 0, nil},
		"nothing":            {&tale{}, 0, nil},
	} {
		if d := cmp.Diff(c.want, compact.DropSpans(projection.Project(c.log.events()), m, c.target)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestWhatIsNewestOrPinnedIsNeverTaken(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, ownLog(t))
		w.Turn(t)
		log := w.Events()
		v, m := projection.Project(log), meter.New(window(8000))
		target, protected := rapid.Float64Range(0, 3000).Draw(t, "target"), rapid.Float64Range(0, 1000).Draw(t, "protected")
		stays := map[uint64]bool{}
		units := conversation.Units(log)
		for _, i := range units[len(units)-1].Events {
			stays[log[i].Seq] = true
		}
		for _, e := range slices.Backward(log) {
			if _, ok := e.Body.(conversation.UserMessage); ok {
				stays[e.Seq] = true
				break
			}
		}
		drops := compact.DropSpans(v, m, target)
		for _, msg := range v.Messages {
			if msg.State == projection.StatePinned && !within(compact.BandSpans(v, m, compact.BandRule{Target: target, Protected: protected}), msg.Events[0]) {
				stays[msg.Events[0]] = true // of drops; a band leaves a pin standing
			}
		}
		for seq := range stays {
			if within(drops, seq) || within(compact.BandSpans(v, m, compact.BandRule{Target: target, Protected: protected}), seq) {
				t.Fatalf("event %d is taken", seq)
			}
		}
		w.Add(t, conversation.Drop{Spans: drops})
		messages, err := projection.Harden(projection.Project(w.Events()), projection.Capabilities{})
		if len(messages) == 0 {
			t.Fatalf("nothing is left: %v", err)
		}
	})
}

func within(spans []conversation.Span, seq uint64) bool {
	return slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.Holds(seq) })
}

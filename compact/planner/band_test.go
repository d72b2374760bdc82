package planner_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// marathon is one turn of many steps.
func marathon(steps int) *compacttest.Tale {
	l := (&compacttest.Tale{}).User("Do all of it.")
	for range steps {
		l.Call("read_file", `{"path":"a.go"}`, conversation.ResultOK, compacttest.Numbered(100, "of a file"))
	}
	return l
}

func TestBandsCoverTheOldestUnitsThatReachTheTarget(t *testing.T) {
	t.Parallel()
	m := meter.New(compacttest.Window(100_000))
	turns := compacttest.FilesRead(10, 100).User("And now?") // 4,789 tokens, 474 a turn of 4 events
	long := (&compacttest.Tale{}).User(strings.Repeat("a long task ", 1000)).Reply("Yes.").User("Go on.").Reply("Done.").User("x")
	banded := compacttest.FilesRead(10, 100).Summary(conversation.StylePlimsoll, 5, 12, 1, 2, "turns 1 and 2").User("And now?")
	pinned := compacttest.FilesRead(10, 100).User("And now?").Add(conversation.Pin{Events: []uint64{6}})
	steered := marathon(10).User("Faster.")
	for range 20 {
		steered.Call("read_file", `{}`, conversation.ResultOK, compacttest.Numbered(100, "of a file"))
	}
	for name, c := range map[string]struct {
		log               *compacttest.Tale
		target, protected float64
		want              []conversation.Span
	}{
		"as few as it takes":              {turns, 3500, 0, []conversation.Span{compacttest.Span(2, 15)}},
		"everything but the newest":       {turns, 0, 0, []conversation.Span{compacttest.Span(2, 40)}},
		"not what is protected":           {turns, 0, 2000, []conversation.Span{compacttest.Span(2, 23)}},
		"all is protected":                {turns, 0, 1e9, nil},
		"a long first message":            {long, 0, 0, []conversation.Span{compacttest.Span(1, 4)}},
		"earlier bands stay":              {banded, 0, 0, []conversation.Span{compacttest.Span(2, 4), compacttest.Span(13, 40)}},
		"pins do not part a band":         {pinned, 0, 0, []conversation.Span{compacttest.Span(2, 40)}},
		"within the only turn":            {marathon(10), 0, 0, []conversation.Span{compacttest.Span(2, 19)}},
		"the older side, if it is enough": {steered, 9000, 0, []conversation.Span{compacttest.Span(2, 11)}},
		"both sides, if it is not":        {steered, 0, 0, []conversation.Span{compacttest.Span(2, 21), compacttest.Span(23, 60)}},
		"as few as it takes of both":      {steered, 4000, 0, []conversation.Span{compacttest.Span(2, 21), compacttest.Span(23, 46)}},
		"nothing":                         {&compacttest.Tale{}, 0, 0, nil},
	} {
		if d := cmp.Diff(c.want, planner.BandSpans(projection.Project(c.log.Events()), m, planner.BandRule{Target: c.target, Protected: c.protected})); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestWhatIsNewestOrPinnedIsNeverTaken(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, compacttest.OwnLog(t))
		w.Turn(t)
		log := w.Events()
		v, m := projection.Project(log), meter.New(compacttest.Window(8000))
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
		drops := planner.DropSpans(v, m, target)
		for _, msg := range v.Messages {
			if msg.State == projection.StatePinned && !compacttest.Within(planner.BandSpans(v, m, planner.BandRule{Target: target, Protected: protected}), msg.Events[0]) {
				stays[msg.Events[0]] = true // of drops; a band leaves a pin standing
			}
		}
		for seq := range stays {
			if compacttest.Within(drops, seq) || compacttest.Within(planner.BandSpans(v, m, planner.BandRule{Target: target, Protected: protected}), seq) {
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

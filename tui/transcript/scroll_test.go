package transcript_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

func TestNeverJumpsWhileScrolledUp(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 10, turns(20)...)
	r.ScrollBy(-7)
	before := r.lines()
	still := func(what string) {
		t.Helper()
		if d := cmp.Diff(before, r.lines()); d != "" {
			t.Errorf("%s moved the view: %s", what, d)
		}
	}
	r.Delta("a reply\n\nthat streams ", "and thinks")
	still("a delta")
	for range 50 {
		r.Delta("on and on\n\n", "")
	}
	still("a long reply")
	r.Discard()
	still("discarding it")
	r.Delta("another", "")
	r.add(conversation.AssistantMessage{Text: "another", Stop: conversation.StopCalls, Calls: []conversation.ToolCall{call("x", "read_file", `{}`)}})
	r.ToolStarted("x", "read_file")
	r.ToolOutput("x", strings.Repeat("output\n", 40))
	still("a running call")
	r.add(result("x", conversation.ResultOK, "done"), user("more"))
	r.ShowNotice("a note")
	r.ShowError("a fault", "")
	still("an end")
	if n := r.Unseen(); n != 5 {
		t.Errorf("%d unseen, want 5: reply, call, message, note, fault", n)
	}
	r.ToEnd()
	r.wantText(t, "a fault")
	if r.Unseen() != 0 || !r.Following() {
		t.Error("the end is not followed again")
	}
}

func TestDiscardedReplyDoesNotCountAsUnseen(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 10, turns(20)...)
	r.ScrollBy(-7)
	r.Delta("half", "")
	if n := r.Unseen(); n != 1 {
		t.Errorf("%d unseen items while the reply streams", n)
	}
	r.Discard()
	if n := r.Unseen(); n != 0 {
		t.Errorf("%d unseen items after the reply was discarded", n)
	}
	r.Discard()
	r.ToEnd()
	r.wantNoText(t, "half")
}

func TestScrollsThroughEveryLineOnce(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 7, turns(15)...)
	r.add(reply(answer))
	showTools(r)
	all := openTranscript(t, 60, 200)
	all.Reset(r.log.Events())
	all.ToolStarted("runs", "run_command make")
	all.ToolOutput("runs", "one\ntwo\r\nthree\nfour\nfi")
	all.ToolOutput("runs", "ve\n")
	all.SetFrame(3)
	want := strings.Split(all.screen(), "\n")
	r.ToTop()
	got := r.lines()
	for range len(want) - 7 {
		r.ScrollBy(1)
		got = append(got, r.lines()[6])
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("downwards: %s", d)
	}
	if !r.Following() {
		t.Error("the end is not followed after scrolling to it")
	}
	got = r.lines()
	for range len(want) - 7 {
		r.ScrollBy(-1)
		got = append([]string{r.lines()[0]}, got...)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("upwards: %s", d)
	}
}

func TestResizeKeepsTheTopLine(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 100, 12, turns(10)...)
	r.add(reply(strings.Repeat("words that wrap at every width there is, ", 200)), user("MARK"))
	r.add(turns(30)...)
	for r.row("MARK") != 0 {
		r.ScrollBy(-1)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		r.SetSize(20+rng.IntN(200), 2+rng.IntN(40))
		if y := r.row("MARK"); y != 0 {
			t.Fatalf("the top item is at row %d", y)
		}
	}
	r.SetSize(100, 12)
	r.ScrollBy(-30) // into the long reply
	before := r.lines()
	for range 100 {
		r.SetSize(20+rng.IntN(200), 2+rng.IntN(40))
		r.View()
	}
	r.SetSize(100, 12)
	if d := cmp.Diff(before, r.lines()); d != "" {
		t.Errorf("after a storm of resizes: %s", d)
	}
}

func TestFoldingKeepsTheTopItem(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 10, turns(5)...)
	r.add(calls(call("1", "read_file", `{"path":"MARK"}`)), result("1", conversation.ResultOK, strings.Repeat("a line\n", 100)))
	r.add(turns(20)...)
	for r.row("MARK") != 0 {
		r.ScrollBy(-1)
	}
	r.ToggleExpanded()
	if y := r.row("MARK"); y != 0 {
		t.Errorf("after unfolding, the top item is at row %d", y)
	}
	r.ScrollBy(50)
	r.ToggleExpanded()
	if y := r.row("MARK"); y != 0 {
		t.Errorf("after folding from within, the top item is at row %d", y)
	}
	r.ScrollBy(-1)
	if y := r.row("MARK"); y != 1 {
		t.Errorf("a line further up, the top item is at row %d", y)
	}
}

func TestWeightsFollowTheCalibration(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 12, calls(call("1", "read_file", `{}`)), result("1", conversation.ResultOK, strings.Repeat("x", 4000)))
	r.wantText(t, " 1k")
	r.SetFactor(1.5)
	r.wantText(t, " 1.5k")
	r.SetFactor(0)
	r.wantText(t, " 1.5k")
}

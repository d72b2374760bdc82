package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// What ONE says of failures, and of tool results that are cut where they arrive.

// cornered is a talker whose summary failed as the replies say and that has come
// to where room is made without one: at once under oneclaw; under plimsoll, which
// leaves the view as it was, when the next message goes over the hard line.
func cornered(t *testing.T, p preset.Name, change func(*core.Options), failure ...agenttest.Reply) *talker {
	t.Helper()
	k := after(t, p, 7, change, slices.Repeat(failure, 2)...) // plimsoll prepares one, and asks again at the load line
	k.passes()
	k.turns(7, 2)
	k.passes()
	if p == preset.Plimsoll {
		if n := len(k.overlays()); n != 0 || k.trimmed() != 0 {
			t.Errorf("%d overlays below the hard line", n)
		}
		k.provider.Add(answers("that is long"))
		k.Send("see here: " + spoken(9, 600))
		k.passes()
	}
	return k
}

func fallback(t *testing.T, p preset.Name) {
	k := cornered(t, p, nil, down(), down())
	k.asks(map[preset.Name]int{preset.OneClaw: 2, preset.Plimsoll: 4}[p])
	o := k.overlays()
	want := map[preset.Name]conversation.Kind{preset.OneClaw: conversation.KindDrop, preset.Plimsoll: conversation.KindSummary}[p]
	if len(o) != 1 || o[0].Body.Kind() != want || len(k.stories()) != 0 {
		t.Fatalf("the overlays are %v, attempts %+v", brief(o), k.attempts())
	}
	if got := k.reading(); got.Used > got.LoadLine {
		t.Errorf("%d tokens are left, and the threshold is at %d", got.Used, got.LoadLine)
	}
	k.answered("and now?")
	sent := fmt.Sprint(onWire(k.last().Messages))
	// The oldest goes, from the request and not from the log; the first question stays,
	// and what plimsoll's note quotes.
	if strings.Contains(sent, spoken(0, 1000)) || !strings.Contains(sent, asked(0)) || !strings.Contains(sent, "words of turn 8") {
		t.Errorf("sent %.300s", sent)
	}
	if p == preset.OneClaw && !strings.Contains(sent, "words of turn 1") {
		t.Error("more was left out than is needed to get under the threshold")
	}
	if all := said(k.memory.Events()); all[1] != "assistant stop "+spoken(0, 1000) {
		t.Errorf("the log has %.80q in place of the oldest reply", all[1])
	}
	k.ends()
}

func snackbar(t *testing.T, p preset.Name) {
	k := cornered(t, p, nil, down(), down())
	want := map[preset.Name]int{preset.OneClaw: 1}[p] // plimsoll evicts behind a note, and drops nothing
	if n := k.trimmed(); n != want || len(k.made()) != 1 {
		t.Errorf("told %d times, of %+v", n, k.made())
	}
	k.ends()
}

// oneCut is the talk with a tool that returns a text, and its only result as it is
// stored. Under oneclaw the full text is not kept.
func oneCut(t *testing.T, p preset.Name, text string) (*talker, conversation.ToolResult) {
	t.Helper()
	k := talksUnder(t, p, func(o *core.Options) {
		o.Model.Window.Tokens = 200_000
		if p == preset.Plimsoll { // its own cap would grow with the window
			o.Results = core.Results{MaxChars: conversation.ResultMaxChars, KeepFull: true}
		}
		withTools(agenttest.Reader("fetch", func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome { return ok(text) }))(o)
	})
	k.provider.Add(asks(agenttest.Call(0, "c1", "fetch", `{}`)))
	k.gets("fetch it", "there it is")
	for _, e := range k.memory.Events() {
		if r, isResult := e.Body.(conversation.ToolResult); isResult {
			if got := k.last().Messages[2].Text; got != r.Text {
				t.Errorf("stored are %d bytes, and sent %d", len(r.Text), len(got))
			}
			return k, r
		}
	}
	t.Fatal("no result is stored")
	return nil, conversation.ToolResult{}
}

const oneMarker = "\n\n[... content truncated, showing first 30000 characters of %d total ...]"

func resultIsCut(t *testing.T, p preset.Name) {
	text := strings.Repeat("abcde ", 50_000)
	k, r := oneCut(t, p, text)
	if !strings.HasPrefix(r.Text, text[:30_000]) || len(r.Text) != 30_000+len(fmt.Sprintf(oneMarker, 300_000)) || r.Total != 300_000 {
		t.Errorf("stored are %d of %d bytes", len(r.Text), r.Total)
	}
	for _, batch := range k.memory.Batches() {
		for _, e := range batch { // never there, not even before the cut
			if b, err := conversation.Marshal(e); err != nil || len(b) > 40_000 {
				t.Errorf("an event of %d bytes, %v", len(b), err)
			}
		}
	}
	if full := k.memory.Blob(r.Blob); (full == text) != (p == preset.Plimsoll) || p == preset.OneClaw && r.Blob != "" {
		t.Errorf("%d bytes are kept beside it", len(full))
	}
	k.ends()
}

func resultIsMarked(t *testing.T, p preset.Name) {
	for _, n := range []int{30_001, 123_456} {
		k, r := oneCut(t, p, strings.Repeat("x", n))
		if want := strings.Repeat("x", 30_000) + fmt.Sprintf(oneMarker, n); r.Text != want {
			t.Errorf("of %d it ends %q", n, r.Text[len(r.Text)-90:])
		}
		k.ends()
	}
}

func resultIsWhole(t *testing.T, p preset.Name) {
	for _, text := range []string{"x", "two\nlines\n", strings.Repeat("x", 29_999)} {
		k, r := oneCut(t, p, text)
		if r.Text != text || r.Total != 0 || r.Blob != "" {
			t.Errorf("of %d bytes %d are stored, and the total is %d", len(text), len(r.Text), r.Total)
		}
		k.ends()
	}
}

// mishaps are the ways in which a summary may come to nothing; the second figure
// is how often oneclaw asks for it, the third plimsoll.
func mishaps() map[string]struct {
	reply             agenttest.Reply
	oneclaw, plimsoll int
} {
	type way = struct {
		reply             agenttest.Reply
		oneclaw, plimsoll int
	}
	return map[string]way{
		"the network fails": {agenttest.Fail(&llm.Error{Class: llm.Network, Message: "no route"}), 2, 2},
		"the server fails":  {down(), 2, 2},
		"it breaks off":     {agenttest.Say(account), 2, 2},
		"no credit":         {agenttest.Fail(&llm.Error{Class: llm.Quota, Message: "out of credit"}), 2, 1},
		"empty":             {agenttest.Stop(conversation.StopEnd), 1, 2},
		"blank":             {answers(" \n\n "), 1, 2},
		"an error text":     {answers("Error: 503 service unavailable"), 1, 2},
		"a refusal":         {answers("I'm sorry, I can't help with that."), 1, 2},
		"a call":            {asks(agenttest.Call(0, "cx", "look", `{}`)), 1, 2},
		"cut off":           {agenttest.Join(agenttest.Say(account), agenttest.Stop(conversation.StopLength)), 1, 2},
		"far too long":      {answers(strings.Repeat(further, 40)), 1, 1},
		"silence":           {agenttest.Pause(time.Hour), 1, 1},
	}
}

// After every way to fail the next message is answered, and the one after that.
func TestOneClawConversationNeverStops(t *testing.T) {
	for name, way := range mishaps() {
		t.Run(name, func(t *testing.T) {
			lines(t, []line{
				{says: "goes on", only: preset.OneClaw, holds: func(t *testing.T, p preset.Name) {
					k := after(t, p, 9, nil, way.reply, way.reply)
					time.Sleep(2 * time.Minute)
					k.wait()
					k.asks(way.oneclaw)
					if a := k.attempts(); len(a) != 1 || a[0].Outcome != conversation.OutcomeFailed || len(k.stories()) != 0 {
						t.Errorf("recorded %+v", a)
					}
					if k.trimmed() != 1 {
						t.Errorf("told %d times that the history was trimmed", k.trimmed())
					}
					k.goesOn(9, way.reply)
					if n := k.trimmed(); n == 0 || len(k.stories()) != 0 {
						t.Errorf("trimmed %d times, with summaries %+v", n, k.stories())
					}
					k.ends()
				}},
				{says: "goes on behind notes", only: preset.Plimsoll, holds: func(t *testing.T, p preset.Name) {
					k := talksUnder(t, p, nil, slices.Repeat([]agenttest.Reply{way.reply}, 3*way.plimsoll)...)
					k.goesOn(0, way.reply)
					k.goesOn(8, way.reply)
					k.goesOn(16, way.reply)
					k.asks(3 * way.plimsoll)
					a := k.attempts()
					for _, one := range a {
						if one.Outcome != conversation.OutcomeFailed || one.Why == "" {
							t.Errorf("recorded %+v", one)
						}
					}
					if len(a) != 3 || len(k.stories()) != 0 || k.trimmed() != 0 || len(k.made()) < 2 {
						t.Errorf("%d attempts, summaries %+v, trimmed %d times, made %+v", len(a), k.stories(), k.trimmed(), k.made())
					}
					k.ends()
				}},
			})
		})
	}
}

// goesOn says some turns more, each with a long reply and time for whatever a summary
// does, and one at last.
func (k *talker) goesOn(from int, summary agenttest.Reply) {
	k.t.Helper()
	for i := from; i < from+8; i++ {
		if k.preset != preset.Plimsoll {
			k.summaries.Add(summary, summary)
		}
		k.provider.Add(answers(spoken(i, 900)))
		k.Send(asked(i))
		time.Sleep(2 * time.Minute)
		k.wait()
		k.idle()
		if got := said(k.memory.Events()); got[len(got)-1] != "assistant stop "+spoken(i, 900) {
			k.t.Fatalf("message %d: the newest is %.60q", i, got[len(got)-1])
		}
	}
	k.answered("and now?")
	time.Sleep(2 * time.Minute)
	k.wait()
}

func TestOneClawFailureHandlingRules(t *testing.T) {
	lines(t, []line{
		{says: "If summarization fails, retry exactly once (same request)", holds: oneRetry},
		{says: "If retry fails, fall back to truncation: remove the oldest messages from the API request (but NOT from the database) until under the 85% threshold", holds: fallback},
		{says: "Show a Snackbar notification on fallback", holds: snackbar},
		{says: "Log the failure for debugging", holds: failureIsLogged},
		{says: "Summarization API returns empty or malformed response", holds: emptyGoesStraight},
	})
}

func failureIsLogged(t *testing.T, p preset.Name) {
	var b bytes.Buffer
	k := cornered(t, p, func(o *core.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}, down(), down())
	k.ends()
	text := b.String()
	for _, want := range []string{
		"outcome=failed", fmt.Sprintf("class=%q", llm.ServerFault), "status=503", "outcome=made", "decision=", "used=", "load_line=8500", "window=10000",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not say %q:\n%s", want, text)
		}
	}
	for _, not := range []string{"words of turn", "question", "be brief"} {
		if strings.Contains(text, not) {
			t.Errorf("the log says %q:\n%s", not, text)
		}
	}
}

func emptyGoesStraight(t *testing.T, p preset.Name) {
	turns := map[preset.Name]int{preset.OneClaw: 9, preset.Plimsoll: 7}[p] // plimsoll prepares it
	k := after(t, p, turns, nil, agenttest.Stop(conversation.StopEnd), agenttest.Stop(conversation.StopEnd))
	var kinds []conversation.Kind
	for _, o := range k.overlays() {
		kinds = append(kinds, o.Body.Kind())
	}
	var want []conversation.Kind
	times := 2 // plimsoll asks once more
	if p == preset.OneClaw {
		want, times = []conversation.Kind{conversation.KindDrop}, 1
	}
	k.asks(times)
	if diff := cmp.Diff(want, kinds); diff != "" || k.trimmed() != len(want) {
		t.Errorf("trimmed %d times: %s", k.trimmed(), diff)
	}
	k.ends()
}

package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// page is a text of so many lines with a name in each.
func page(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d of src/file_%d.go says little\n", i, i)
	}
	return b.String()
}

// reading is an agent with recall and with a tool that returns a text, and replies
// that call it so many times, each in a turn of its own.
func reading(t *testing.T, text string, times int, change func(*core.Options)) *rig {
	t.Helper()
	var script []agenttest.Reply
	for i := range times {
		script = append(script, asks(agenttest.Call(0, fmt.Sprint("c", i), "look")), answers("done"))
	}
	return start(t, func(o *core.Options) {
		look := agenttest.Reader("look", func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome { return ok(text) })
		withTools(look, agenttest.Reader(conversation.ToolRecall, nil))(o)
		o.Results.KeepFull = true
		if change != nil {
			change(o)
		}
	}, script...)
}

// newest is the newest result and its Seq.
func (r *rig) newest() (found conversation.ToolResult, seq uint64) {
	for _, e := range r.memory.Events() {
		if b, isResult := e.Body.(conversation.ToolResult); isResult {
			found, seq = b, e.Seq
		}
	}
	return found, seq
}

// shown is how many characters of the newest result the model is shown.
func (r *rig) shown() int {
	b, _ := r.newest()
	n, _ := conversation.Shown(b.Text, b.Total)
	return n
}

func TestResultsAreCutByTheWindowOfTheModelInUse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := reading(t, page(10_000), 5, func(o *core.Options) { o.Model.Window = meter.Window{} })
		want := func(when string, chars int) {
			t.Helper()
			r.say("go")
			if got := r.shown(); got != chars || r.ArrivalCap().Chars != chars {
				t.Errorf("%s: %d characters are shown, %d are told of, want %d", when, got, r.ArrivalCap().Chars, chars)
			}
		}
		want("unknown", 30_000)
		r.SetWindow("test/m", meter.Window{Tokens: 100_000, Source: meter.WindowServer})
		r.wait()
		want("learned", 100_000)
		r.SwitchModel(other("m2", 200_000), r.provider)
		r.wait()
		want("of another model", 200_000)
		r.Configure(nil, preset.RulesOf(preset.OneClaw))
		r.wait()
		want("under the letter of ONE", 30_000)
		r.Configure(nil, preset.RulesOf(preset.Plimsoll))
		r.SwitchModel(other("m3", 8_192), r.provider)
		r.wait()
		if got := r.ArrivalCap().Chars; got != 30_000 {
			t.Errorf("in a small window: %d characters", got)
		}
		r.finish()
	})
}

func TestTheMarkerOfAResultLeadsToTheRest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := reading(t, page(2_000), 2, func(o *core.Options) { o.Model.Window.Tokens = 40_000 })
		r.say("go")
		b, seq := r.newest()
		id := conversation.RecallID{First: seq, Last: seq}.String()
		if !strings.Contains(b.Text, "recall "+id+" ") || !strings.Contains(b.Text, " src/file_1060.go") || r.memory.Blob(b.Blob) != page(2_000) {
			t.Errorf("e%d ends %q", seq, b.Text[40_000:])
		}
		r.SwitchModel(other("m2", 50_000), r.provider)
		r.say("go")
		again, _ := conversation.ArrivalCap{Chars: 40_000, Names: true}.Apply(page(2_000), id)
		if r.memory.Events()[seq-1].Body.(conversation.ToolResult).Text != again {
			t.Error("what was cut is not frozen as it was")
		}
		if b, later := r.newest(); later == seq || !strings.Contains(b.Text, fmt.Sprintf("recall e%d with offset 50000", later)) {
			t.Errorf("e%d ends %q", later, b.Text[50_000:])
		}
		r.finish()
	})
}

func TestTheMarkerPromisesNothingThatCannotBeRecalled(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*core.Options){
		"not kept": func(o *core.Options) { o.Results.KeepFull = false },
		"no recall": func(o *core.Options) {
			withTools(agenttest.Reader("look", func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
				return ok(page(2_000))
			}))(o)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := reading(t, page(2_000), 1, change)
				r.say("go")
				b, _ := r.newest()
				if strings.Contains(b.Text, "recall") || !strings.Contains(b.Text, " src/file_1060.go") {
					t.Errorf("it ends %q", b.Text[len(b.Text)-200:])
				}
				r.finish()
			})
		})
	}
}

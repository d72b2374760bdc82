package agent_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
)

func TestReplyOfEndlessCallsIsCut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var c llm.Chunk
		for i := range 1000 {
			c.Calls = append(c.Calls, llm.CallDelta{Index: i, Name: "look"})
		}
		var endless agenttest.Reply
		for k := range 200 {
			piece := llm.Chunk{Calls: slices.Clone(c.Calls)}
			for i := range piece.Calls {
				piece.Calls[i].Index += 1000 * k
			}
			endless = append(endless, agenttest.Send(piece)...)
		}
		r := start(t, withTools(agenttest.Reader("look", nil)), endless)
		r.say("go")
		if diff := cmp.Diff([]llm.Class{llm.Malformed}, r.failures()); diff != "" {
			t.Error(diff)
		}
		if n := len(r.tools.Calls()); n != 0 {
			t.Errorf("%d calls ran", n)
		}
		r.finish()
	})
}

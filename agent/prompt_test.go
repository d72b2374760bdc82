package agent_test

import (
	"context"
	"strings"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/conversation"
)

func TestEveryRequestOfAConversationHasItsSchema(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) { o.Schema = conversation.RawJSON(`{"type":"object"}`) }, textReply("one"))
		if p := r.StoredPrompt(); p.System != "be brief" || p.Cached || p.Thinking != 0 {
			t.Errorf("%+v", p)
		}
		r.sendAndWait("first")
		if sent := r.provider.Requests()[0]; string(sent.Schema) != `{"type":"object"}` {
			t.Errorf("schema %s", sent.Schema)
		}
		r.finish()
	})
}

func TestAReplacedPromptIsRecordedAndSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, textReply("one"), textReply("two"))
		r.sendAndWait("first")
		p, err := r.Prompt(t.Context())
		if err != nil || p.System != "be brief" || p.Tokens == 0 || !p.Cached || p.Thinking != 0 {
			t.Errorf("%+v, %v", p, err)
		}
		r.ReplacePrompt(func(old string) string { return old + " and kind" })
		r.waitIdle()
		if all := bodies[conversation.Instructions](r.memory.Events()); len(all) != 2 || all[0].System == all[1].System {
			t.Errorf("recorded %+v", all)
		}
		if p, err = r.Prompt(t.Context()); err != nil || p.System != "be brief and kind" || p.Cached {
			t.Errorf("%+v, %v", p, err)
		}
		r.ReplacePrompt(func(old string) string { return old }) // changes nothing
		r.sendAndWait("second")
		if n := len(bodies[conversation.Instructions](r.memory.Events())); n != 2 {
			t.Errorf("recorded %d times", n)
		}
		if sent := r.provider.Requests(); sent[len(sent)-1].System != "be brief and kind" {
			t.Errorf("sent %q", sent[len(sent)-1].System)
		}
		r.finish()
	})
}

func TestTheTextOfAResultIsThatOfTheNextRequest(t *testing.T) {
	list := strings.Repeat("a\nb\n", 400)
	bubble(t, func(t *testing.T) {
		r := start(t, withTools(agenttest.Reader("ls", func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
			return okOutcome(list)
		})),
			callsReply(agenttest.StreamCall(0, "c1", "ls", "{}")), textReply("done"))
		if _, stored := r.ResultText(t.Context(), "c1"); stored {
			t.Error("a result that is not there")
		}
		r.sendAndWait("go")
		if text, stored := r.ResultText(t.Context(), "c1"); text != list || !stored {
			t.Errorf("%q, %t", text, stored)
		}
		for _, e := range r.memory.Events() {
			if _, ok := e.Body.(conversation.ToolResult); ok {
				r.Mask([]uint64{e.Seq})
			}
		}
		r.waitIdle()
		if text, stored := r.ResultText(t.Context(), "c1"); text == list || !stored {
			t.Errorf("masked: %q, %t", text, stored)
		}
		r.Rewind(0)
		r.waitIdle()
		if text, stored := r.ResultText(t.Context(), "c1"); text != "" || !stored {
			t.Errorf("rewound: %q, %t", text, stored)
		}
		r.finish()
	})
}

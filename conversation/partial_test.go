package conversation_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

var requestUsage = conversation.Usage{Revision: 4, Model: "openai/x", Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1,
	Estimate: 9.5, BodyHash: "ab", Through: 7, MaxTokens: 70, WireForm: "chat usage"}

func TestPartialReplyOfOtherVersionsUnmarshals(t *testing.T) {
	t.Parallel()
	old := conversation.PartialReply{After: 7, Model: "openai/x", Text: "half", Reasoning: "hm"}
	known := old
	known.Request = conversation.Usage{Through: 7}
	const stored = `{"after":7,"model":"openai/x","text":"half","reasoning":"hm"`
	for name, c := range map[string]struct {
		data string
		want conversation.PartialReply
	}{
		"an earlier version":     {stored + `}`, old},
		"a later version":        {stored + `,"mood":"fine","calls":[{"id":"1"}],"request":{"through":7,"weather":{"rain":true}}}`, known},
		"empty request and time": {stored + `,"request":{},"time":"0001-01-01T00:00:00Z"}`, old},
		"null":                   {stored + `,"request":null,"time":null}`, old},
	} {
		var got conversation.PartialReply
		if err := json.Unmarshal([]byte(c.data), &got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if data, err := json.Marshal(old); err != nil || string(data) != stored+`}` {
		t.Errorf("unknown fields are written: %s, %v", data, err)
	}
}

func TestPartialReplyIsRecoveredWithItsRequest(t *testing.T) {
	t.Parallel()
	p := conversation.PartialReply{After: 7, Model: "openai/x", Text: "half", Reasoning: "hm"}
	if d := cmp.Diff([]conversation.Body{p.Reply()}, p.RecoveredBodies(9)); d != "" {
		t.Errorf("without a request (-want +got):\n%s", d)
	}
	cost := 0.5
	p.Request = requestUsage
	want := requestUsage
	want.Reply = 9
	for name, change := range map[string]func(*conversation.Usage){
		"as stored": func(*conversation.Usage) {},
		"counts and cost are reset": func(u *conversation.Usage) {
			u.Reply, u.Purpose, u.Undercounted, u.CostUSD, u.PriceSource = 3, conversation.PurposeSummary, true, &cost, "reported"
			u.Prompt, u.Cached, u.CacheWrite, u.Completion, u.Reasoning = 0, 0, 0, 5, 4
		},
	} {
		q := p
		change(&q.Request)
		if d := cmp.Diff([]conversation.Body{p.Reply(), want}, q.RecoveredBodies(9)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

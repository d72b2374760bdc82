package inspect_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
)

func TestRequestsAreThoseOfTheConversation(t *testing.T) {
	t.Parallel()
	type told struct {
		Number       int
		Event, Reply uint64
		Through      uint64
		Turn         int
		Prompt       int
	}
	reported := func(prompt int, reply, through uint64) conversation.Usage {
		return conversation.Usage{Reply: reply, Through: through, Prompt: prompt, Cached: -1, Completion: -1}
	}
	hashed := conversation.Usage{BodyHash: "ab", Prompt: -1, Completion: -1}
	summary := conversation.Usage{Purpose: conversation.PurposeSummary, BodyHash: "cd", Prompt: 70}
	recovered := conversation.PartialReply{After: 1, Request: conversation.Usage{Through: 1, BodyHash: "ef"}}.RecoveredBodies(3)
	for name, c := range map[string]struct {
		log  *compacttest.LogBuilder
		want []told
	}{
		"none":                        {compacttest.FilesRead(1, 3), nil},
		"an empty log":                {&compacttest.LogBuilder{}, nil},
		"it says of what it was made": {(&compacttest.LogBuilder{}).User("a").User("b").Reply("c").Add(reported(9, 3, 1)), []told{{1, 4, 3, 1, 1, 9}}},
		"nobody wrote it down": {(&compacttest.LogBuilder{}).User("a").Reply("b").Add(reported(9, 2, 0)).User("c").Reply("d").Add(reported(19, 5, 0)),
			[]told{{1, 3, 2, 1, 0, 9}, {2, 6, 5, 4, 1, 19}}},
		"tries before a reply": {(&compacttest.LogBuilder{}).User("a").Add(hashed, reported(5, 0, 0)).Reply("b").Add(reported(9, 4, 0)),
			[]told{{1, 2, 0, 1, 0, -1}, {2, 3, 0, 1, 0, 5}, {3, 5, 4, 1, 0, 9}}},
		"no reply was kept": {(&compacttest.LogBuilder{}).User("a").Reply("b").Add(reported(9, 2, 0)).User("c").Add(hashed),
			[]told{{1, 3, 2, 1, 0, 9}, {2, 5, 0, 4, 1, -1}}},
		"the usage of the reply before is no try": {(&compacttest.LogBuilder{}).User("a").Reply("b").Add(reported(9, 2, 0), hashed),
			[]told{{1, 3, 2, 1, 0, 9}, {2, 4, 0, 3, 0, -1}}},
		"summaries are others":                     {(&compacttest.LogBuilder{}).User("a").Add(summary, hashed), []told{{1, 3, 0, 2, 0, -1}}},
		"a reply about which nothing was reported": {(&compacttest.LogBuilder{}).User("a").Reply("b").Add(conversation.Usage{Reply: 2, Prompt: -1}), []told{{1, 3, 2, 1, 0, -1}}},
		"a reply that was recovered":               {(&compacttest.LogBuilder{}).User("a").User("b").Add(recovered...), []told{{1, 4, 3, 1, 1, -1}}},
		"what never reached a model":               {(&compacttest.LogBuilder{}).User("a").Add(conversation.Usage{Prompt: -1}), nil},
		"it is the first of all":                   {(&compacttest.LogBuilder{}).Add(hashed), []told{{1, 1, 0, 0, 0, -1}}},
		"made of what comes later":                 {(&compacttest.LogBuilder{}).User("a").Add(reported(9, 7, 9)), []told{{1, 2, 7, 1, 0, 9}}},
		"the reply stands behind it":               {(&compacttest.LogBuilder{}).User("a").Add(reported(9, 3, 0)).Reply("b"), []told{{1, 2, 3, 1, 0, 9}}},
	} {
		var got []told
		for _, r := range inspect.SentRequests(c.log.Events()) {
			got = append(got, told{r.Number, r.Event, r.Usage.Reply, r.Through, r.Turn, r.Usage.Prompt})
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

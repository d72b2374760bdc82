package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/anthropic/anthropictest"
	"plimsoll/agent/openai"
)

func TestTheMessagesAPIAsDocumented(t *testing.T) {
	t.Parallel()
	all := anthropictest.Cases()
	if len(all) < 60 {
		t.Errorf("%d cases", len(all))
	}
	names := map[string]bool{}
	for _, c := range all {
		if names[c.Name] {
			t.Errorf("two cases are named %q", c.Name)
		}
		names[c.Name] = true
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			s := anthropictest.New(t, nil, c.Answer)
			client := openai.New(openai.Options{Provider: "anthropic", BaseURL: s.URL, Key: anthropictest.Key, Transport: transport(t)})
			got := gather(t, client, toClaude("hi"))
			var calls []string
			for _, k := range got.Calls {
				calls = append(calls, k.ID+" "+k.Name+" "+k.Arguments)
			}
			if got.Text != c.Text || got.Reasoning != c.Reasoning || c.Class == "" && got.Stop != c.Stop || got.Refusal != c.Refusal || got.Paused != c.Paused {
				t.Errorf("text %q, reasoning %q, stop %q", got.Text, got.Reasoning, got.Stop)
			}
			if d := cmp.Diff(c.Calls, calls); d != "" {
				t.Error(d)
			}
			switch {
			case c.Class == "" && got.Err != nil, c.Class != "" && (got.Err == nil || got.Err.Class != c.Class):
				t.Fatalf("failure %v, want one of class %q", got.Err, c.Class)
			case c.Class != "" && (c.Answer.Status > 0 && got.Err.Status != c.Answer.Status || c.Check != nil && !c.Check(got.Err)):
				t.Errorf("failure %+v", got.Err)
			}
			if d := cmp.Diff(c.Usage, got.Usage); c.Usage != nil && d != "" {
				t.Errorf("usage %s", d)
			}
			if strings.Contains(fmt.Sprintf("%+v %v", got.Err, got), anthropictest.Key) {
				t.Error("the key is told")
			}
		})
	}
}

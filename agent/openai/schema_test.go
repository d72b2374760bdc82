package openai

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

func TestEachWireHasItsPlaceForASchema(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"n":{"type":"integer","maximum":12345678901234567890}}}`
	for name, c := range map[string]struct {
		provider, model string
		wire            Wire
		extra, want     string
	}{
		"chat":           {"openai", "gpt-5.4", WireChat, "", `{"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":` + schema + `}}}`},
		"responses":      {"openai", "gpt-5.4", WireResponses, `{"text":{"verbosity":"low"}}`, `{"text":{"verbosity":"low","format":{"type":"json_schema","name":"answer","strict":true,"schema":` + schema + `}}}`},
		"messages":       {"anthropic", "claude-sonnet-5", WireMessages, "", `{"output_config":{"effort":"high","format":{"type":"json_schema","schema":` + schema + `}}}`},
		"the user's own": {"openai", "m", WireChat, `{"response_format":{"type":"text"}}`, `{"response_format":{"type":"text","json_schema":{"name":"answer","strict":true,"schema":` + schema + `}}}`},
	} {
		o := Options{Provider: c.provider, Key: "k", Wire: c.wire}
		if c.extra != "" {
			o.Body = []string{c.extra}
		}
		r := llm.Request{Model: c.model, Effort: "high", Schema: conversation.RawJSON(schema), Messages: []projection.Message{{Role: projection.RoleUser, Text: "hi"}},
			Tools: []conversation.ToolSpec{{Name: "ls"}}}
		body, err := New(o).Body(r, "")
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		if got["tools"] == nil {
			t.Errorf("%s: the tools are gone", name)
		}
		for field := range got {
			if want[field] == nil {
				delete(got, field)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWhoTakesNoSchemaIsKnown(t *testing.T) {
	t.Parallel()
	for model, refuses := range map[[2]string]bool{
		{"demo", "demo"}: true, {"deepseek", "deepseek-chat"}: true, {"openai", "gpt-5.4"}: false, {"custom", "m"}: false,
		{"anthropic", "claude-opus-4-0"}: true, {"anthropic", "claude-opus-4-1"}: false, {"anthropic", "claude-sonnet-4-0"}: true,
		{"anthropic", "claude-sonnet-4-5"}: false, {"anthropic", "claude-haiku-4-5"}: false, {"anthropic", "claude-3-5-sonnet-latest"}: true, {"anthropic", "claude-sonnet-5"}: false,
		{"openrouter", "deepseek/deepseek-v3.2"}: false, {"openai", "gpt-oss"}: false,
	} {
		if got := RefusesSchema(model[0], model[1]) != ""; got != refuses {
			t.Errorf("%v: refuses %t", model, got)
		}
	}
}

package jsonl_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
)

func read(t *testing.T, text string) jsonl.Document {
	t.Helper()
	d, problems, err := jsonl.Read(strings.NewReader(text))
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	return d
}

func TestMessagesAreReadWithTheirMetadata(t *testing.T) {
	t.Parallel()
	d := read(t, `{"meta": {"title": "T", "model": "m", "client": "c 1", "compact_at": [3], "created": "2026-01-02T03:04:05Z", "more": [1]}}
{"role":"developer","content":"Be brief."}

{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:"}},{"type":"hologram"}],"ts":1767323045123}
{"role":"assistant","content":null,"reasoning_content":"why","tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}},{"id":"c2","type":"function","function":{"name":"run","arguments":{"a": 1}}}],"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}
{"role":"tool","content":"broken","tool_call_id":"c2","name":"other","is_error":true}
{"role":"tool","content":"","tool_call_id":"c1","x_synthetic":true}
{"role":"user","content":"in short: ...","x_compact_summary":true}`)
	at := time.UnixMilli(1767323045123).UTC()
	want := []jsonl.Message{
		{Line: 2, Role: jsonl.RoleSystem, Text: "Be brief."},
		{Line: 4, Role: jsonl.RoleUser, Text: "look\n\n[image_url]\n\n[hologram]", Time: at},
		{Line: 5, Role: jsonl.RoleAssistant, Reply: jsonl.Reply{Reasoning: "why", Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: "c1", Name: "read_file", Arguments: `{"path":"a"}`}, {ID: "c2", Name: "run", Arguments: `{"a":1}`}},
			Usage: &conversation.Usage{Prompt: 10, Cached: 4, CacheWrite: -1, Completion: 2, Reasoning: -1}}},
		{Line: 6, Role: jsonl.RoleTool, Text: "broken", Result: jsonl.Result{CallID: "c2", Tool: "run", Status: conversation.ResultError}},
		{Line: 7, Role: jsonl.RoleTool, Result: jsonl.Result{CallID: "c1", Tool: "read_file", Status: conversation.ResultInterrupted}},
		{Line: 8, Role: jsonl.RoleUser, Text: "in short: ..."},
	}
	if diff := cmp.Diff(want, d.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	wantMeta := jsonl.Meta{Title: "T", Model: "m", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	if diff := cmp.Diff(wantMeta, d.Meta); diff != "" {
		t.Errorf("meta (-want +got):\n%s", diff)
	}
}

func TestOptionalFieldsOfWrongTypesAreIgnored(t *testing.T) {
	t.Parallel()
	d := read(t, `{"meta":7}
{"role":"assistant","content":"a","ts":"soon","usage":"much","reasoning_content":{},"name":{}}
{"role":"tool","content":"b","tool_call_id":"c","is_error":"no"}
{"role":"user","content":"c","ts":-5}
{"role":"user","content":"d","ts":1e300}`)
	want := []jsonl.Message{
		{Line: 2, Role: jsonl.RoleAssistant, Text: "a", Reply: jsonl.Reply{Stop: conversation.StopEnd}},
		{Line: 3, Role: jsonl.RoleTool, Text: "b", Result: jsonl.Result{CallID: "c", Status: conversation.ResultOK}},
		{Line: 4, Role: jsonl.RoleUser, Text: "c"},
		{Line: 5, Role: jsonl.RoleUser, Text: "d"},
	}
	if diff := cmp.Diff(want, d.Messages); diff != "" {
		t.Error(diff)
	}
}

func TestUnreadableLinesAreReported(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"no JSON":                       "hello\n",
		"cut in the middle of the file": "{\"role\":\"user\"\n{\"role\":\"user\"}",
		"cut at the end":                `{"role":"user","content":"hal`,
		"array":                         "[1]\n",
		"no role":                       "{\"type\":\"user\"}\n",
		"null":                          "null\n",
		"odd role":                      `{"role":"` + strings.Repeat("x", 50) + `"}`,
		"role of a wrong type":          "{\"role\":1}\n",
		"content of a wrong type":       "{\"role\":\"user\",\"content\":1}\n",
		"calls of a wrong type":         "{\"role\":\"assistant\",\"tool_calls\":{}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "{\"role\":\"user\",\"content\":\"before\"}\n" + strings.TrimSuffix(line, "\n") + "\n"
			d, problems, err := jsonl.Read(strings.NewReader(text + "{\"role\":\"user\",\"content\":\"after\"}"))
			if err != nil || len(problems) != 1 || problems[0].Line != 2 {
				t.Fatalf("problems %v, want line 2; error %v", problems, err)
			}
			if last := d.Messages[len(d.Messages)-1]; last.Text != "after" {
				t.Errorf("the lines after it were not read: %+v", last)
			}
		})
	}
}

func TestFilesWithoutAConversationAreErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"": jsonl.ErrEmpty, "\n \n\ufeff\n": jsonl.ErrEmpty, "{\"meta\":{}}\n": jsonl.ErrNoMessages,
	} {
		if _, _, err := jsonl.Read(strings.NewReader(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, not %v", text, err, want)
		}
	}
	if _, _, err := jsonl.Read(strings.NewReader(strings.Repeat("x\n", 3000))); err == nil || !strings.Contains(err.Error(), "more than 1000 lines") {
		t.Errorf("a file of other text gives %v", err)
	}
	broken := errors.New("the disk is gone")
	if _, _, err := jsonl.Read(io.MultiReader(strings.NewReader("{\"role\":\"user\"}\n{"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a reader that fails gives %v", err)
	}
}

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

// read reads a file that is right.
func read(t *testing.T, text string) jsonl.Document {
	t.Helper()
	d, _, err := jsonl.Read(strings.NewReader(text), jsonl.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMessagesAreReadWithAllThatIsSaidOfThem(t *testing.T) {
	t.Parallel()
	d := read(t, `{"meta": {"title": "T", "model": "m", "client": "c 1", "compact_at": [3], "created": "2026-01-02T03:04:05Z", "more": [1]}}
{"role":"developer","content":"Be brief."}

{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:"}},{"type":"hologram"}],"ts":1767323045123}
{"role":"assistant","content":null,"reasoning_content":"why","tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}},{"id":"c2","type":"function","function":{"name":"run","arguments":{"a": 1}}}],"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4},"cost":0.5}}
{"role":"tool","content":"broken","tool_call_id":"c2","name":"other","is_error":true}
{"role":"tool","content":"","tool_call_id":"c1","x_synthetic":true}
{"role":"assistant","content":"cut","finish_reason":"length"}
{"role":"user","content":"in short: ...","x_compact_summary":true,"ts":1767323045}`)
	cost := 0.5
	at := time.UnixMilli(1767323045123).UTC()
	want := []jsonl.Message{
		{Line: 2, Role: jsonl.RoleSystem, Text: "Be brief."},
		{Line: 4, Role: jsonl.RoleUser, Text: "look\n\n[image]\n\n[hologram]", Time: at},
		{Line: 5, Role: jsonl.RoleAssistant, Reply: jsonl.Reply{Reasoning: "why", Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: "c1", Name: "read_file", Arguments: `{"path":"a"}`}, {ID: "c2", Name: "run", Arguments: `{"a":1}`}},
			Usage: &conversation.Usage{Prompt: 10, Cached: 4, CacheWrite: -1, Completion: 2, Reasoning: -1, CostUSD: &cost, Priced: "reported"}}},
		{Line: 6, Role: jsonl.RoleTool, Text: "broken", Result: jsonl.Result{CallID: "c2", Tool: "run", Status: conversation.ResultError}},
		{Line: 7, Role: jsonl.RoleTool, Result: jsonl.Result{CallID: "c1", Tool: "read_file", Status: conversation.ResultInterrupted}},
		{Line: 8, Role: jsonl.RoleAssistant, Text: "cut", Reply: jsonl.Reply{Stop: conversation.StopLength}},
		{Line: 9, Role: jsonl.RoleUser, Text: "in short: ...", Summary: true, Time: at.Truncate(time.Second)},
	}
	if diff := cmp.Diff(want, d.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	wantMeta := jsonl.Meta{Title: "T", Model: "m", Client: "c 1", CompactAt: []int{3}, Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	if diff := cmp.Diff(wantMeta, d.Meta); diff != "" {
		t.Errorf("meta (-want +got):\n%s", diff)
	}
}

func TestAFileMayBeginWithAMessage(t *testing.T) {
	t.Parallel()
	d := read(t, "\ufeff{\"role\":\"user\",\"content\":\"hi\"}\r\n")
	if len(d.Messages) != 1 || d.Messages[0].Text != "hi" || d.Messages[0].Line != 1 {
		t.Errorf("read %+v", d)
	}
}

func TestResultsWithoutAnIdAnswerInOrder(t *testing.T) {
	t.Parallel()
	d := read(t, `{"role":"user","content":"x"}
{"role":"assistant","tool_calls":[{"function":{"name":"a"}},{"id":"k","function":{"name":"b"}}]}
{"role":"tool","tool_call_id":"k","content":"2"}
{"role":"tool","content":"1"}
{"role":"tool","content":"of nobody"}`)
	first := d.Messages[1].Reply.Calls[0].ID
	if first == "" {
		t.Fatal("the call has no id")
	}
	var got [][2]string
	for _, m := range d.Messages[2:] {
		got = append(got, [2]string{m.Result.CallID, m.Result.Tool})
	}
	if diff := cmp.Diff([][2]string{{"k", "b"}, {first, "a"}, {"", ""}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatDoesNotMatterMayBeOfAnyType(t *testing.T) {
	t.Parallel()
	d := read(t, `{"meta":7}
{"role":"assistant","content":"a","ts":"soon","usage":"much","reasoning_content":{},"x_extras":[1],"x_stop":"bored","x_model":3,"name":{}}
{"role":"tool","content":"b","tool_call_id":"c","is_error":"no","x_duration_ms":-1,"x_total":1e300,"x_shown":"all","x_status":null}
{"role":"user","content":"c","ts":-5}
{"role":"user","content":"d","ts":1e300}
{"role":"user","content":"e","ts":1000}`)
	want := []jsonl.Message{
		{Line: 2, Role: jsonl.RoleAssistant, Text: "a", Reply: jsonl.Reply{Stop: conversation.StopEnd}},
		{Line: 3, Role: jsonl.RoleTool, Text: "b", Result: jsonl.Result{CallID: "c", Status: conversation.ResultOK}},
		{Line: 4, Role: jsonl.RoleUser, Text: "c"},
		{Line: 5, Role: jsonl.RoleUser, Text: "d"},
		{Line: 6, Role: jsonl.RoleUser, Text: "e"},
	}
	if diff := cmp.Diff(want, d.Messages); diff != "" {
		t.Error(diff)
	}
}

func TestLinesThatCannotBeReadAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line, want string
	}{
		{"no JSON", "hello\n", "line 2: not JSON: invalid character 'h' looking for beginning of value"},
		{"cut in the middle of the file", "{\"role\":\"user\"\n{\"role\":\"user\"}", "line 2: not JSON: unexpected end of JSON input"},
		{"cut at the end", `{"role":"user","content":"hal`, "line 2: the file ends in the middle of this line"},
		{"array", "[1]\n", "line 2: a JSON array, not an object; write each message on its own line"},
		{"no role", "{\"type\":\"user\"}\n", `line 2: it has no "role", so it is not a chat-completions message`},
		{"null", "null\n", `line 2: it has no "role", so it is not a chat-completions message`},
		{"odd role", `{"role":"` + strings.Repeat("x", 50) + `"}`,
			`line 2: the role "` + strings.Repeat("x", 40) + `…" is not one of system, developer, user, assistant, tool`},
		{"role of a wrong type", "{\"role\":1}\n", `line 2: "role" is of the wrong type: number`},
		{"content of a wrong type", "{\"role\":\"user\",\"content\":1}\n", `line 2: "content" is neither text nor an array of parts`},
		{"calls of a wrong type", "{\"role\":\"assistant\",\"tool_calls\":{}}\n", `line 2: "tool_calls" is of the wrong type: object`},
		{"call without function", "{\"role\":\"assistant\",\"tool_calls\":[{}]}\n", "line 2: call 1 has no function"},
		{"part of another protocol", "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\"}]}\n",
			"line 2: part 1 of the content: a tool_result: calls and results are separate messages in chat completions"},
		{"second meta line", "{\"meta\":{}}\n", "line 2: a meta line comes before all messages; these may be two files in one"},
		{"too long", `{"role":"user","content":"` + strings.Repeat("x", 2000) + "\"}\n", "line 2: longer than 1000 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := "{\"role\":\"user\",\"content\":\"before\"}\n" + c.line
			_, _, err := jsonl.Read(strings.NewReader(text), jsonl.ReadOptions{MaxLine: 1000})
			var p *jsonl.Problem
			if !errors.As(err, &p) {
				t.Fatalf("the error is %v, no problem of a line", err)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			d, problems, err := jsonl.Read(strings.NewReader(text+"{\"role\":\"user\",\"content\":\"after\"}"),
				jsonl.ReadOptions{MaxLine: 1000, Lenient: true})
			if err != nil || len(problems) != d.Skipped || d.Skipped != 1 {
				t.Fatalf("left out %d lines, told %v, error %v", d.Skipped, problems, err)
			}
			if last := d.Messages[len(d.Messages)-1]; last.Text != "after" {
				t.Errorf("the rest was not read: %+v", last)
			}
		})
	}
}

func TestFilesWithoutAConversationAreErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"": jsonl.ErrEmpty, "\n \n\ufeff\n": jsonl.ErrEmpty, "{\"meta\":{}}\n": jsonl.ErrNoMessages,
	} {
		if _, _, err := jsonl.Read(strings.NewReader(text), jsonl.ReadOptions{}); !errors.Is(err, want) {
			t.Errorf("%q: %v, not %v", text, err, want)
		}
	}
	_, problems, err := jsonl.Read(strings.NewReader(strings.Repeat("x\n", 3000)), jsonl.ReadOptions{Lenient: true})
	if !errors.Is(err, jsonl.ErrNoMessages) || len(problems) != 1000 {
		t.Errorf("%v with %d problems", err, len(problems))
	}
	if _, _, err := jsonl.Read(strings.NewReader("\xff\xfe{\x00"), jsonl.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16 gives %v", err)
	}
	broken := errors.New("the disk is gone")
	if _, _, err := jsonl.Read(io.MultiReader(strings.NewReader("{\"role\":\"user\"}\n{"), iotest.ErrReader(broken)), jsonl.ReadOptions{Lenient: true}); !errors.Is(err, broken) {
		t.Errorf("a reader that fails gives %v", err)
	}
}

func TestALineAtTheLimitIsRead(t *testing.T) {
	t.Parallel()
	line := `{"role":"user","content":"` + strings.Repeat("x", 100_000) + `"}`
	for _, end := range []string{"", "\n"} {
		d, _, err := jsonl.Read(strings.NewReader(line+end), jsonl.ReadOptions{MaxLine: len(line)})
		if err != nil || len(d.Messages) != 1 {
			t.Errorf("ending %q: %d messages, %v", end, len(d.Messages), err)
		}
		if _, _, err := jsonl.Read(strings.NewReader(line+end), jsonl.ReadOptions{MaxLine: len(line) - 1}); err == nil {
			t.Errorf("ending %q: a line over the limit was read", end)
		}
	}
}

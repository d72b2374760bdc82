package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/agent/anthropic"
	"plimsoll/agent/anthropic/anthropictest"
	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

const modelName = "anthropic/claude-sonnet-5"

func user(text string) projection.Message {
	return projection.Message{Role: projection.RoleUser, Text: text}
}

func assistant(text string, calls ...conversation.ToolCall) projection.Message {
	return projection.Message{Role: projection.RoleAssistant, Text: text, Calls: calls}
}

func call(id string) conversation.ToolCall {
	return conversation.ToolCall{ID: id, Name: "read_file", Arguments: `{"path":"a.go"}`}
}

func result(id, text string) projection.Message {
	return projection.Message{Role: projection.RoleTool, CallID: id, Tool: "read_file", Text: text}
}

// body is the JSON of a request, decoded without the package's own types.
type body struct {
	Model     string           `json:"model"`
	MaxTokens int              `json:"max_tokens"`
	Stream    bool             `json:"stream"`
	Thinking  map[string]any   `json:"thinking"`
	Output    map[string]any   `json:"output_config"`
	Tools     []map[string]any `json:"tools"`
	System    []map[string]any `json:"system"`
	Messages  []struct {
		Role    string           `json:"role"`
		Content []map[string]any `json:"content"`
	} `json:"messages"`
}

func buildBody(t rapid.TB, r llm.Request, m anthropic.Model) body {
	t.Helper()
	f := anthropic.NewWireForm(r, m)
	raw, _, err := anthropic.Body(r, f, modelName)
	if err != nil {
		t.Fatal(err)
	}
	var read anthropic.WireForm
	for _, w := range f.Words() {
		if !read.ParseWord(w) {
			t.Fatalf("the word %q is not read", w)
		}
	}
	r.Effort, r.CacheTTL, r.MaxTokens, r.ThinkingAfter = "", 0, 0, 0 // a form says it all
	if again, _, err := anthropic.Body(r, read, modelName); err != nil || !bytes.Equal(raw, again) {
		t.Fatalf("made again it is another: %v\n%s\n%s", err, raw, again)
	}
	var b body
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		t.Fatal(err)
	}
	for _, p := range anthropictest.Problems(raw, false) {
		t.Error(p)
	}
	return b
}

func TestToolResultsAreInOneMessage(t *testing.T) {
	t.Parallel()
	b := buildBody(t, llm.Request{Model: "claude-sonnet-5", Messages: []projection.Message{
		user("go"), assistant("", call("a"), call("b")), result("a", ""), result("b", "text"), user("and?"),
	}}, anthropic.Model{})
	if len(b.Messages) != 3 || len(b.Messages[2].Content) != 3 || b.Messages[2].Content[0]["content"] != "(no output)" {
		t.Errorf("%+v", b.Messages)
	}
}

// Source: the documentation of adaptive thinking and effort, and of extended thinking for older models.
func TestThinkingParametersFitTheModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model, effort    string
		reasons          bool
		thinking, output map[string]any
		most             int
	}{
		{"claude-opus-4-6", "", true, map[string]any{"type": "adaptive", "display": "summarized"}, nil, 64_000},
		{"claude-opus-5-5", "max", true, map[string]any{"type": "adaptive", "display": "summarized"}, map[string]any{"effort": "max"}, 64_000},
		{"claude-sonnet-5", "low", true, map[string]any{"type": "adaptive", "display": "summarized"}, map[string]any{"effort": "low"}, 64_000},
		{"claude-opus-4-5-20251101", "", true, nil, nil, 32_000},
		{"claude-opus-4-5-20251101", "high", true, map[string]any{"type": "enabled", "budget_tokens": 16_000.0}, nil, 32_000},
		{"claude-sonnet-4-20250514", "low", true, map[string]any{"type": "enabled", "budget_tokens": 4096.0}, nil, 32_000},
		{"claude-sonnet-5", "minimal", true, map[string]any{"type": "adaptive", "display": "summarized"}, map[string]any{"effort": "low"}, 64_000},
		{"claude-sonnet-5", "none", true, map[string]any{"type": "disabled"}, nil, 64_000},
		{"claude-haiku-5-5", "none", true, map[string]any{"type": "disabled"}, nil, 64_000},
		{"claude-opus-4-6", "none", true, map[string]any{"type": "disabled"}, nil, 64_000},
		{"claude-sonnet-5-5", "none", true, map[string]any{"type": "between_tools"}, nil, 64_000},
		{"claude-opus-5-5", "none", true, map[string]any{"type": "adaptive", "display": "summarized"}, map[string]any{"effort": "low"}, 64_000},
		{"claude-fable-5", "none", true, map[string]any{"type": "adaptive", "display": "summarized"}, map[string]any{"effort": "low"}, 64_000},
		{"us.anthropic.claude-opus-6-1-v1:0", "none", true, map[string]any{"type": "adaptive", "display": "summarized"}, map[string]any{"effort": "low"}, 64_000},
		{"claude-sonnet-6@20270101", "high", true, map[string]any{"type": "adaptive", "display": "summarized"}, map[string]any{"effort": "high"}, 64_000},
		{"claude-opus-4-5", "none", true, nil, nil, 32_000},
		{"claude-3-5-haiku-20241022", "high", false, nil, nil, 32_000},
		{"glm-4.7", "high", false, nil, nil, 32_000},
	} {
		b := buildBody(t, llm.Request{Model: c.model, Effort: c.effort, Messages: []projection.Message{user("hi")}},
			anthropic.Model{MaxOutput: 128_000, CanThink: c.reasons})
		if d := cmp.Diff(c.thinking, b.Thinking); d != "" {
			t.Errorf("%s, effort %q: thinking %s", c.model, c.effort, d)
		}
		if d := cmp.Diff(c.output, b.Output); d != "" {
			t.Errorf("%s, effort %q: output %s", c.model, c.effort, d)
		}
		if b.MaxTokens != c.most {
			t.Errorf("%s: max_tokens %d, want %d", c.model, b.MaxTokens, c.most)
		}
	}
	for model, want := range map[string]bool{"claude-sonnet-5-5": true, "claude-fable-5-1": true, "claude-opus-5": false, "claude-opus-4-6": false} {
		b := buildBody(t, llm.Request{Model: model, ThinkingAfter: 7, Messages: []projection.Message{user("hi")}}, anthropic.Model{CanThink: true, CanDropThinking: true})
		if got := b.Thinking["block_binding"] != nil; got != want {
			t.Errorf("%s is asked to drop thinking: %v", model, got)
		}
	}
	if b := buildBody(t, llm.Request{Model: "x", MaxTokens: 77, Messages: []projection.Message{user("hi")}}, anthropic.Model{}); b.MaxTokens != 77 {
		t.Errorf("max_tokens %d", b.MaxTokens)
	}
}

// Source: prompt caching, "How many breakpoints", "Cache limitations" and "1-hour cache duration".
func TestCacheBreakpointsMarkLongPrefixes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("words and ", 500)
	note := projection.Message{Role: projection.RoleUser, Text: long, State: projection.StateSummarised}
	r := llm.Request{Model: "claude-sonnet-5", System: long, Messages: []projection.Message{
		note, user("next"), assistant("", call("a")), result("a", long), assistant("done"), user("more"), assistant("", call("b")), result("b", long),
	}, Tools: []conversation.ToolSpec{{Name: "read_file"}}}
	marked := func(b body) (at []string) {
		for i, m := range b.Messages {
			for j, c := range m.Content {
				if k, ok := c["cache_control"].(map[string]any); ok {
					at = append(at, fmt.Sprintf("%d.%d %v", i, j, k["ttl"]))
				}
			}
		}
		return at
	}
	b := buildBody(t, r, anthropic.Model{})
	if d := cmp.Diff([]string{"0.0 <nil>", "4.0 <nil>", "6.0 <nil>"}, marked(b)); d != "" || b.System[0]["cache_control"] == nil {
		t.Errorf("marks %s, system %v", d, b.System[0]["cache_control"])
	}
	r.CacheTTL = time.Hour
	if d := cmp.Diff([]string{"0.0 1h", "4.0 1h", "6.0 1h"}, marked(buildBody(t, r, anthropic.Model{}))); d != "" {
		t.Error(d)
	}
	small := buildBody(t, llm.Request{Model: "claude-sonnet-5", System: "short", Messages: []projection.Message{user("hi")}}, anthropic.Model{})
	if at := marked(small); at != nil || small.System[0]["cache_control"] != nil {
		t.Errorf("what cannot be cached is marked: %v", at)
	}
}

// The next request has a breakpoint where this request ends, so that the server finds its cache entry without a search.
func TestNextRequestHasABreakpointAtTheEndOfThisOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		messages := []projection.Message{user("go")}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			before := len(messages) - 1
			var calls []conversation.ToolCall
			for n := range rapid.IntRange(0, 30).Draw(t, "calls") {
				calls = append(calls, call(fmt.Sprintf("c%d_%d", len(messages), n)))
			}
			messages = append(messages, assistant("text", calls...))
			for _, c := range calls {
				messages = append(messages, result(c.ID, "result"))
			}
			if len(calls) == 0 {
				messages = append(messages, user("go on"))
			}
			marks := promptcache.BreakpointIndexes(messages)
			if len(marks) > 3 || marks[len(marks)-1] != len(messages)-1 || len(marks) < 2 || marks[len(marks)-2] != before {
				t.Fatalf("marks %v of %d messages, the last request had %d", marks, len(messages), before+1)
			}
			buildBody(t, llm.Request{Model: "claude-opus-5", System: "s", Messages: messages}, anthropic.Model{CanThink: true, MaxOutput: 64_000})
		}
	})
}

// Source: extended thinking, "Preserving thinking blocks".
func TestThinkingIsSentBackUnchangedToTheSameModel(t *testing.T) {
	t.Parallel()
	stream := []string{
		`{"type":"message_start","message":{"usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"let me <see>"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"b3BhcXVl"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"I look."}}`,
		`{"type":"content_block_stop","index":2}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"read_file","input":{}}}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\"a.go\"}"}}`,
		`{"type":"content_block_stop","index":3}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`,
		`{"type":"message_stop"}`,
	}
	rep := llm.NewReply()
	d := anthropic.NewDecoder(shortErrors{}, llm.Request{}, modelName, anthropic.Binding{})
	for _, data := range stream {
		c, _, err := d.DecodeEvent([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		rep.Add(c)
	}
	last, err := d.Finish(true)
	if err != nil {
		t.Fatal(err)
	}
	rep.Add(last)
	m := assistant(rep.Text.String(), conversation.ToolCall{ID: rep.Calls[0].ID, Name: rep.Calls[0].Name, Arguments: rep.Calls[0].Arguments.String()})
	m.Extras = rep.Extras
	content := func(m projection.Message, to string) []map[string]any {
		r := llm.Request{Model: "claude-sonnet-5", Messages: []projection.Message{user("go"), m, result("toolu_1", "x")}}
		raw, _, err := anthropic.Body(r, anthropic.NewWireForm(r, anthropic.Model{}), to)
		if err != nil {
			t.Fatal(err)
		}
		var b body
		if err := json.Unmarshal(raw, &b); err != nil {
			t.Fatal(err)
		}
		return b.Messages[1].Content
	}
	same := []map[string]any{
		{"type": "thinking", "thinking": "let me <see>", "signature": "c2ln"},
		{"type": "redacted_thinking", "data": "b3BhcXVl"},
		{"type": "text", "text": "I look."},
		{"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": map[string]any{"path": "a.go"}},
	}
	if d := cmp.Diff(same, content(m, modelName)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(same[2:], content(m, "anthropic/claude-opus-5")); d != "" {
		t.Errorf("thinking of another model: %s", d)
	}
	m.Text = "cut"
	if d := cmp.Diff([]map[string]any{{"type": "text", "text": "cut"}, same[3]}, content(m, modelName)); d != "" {
		t.Errorf("thinking of another text: %s", d)
	}
}

func TestThinkingHiddenByACompactionIsNotSent(t *testing.T) {
	t.Parallel()
	m := assistant("ok")
	m.Extras = map[string]conversation.RawJSON{
		"anthropic_content": conversation.RawJSON(`[{"raw":{"type":"thinking","thinking":"hm","signature":"c2ln"}},{"text":2}]`),
		"anthropic_route":   conversation.RawJSON(`"` + modelName + `"`),
	}
	for hidden, want := range map[bool]int{false: 2, true: 1} {
		m.ReasoningStripped = hidden
		r := llm.Request{Model: "claude-sonnet-5", Messages: []projection.Message{user("go"), m, user("on")}}
		raw, _, err := anthropic.Body(r, anthropic.NewWireForm(r, anthropic.Model{}), modelName)
		if err != nil {
			t.Fatal(err)
		}
		var b body
		if err := json.Unmarshal(raw, &b); err != nil {
			t.Fatal(err)
		}
		if got := b.Messages[1].Content; len(got) != want {
			t.Errorf("hidden %v: it goes back as %v", hidden, got)
		}
	}
	r := llm.Request{Model: "claude-sonnet-5", Messages: []projection.Message{user("go"), m, user("on")}}
	earlier := anthropic.NewWireForm(r, anthropic.Model{})
	earlier.StripsThinking = false // a form that was recorded before
	r.Messages[1].ReasoningStripped = true
	raw, _, err := anthropic.Body(r, earlier, modelName)
	if err != nil || !bytes.Contains(raw, []byte("c2ln")) {
		t.Errorf("in a form without the word it is %s, %v", raw, err)
	}
}

func TestNewerModelsGetThinkingOfEarlierTurns(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{"claude-sonnet-5": true, "claude-opus-4-6": true, "claude-opus-4-5-20251101": true, "claude-sonnet-4-5": false, "claude-opus-4-1-20250805": false, "m": false} {
		if got := anthropic.KeepsThinking(id); got != want {
			t.Errorf("%s keeps it: %v", id, got)
		}
	}
}

// Source: "Handle tool calls", is_error.
func TestResultsOfFailedCallsAreErrors(t *testing.T) {
	t.Parallel()
	failed := result("a", "no such file")
	failed.Failed = true
	r := llm.Request{Model: "claude-sonnet-5", Messages: []projection.Message{user("go"), assistant("", call("a"), call("b")), failed, result("b", "fine")}}
	b := buildBody(t, r, anthropic.Model{})
	if c := b.Messages[2].Content; c[0]["is_error"] != true || c[1]["is_error"] != nil {
		t.Errorf("%v", c)
	}
	earlier := anthropic.NewWireForm(r, anthropic.Model{})
	earlier.MarksErrors = false // a form that was recorded before
	if raw, _, err := anthropic.Body(r, earlier, modelName); err != nil || bytes.Contains(raw, []byte("is_error")) {
		t.Errorf("in a form without the word: %s, %v", raw, err)
	}
}

func TestThinkingNextToBlankTextIsKept(t *testing.T) {
	t.Parallel()
	thought := `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"hm","signature":"c2ln"}}
{"type":"content_block_stop","index":0}`
	for name, c := range map[string]struct {
		stream []string
		text   string // after hardening
		want   string
	}{
		"before a call":    {[]string{begin, thought, text("1", `\n\n`), tool("2", "t", "{}"), end("tool_use")}, "", "thinking tool_use"},
		"behind words":     {[]string{begin, thought, text("1", "So"), text("2", `\n`), tool("3", "t", "{}"), end("tool_use")}, "So\n", "thinking text tool_use"},
		"in front of them": {[]string{begin, thought, text("1", " "), text("2", "So"), tool("3", "t", "{}"), end("tool_use")}, " So", "thinking text tool_use"},
	} {
		d := anthropic.NewDecoder(shortErrors{}, llm.Request{}, modelName, anthropic.Binding{})
		for line := range strings.SplitSeq(strings.Join(c.stream, "\n"), "\n") {
			if _, _, err := d.DecodeEvent([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		last, err := d.Finish(true)
		if err != nil {
			t.Fatal(err)
		}
		m := assistant(c.text, conversation.ToolCall{ID: "t", Name: "go", Arguments: "{}"})
		m.Extras = last.Extras
		b := buildBody(t, llm.Request{Model: "claude-sonnet-5", Messages: []projection.Message{user("go"), m, result("t", "x")}}, anthropic.Model{})
		var kinds []string
		for _, block := range b.Messages[1].Content {
			kinds = append(kinds, block["type"].(string))
		}
		if got := strings.Join(kinds, " "); got != c.want {
			t.Errorf("%s: %s goes back", name, got)
		}
	}
}

func TestOlderModelsNeedAHeaderForInterleavedThinking(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{"claude-opus-4-20250514": true, "claude-sonnet-4-5": true, "claude-opus-4-6": false, "claude-3-7-sonnet-20250219": false, "m": false} {
		if got := anthropic.NeedsInterleavedHeader(id); got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
}

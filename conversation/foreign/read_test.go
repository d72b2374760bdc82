package foreign_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/foreign"
	"plimsoll/conversation/jsonl"
)

// described is a session as lines: its client, model and title, its messages, what is left out, and the problems.
func described(file string) []string {
	client := foreign.Recognise([]byte(file))
	s, err := foreign.Read(client, strings.NewReader(file))
	if err != nil {
		return []string{string(client), err.Error()}
	}
	lines := []string{fmt.Sprintf("%s, %s: %s", client, s.Document.Meta.Model, s.Document.Meta.Title)}
	for _, m := range s.Document.Messages {
		line := fmt.Sprintf("%s %q", m.Role, m.Text)
		if m.Reply.Reasoning != "" {
			line += fmt.Sprintf(" reasoning %q", m.Reply.Reasoning)
		}
		for _, c := range m.Reply.Calls {
			line += fmt.Sprintf(" call %s %s %s", c.ID, c.Name, c.Arguments)
		}
		if u := m.Reply.Usage; u != nil {
			line += fmt.Sprintf(" usage %d %d %d %d", u.Prompt, u.Cached, u.CacheWrite, u.Completion)
		}
		if r := m.Result; r.Status != "" {
			line += fmt.Sprintf(" %s of %s %s", r.Status, r.CallID, r.Tool)
		}
		if !m.Time.IsZero() {
			line += m.Time.Format(" 15:04")
		}
		lines = append(lines, line)
	}
	lines = append(lines, s.LeftOut()...)
	for _, p := range s.Problems {
		lines = append(lines, p.Error())
	}
	return lines
}

func TestSessionsAreRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file string
		want []string
	}{
		"Claude Code": {`{"type":"file-history-snapshot","snapshot":{}}
{"parentUuid":null,"sessionId":"s","type":"user","isMeta":true,"message":{"content":"caveat"},"uuid":"u0"}
{"parentUuid":null,"sessionId":"s","type":"user","message":{"content":"<command-name>/x</command-name>"},"uuid":"u1","timestamp":"2026-02-07T10:00:00Z"}
{"parentUuid":"u1","type":"user","message":{"content":[{"type":"text","text":"first try"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},"uuid":"u2"}
{"parentUuid":"u2","type":"assistant","message":{"id":"m0","model":"claude-x","content":[{"type":"text","text":"taken back"}]},"uuid":"a0"}
{"parentUuid":"u1","type":"user","message":{"content":"second try"},"uuid":"u3"}
{"parentUuid":"u3","type":"assistant","message":{"id":"m1","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"zz"}],"usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4}},"uuid":"a1","timestamp":"2026-02-07T10:01:00Z"}
{"parentUuid":"a1","type":"assistant","message":{"id":"m1","model":"claude-x","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file": "a"}}]},"uuid":"a2"}
{"parentUuid":"a2","type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"one"},{"type":"image"}]}]},"uuid":"r1"}
{"parentUuid":"a2","type":"assistant","message":{"id":"m1","model":"claude-x","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{}}]},"uuid":"a3"}
{"parentUuid":"a3","type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"no","is_error":true}]},"uuid":"r2"}
{"parentUuid":"r2","type":"assistant","isSidechain":true,"message":{"id":"m8","content":[{"type":"text","text":"of a sub-agent"}]}}
{"parentUuid":"r2","type":"attachment","attachment":{"type":"queued_command","prompt":"and this"}}
{"parentUuid":"r2","type":"assistant","message":{"id":"m9","model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}
not JSON
[1]
{"parentUuid":null,"type":"user","isCompactSummary":true,"message":{"content":"so far"},"timestamp":7}
{"type":"ai-title","aiTitle":"A title"}
`, []string{
			"Claude Code, claude-x: A title",
			`user "<command-name>/x</command-name>" 10:00`,
			`user "second try"`,
			`assistant "" reasoning "hm" call t1 Read {"file":"a"} call t2 Bash {} usage 8 3 4 2 10:01`,
			`tool "one\n\n[image]" ok of t1 Read`,
			`tool "no" error of t2 Bash`,
			`user "and this"`,
			`user "[Summary by Claude Code of the conversation so far]\n\nso far"`,
			"1 line of sub-agents", "2 lines that Claude Code inserted", "2 messages of turns that were taken back",
			"line 15: not JSON: invalid character 'o' in literal null (expecting 'u')",
			"line 16: a JSON array, not an object; write each message on its own line",
		}},
		"Codex": {`{"timestamp":"2026-06-25T02:07:15.966Z","type":"session_meta","payload":{"base_instructions":{"text":"system"}}}
{"type":"turn_context","payload":{"model":"gpt-x"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"do it"}]}}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"do it"},{"type":"input_image","image_url":"data:"}]}}
{"type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"x"}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I do"}]}}
{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"cmd\":1}","call_id":"c1"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"one"}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin","call_id":"c2"}}
{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":{"content":[{"type":"input_text","text":"two"}]}}}
{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":9,"cached_input_tokens":5,"output_tokens":2}}}}
{"type":"response_item","payload":{"type":"tool_search_call","arguments":{"q":1}}}
{"type":"response_item","payload":{"type":"tool_search_output","tools":[]}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}
{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c3"}}
`, []string{
			"Codex, gpt-x: do it",
			`system "system" 02:07`,
			`user "<environment_context>"`,
			`user "do it\n\n[input_image]"`,
			`assistant "I do" reasoning "hm" call c1 shell {"cmd":1} call c2 apply_patch {"input":"*** Begin"} usage 9 5 0 2`,
			`tool "one" ok of c1 shell`,
			`tool "two" ok of c2 apply_patch`,
			`assistant "" call call_13_0 tool_search {"q":1}`,
			`tool "[]" ok of call_13_0 tool_search`,
			`assistant "done" call c3 shell {}`,
		}},
		"Copilot CLI": {`{"type":"session.start","data":{"selectedModel":"gpt-x"},"timestamp":"2026-07-05T03:51:38Z"}
{"type":"system.message","data":{"content":"system"}}
{"type":"user.message","data":{"content":"hello","transformedContent":"<date> hello"}}
{"type":"assistant.message","data":{"content":"I look","reasoningText":"hm","toolRequests":[{"toolCallId":"c1","name":"view","arguments":{"path":"a"}},{"toolCallId":"c2","name":"bash","arguments":{}}]}}
{"type":"tool.execution_start","data":{"toolCallId":"c1"}}
{"type":"tool.execution_complete","data":{"toolCallId":"c1","success":true,"result":{"content":"one","detailedContent":"more"}}}
{"type":"assistant.message","data":{"parentToolCallId":"c2","content":"of a sub-agent"}}
{"type":"tool.execution_complete","data":{"toolCallId":"c2","success":false,"error":{"message":"refused"}}}
{"type":"assistant.message","data":{"content":"","toolRequests":[]}}
`, []string{
			"Copilot CLI, gpt-x: hello",
			`system "system"`, `user "hello"`,
			`assistant "I look" reasoning "hm" call c1 view {"path":"a"} call c2 bash {}`,
			`tool "one" ok of c1 view`, `tool "refused" error of c2 bash`,
			"1 line of sub-agents",
		}},
		"Gemini CLI": {`{
  "sessionId": "s", "projectHash": "p", "startTime": "2026-01-10T02:08:26Z",
  "messages": [
    {"id": "1", "type": "user", "content": [{"text": "hi"}, {"inlineData": {"mimeType": "image/png", "data": "AA"}}]},
    {"id": "2", "type": "info", "content": "an update"},
    7,
    {"id": "3", "type": "gemini", "content": "I look", "model": "gemini-x", "thoughts": [{"subject": "S", "description": "D"}],
     "tokens": {"input": 9, "output": 1, "cached": 4, "thoughts": 2},
     "toolCalls": [{"id": "c1", "name": "read", "args": {"p": 1}, "status": "success",
       "result": [{"functionResponse": {"id": "c1", "response": {"output": "one"}}}]},
      {"id": "c2", "name": "run", "args": {}, "status": "error", "result": [{"functionResponse": {"response": {"error": "two"}}}]},
      {"id": "c3", "name": "run", "args": {}, "status": "cancelled"}]},
    {"id": "4", "type": "user", "content": "more"
`, []string{
			"Gemini CLI, gemini-x: hi [image/png]",
			`user "hi\n\n[image/png]"`,
			`assistant "I look" reasoning "**S**\nD" call c1 read {"p":1} call c2 run {} call c3 run {} usage 9 4 0 3`,
			`tool "one" ok of c1 read`, `tool "two" error of c2 run`,
			"message 3: a JSON number, not an object; write each message on its own line",
			"after message 4 the file cannot be read: unexpected EOF",
		}},
		"Gemini CLI, lines": {`{"sessionId":"s","projectHash":"p","startTime":"2026-01-10T02:08:26Z","kind":"main"}
{"id":"1","timestamp":"2026-01-10T02:08:26Z","type":"user","content":"hi"}
{"id":"2","type":"gemini","content":"let me"}
{"id":"2","type":"gemini","content":"let me look","toolCalls":[{"id":"c1","name":"read","args":{},"status":"success","result":"one"}]}
{"$set":{"summary":"a title"}}
{"id":"3","type":"user","content":"wrong"}
{"$rewindTo":"3"}
{"id":"4","type":"user","content":"right"}
`, []string{
			"Gemini CLI, : a title", `user "hi" 02:08`, `assistant "let me look" call c1 read {}`, `tool "one" ok of c1 read`,
			`user "right"`, "1 message of turns that were taken back",
		}},
		"pi": {`{"type":"session","version":3,"id":"s","timestamp":"2026-11-28T09:33:19.906Z","cwd":"/tmp"}
{"type":"model_change","id":"a","parentId":null,"provider":"p","modelId":"m"}
{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":[{"type":"text","text":"read it"},{"type":"image","data":"AA","mimeType":"image/png"}]}}
{"type":"message","id":"c","parentId":"b","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look"},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a"}}],"model":"fake","usage":{"input":5,"output":2,"cacheRead":3,"cacheWrite":1}}}
{"type":"message","id":"d","parentId":"c","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"one"}],"isError":true}}
{"type":"message","id":"e","parentId":"d","message":{"role":"user","content":"left behind"}}
{"type":"session_info","id":"f","parentId":"d","name":"a name"}
{"type":"message","id":"g","parentId":"f","message":{"role":"bashExecution","command":"ls","output":"a"}}
{"type":"message","id":"h","parentId":"g","message":{"role":"bashExecution","command":"secret","excludeFromContext":true}}
{"type":"custom_message","id":"i","parentId":"h","content":"injected"}
`, []string{
			"pi, fake: a name", `user "read it\n\n[image]"`,
			`assistant "I look" reasoning "hm" call c1 read {"path":"a"} usage 9 3 1 2`, `tool "one" error of c1 read`,
			"user \"Ran `ls`:\\n\\na\"", `user "injected"`, "1 message of other branches",
		}},
		"opencode": {`{"info": {"id": "ses_1", "title": "a title", "time": {"created": 1795858414321}},
 "messages": [
  {"info": {"role": "user", "time": {"created": 1795858414321}}, "parts": [{"type": "text", "text": "read it"}, {"type": "file", "mime": "image/png", "filename": "a.png"}, {"type": "text", "text": "no", "ignored": true}]},
  {"info": {"role": "assistant", "modelID": "fake", "tokens": {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 3, "write": 0}}}, "parts": [
   {"type": "step-start"}, {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "I look"},
   {"type": "tool", "tool": "read", "callID": "c1", "state": {"status": "completed", "input": {"p": 1}, "output": "one"}},
   {"type": "tool", "tool": "bash", "callID": "c2", "state": {"status": "error", "input": {}, "error": "two"}},
   {"type": "tool", "tool": "bash", "callID": "c3", "state": {"status": "running", "input": {}}}]}]}`, []string{
			"opencode, fake: a title", `user "read it\n\n[file]" 09:33`,
			`assistant "I look" reasoning "hm" call c1 read {"p":1} call c2 bash {} call c3 bash {} usage 8 3 0 3`,
			`tool "one" ok of c1 read`, `tool "two" error of c2 bash`,
		}},
		// Made by hand from the types of Crush's source.
		"Crush": {`{"meta":{"id":"abc","uuid":"u","title":"a title","created":"2026-11-28T09:33:00Z"},"messages":[
{"id":"1","role":"user","created":"2026-11-28T09:33:01Z","parts":[{"type":"text","text":"read it"},{"type":"binary","mime_type":"image/png"},{"type":"finish","reason":"stop"}]},
{"id":"2","role":"assistant","created":"2026-11-28T09:34:01Z","model":"fake","parts":[{"type":"reasoning","thinking":"hm"},{"type":"text","text":"I look"},{"type":"tool_call","tool_call_id":"c1","name":"view","input":"{\"path\":\"a\"}"},{"type":"finish"}]},
{"id":"3","role":"tool","created":"2026-11-28T09:35:01Z","parts":[{"type":"tool_result","tool_call_id":"c1","name":"view","content":"one","is_error":true}]}]}`, []string{
			"Crush, fake: a title", `user "read it\n\n[binary]" 09:33`,
			`assistant "I look" reasoning "hm" call c1 view {"path":"a"} 09:34`, `tool "one" error of c1 view 09:35`,
		}},
		"nobody":             {`{"role":"user","content":"hi"}`, []string{"", "no client that is known wrote it"}},
		"text":               {"hello", []string{"", "no client that is known wrote it"}},
		"nothing in it":      {`{"type":"session_meta","payload":{}}`, []string{"Codex", jsonl.ErrNoMessages.Error()}},
		"a head that is cut": {`{"timestamp":"x","type":"session_meta","payload":{"base_instr`, []string{"Codex", jsonl.ErrNoMessages.Error()}},
	} {
		if diff := cmp.Diff(test.want, described(test.file)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFieldsOfWrongTypesCountAsMissing(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`null`, `7`, `"x"`, `[]`, `{}`, `[[["x"]]]`, `[null]`, `{"type":7}`} {
		for _, file := range []string{
			`{"sessionId":V,"parentUuid":V,"isSidechain":V,"type":"user","timestamp":V,"attachment":V,"message":{"content":V}}
{"type":"assistant","message":{"id":V,"content":[V,{"type":"tool_use","id":V,"name":V,"input":V},{"type":"tool_result","content":V}],"usage":V}}`,
			`{"type":"session_meta","payload":{"base_instructions":V}}
{"type":"response_item","payload":{"type":"function_call","name":V,"arguments":V,"call_id":V}}
{"type":"response_item","payload":{"type":"function_call_output","output":V,"call_id":V}}
{"type":"response_item","payload":{"type":"custom_tool_call","input":V}}
{"type":"response_item","payload":{"type":"reasoning","summary":V,"content":V}}
{"type":"event_msg","payload":{"type":"token_count","info":V}}
{"type":"response_item","payload":V}`,
			`{"type":"session.start","data":V}
{"type":"assistant.message","data":{"toolRequests":[V,{"arguments":V}]}}
{"type":"tool.execution_complete","data":{"result":V,"error":V}}`,
			`{"type":"session","id":V,"cwd":V}
{"type":"message","id":V,"parentId":V,"message":{"role":"assistant","content":[V,{"type":"toolCall","arguments":V}],"usage":V}}
{"type":"message","id":V,"parentId":V,"message":{"role":"user","content":V}}`,
			`{"meta":{"id":"s","uuid":V},"messages":[{"role":"assistant","created":V,"parts":V},{"role":V,"parts":[{"type":"tool_result","content":V}]}]}`,
			`{"info":{"id":"ses_1","title":V,"time":V},"messages":[V,{"info":{"role":"assistant","tokens":V},"parts":[V,{"type":"tool","callID":V,"state":V}]}]}`,
			`{"sessionId":V,"projectHash":V,"messages":[{"type":"gemini","id":V,"content":V,"thoughts":V,"tokens":V,"toolCalls":[V,{"args":V,"result":V}]}]}`,
		} {
			file = strings.ReplaceAll(file, "V", value)
			client := foreign.Recognise([]byte(file))
			s, err := foreign.Read(client, strings.NewReader(file))
			if client == foreign.None || err != nil && !errors.Is(err, jsonl.ErrNoMessages) {
				t.Fatalf("%q, %v: %s", client, err, file)
			}
			if _, err := s.Document.Events(jsonl.Options{}); err != nil {
				t.Errorf("%v: %s", err, file)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"sessionId":"s","parentUuid":"u","type":"user","message":{"content":"x"}}`)
	f.Add(`{"sessionId":"s","projectHash":"p","messages":[{"type":"gemini","content":[{"text":"x"}]}]}`)
	f.Fuzz(func(t *testing.T, file string) {
		s, err := foreign.Read(foreign.Recognise([]byte(file)), strings.NewReader(file))
		if err != nil {
			return
		}
		if _, err := s.Document.Events(jsonl.Options{}); err != nil {
			t.Error(err)
		}
	})
}

// Each session has an image in a message of the user and one in a result, as its client writes them.
func TestImagesOfSessionsAreRead(t *testing.T) {
	t.Parallel()
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	for name, file := range map[string]string{
		"Claude Code": `{"parentUuid":null,"type":"user","message":{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"PNG"}}]}}
{"parentUuid":"1","type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]}}
{"parentUuid":"2","type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"PNG"}}]}]}}`,
		"Codex": `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,PNG"}]}}
{"type":"response_item","payload":{"type":"function_call","name":"view_image","arguments":"{}","call_id":"c1"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":[{"type":"input_image","image_url":"data:image/png;base64,PNG"}]}}`,
		"Gemini CLI": `{"projectHash":"p","messages":[{"type":"user","content":[{"inlineData":{"mimeType":"image/png","data":"PNG"}}]},
{"type":"gemini","toolCalls":[{"id":"c1","name":"read","status":"success","result":[{"inlineData":{"mimeType":"image/png","data":"PNG"}}]}]}]}`,
		"pi": `{"type":"session","version":3}
{"type":"message","message":{"role":"user","content":[{"type":"image","data":"PNG","mimeType":"image/png"}]}}
{"type":"message","message":{"role":"toolResult","toolCallId":"c1","content":[{"type":"image","data":"PNG","mimeType":"image/png"}]}}`,
		"opencode": `{"info":{"id":"ses_1"},"messages":[{"info":{"role":"user"},"parts":[{"type":"file","mime":"image/png","filename":"a.png","url":"data:image/png;base64,PNG"}]},
{"info":{"role":"assistant"},"parts":[{"type":"tool","tool":"read","callID":"c1","state":{"status":"completed","input":{},"output":"seen","attachments":[{"type":"file","url":"data:image/png;base64,PNG"}]}}]}]}`,
		"Crush": `{"meta":{"id":"abc","uuid":"u"},"messages":[{"role":"user","parts":[{"type":"binary","data":{"Path":"a.png","MIMEType":"image/png","Data":"PNG"}}]},
{"role":"tool","parts":[{"type":"tool_result","data":{"tool_call_id":"c1","content":"seen","data":"PNG","mime_type":"image/png","is_error":false}}]}]}`,
	} {
		file = strings.ReplaceAll(file, "PNG", png)
		client := foreign.Recognise([]byte(file))
		s, err := foreign.Read(client, strings.NewReader(file))
		if err != nil || string(client) != name {
			t.Errorf("%s: read as %q, %v", name, client, err)
			continue
		}
		var got []string
		for _, m := range s.Document.Messages {
			for _, image := range m.Images {
				got = append(got, string(m.Role)+" "+image.Media)
				if image.Data != png || image.Width != 1 || (image.Name != "image" && image.Name != "a.png") {
					t.Errorf("%s: %+v", name, image)
				}
			}
			if strings.Contains(m.Text, "[") {
				t.Errorf("%s: the text is %q", name, m.Text)
			}
		}
		if want := []string{"user image/png", "tool image/png"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// toolServer is a program of the shell's own commands that serves the tools of tools.json.
const toolServer = `read -r tools < tools.json
while read -r line; do
	id=${line#*\"id\":}
	id=${id%%[,\}]*}
	case $line in
	*'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"many","version":"1"}}}\n' "$id" ;;
	*'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}\n' "$id" "$tools" ;;
	*'"method":"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}\n' "$id" ;;
	*'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id" ;;
	esac
done
`

// Of 200 tools in a window of 32k, the first request declares no more than a tenth of it; a task that needs two of them is done, and no
// later request changes what the ones before carried.
func TestManyToolsLeaveThePrefixAlone(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range 200 {
		all = append(all, fmt.Sprintf(`{"name":"tool_%03d","description":"Does thing number %d with a file of the project, and says what it did.",`+
			`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"the file"},"n":{"type":"integer"}},"required":["path"]}}`, i, i))
	}
	h := newProgramFolder(t, map[string]string{"server.sh": toolServer, "tools.json": "[" + strings.Join(all, ",") + "]\n"})
	call := func(id, name, args string) scriptedReply {
		return scriptedReply{Calls: []scriptedCall{{ID: id, Name: name, Args: json.RawMessage(args)}}}
	}
	s := newScriptedServer(serverScript{Replies: []scriptedReply{
		call("c1", "find_tools", `{"query":"tool_007 tool_199"}`),
		call("c2", "call_tool", `{"name":"mcp__many__tool_007","arguments":{"path":"a","n":1}}`),
		call("c3", "call_tool", `{"name":"mcp__many__tool_199","arguments":{"path":"b"}}`),
		{Text: "Both are done."},
	}})
	t.Cleanup(s.Close)
	flags := []string{"--base-url", s.URL + "/v1", "--window", "32k", "--cfg", "mcp.many.command=[sh, server.sh]", "--cfg", "permissions.allow=[mcp__many]"}
	h.run(append([]string{"ask", "do both"}, flags...)...)
	for i := range 8 {
		h.run(append([]string{"ask", "-c", "and then? " + itoa(i)}, flags...)...)
	}
	var report struct {
		KeptOut struct {
			DeferredTools int `json:"deferred_tools"`
		} `json:"kept_out"`
	}
	shown, _ := h.run("context", "--json")
	if err := json.Unmarshal([]byte(shown), &report); err != nil || report.KeptOut.DeferredTools < 6000 {
		t.Errorf("kept out: %+v, %v", report, err)
	}
	if text, _ := h.run("context"); !strings.Contains(text, "Brought in besides messages") || !strings.Contains(text, "    tools          ~") {
		t.Errorf("the context does not say what was looked up:\n%s", text)
	}
	type request struct {
		Tools    json.RawMessage   `json:"tools"`
		Messages []json.RawMessage `json:"messages"`
	}
	var first, before request
	bodies := strings.Split(strings.TrimSuffix(s.bodies(), "\n"), "\n")
	if len(bodies) != 12 {
		t.Fatalf("%d requests", len(bodies))
	}
	for i, body := range bodies {
		var r request
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first, before = r, r
			if tokens := len(r.Tools) / 4; tokens > 3276 || !strings.Contains(string(r.Tools), "many (200)") {
				t.Errorf("declarations take %d tokens of 32k: %s", tokens, r.Tools)
			}
			continue
		}
		if !bytes.Equal(r.Tools, first.Tools) {
			t.Errorf("request %d has other tools", i+1)
		}
		for k, m := range before.Messages {
			if k >= len(r.Messages) || !bytes.Equal(m, r.Messages[k]) {
				t.Fatalf("request %d changes message %d of the one before", i+1, k+1)
			}
		}
		before = r
	}
	if text := string(before.Messages[len(before.Messages)-1]); strings.Count(bodies[11], `"content":"done"`) != 2 || !strings.Contains(text, "and then? 7") {
		t.Errorf("the last request is %s", bodies[11])
	}
}

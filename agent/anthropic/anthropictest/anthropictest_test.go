package anthropictest_test

import (
	"strings"
	"testing"

	"plimsoll/agent/anthropic/anthropictest"
)

// good is a valid request with every kind of block.
const good = `{"model":"claude-sonnet-5","max_tokens":64000,"stream":true,"thinking":{"type":"adaptive"},
"tools":[{"name":"go","input_schema":{"type":"object"}}],
"system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral","ttl":"1h"}}],
"messages":[
{"role":"user","content":[{"type":"text","text":"hi"}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"tool_use","id":"t1","name":"go","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"},{"type":"text","text":"on","cache_control":{"type":"ephemeral"}}]}]}`

func TestInvalidRequestsAreFound(t *testing.T) {
	t.Parallel()
	if got := anthropictest.Problems([]byte(good), false); got != nil {
		t.Fatalf("a request that is right: %v", got)
	}
	for name, change := range map[string][2]string{
		"no model":                    {`"model":"claude-sonnet-5",`, ``},
		"no max_tokens":               {`"max_tokens":64000,`, ``},
		"a budget below the least":    {`{"type":"adaptive"}`, `{"type":"enabled","budget_tokens":1000}`},
		"a budget above max_tokens":   {`{"type":"adaptive"}`, `{"type":"enabled","budget_tokens":64000}`},
		"a budget of one that adapts": {`{"type":"adaptive"}`, `{"type":"adaptive","budget_tokens":2000}`},
		"a tool's name":               {`"name":"go","input_schema"`, `"name":"go on","input_schema"`},
		"a schema that is no object":  {`{"type":"object"}`, `{"type":"string"}`},
		"an empty system prompt":      {`"text":"be brief"`, `"text":" "`},
		"a role":                      {`"role":"assistant"`, `"role":"system"`},
		"the model speaks first":      {`{"role":"user","content":[{"type":"text","text":"hi"}]},`, ``},
		"an empty message":            {`[{"type":"text","text":"hi"}]`, `[]`},
		"an empty text":               {`"text":"hi"`, `"text":""`},
		"input that is no object":     {`"input":{}`, `"input":[]`},
		"a call without a result":     {`{"type":"tool_result","tool_use_id":"t1","content":"ok"},`, ``},
		"a result of another call":    {`"tool_use_id":"t1"`, `"tool_use_id":"t2"`},
		"two results of one call": {`{"type":"tool_use","id":"t1","name":"go","input":{}}]},
{"role":"user","content":[`, `{"type":"tool_use","id":"t1","name":"go","input":{}},{"type":"tool_use","id":"t2","name":"go","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"},`},
		"a result behind a text":       {`{"type":"tool_result","tool_use_id":"t1","content":"ok"},{"type":"text","text":"on","cache_control":{"type":"ephemeral"}}`, `{"type":"text","text":"on"},{"type":"tool_result","tool_use_id":"t1","content":"ok"}`},
		"thinking without a signature": {`,"signature":"c2ln"`, ``},
		"a breakpoint on thinking":     {`"signature":"c2ln"`, `"signature":"c2ln","cache_control":{"type":"ephemeral"}`},
		"five minutes before an hour":  {`"text":"hi"`, `"text":"hi","cache_control":{"type":"ephemeral","ttl":"5m"}},{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}`},
		"a lifetime":                   {`"ttl":"1h"`, `"ttl":"2h"`},
		"five breakpoints":             {`"text":"hi"`, `"text":"hi","cache_control":{"type":"ephemeral"}},{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}},{"type":"text","text":"c","cache_control":{"type":"ephemeral"}`},
		"a block of another type":      {`"type":"text","text":"hi"`, `"type":"picture"`},
		"an image of a text":           {`"type":"text","text":"hi"`, `"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}`},
		"a block in the wrong place":   {`{"type":"text","text":"hi"}`, `{"type":"thinking","thinking":"x","signature":"y"}`},
		"a budget of a later model":    {`{"type":"adaptive"}`, `{"type":"enabled","budget_tokens":2000}`},
		"notes between calls":          {`{"type":"adaptive"}`, `{"type":"between_tools"}`},
		"no thinking at much effort":   {`{"type":"adaptive"}`, `{"type":"disabled"},"output_config":{"effort":"max"}`},
		"no thinking where it must":    {`5","max_tokens":64000,"stream":true,"thinking":{"type":"adaptive"}`, `5-5","max_tokens":64000,"stream":true,"thinking":{"type":"disabled"}`},
		"an older model that adapts":   {`sonnet-5"`, `sonnet-4-5"`},
		"no JSON":                      {`{"model"`, `"model"`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Errorf("%s: nothing is changed", name)
		}
		if anthropictest.Problems([]byte(bad), false) == nil {
			t.Errorf("%s: nothing is found in %s", name, bad)
		}
	}
	if anthropictest.Problems([]byte(good), true) == nil {
		t.Error("a request to count has no bound")
	}
}

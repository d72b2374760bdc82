package anthropictest_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll/agent/anthropic/anthropictest"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/compact/projection"
)

// good is a request that has everything and is right.
const good = `{"model":"claude-sonnet-5","max_tokens":64000,"stream":true,"thinking":{"type":"adaptive"},
"tools":[{"name":"go","input_schema":{"type":"object"}}],
"system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral","ttl":"1h"}}],
"messages":[
{"role":"user","content":[{"type":"text","text":"hi"}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"tool_use","id":"t1","name":"go","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"},{"type":"text","text":"on","cache_control":{"type":"ephemeral"}}]}]}`

func TestWhatTheAPIRefusesIsFound(t *testing.T) {
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
		"temperature with thinking":   {`"stream":true,`, `"stream":true,"temperature":0.5,`},
		"a forced tool with thinking": {`"stream":true,`, `"stream":true,"tool_choice":{"type":"any"},`},
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

// TestTheCacheServesAConversation holds a conversation with the client against the server's cache, with pauses.
func TestTheCacheServesAConversation(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	s := anthropictest.New(t, func() time.Time { return now }, anthropictest.Reply("fine"))
	c := openai.New(openai.Options{Provider: "anthropic", BaseURL: s.URL, Key: anthropictest.Key})
	r := llm.Request{Model: "claude-sonnet-5", System: strings.Repeat("be brief ", 2000)}
	ask := func(pause, ttl time.Duration) llm.Tokens {
		t.Helper()
		now = now.Add(pause)
		r.CacheTTL = ttl
		r.Messages = append(r.Messages, projection.Message{Role: projection.RoleUser, Text: strings.Repeat("more words ", 300)})
		var used llm.Tokens
		for chunk, err := range c.Stream(t.Context(), r) {
			if err != nil {
				t.Fatal(err)
			}
			if chunk.Usage != nil {
				used = *chunk.Usage
			}
		}
		r.Messages = append(r.Messages, projection.Message{Role: projection.RoleAssistant, Text: "fine"})
		return used
	}
	before := 0
	for i, q := range []struct {
		pause, ttl time.Duration
		warm       bool
	}{
		{0, 0, false}, {time.Minute, 0, true}, {5 * time.Minute, 0, true}, {6 * time.Minute, time.Hour, false},
		{50 * time.Minute, time.Hour, true}, {time.Minute, time.Hour, true}, {61 * time.Minute, 0, false},
	} {
		u := ask(q.pause, q.ttl)
		wantRead := 0
		if q.warm {
			wantRead = before
		}
		if u.Cached != wantRead || u.CacheWrite != u.Prompt-wantRead || (q.ttl == time.Hour) != (u.CacheWriteLong == u.CacheWrite) {
			t.Errorf("request %d: %+v, %d were to be read", i, u, wantRead)
		}
		before = u.Prompt
	}
	if n := len(s.Requests()); n != 7 {
		t.Errorf("%d requests", n)
	}
}

func TestTheCacheKeepsNothingBelowItsLeastSize(t *testing.T) {
	t.Parallel()
	s := anthropictest.New(t, nil, anthropictest.Reply("fine"))
	c := openai.New(openai.Options{Provider: "anthropic", BaseURL: s.URL, Key: anthropictest.Key})
	for words, kept := range map[int]bool{500: false, 2000: true} { // above the wire's own bound, and both sides of the server's
		r := llm.Request{Model: "claude-sonnet-5", System: strings.Repeat("brief! ", words),
			Messages: []projection.Message{{Role: projection.RoleUser, Text: "hi"}}}
		for chunk, err := range c.Stream(t.Context(), r) {
			if err != nil {
				t.Fatal(err)
			}
			if u := chunk.Usage; u != nil && (u.CacheWrite > 0) != kept {
				t.Errorf("%d tokens: %d are written", u.Prompt, u.CacheWrite)
			}
		}
	}
}

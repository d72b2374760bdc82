package anthropictest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"plimsoll/agent/anthropic/anthropictest"
)

// Each case changes a request with thinking, and says whether the server accepts it.
func TestThinkingIsCheckedLikeTheAPI(t *testing.T) {
	t.Parallel()
	const (
		head   = `{"model":"claude-opus-5-5","max_tokens":100,"stream":true,"system":[{"type":"text","text":"be brief"}],"tools":[{"name":"go","input_schema":{"type":"object"}}],"messages":[`
		one    = `{"role":"user","content":[{"type":"text","text":"one"}]}`
		first  = `{"type":"thinking","thinking":"hm 0","signature":"sig0"},`
		second = `{"type":"thinking","thinking":"hm 1","signature":"sig1"},`
		third  = `{"type":"thinking","thinking":"hm 2","signature":"sig2"},`
	)
	said := func(thinking, words, next string) string {
		return `,{"role":"assistant","content":[` + thinking + `{"type":"text","text":"` + words + `"}]},{"role":"user","content":[{"type":"text","text":"` + next + `"}]}`
	}
	whole := head + one + said(first, "so 0", "two") + said(second, "so 1", "three") + said(third, "so 2", "four") + "]}"
	for name, c := range map[string]struct {
		old, new string
		refused  bool
	}{
		"as it was":                  {"", "", false},
		"the first is left out":      {first, "", false},
		"the first two are left out": {first + `{"type":"text","text":"so 0"}]},{"role":"user","content":[{"type":"text","text":"two"}]},{"role":"assistant","content":[` + second, `{"type":"text","text":"so 0"}]},{"role":"user","content":[{"type":"text","text":"two"}]},{"role":"assistant","content":[`, false},
		"the last is left out":       {third, "", false},
		"a breakpoint":               {`"text":"so 1"`, `"text":"so 1","cache_control":{"type":"ephemeral"}`, false},
		"an effort":                  {`"stream":true`, `"stream":true,"output_config":{"effort":"low"}`, false},
		"one between is left out":    {second, "", true},
		"another system prompt":      {"be brief", "be long", true},
		"another tool":               {`"name":"go"`, `"name":"went"`, true},
		"another message":            {`"text":"one"`, `"text":"uno"`, true},
		"another reply":              {`"text":"so 1"`, `"text":"so one"`, true},
		"altered":                    {"hm 1", "hm one", true},
		"another model":              {"claude-opus-5-5", "claude-sonnet-5-5", true},
		"a model that binds none":    {"claude-opus-5-5", "claude-opus-5", true}, // it cannot read it
	} {
		s := anthropictest.NewTransport(t, func(n int, _ anthropictest.Request) anthropictest.Answer {
			return anthropictest.ReplyWithThinking("hm "+string(rune('0'+n)), "so "+string(rune('0'+n)))
		})
		ask := func(body string) (int, string) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x/v1/messages", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range map[string]string{"Anthropic-Version": "1", "X-Api-Key": "k", "Content-Type": "application/json"} {
				r.Header.Set(k, v)
			}
			resp, err := s.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			text, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return resp.StatusCode, string(text)
		}
		ask(head + one + "]}")
		ask(head + one + said(first, "so 0", "two") + "]}")
		ask(head + one + said(first, "so 0", "two") + said(second, "so 1", "three") + "]}")
		if len(s.ThinkingErrors()) != 0 {
			t.Fatal(s.ThinkingErrors())
		}
		body := whole
		if c.old != "" {
			body = strings.Replace(whole, c.old, c.new, 1)
			if body == whole {
				t.Fatalf("%s: nothing is changed", name)
			}
		}
		if status, text := ask(body); (status != http.StatusOK) != c.refused {
			t.Errorf("%s: status %d, %s", name, status, text)
		}
	}
}

package demo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/demo"
)

var prose = strings.Repeat("The ship is loaded to the line and lies deep. ", 40)

func TestRefusesAPromptThatFillsTheWindow(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{Window: 1024})
	resp := post(t, s, object{"messages": list(user(strings.Repeat("word ", 2000))), "stream": true})
	want := `{"error":{"code":400,"message":"request (2505 tokens) exceeds the available context size (1024 tokens), try increasing it",` +
		`"type":"exceed_context_size_error","n_prompt_tokens":2505,"n_ctx":1024}}`
	if body := read(t, resp); resp.StatusCode != 400 || body != want {
		t.Errorf("%s %s", resp.Status, body)
	}
}

func TestFillsTheWindowInMidReply(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{Window: 100})
	got := ask(t, s, list(user("help")))
	if got.Finish != "length" || got.Prompt+got.Completion != 100 {
		t.Errorf("finish %q at %d + %d tokens", got.Finish, got.Prompt, got.Completion)
	}
	for _, key := range []string{"max_tokens", "max_completion_tokens"} {
		if got := ask(t, s, list(user("help")), object{key: 7}); got.Finish != "length" || got.Completion != 7 || got.Pieces != 7 {
			t.Errorf("%s 7: finish %q after %d tokens", key, got.Finish, got.Completion)
		}
	}
}

func TestCachesTheCommonPrefix(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, demo.Options{Now: c.Now})
	history := list(system(prose), user("hi"))
	first := ask(t, s, history)
	if first.Cached != 0 {
		t.Errorf("%d tokens cached before anything was read", first.Cached)
	}
	history = append(history, reply(first.Text), user("thanks"))
	second := ask(t, s, history)
	// All of the first prompt and its reply is read from the cache, in whole blocks of 64.
	if want := (first.Prompt + first.Completion) / 64 * 64; second.Cached != want {
		t.Errorf("%d of %d tokens cached, want %d", second.Cached, second.Prompt, want)
	}
	again := ask(t, s, history)
	if want := (again.Prompt - 1) / 64 * 64; again.Cached != want {
		t.Errorf("%d tokens of the same request cached, want %d", again.Cached, want)
	}
	changed := ask(t, s, append(list(system("Other "+prose)), history[1:]...))
	if changed.Cached != 0 {
		t.Errorf("%d tokens cached though the beginning changed", changed.Cached)
	}
	c.Advance(5*time.Minute + time.Second)
	if cold := ask(t, s, history); cold.Cached != 0 {
		t.Errorf("%d tokens cached after five minutes", cold.Cached)
	}
}

func TestCountsEveryPartOfARequest(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	count := func(messages []object, extra ...object) int { return ask(t, s, messages, extra...).Prompt }
	base := count(list(user("hi")))
	if got := count(list(system("one two three"), user("hi"))) - base; got < 4 || got > 8 {
		t.Errorf("a system message of three words costs %d", got)
	}
	if got := count(list(user("hi")), object{"tools": workspaceTools[:1]}) - base; got < 20 {
		t.Errorf("a tool costs %d", got)
	}
	if got := count(list(user("漢字です"))) - count(list(user(""))); got != 4 {
		t.Errorf("four CJK characters cost %d", got)
	}
}

func TestSameRequestSameReply(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"help", "fill the gauge", "read main.go"} {
		var answers []answer
		for range 2 {
			a := ask(t, start(t, demo.Options{}), list(user(text)), object{"tools": workspaceTools})
			for i := range a.Calls {
				a.Calls[i].ID = ""
			}
			answers = append(answers, a)
		}
		if d := cmp.Diff(answers[0], answers[1]); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

package agenttest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

func user(text string) projection.Message {
	return projection.Message{Role: projection.RoleUser, Text: text}
}

func reply(text string, calls ...conversation.ToolCall) projection.Message {
	return projection.Message{Role: projection.RoleAssistant, Text: text, Calls: calls}
}

func result(id, text string) projection.Message {
	return projection.Message{Role: projection.RoleTool, CallID: id, Tool: "look", Text: text}
}

func call(id, arguments string) conversation.ToolCall {
	return conversation.ToolCall{ID: id, Name: "look", Arguments: arguments}
}

func request(messages ...projection.Message) llm.Request {
	return llm.Request{Model: "m", Messages: messages}
}

// outcome is what came of a request.
type outcome struct {
	text  string
	stop  conversation.StopReason
	calls int
	usage *llm.Tokens
	err   *llm.Error
}

func ask(ctx context.Context, s *agenttest.Server, r llm.Request) outcome {
	var o outcome
	for c, err := range s.Stream(ctx, r) {
		o.text += c.Text
		o.calls += len(c.Calls)
		if c.Stop != "" {
			o.stop = c.Stop
		}
		if c.Usage != nil {
			o.usage = c.Usage
		}
		o.err = llm.AsError(err)
	}
	return o
}

func TestServerCountsInItsOwnWay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, strings.Repeat("word ", 36): 50, strings.Repeat("字", 10): 11, strings.Repeat("ж", 17): 10, "a": 1,
	} {
		if got := agenttest.CountText(text); got != want {
			t.Errorf("%.20q has %d tokens, want %d", text, got, want)
		}
	}
	r := request(user(strings.Repeat("a", 36)), reply("", call("c1", `{}`)), result("c1", strings.Repeat("b", 72)))
	if got := agenttest.Count(r); got != 6+10+6+6+2+1+6+20 {
		t.Errorf("counted %d", got)
	}
	r.System = strings.Repeat("s", 36)
	r.Tools = []conversation.ToolSpec{{Name: "look", Parameters: conversation.RawJSON(`{}`)}}
	if more := agenttest.Count(r) - 57; more < 6+10+20 {
		t.Errorf("system prompt and tools are %d tokens", more)
	}
}

func TestServerRefusesWhatIsTooLong(t *testing.T) {
	t.Parallel()
	long := request(user(strings.Repeat("word ", 360)))
	s := &agenttest.Server{Window: 400, Windows: map[string]int{"large": 1000}}
	if o := ask(t.Context(), s, long); o.err == nil || o.err.Class != llm.Overflow || o.err.Window != 400 || o.err.Requested != 506 || o.usage != nil {
		t.Errorf("refused with %+v", o)
	}
	s.Nameless = true
	if o := ask(t.Context(), s, long); o.err == nil || o.err.Class != llm.Overflow || o.err.Window+o.err.Requested != 0 {
		t.Errorf("refused with %+v", o)
	}
	long.Model = "large"
	if o := ask(t.Context(), s, long); o.err != nil || o.text != "yes" || o.usage.Prompt != 506 || o.usage.Completion != 1 {
		t.Errorf("got %+v", o)
	}
	long.MaxTokens, s.Both, s.Nameless = 495, true, false
	if o := ask(t.Context(), s, long); o.err == nil || o.err.Requested != 1001 {
		t.Errorf("refused with %+v", o)
	}
	var refused []bool
	for _, got := range s.Served() {
		refused = append(refused, got.Refused)
	}
	if diff := cmp.Diff([]bool{true, true, false, true}, refused); diff != "" {
		t.Error(diff)
	}
}

func TestServerThatTruncatesReportsTheRest(t *testing.T) {
	t.Parallel()
	s := &agenttest.Server{Window: 400, Truncates: true}
	o := ask(t.Context(), s, request(user(strings.Repeat("a", 720)), reply(strings.Repeat("b", 720)), user(strings.Repeat("c", 360))))
	if o.err != nil || o.usage.Prompt != 206+106 {
		t.Errorf("got %+v", o.usage)
	}
	if got := s.Served()[0]; got.Left != 1 || got.Tokens != 206+206+106 || got.Refused {
		t.Errorf("served %d tokens, %d left out", got.Tokens, got.Left)
	}
	again := ask(t.Context(), s, s.Served()[0].Request)
	if again.usage.Cached != 256 {
		t.Errorf("%d tokens of %d are cached", again.usage.Cached, again.usage.Prompt)
	}
	if quiet := ask(t.Context(), &agenttest.Server{Quiet: true}, request(user("a"))); quiet.usage != nil || quiet.stop != conversation.StopEnd {
		t.Errorf("reported %+v", quiet.usage)
	}
}

func TestServerTellsWhatItHasCached(t *testing.T) {
	t.Parallel()
	s := &agenttest.Server{}
	first, second := user(strings.Repeat("a", 1800)), reply(strings.Repeat("b", 1800))
	other := reply(strings.Repeat("b", 900) + strings.Repeat("c", 900))
	var cached, shared []int
	for _, r := range []llm.Request{
		request(first), request(first, second, user("go on")), request(first, other, user("go on")),
		request(first, other, user("This is a request of the program, not of the user.")), request(first, other, user("go on"), second, user("and on")),
	} {
		ask(t.Context(), s, r)
		got := s.Served()[len(s.Served())-1]
		cached, shared = append(cached, got.Cached), append(shared, got.Shared)
	}
	if diff := cmp.Diff([]int{0, 384, 640, 1024 - 128, 1024 - 128}, cached); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0, 1, 1, 2, 3}, shared); diff != "" {
		t.Error(diff)
	}
	if all := s.Served(); all[3].Purpose != conversation.ForSummary || all[4].Before != 3 {
		t.Errorf("served %s behind %d", all[3].Purpose, all[4].Before)
	}
}

func TestInspectSeesWhatEndpointsRefuse(t *testing.T) {
	t.Parallel()
	u := user("a")
	for name, r := range map[string]llm.Request{
		"nothing":           request(),
		"begins with reply": request(reply("b"), u),
		"ends with reply":   request(u, reply("b")),
		"system inside":     request(u, projection.Message{Role: projection.RoleSystem, Text: "s"}, u),
		"empty":             request(u, reply(" \n"), u),
		"no result":         request(u, reply("", call("c", `{}`)), u),
		"no result at all":  request(u, reply("", call("c", `{}`))),
		"orphan":            request(u, result("c", "r")),
		"answered twice":    request(u, reply("", call("c", `{}`)), result("c", "r"), result("c", "r")),
		"other order":       request(u, reply("", call("c", `{}`), call("d", `{}`)), result("d", "r"), result("c", "r")),
		"id used before":    request(u, reply("", call("c", `{}`)), result("c", "r"), reply("", call("c", `{}`)), result("c", "r")),
		"id of other form":  request(u, reply("", call("c d", `{}`)), result("c d", "r")),
		"arguments":         request(u, reply("", call("c", `[1]`)), result("c", "r")),
		"null":              request(u, reply("", call("c", `null`)), result("c", "r")),
		"empty result":      request(u, reply("", call("c", `{}`)), result("c", "")),
		"NUL":               request(user("a\x00b")),
		"half a character":  request(user("a\xe5")),
	} {
		if len(agenttest.Inspect(r)) == 0 {
			t.Errorf("%s: nothing is seen", name)
		}
	}
	good := request(u, reply("b"), u, reply("", call("c", `{}`), call("d", `{"n":1}`)), result("c", "r"), result("d", "r"))
	if wrong := agenttest.Inspect(good); len(wrong) > 0 {
		t.Errorf("seen %v", wrong)
	}
	s, tools := &agenttest.Server{}, []conversation.ToolSpec{{Name: "look"}}
	for i, r := range []llm.Request{{Tools: tools}, {Tools: tools}, {}} {
		r.Messages = []projection.Message{u}
		ask(t.Context(), s, r)
		if got := s.Served()[i].Wrong; len(got) > 0 != (i == 2) {
			t.Errorf("request %d: %v", i, got)
		}
	}
}

// job is a summary of a talk in both forms.
func jobs() []summary.Job {
	var log []conversation.Event
	add := func(turn int, b conversation.Body) {
		log = append(log, conversation.Event{Seq: uint64(len(log) + 1), Turn: turn, Body: b})
	}
	for i := range 30 {
		text := fmt.Sprintf("what about item %d of the list, and what does it say of the others? %s", i, strings.Repeat("I have to know. ", i))
		add(i, conversation.UserMessage{Text: text, Size: conversation.Measure(text)})
		text = fmt.Sprintf("item %d says this: %s", i, strings.Repeat(fmt.Sprintf("number %d is taken, ", i), 20))
		add(i, conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd, Size: conversation.Measure(text)})
	}
	ask := summary.Options{Spans: []conversation.Span{{First: 1, Last: 50}}, Rules: preset.RulesOf(preset.Plimsoll).Summary}
	return []summary.Job{summary.ViewJob(projection.Project(log), projection.Capabilities{}, ask), summary.RawJob(log, ask)}
}

func TestSummariesAreWhatTheyAreCalled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		summary agenttest.Summariser
		want    error
	}{
		"healthy": {nil, nil}, "empty": {agenttest.Wordless, summary.ErrEmpty}, "cut": {agenttest.Cut, summary.ErrCut},
		"calls": {agenttest.Calling, summary.ErrCalls}, "echo": {agenttest.Echoing, summary.ErrEcho},
		"more than it got": {agenttest.Swelling, summary.ErrLong},
	} {
		s := &agenttest.Server{Summary: c.summary}
		for _, job := range jobs() {
			o := ask(t.Context(), s, llm.Request{System: job.System, Messages: job.Messages, MaxTokens: job.MaxTokens})
			_, err := summary.Accept(job, summary.Answer{Text: o.text, Stop: o.stop, Calls: o.calls, Input: job.Input})
			if !errors.Is(err, c.want) {
				t.Errorf("%s, %s: %v, want %v: %.200s", name, job.Input, err, c.want, o.text)
			}
			if got := s.Served()[len(s.Served())-1]; got.Purpose != conversation.ForSummary {
				t.Errorf("%s: taken for a request for a reply", job.Input)
			}
		}
	}
}

func TestSummariesThatDoNotCome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		job, gate := jobs()[0], agenttest.NewGate()
		fault := agenttest.Failing(&llm.Error{Class: llm.ServerFault, Message: "it fell over"})
		var all []llm.Class
		for _, summary := range []agenttest.Summariser{
			agenttest.After(1, fault, agenttest.Healthy), agenttest.Limited(5 * time.Second), agenttest.Dropping, agenttest.Hanging,
		} {
			s := &agenttest.Server{Summary: summary}
			for range 2 {
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				o := ask(ctx, s, request(job.Messages...))
				stop()
				if o.err == nil {
					o.err = &llm.Error{}
				}
				all = append(all, o.err.Class)
			}
			if n := s.Running(); n != 0 {
				t.Errorf("%d streams run", n)
			}
		}
		want := []llm.Class{llm.ServerFault, "", llm.RateLimited, llm.RateLimited, llm.Truncated, llm.Truncated, llm.Cancelled, llm.Cancelled}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Error(diff)
		}

		// A summary waits, and a reply goes on beside it.
		s := &agenttest.Server{Summary: agenttest.Gated(func(int) *agenttest.Gate { return gate }, agenttest.Healthy)}
		var summary outcome
		var both sync.WaitGroup
		both.Go(func() { summary = ask(t.Context(), s, request(job.Messages...)) })
		<-gate.Reached()
		if o := ask(t.Context(), s, request(user("a"))); o.text != "yes" || s.Running() != 1 {
			t.Errorf("got %+v", o)
		}
		gate.Open()
		both.Wait()
		if summary.stop != conversation.StopEnd {
			t.Errorf("got %+v", summary)
		}
	})
}

package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

func TestAnswersAMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate() // so that the watcher sees the phase before it
		r := start(t, nil, agenttest.Join(agenttest.WaitAtGate(gate),
			agenttest.StreamReasoning("hm"), agenttest.StreamText("hel", "lo"), agenttest.Stop(conversation.StopEnd),
			agenttest.StreamChunk(llm.Chunk{Usage: &llm.Tokens{Prompt: 12, Cached: -1, CacheWrite: -1, Completion: 3, Reasoning: 1}})))
		r.sendAndWait("hi\nthere")
		gate.Open()
		r.waitIdle()
		r.finish()

		var batches []string
		for _, b := range r.memory.Batches() {
			batches = append(batches, strings.Join(describe(b), " | "))
		}
		want := []string{
			"instructions | model test/m | user hi\nthere",
			"assistant stop hello | usage of 4: 12+3 | renamed auto hi",
		}
		checkEqual(t, want, batches)
		if diff := cmp.Diff(r.memory.Events(), r.watch.Events()); diff != "" {
			t.Errorf("events (-log +updates): %s", diff)
		}
		checkEqual(t, []updates.Phase{updates.Waiting, updates.Streaming, updates.Idle}, r.watch.Phases())
		var text, reasoning string
		for _, d := range agenttest.UpdatesOf[updates.Delta](r.watch) {
			text, reasoning = text+d.Text, reasoning+d.Reasoning
		}
		if text != "hello" || reasoning != "hm" {
			t.Errorf("streamed the text %q and the reasoning %q, want \"hello\" and \"hm\"", text, reasoning)
		}
		meters := agenttest.UpdatesOf[updates.Metered](r.watch)
		if got := meters[len(meters)-1].Meter.Reading(); got.Used != 14 || got.Estimated {
			t.Errorf("used %d, estimated %v, want the reported 14", got.Used, got.Estimated)
		}
	})
}

func TestRequestCarriesPromptToolsAndHistory(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withTools(agenttest.Reader("look", nil)), textReply("one"), textReply("two"))
		r.sendAndWait("a")
		r.sendAndWait("b")
		r.finish()
		got := r.provider.Requests()
		if len(got) != 2 {
			t.Fatalf("%d requests, want 2", len(got))
		}
		q := got[1]
		if q.Model != "m" || q.System != "be brief" || q.Conversation != "conversation" || q.MaxTokens != 0 {
			t.Errorf("request is %+v", q)
		}
		if len(q.Tools) != 1 || q.Tools[0].Name != "look" || !q.Tools[0].ReadOnly {
			t.Errorf("tools are %+v", q.Tools)
		}
		var texts []string
		for _, m := range q.Messages {
			texts = append(texts, string(m.Role)+" "+m.Text)
		}
		checkEqual(t, []string{"user a", "assistant one", "user b"}, texts)
	})
}

// gated returns a tool function that waits at the gate named by the arguments.
func gated(gates map[string]*agenttest.Gate) func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
	return func(ctx context.Context, c conversation.ToolCall, progress func(string)) conversation.Outcome {
		progress("printed by " + c.ID)
		if err := gates[c.ID].Pass(ctx); err != nil {
			return conversation.Outcome{Status: conversation.ResultInterrupted, Text: "printed by " + c.ID}
		}
		return okOutcome("result of " + c.ID)
	}
}

func TestReadOnlyCallsRunAtTheSameTimeAndAnswerInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gates := map[string]*agenttest.Gate{"c1": agenttest.NewGate(), "c2": agenttest.NewGate()}
		write := agenttest.Writer("write", nil)
		write.Review.Need = conversation.NeedNothing
		r := start(t, withTools(agenttest.Reader("look", gated(gates)), write),
			callsReply(agenttest.StreamCall(0, "c1", "look"), agenttest.StreamCall(1, "c2", "look"), agenttest.StreamCall(2, "c3", "write")), textReply("done"))
		r.sendAndWait("go")
		// Neither gate is open: both are reached only if the calls run at the same time.
		<-gates["c1"].Reached()
		<-gates["c2"].Reached()
		gates["c2"].Open()
		r.waitIdle()
		gates["c1"].Open()
		r.waitIdle()
		r.finish()
		results := r.memory.Batches()[2]
		checkEqual(t, []string{"result c1 ok result of c1", "result c2 ok result of c2"}, describe(results))
		if got := agenttest.UpdatesOf[updates.ToolOutput](r.watch); len(got) != 2 {
			t.Errorf("output updates %v, want 2", got)
		}
	})
}

func TestManyReadOnlyCallsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		var calls []agenttest.Reply
		for i := range 20 {
			calls = append(calls, agenttest.StreamCall(i, fmt.Sprint("c", i), "look"))
		}
		r := start(t, withTools(agenttest.Reader("look", func(ctx context.Context, _ conversation.ToolCall, _ func(string)) conversation.Outcome {
			_ = gate.Pass(ctx)
			return okOutcome("")
		})), callsReply(calls...), textReply("done"))
		r.sendAndWait("go")
		gate.Open()
		r.waitIdle()
		r.finish()
		if most, _ := r.tools.Parallel(); most != 8 {
			t.Errorf("%d calls ran at the same time, want 8", most)
		}
	})
}

func TestCallsThatChangeSomethingRunAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		write := agenttest.Writer("write", nil)
		write.Review.Need = conversation.NeedNothing
		r := start(t, withTools(agenttest.Reader("look", nil), write),
			callsReply(agenttest.StreamCall(0, "c1", "look"), agenttest.StreamCall(1, "c2", "write"), agenttest.StreamCall(2, "c3", "write"), agenttest.StreamCall(3, "c4", "look")),
			textReply("done"))
		r.sendAndWait("go")
		r.finish()
		if most, _ := r.tools.Parallel(); most != 1 {
			t.Errorf("%d calls ran at the same time, want 1", most)
		}
		var ids []string
		for _, c := range r.tools.Calls() {
			ids = append(ids, c.ID)
		}
		checkEqual(t, []string{"c1", "c2", "c3", "c4"}, ids)
		if got := len(r.memory.Batches()); got != 2+4+1 {
			t.Errorf("%d transactions, want one per group", got)
		}
	})
}

func TestCallsWithInvalidArgumentsAreAnsweredNotRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withTools(agenttest.Reader("look", nil)),
			callsReply(agenttest.StreamCall(0, "c1", "look", `{"a":`), agenttest.StreamCall(1, "c2", "look", `{}`)), textReply("sorry"))
		r.sendAndWait("go")
		r.finish()
		if n := len(r.tools.Calls()); n != 1 {
			t.Errorf("%d calls ran, want the valid one", n)
		}
		got := messageLines(r.memory.Events())
		if !strings.Contains(got[1], `[c1 look {"_invalid":"{\"a\":"}]`) || !strings.HasPrefix(got[2], "result c1 error error: the arguments") {
			t.Errorf("the log is %q, want the invalid call kept and answered", got)
		}
	})
}

func TestCallIDsAreMadeUnique(t *testing.T) {
	bubble(t, func(t *testing.T) {
		call := func(i int, id string) agenttest.Reply { return agenttest.StreamCall(i, id, "look") }
		r := start(t, withTools(agenttest.Reader("look", nil)),
			callsReply(call(0, "same"), call(1, ""), call(2, "")), callsReply(call(0, "same"), call(0, "other")), textReply("done"))
		r.sendAndWait("go")
		r.finish() // checks that ids are unique and answered once
		if n := len(r.tools.Calls()); n != 5 {
			t.Errorf("%d calls ran, want 5: two with the same index and different ids are two", n)
		}
	})
}

func TestCallsOfATruncatedReplyAreNotRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withTools(agenttest.Reader("look", nil)),
			agenttest.Join(agenttest.StreamCall(0, "c1", "look", `{}`), agenttest.Stop(conversation.StopLength)), textReply("more"))
		r.sendAndWait("go")
		if n := len(r.tools.Calls()); n != 0 {
			t.Errorf("%d calls ran, want none", n)
		}
		r.sendAndWait("go on")
		r.finish()
		got := messageLines(r.memory.Events())
		if len(got) != 5 || !strings.HasPrefix(got[2], "result c1 interrupted not run: the reply reached its token limit") {
			t.Errorf("the log is %q, want the calls answered as not run", got)
		}
	})
}

func TestEndlessToolLoopIsEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		loop := callsReply(agenttest.StreamCall(0, "c", "look"))
		r := start(t, func(o *core.Options) {
			withTools(agenttest.Reader("look", nil))(o)
			o.MaxSteps = 3
		}, loop, loop, loop, loop)
		r.sendAndWait("go")
		r.finish()
		if n := len(r.provider.Requests()); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
		if got := messageLines(r.memory.Events()); got[len(got)-1] != "notice warning" {
			t.Errorf("the log is %q, want a warning at its end", got)
		}
	})
}

func TestLongResultIsCutAndKeptWhole(t *testing.T) {
	bubble(t, func(t *testing.T) {
		long := strings.Repeat("ä", 100)
		r := start(t, func(o *core.Options) {
			withTools(agenttest.Reader("look", func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
				return okOutcome(long)
			}))(o)
			o.Results = core.Results{MaxChars: 10, KeepFull: true, Ceiling: 25}
		}, callsReply(agenttest.StreamCall(0, "c1", "look")), textReply("done"))
		r.sendAndWait("go")
		r.finish()
		for _, e := range r.memory.Events() {
			res, isResult := e.Body.(conversation.ToolResult)
			if !isResult {
				continue
			}
			shown, total := conversation.Cut(long, 10)
			if res.Text != shown || res.Total != total || total != 100 {
				t.Errorf("the result is %q of %d, want %q of %d", res.Text, res.Total, shown, total)
			}
			if full := r.memory.Blob(res.Blob); full != strings.Repeat("ä", 12) || !utf8.ValidString(full) {
				t.Errorf("kept %q, want 24 bytes of whole characters", full)
			}
		}
	})
}

func TestARefusedTurnIsLeftOutOfTheNextRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		refusal := agenttest.Join(agenttest.StreamText("I "), agenttest.StreamChunk(llm.Chunk{Stop: conversation.StopFiltered, Refusal: "cyber: declined"}))
		r := start(t, nil, textReply("hello"), refusal, textReply("fine"), refusal, textReply("back"))
		r.sendAndWait("hi")
		r.sendAndWait("the bad one")
		if got := r.returned(); !slices.Equal(got, []string{"the bad one"}) {
			t.Errorf("returned to the composer %q, want \"the bad one\"", got)
		}
		r.sendAndWait("something else")
		sent := func(i int) string {
			var b strings.Builder
			for _, m := range r.provider.Requests()[i].Messages {
				b.WriteString(m.Text + "|")
			}
			return b.String()
		}
		if got := sent(2); got != "hi|hello|something else|" {
			t.Errorf("the request after the refusal has %q", got)
		}
		kept, told := false, ""
		for _, e := range r.memory.Events() {
			switch b := e.Body.(type) {
			case conversation.AssistantMessage:
				kept = kept || b.Text == "I " && b.Stop == conversation.StopFiltered && b.Error == "cyber: declined"
			case conversation.Notice:
				told += b.Text
			}
		}
		if !kept || !strings.Contains(told, "refused: cyber: declined") || !strings.Contains(told, "/rewind") {
			t.Errorf("recorded %v, failure %q; want the reason and /rewind", kept, told)
		}
		r.sendAndWait("worse")
		r.RestoreTurns()
		r.waitIdle()
		r.sendAndWait("again")
		if got := sent(4); got != "hi|hello|something else|fine|worse|I |again|" {
			t.Errorf("the request after the restore has %q", got)
		}
		r.finish()
	})
}

func TestPausedReplyContinues(t *testing.T) {
	bubble(t, func(t *testing.T) {
		pauses := agenttest.Join(agenttest.StreamText("I search"), agenttest.StreamChunk(llm.Chunk{Stop: conversation.StopEnd, Paused: true}))
		r := start(t, func(o *core.Options) { o.MaxSteps = 3 }, pauses, textReply("found"), pauses, pauses, pauses)
		r.sendAndWait("find it")
		all := r.provider.Requests()
		if len(all) != 2 || all[1].Messages[1].Role != projection.RoleAssistant || all[1].Messages[1].Text != "I search" {
			t.Fatalf("requests %+v, want 2, the second with the paused reply", all)
		}
		r.sendAndWait("for ever")
		if n := len(r.provider.Requests()); n != 5 {
			t.Errorf("%d requests, want 5: 3 at most in a turn", n)
		}
		if len(r.failures()) > 0 {
			t.Errorf("failures %v, want none", r.failures())
		}
		r.finish()
	})
}

// askedCalls returns the ids of the calls that needed approval so far.
func (r *rig) askedCalls() []string {
	var ids []string
	for _, u := range agenttest.UpdatesOf[updates.AskApproval](r.watch) {
		ids = append(ids, u.Call.ID)
	}
	return ids
}

func twoWrites() agenttest.Reply {
	return callsReply(agenttest.StreamCall(0, "c1", "write"), agenttest.StreamCall(1, "c2", "write"))
}

func TestCallsOfAReplyAreAskedTogetherAndRunInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withTools(agenttest.Writer("write", nil)), twoWrites(), textReply("done"))
		r.sendAndWait("go")
		if diff := cmp.Diff([]string{"c1", "c2"}, r.askedCalls()); diff != "" {
			t.Fatal(diff)
		}
		r.Answer("c2", conversation.Answer{Grant: conversation.GrantOnce})
		r.waitIdle()
		if n := len(r.tools.Calls()); n != 0 {
			t.Fatalf("%d calls ran before the answer, want none", n)
		}
		r.Answer("c1", conversation.Answer{Grant: conversation.GrantOnce})
		r.Answer("c1", conversation.Answer{Grant: conversation.GrantNo}) // answered already
		r.waitIdle()
		r.finish()
		if diff := cmp.Diff([]string{"user go", "assistant calls [c1 write {}] [c2 write {}]", "result c1 ok {}", "result c2 ok {}", "assistant stop done"},
			messageLines(r.memory.Events())); diff != "" {
			t.Error(diff)
		}
		if a := r.tools.Allowed(); len(a) != 0 {
			t.Errorf("approval once was stored as a grant: %v", a)
		}
	})
}

func TestApprovalAnswersDecideCalls(t *testing.T) {
	deny := func(grant conversation.Grant) conversation.Answer {
		return conversation.Answer{Grant: grant, Text: "not that file"}
	}
	const denied = "result c1 denied denied: the user did not allow this call. The user says: not that file"
	planned := agenttest.Writer("write", nil)
	planned.Review = conversation.Review{Need: conversation.NeedRefusal, Reason: "plan mode changes nothing"}
	write := agenttest.Writer("write", nil)
	for name, c := range map[string]struct {
		tool    agenttest.Tool
		nobody  bool // no user is present
		broken  bool // the grant cannot be stored
		answers []conversation.Answer
		asked   []string
		ran     int
		results []string
		allowed []agenttest.Allowed
	}{
		"for the run": {tool: write, answers: []conversation.Answer{{Grant: conversation.GrantRun}}, asked: []string{"c1", "c2"}, ran: 2,
			results: []string{"result c1 ok {}", "result c2 ok {}"}, allowed: []agenttest.Allowed{{Tool: "write", Grant: conversation.GrantRun}}},
		"for ever": {tool: write, answers: []conversation.Answer{{Grant: conversation.GrantAlways}}, asked: []string{"c1", "c2"}, ran: 2,
			results: []string{"result c1 ok {}", "result c2 ok {}"}, allowed: []agenttest.Allowed{{Tool: "write", Grant: conversation.GrantAlways}}},
		"for ever, not stored": {tool: write, broken: true, answers: []conversation.Answer{{Grant: conversation.GrantAlways}, {Grant: conversation.GrantOnce}},
			asked: []string{"c1", "c2"}, ran: 2, results: []string{"result c1 ok {}", "result c2 ok {}"}},
		"no": {tool: write, answers: []conversation.Answer{deny(conversation.GrantNo), {Grant: conversation.GrantOnce}}, asked: []string{"c1", "c2"}, ran: 1,
			results: []string{denied, "result c2 ok {}"}},
		"an unknown grant": {tool: write, answers: []conversation.Answer{deny("whatever"), {Grant: conversation.GrantOnce}}, asked: []string{"c1", "c2"}, ran: 1,
			results: []string{denied, "result c2 ok {}"}},
		"a question": {tool: questionTool("write"), answers: []conversation.Answer{{Grant: conversation.GrantOnce, Text: "the first"}, {Grant: conversation.GrantNo}},
			asked: []string{"c1", "c2"}, results: []string{"result c1 ok the first", "result c2 denied the user did not answer"}},
		"no user":                {tool: write, nobody: true, results: []string{"result c1 denied denied: this call needs", "result c2 denied denied: this call needs"}},
		"a question and no user": {tool: questionTool("write"), nobody: true, results: []string{"result c1 denied no user is present", "result c2 denied no user is present"}},
		"a call that is refused": {tool: planned, results: []string{"result c1 denied plan mode changes nothing", "result c2 denied plan mode changes nothing"}},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := start(t, func(o *core.Options) {
				withTools(c.tool)(o)
				o.Interactive = !c.nobody
			}, twoWrites(), textReply("done"), textReply("two"))
			if c.broken {
				r.tools.AllowErr = errors.New("read-only file")
			}
			r.sendAndWait("go")
			r.sendAndWait("and then") // waits while a call does
			for i, a := range c.answers {
				r.Answer(c.asked[i], a)
				r.waitIdle()
			}
			r.finish()
			got := messageLines(r.memory.Events())
			for i, want := range c.results {
				if !strings.HasPrefix(got[2+i], want) {
					t.Errorf("got %q, want %q", got[2+i], want)
				}
			}
			checkEqual(t, []string{"assistant stop done", "user and then", "assistant stop two"}, got[4:])
			if diff := cmp.Diff(c.asked, r.askedCalls()); diff != "" {
				t.Errorf("asked calls (-want +got): %s", diff)
			}
			if diff := cmp.Diff(c.allowed, r.tools.Allowed()); diff != "" || len(r.tools.Calls()) != c.ran || c.broken != (len(r.failures()) == 1) {
				t.Errorf("%d calls ran, want %d; failures %v, grants: %s", len(r.tools.Calls()), c.ran, r.failures(), diff)
			}
		})
	}
}

// An answer to a call that changed before its turn came does not count: it is asked again.
func TestAnEarlyAnswerHoldsForTheSameCallOnly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := movingToolbox{agenttest.NewToolbox(agenttest.Writer("write", nil))}
		r := start(t, func(o *core.Options) { o.Toolbox = box }, twoWrites(), textReply("done"))
		r.sendAndWait("go")
		for range 2 {
			r.Answer("c2", conversation.Answer{Grant: conversation.GrantOnce})
			r.Answer("c1", conversation.Answer{Grant: conversation.GrantOnce})
			r.waitIdle()
		}
		r.stop()
		checkEqual(t, []string{"c1", "c2", "c2"}, r.askedCalls())
		if n := len(box.Calls()); n != 2 {
			t.Errorf("%d calls ran, want 2", n)
		}
	})
}

// movingToolbox has a tool whose effect depends on the calls before.
type movingToolbox struct{ *agenttest.Toolbox }

func (m movingToolbox) Review(ctx context.Context, call conversation.ToolCall) conversation.Review {
	r := m.Toolbox.Review(ctx, call)
	r.Diff = fmt.Sprint(len(m.Calls()))
	return r
}

func TestTheUserChangesACommandBeforeItRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		tool := agenttest.Writer("run_command", nil)
		tool.Review.Command, tool.Review.Changeable = "rm -rf /", true
		r := start(t, withTools(tool), callsReply(agenttest.StreamCall(0, "c1", "run_command", `{"command":"rm -rf /","timeout":5}`)), textReply("done"))
		r.sendAndWait("go")
		r.Answer("c1", conversation.Answer{Grant: conversation.GrantOnce, Command: "rm -rf build"})
		r.waitIdle()
		r.finish()
		const ran = `{"command":"rm -rf build","timeout":5}`
		checkEqual(t, []string{"user go", `assistant calls [c1 run_command {"command":"rm -rf /","timeout":5}]`,
			"result c1 ok The user changed the command. This ran instead:\nrm -rf build\n\n" + ran, "assistant stop done"}, messageLines(r.memory.Events()))
		if got := bodies[conversation.ToolResult](r.memory.Events())[0].Ran; got != "rm -rf build" || r.tools.Calls()[0].Arguments != ran {
			t.Errorf("the event says %q, %s ran", got, r.tools.Calls()[0].Arguments)
		}
	})
}

func TestARunningCallThatAsksIsSeenToWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var r *rig
		tool := agenttest.Reader("run_command", func(ctx context.Context, _ conversation.ToolCall, _ func(string)) conversation.Outcome {
			answer, ok := r.AskAbout(ctx, conversation.ToolCall{ID: "network 1", Name: "network"}, conversation.Review{Need: conversation.NeedApproval, Title: "network x"})
			return okOutcome(fmt.Sprint(answer.Grant, ok))
		})
		r = start(t, withTools(tool), callsReply(agenttest.StreamCall(0, "c1", "run_command")), textReply("done"))
		r.sendAndWait("go")
		phases := func() (out []updates.Phase) {
			for _, s := range agenttest.UpdatesOf[updates.Status](r.watch) {
				out = append(out, s.Phase)
			}
			return out
		}
		if got := phases(); got[len(got)-1] != updates.Asking {
			t.Errorf("phases %v", got)
		}
		r.Answer("network 1", conversation.Answer{Grant: conversation.GrantOnce})
		r.waitIdle()
		r.finish()
		if got := phases(); !slices.Contains(got[slices.Index(got, updates.Asking):], updates.Running) {
			t.Errorf("phases %v", got)
		}
		checkEqual(t, "result c1 ok oncetrue", messageLines(r.memory.Events())[2])
	})
}

func questionTool(name string) agenttest.Tool {
	q := agenttest.Reader(name, nil)
	q.Review = conversation.Review{Need: conversation.NeedAnswer, ReadOnly: true, Question: "which?", Options: []string{"a", "b"}}
	return q
}

// changingToolbox is a toolbox that refuses "write" after another call has run.
type changingToolbox struct{ *agenttest.Toolbox }

func (m changingToolbox) Review(ctx context.Context, call conversation.ToolCall) conversation.Review {
	if call.Name == "write" && len(m.Calls()) > 0 {
		return conversation.Review{Need: conversation.NeedRefusal, Reason: "not any more"}
	}
	return m.Toolbox.Review(ctx, call)
}

func TestCallIsReviewedAfterTheCallsBeforeIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := agenttest.NewToolbox(agenttest.Reader("look", nil), agenttest.Tool{Spec: conversation.ToolSpec{Name: "write"}})
		r := start(t, func(o *core.Options) { o.Toolbox = changingToolbox{box} },
			callsReply(agenttest.StreamCall(0, "a", "look"), agenttest.StreamCall(1, "b", "write")), textReply("fine"))
		r.sendAndWait("go")
		r.finish()
		want := []string{"user go", "assistant calls [a look {}] [b write {}]", "result a ok {}", "result b denied not any more", "assistant stop fine"}
		checkEqual(t, want, messageLines(r.memory.Events()))
	})
}

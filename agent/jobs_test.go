package agent_test

import (
	"context"
	"strings"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/conversation"
)

func TestTheModelIsToldOnceOfEndedJobs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		build := agenttest.Reader("build", func(ctx context.Context, _ conversation.ToolCall, _ func(string)) conversation.Outcome {
			_ = gate.Pass(ctx)
			return okOutcome("built")
		})
		r := start(t, withTools(build), textReply("hello"), callsReply(agenttest.StreamCall(0, "1", "build", `{}`)), textReply("done"), textReply("more"))
		r.sendAndWait("hi")
		r.Record(conversation.JobStarted{ID: "p1", Command: "make"}, conversation.JobEnded{ID: "p1", Command: "make", How: "exit code 2", Duration: 5000})
		r.Record(conversation.JobEnded{ID: "p2", Command: "x", How: "exit code 0", Told: true})
		r.waitIdle()
		r.Send("go on")
		<-gate.Reached()
		r.Record(conversation.JobEnded{ID: "p3", Command: "serve", How: "ended by the user", By: conversation.EndedByUser})
		gate.Open()
		r.waitIdle()
		r.sendAndWait("and")
		note := `[background command p1 (make): exit code 2 after 5s; run_command with id reads its output]`
		want := []string{"user hi", "assistant stop hello", "user go on\n\n" + note, "assistant calls [1 build {}]",
			"result 1 ok [background command p3 (serve): ended by the user; run_command with id reads its output]\n\nbuilt",
			"assistant stop done", "user and", "assistant stop more"}
		checkEqual(t, want, messageLines(r.memory.Events()))
		for _, m := range bodies[conversation.UserMessage](r.memory.Events()) {
			if strings.Contains(m.Typed(), "background") {
				t.Errorf("the composer would get %q", m.Typed())
			}
		}
		r.Rewind(1) // what told the model is undone
		r.waitIdle()
		r.provider.Add(textReply("again"))
		r.sendAndWait("once more")
		all := messageLines(r.memory.Events())
		if got := all[len(all)-2]; !strings.HasPrefix(got, "user once more\n\n"+note+"\n[background command p3") {
			t.Errorf("after an undo the model is told %q", got)
		}
		r.finish()
	})
}

func TestJobsThatEndedWithTheProgramAreTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, textReply("hello"))
		r.sendAndWait("hi")
		r.Record(conversation.JobStarted{ID: "p1", Command: "serve"}, conversation.JobStarted{ID: "p2", Command: "x"}, conversation.JobEnded{ID: "p2"})
		r.waitIdle()
		memory := r.memory
		r.finish()
		lost := conversation.LostJobs(memory.Events())
		if len(lost) != 1 || lost[0].ID != "p1" {
			t.Fatalf("lost %+v", lost)
		}
		r = start(t, func(o *core.Options) {
			o.Log, o.Stored = memory, core.Stored{ID: "conversation", Events: memory.Events()}
		}, textReply("I start it again"))
		r.Record(lost[0])
		r.sendAndWait("is it up?")
		lines := messageLines(memory.Events())
		if !strings.Contains(lines[2], "[background command p1 (serve): ended with the program; its output is gone]") {
			t.Errorf("told %q", lines[2])
		}
		r.finish()
	})
}

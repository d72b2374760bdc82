package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
)

// runAsk asks an agent one question and returns the output of the turn.
func runAsk(t *testing.T, json bool, o core.Options, script ...agenttest.Reply) (out, progress string, err error) {
	t.Helper()
	o.Provider, o.Model = agenttest.NewProvider(script...), llm.Model{Provider: "test", ID: "m"}
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	var stdout, stderr bytes.Buffer
	p := newTurnPrinter(&console.Console{Env: console.Env{Stdout: &stdout, Stderr: &stderr}}, json)
	p.running = &session.Running{Agent: a}
	a.Send("go")
	watched := make(chan error, 1)
	go func() { watched <- p.watch(ctx) }()
	select {
	case err = <-watched:
	case <-time.After(time.Hour):
		t.Error("ask waits for ever")
	}
	stop()
	<-ended
	return stdout.String(), stderr.String(), err
}

func TestAskEndsWhenNothingCanBeSaved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full := &agenttest.Memory{Fail: func(string) error { return errors.New("disk full") }}
		_, _, err := runAsk(t, false, core.Options{Log: full})
		var failure *llm.Error
		if !errors.As(err, &failure) || failure.Class != llm.NotSaved || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("got %v", err)
		}
	})
}

func TestAskFailsWhenTheModelRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, progress, err := runAsk(t, false, core.Options{Log: &agenttest.Memory{}}, agenttest.StreamChunk(llm.Chunk{Stop: conversation.StopFiltered, Refusal: "cyber: declined"}))
		if err == nil || !strings.Contains(progress, "refused: cyber: declined") {
			t.Errorf("%v, told %q", err, progress)
		}
	})
}

func TestAskReportsAFailureAsJSON(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out, _, err := runAsk(t, true, core.Options{Log: &agenttest.Memory{}}, agenttest.Fail(&llm.Error{Class: llm.Overloaded, Message: "busy"}),
			agenttest.StreamChunk(llm.Chunk{Stop: conversation.StopFiltered, Refusal: "cyber: declined"}))
		for _, want := range []string{`"class":"overloaded"`, `"class":"bad request","message":"the model refused to answer: cyber: declined"`, `"reason":"filtered"`} {
			if err == nil || !strings.Contains(out, want) {
				t.Errorf("%v, no %s in %s", err, want, out)
			}
		}
	})
	over, stop := context.WithCancel(t.Context())
	stop()
	for reason, ctx := range map[string]context.Context{"failed": t.Context(), "cancelled": over} {
		var out bytes.Buffer
		err := newTurnPrinter(&console.Console{Env: console.Env{Stdout: &out}}, true).endEarly(ctx)
		if err != nil || !strings.Contains(out.String(), `"reason":"`+reason+`"`) {
			t.Errorf("%v, not %s: %s", err, reason, out.String())
		}
	}
}

func TestAskDoesNotPrintTheReplyOfAKilledRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &agenttest.Memory{}
		killed := core.Stored{Partial: &conversation.PartialReply{Text: "half of ano", Model: "test/m", Request: conversation.Usage{Model: "test/m"}}}
		out, _, err := runAsk(t, false, core.Options{Log: log, Stored: killed}, agenttest.StreamChunk(llm.Chunk{Text: "whole", Stop: conversation.StopEnd}))
		if err != nil || out != "whole\n" || len(log.Events()) < 4 {
			t.Errorf("%q, %v, %d events", out, err, len(log.Events()))
		}
	})
}

func TestAskCanBeInterruptedWhileItWaitsForInput(t *testing.T) {
	t.Parallel()
	input, writer := io.Pipe()
	defer writer.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := console.ReadAll(ctx, input, 100, func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAskReportsThatItWaitsForInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		input, writer := io.Pipe()
		told := 0
		type read struct {
			text string
			err  error
		}
		got := make(chan read, 1)
		go func() {
			data, err := console.ReadAll(t.Context(), input, 100, func() { told++ })
			got <- read{data, err}
		}()
		<-time.After(time.Minute)
		if _, err := io.WriteString(writer, "at last"); err != nil {
			t.Fatal(err)
		}
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
		if r := <-got; r != (read{"at last", nil}) || told != 1 {
			t.Errorf("got %+v, told %d times", r, told)
		}
	})
}

func TestSettingsOfProvidersAreNotRecorded(t *testing.T) {
	t.Parallel()
	a := newApp(console.Env{}, setup.Flags{Set: []string{
		"providers.x.headers.Authorization=secret", "providers={x: {headers: {Authorization: secret}}}", " providers = {}", "ui.theme=dark",
	}})
	if diff := cmp.Diff(map[string]string{"ui.theme": "dark"}, a.Settings.Overrides()); diff != "" {
		t.Error(diff)
	}
}

// Standard output has a retried reply once, as in the log: without the text of earlier tries, also if all tries failed.
func TestAskWritesARetriedReplyOnce(t *testing.T) {
	t.Parallel()
	broken := agenttest.Join(agenttest.StreamText("The beg"), agenttest.Fail(&llm.Error{Class: llm.Truncated, Message: "cut"}))
	whole := agenttest.Join(agenttest.StreamText("Another ", "answer."), agenttest.Stop(conversation.StopEnd))
	synctest.Test(t, func(t *testing.T) {
		out, _, err := runAsk(t, false, core.Options{Log: &agenttest.Memory{}}, broken, whole)
		if err != nil || out != "Another answer.\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		out, _, err := runAsk(t, false, core.Options{Log: &agenttest.Memory{}}, slices.Repeat([]agenttest.Reply{broken}, 20)...)
		if err == nil || out != "The beg\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
}

// Calls that an earlier run left without results are counted, however many there are.
func TestAskReportsManyOpenCallsInOneLine(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	p := &turnPrinter{reply: &console.Reply{Out: io.Discard}, stderr: &stderr}
	var events []conversation.Event
	for range 25_000 {
		events = append(events, conversation.Event{Body: conversation.ToolResult{Tool: "run_command", Status: conversation.ResultInterrupted}})
	}
	p.showEvents(events)
	p.showEvents(append(events[:1:1], conversation.Event{Body: conversation.ToolResult{Tool: "read_file", Status: conversation.ResultError}}))
	if got := stderr.String(); strings.Count(got, "\n") != maxResultLines+3 || !strings.Contains(got, "25,000") {
		t.Errorf("%d bytes: %.300s", len(got), got)
	}
}

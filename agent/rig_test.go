package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// rig is an agent with fakes around it, in a synctest bubble: waitIdle returns when all goroutines are blocked.
type rig struct {
	*agent.Agent
	t        *testing.T
	provider *agenttest.Provider
	memory   *agenttest.Memory
	tools    *agenttest.Toolbox
	watch    *agenttest.Watcher
	end      context.CancelFunc
	ended    chan error
}

var testModel = llm.Model{
	Provider: "test", ID: "m", Window: meter.Window{Tokens: 100_000, Source: meter.WindowConfig},
	CalibrationKey: "http://test m",
}

// prepare returns a rig whose agent does not run yet.
func prepare(t *testing.T, change func(*core.Options), script ...agenttest.Reply) *rig {
	t.Helper()
	r := &rig{t: t, provider: agenttest.NewProvider(script...), memory: &agenttest.Memory{}, tools: agenttest.NewToolbox()}
	o := core.Options{
		Log: r.memory, Provider: r.provider, Model: testModel, Toolbox: r.tools, Calibrations: r.memory, Backlog: r.memory,
		Stored: core.Stored{ID: "conversation"}, System: "be brief", Interactive: true,
		Retry: llm.Retry{Rand: func() float64 { return 0 }},
	}
	if change != nil {
		change(&o)
	}
	if m, ok := o.Log.(*agenttest.Memory); ok {
		r.memory = m
	}
	if b, ok := o.Toolbox.(*agenttest.Toolbox); ok {
		r.tools = b
	}
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r.Agent = a
	return r
}

func (r *rig) run() *rig {
	ctx, end := context.WithCancel(context.Background())
	r.end, r.ended = end, make(chan error, 1)
	r.watch = agenttest.Watch(context.Background(), r.Updates())
	go func() { r.ended <- r.Run(ctx) }()
	return r
}

func start(t *testing.T, change func(*core.Options), script ...agenttest.Reply) *rig {
	t.Helper()
	r := prepare(t, change, script...).run()
	r.waitIdle()
	return r
}

func (r *rig) waitIdle() { synctest.Wait() }

// sendAndWait sends a message and waits until all goroutines are blocked.
func (r *rig) sendAndWait(text string) {
	r.Send(text)
	r.waitIdle()
}

// stop ends the agent and checks that no stream and no tool call is left.
func (r *rig) stop() error {
	r.t.Helper()
	r.end()
	err := <-r.ended
	<-r.watch.Done()
	if n := r.provider.Running(); n != 0 {
		r.t.Errorf("%d streams outlived the agent", n)
	}
	if _, n := r.tools.Parallel(); n != 0 {
		r.t.Errorf("%d tool calls outlived the agent", n)
	}
	return err
}

// finish stops the agent, which must end without error, and checks the log.
func (r *rig) finish() {
	r.t.Helper()
	if err := r.stop(); err != nil {
		r.t.Errorf("Run: %v", err)
	}
	checkLog(r.t, r.memory.Events())
}

// checkLog checks that a log is valid, that call ids are unique, and that every call has one result.
func checkLog(t *testing.T, events []conversation.Event) {
	t.Helper()
	if _, err := conversation.NewLog(events); err != nil {
		t.Error(err)
	}
	answers := map[string]int{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			for _, c := range b.Calls {
				if _, used := answers[c.ID]; used || c.ID == "" {
					t.Errorf("event %d: call id %q is missing or used before", e.Seq, c.ID)
				}
				answers[c.ID] = 0
			}
		case conversation.ToolResult:
			answers[b.CallID]++
		}
	}
	for id, n := range answers {
		if n != 1 {
			t.Errorf("call %s has %d results", id, n)
		}
	}
}

// describe returns one line for each event, for comparisons.
func describe(events []conversation.Event) []string {
	var out []string
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			out = append(out, "user "+b.Text)
		case conversation.AssistantMessage:
			line := strings.TrimSpace(fmt.Sprintf("assistant %s %s", b.Stop, b.Text))
			for _, c := range b.Calls {
				line += fmt.Sprintf(" [%s %s %s]", c.ID, c.Name, c.Arguments)
			}
			out = append(out, line)
		case conversation.ToolResult:
			out = append(out, fmt.Sprintf("result %s %s %s", b.CallID, b.Status, b.Text))
		case conversation.Usage:
			out = append(out, fmt.Sprintf("usage of %d: %d+%d", b.Reply, b.Prompt, b.Completion))
		case conversation.ModelChanged:
			out = append(out, "model "+b.Name())
		case conversation.Renamed:
			out = append(out, "renamed "+b.By+" "+b.Title)
		case conversation.Notice:
			out = append(out, "notice "+string(b.Level))
		default:
			out = append(out, string(e.Body.Kind()))
		}
	}
	return out
}

// bodies returns the bodies of one type, in order.
func bodies[T conversation.Body](events []conversation.Event) (all []T) {
	for _, e := range events {
		if b, ok := e.Body.(T); ok {
			all = append(all, b)
		}
	}
	return all
}

// checkEqual fails the test if got differs from want.
func checkEqual(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// messageLines describes the messages, tool results and notices of a log.
func messageLines(events []conversation.Event) []string {
	var kept []conversation.Event
	for _, e := range events {
		switch e.Body.Kind() {
		case conversation.KindUser, conversation.KindAssistant, conversation.KindResult, conversation.KindNotice:
			kept = append(kept, e)
		}
	}
	return describe(kept)
}

func textReply(text string) agenttest.Reply {
	return agenttest.Join(agenttest.StreamText(text), agenttest.Stop(conversation.StopEnd))
}

// callsReply returns a complete reply with tool calls only.
func callsReply(calls ...agenttest.Reply) agenttest.Reply {
	return agenttest.Join(agenttest.Join(calls...), agenttest.Stop(conversation.StopCalls))
}

func withTools(tools ...agenttest.Tool) func(*core.Options) {
	return func(o *core.Options) { o.Toolbox = agenttest.NewToolbox(tools...) }
}

func okOutcome(text string) conversation.Outcome {
	return conversation.Outcome{Status: conversation.ResultOK, Text: text}
}

// failures returns the classes of the errors that the user was shown.
func (r *rig) failures() []llm.Class {
	var out []llm.Class
	for _, f := range agenttest.UpdatesOf[updates.Failed](r.watch) {
		out = append(out, f.Err.Class)
	}
	return out
}

// returned returns the texts that came back to the composer.
func (r *rig) returned() []string {
	var out []string
	for _, u := range agenttest.UpdatesOf[updates.Returned](r.watch) {
		out = append(out, u.Texts...)
	}
	return out
}

// bubble runs a parallel test in a synctest bubble.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// runBubble runs a subtest in a synctest bubble.
func runBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { bubble(t, f) })
}

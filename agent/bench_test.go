package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// longLog returns a log of that many events of about 1 KB.
func longLog(b *testing.B, events int) []conversation.Event {
	b.Helper()
	log, err := conversation.NewLog(nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; log.Len() < events; i++ {
		id := fmt.Sprintf("c%d", i)
		err := log.Commit(log.Prepare(time.Unix(1_800_000_000, 0), conversation.UserMessage{Text: fmt.Sprintf("show me listing %d", i)},
			conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "look", Arguments: "{}"}}},
			conversation.ToolResult{CallID: id, Tool: "look", Status: conversation.ResultOK, Text: listing(i)[:1000]},
			conversation.AssistantMessage{Text: listing(i)[:1000], Stop: conversation.StopEnd}))
		if err != nil {
			b.Fatal(err)
		}
	}
	return log.Events()
}

// BenchmarkTurn measures a turn of a conversation of 10,000 events, from Send to idle: alone, and while a summary is
// written in the background, which may add no time. Budget: 50 us for each of the planner's two checks.
func BenchmarkTurn(b *testing.B) {
	events := longLog(b, 10_000)
	for _, beside := range []bool{false, true} {
		b.Run(map[bool]string{false: "alone", true: "beside a summary"}[beside], func(b *testing.B) {
			gate := agenttest.NewGate()
			provider := agenttest.NewProvider()
			model := testModel
			model.Window = meter.Window{Tokens: 20_000_000, Source: meter.WindowConfig}
			memory := &agenttest.Memory{}
			if err := memory.Append(b.Context(), events); err != nil {
				b.Fatal(err)
			}
			a, err := agent.New(core.Options{Log: memory, Provider: provider, Model: model, Interactive: true,
				Stored: core.Stored{ID: "conversation", Events: events}})
			if err != nil {
				b.Fatal(err)
			}
			ctx, end := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- a.Run(ctx) }()
			if beside {
				provider.Add(agenttest.WaitAtGate(gate))
				a.Compact(heavyRequest())
				<-gate.Reached()
			}
			for b.Loop() {
				provider.Add(textReply("fine"))
				a.Send("and that?")
				waitForIdle(b, a.Updates())
			}
			end()
			if err := <-done; err != nil {
				b.Fatal(err)
			}
		})
	}
}

// waitForIdle receives updates until the turn is over.
func waitForIdle(b *testing.B, m *updates.Mailbox) {
	b.Helper()
	for ran := false; ; {
		batch, err := m.Take(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		for _, u := range batch {
			s, isStatus := u.(updates.Status)
			ran = ran || isStatus && s.Phase != updates.Idle
			if ran && isStatus && s.Phase == updates.Idle {
				return
			}
		}
	}
}

// BenchmarkStream reads a reply of 100,000 tokens from a provider that never waits. Budget: 0.2 s in the turn loop,
// of 3.5 s on one core from the network to the screen.
func BenchmarkStream(b *testing.B) {
	words := agenttest.StreamText(strings.Fields(strings.Repeat("word ", 100_000))...)
	reply := agenttest.Join(words, agenttest.Stop(conversation.StopEnd))
	b.ReportAllocs()
	for b.Loop() {
		a, err := agent.New(core.Options{Log: &agenttest.Memory{}, Provider: agenttest.NewProvider(reply), Model: testModel})
		if err != nil {
			b.Fatal(err)
		}
		ctx, end := context.WithCancel(context.Background())
		w := agenttest.Watch(context.Background(), a.Updates())
		done := make(chan error, 1)
		go func() { done <- a.Run(ctx) }()
		a.Send("go")
		_, err = w.Await(ctx, func(u updates.Update) bool {
			s, isStatus := u.(updates.Status)
			return isStatus && s.Phase == updates.Idle
		})
		end()
		if err != nil {
			b.Fatal(err)
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		<-w.Done()
	}
}

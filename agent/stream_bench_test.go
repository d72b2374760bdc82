package agent_test

import (
	"context"
	"strings"
	"testing"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// BenchmarkStream takes a reply of 100,000 tokens from a provider that is as
// fast as it can be. Of the 3.5 s of one core that such a reply may cost from
// the wire to the screen, the loop may have 0.2 s.
func BenchmarkStream(b *testing.B) {
	words := agenttest.Say(strings.Fields(strings.Repeat("word ", 100_000))...)
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

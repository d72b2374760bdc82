package tui_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// bench is a screen of 120x40 with n turns of four events.
func bench(b *testing.B, turns int) (m *tui.Model, listen tea.Cmd, feed updates) {
	b.Helper()
	feed = make(updates, 1)
	r := &rig{world: world{failing: map[string]error{}}}
	m = tui.New(context.Background(), tui.Options{Host: r, Models: r, Desk: r, Prompts: r, Keys: tui.DefaultKeyMap(), Theme: "dark", Now: time.Now})
	var bodies []conversation.Body
	for i := range turns {
		id := fmt.Sprint(i)
		bodies = append(bodies, conversation.UserMessage{Text: "a question of a line or so " + id},
			conversation.AssistantMessage{Text: "I will look.", Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: `{"path":"a.go"}`}}},
			conversation.ToolResult{CallID: id, Tool: "read_file", Status: conversation.ResultOK, Text: strings.Repeat("a line of the file\n", 50)},
			conversation.AssistantMessage{Text: "The **answer**:\n\n1. one\n2. two\n\n```go\nx := 1\n```", Stop: conversation.StopEnd})
	}
	r.first = r.conversation("first", feed)
	r.first.Events = log(bodies...)
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	// The first of the batch opens the conversation.
	_, listen = m.Update(m.Init()().(tea.BatchMsg)[0]())
	if !strings.Contains(ansi.Strip(m.View().Content), "The answer") {
		b.Fatal("the conversation is not open")
	}
	return m, listen, feed
}

// updates hands over what a benchmark puts into it.
type updates chan []agent.Update

func (u updates) Take(context.Context) ([]agent.Update, error) { return <-u, nil }

// Budget: 100 ns and no allocation: an idle program does nothing.
func BenchmarkViewUnchanged(b *testing.B) {
	m, _, _ := bench(b, 250)
	b.ReportAllocs()
	for b.Loop() {
		m.View()
	}
}

// Budget: 100 ms to the first frame of 10,000 events.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		m, _, _ := bench(b, 2500)
		m.View()
	}
}

// Budget: 16 ms at the 95th percentile from a key to its frame, while a reply
// of up to 200 KB streams, with 10,000 events open; the library takes some of
// it.
func BenchmarkKeyToFrame(b *testing.B) {
	m, listen, feed := bench(b, 2500)
	var took []time.Duration
	paragraph := strings.Repeat("words of a paragraph with `code` and **more** ", 8) + "\n\n"
	for i := 0; b.Loop(); i++ {
		if i%500 == 499 {
			m.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
			feed <- []agent.Update{agent.Discarded{}}
			_, listen = m.Update(listen())
		}
		feed <- []agent.Update{agent.Delta{Text: paragraph}}
		began := time.Now()
		m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
		m.View()
		_, listen = m.Update(listen())
		m.View()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// Budget: 1 ms.
func BenchmarkScrollALine(b *testing.B) {
	m, _, _ := bench(b, 2500)
	m.Update(mustStroke("home"))
	for i := 0; b.Loop(); i++ {
		if i%1000 == 999 {
			m.Update(mustStroke("home"))
		}
		m.Update(mustStroke("shift+down"))
		m.View()
	}
}

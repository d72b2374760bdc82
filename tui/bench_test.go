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

	"plimsoll/agent/updates"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui"
	"plimsoll/tui/tuitest"
)

// benchScreen returns a screen of 120x40 with n turns of four events.
func benchScreen(b *testing.B, turns int) (m *tui.Model, listen tea.Cmd, feed updateFeed) {
	b.Helper()
	feed = make(updateFeed, 1)
	r := &rig{fakeState: fakeState{failing: map[string]error{}}}
	m = tui.New(context.Background(), tui.Options{Backend: r, Keys: tui.DefaultKeyMap(), Theme: "dark", Now: time.Now})
	r.first = r.conversation("first", feed)
	r.first.Events = log(benchBodies(turns)...)
	r.first.Meter = r.first.Meter.WithView(projection.Project(r.first.Events))
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	// The first of the batch opens the conversation.
	_, cmd := m.Update(m.Init()().(tea.BatchMsg)[0]())
	listen = listenerOf(cmd, feed)
	if !strings.Contains(ansi.Strip(m.View().Content), "The answer") {
		b.Fatal("the conversation is not open")
	}
	return m, listen, feed
}

// listenerOf returns the command of a batch that takes from the feed.
func listenerOf(cmd tea.Cmd, feed updateFeed) tea.Cmd {
	feed <- nil
	batch, ok := cmd().(tea.BatchMsg)
	if !ok {
		return cmd
	}
	for _, one := range batch {
		one()
		if len(feed) == 0 {
			return one
		}
	}
	return nil
}

func benchBodies(n int) []conversation.Body {
	var bodies []conversation.Body
	for i := range n {
		id := fmt.Sprint(i)
		bodies = append(bodies, conversation.UserMessage{Text: "a question of a line or so " + id},
			conversation.AssistantMessage{Text: "I will look.", Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: `{"path":"a.go"}`}}},
			conversation.ToolResult{CallID: id, Tool: "read_file", Status: conversation.ResultOK, Text: strings.Repeat("a line of the file\n", 50)},
			conversation.AssistantMessage{Text: "The **answer**:\n\n1. one\n2. two\n\n```go\nx := 1\n```", Stop: conversation.StopEnd})
	}
	return bodies
}

// updateFeed passes on the updates of a benchmark.
type updateFeed chan []updates.Update

func (u updateFeed) Take(context.Context) ([]updates.Update, error) { return <-u, nil }

// Budget: 100 ms to the first frame of 10,000 events.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		m, _, _ := benchScreen(b, 2500)
		m.View()
	}
}

// Budget: 16 ms (95th percentile) from a key to its frame, while a reply of 200 KB streams below 10,000 events.
func BenchmarkKeyToFrame(b *testing.B) {
	m, listen, feed := benchScreen(b, 2500)
	var took []time.Duration
	paragraph := strings.Repeat("words of a paragraph with `code` and **more** ", 8) + "\n\n"
	for i := 0; b.Loop(); i++ {
		if i%500 == 499 {
			m.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
			feed <- []updates.Update{updates.Discarded{}}
			m.Update(listen())
		}
		feed <- []updates.Update{updates.Delta{Text: paragraph}}
		began := time.Now()
		m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
		m.View()
		m.Update(listen())
		m.View()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// Budget: 1 ms.
func BenchmarkScrollALine(b *testing.B) {
	m, _, _ := benchScreen(b, 2500)
	m.Update(tuitest.Key("home"))
	for i := 0; b.Loop(); i++ {
		if i%1000 == 999 {
			m.Update(tuitest.Key("home"))
		}
		m.Update(tuitest.Key("shift+down"))
		m.View()
	}
}

// Budget: 100 ms from the key to the first screen of the history, at 10,000 events.
func BenchmarkOpenHistory(b *testing.B) {
	m, _, _ := benchScreen(b, 2500)
	for b.Loop() {
		m.Update(tuitest.Key("ctrl+t"))
		if m.View(); !strings.HasPrefix(strings.TrimLeft(ansi.Strip(m.View().Content), " "), "History") {
			b.Fatal("the history is not open")
		}
		m.Update(tuitest.Key("ctrl+t"))
	}
}

// Budget: 16 ms from a key to its frame, and from a notch of the wheel.
func BenchmarkScrollHistory(b *testing.B) {
	for name, down := range map[string]tea.Msg{"key": tuitest.Key("down"), "page": tuitest.Key("pgdown"), "wheel": tea.MouseWheelMsg{Button: tea.MouseWheelDown}} {
		b.Run(name, func(b *testing.B) {
			m, _, _ := benchScreen(b, 2500)
			m.Update(tuitest.Key("ctrl+t"))
			m.Update(tuitest.Key("home"))
			for i := 0; b.Loop(); i++ {
				if i%500 == 499 {
					m.Update(tuitest.Key("home"))
				}
				m.Update(down)
				m.View()
			}
		})
	}
}

// Budget: 4 ms for a delta of a reply and its frame, with 10,000 events, in a view.
func BenchmarkDeltaInView(b *testing.B) {
	for _, name := range []string{"context", "history", "ledger"} {
		b.Run(name, func(b *testing.B) {
			m, listen, feed := benchScreen(b, 2500)
			for _, c := range "/" + name {
				m.Update(tea.KeyPressMsg{Code: c, Text: string(c)})
			}
			m.Update(tuitest.Key("enter"))
			if strings.HasPrefix(strings.TrimLeft(ansi.Strip(m.View().Content), " "), "plimsoll") {
				b.Fatal("no view is open")
			}
			for i := 0; b.Loop(); i++ {
				var update updates.Update = updates.Delta{Text: "words of a reply "}
				if i%1000 == 999 {
					update = updates.Discarded{}
				}
				feed <- []updates.Update{update}
				m.Update(listen()) // the next listener is the same
				m.View()
			}
		})
	}
}

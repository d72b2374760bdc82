package agent_test

import (
	"strings"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

func (r *rig) reading() meter.Reading {
	all := agenttest.UpdatesOf[updates.Metered](r.watch)
	return all[len(all)-1].Meter.Reading()
}

func (r *rig) notices() []string {
	var out []string
	for _, n := range bodies[conversation.Notice](r.memory.Events()) {
		out = append(out, n.Text)
	}
	return out
}

func replyWithUsage(text string, prompt int) agenttest.Reply {
	return agenttest.Join(textReply(text), agenttest.ReportTokens(prompt, 1))
}

func TestModelSwitchTakesEffectWithTheNextRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := start(t, withTools(agenttest.Reader("look", nil)),
			agenttest.Join(agenttest.WaitAtGate(gate), callsReply(agenttest.StreamCall(0, "c1", "look")), agenttest.ReportTokens(100, 1)))
		other := agenttest.NewProvider(replyWithUsage("from the other", 40))
		r.sendAndWait("go")
		r.SwitchModel(llm.Model{Provider: "other", ID: "n", Window: meter.Window{Tokens: 50, Source: meter.WindowServer}}, other)
		r.waitIdle()
		gate.Open()
		r.waitIdle()
		r.finish()
		want := []string{
			"instructions", "model test/m", "user go",
			"assistant calls [c1 look {}]", "usage of 4: 100+1", "renamed auto go", "result c1 ok {}", "model other/n",
			"assistant stop from the other", "usage of 9: 40+1",
		}
		checkEqual(t, want, describe(r.memory.Events()))
		var models []string
		for _, e := range r.memory.Events() {
			switch b := e.Body.(type) {
			case conversation.AssistantMessage:
				models = append(models, b.Model)
			case conversation.Usage:
				models = append(models, b.Model)
			}
		}
		checkEqual(t, []string{"test/m", "test/m", "other/n", "other/n"}, models)
		if got := r.reading(); got.Used != 41 || got.Window.Tokens != 50 {
			t.Errorf("the meter reads %d of %d, want the other model's report", got.Used, got.Window.Tokens)
		}
	})
}

func TestDiscoveredLimitsAreRecordedAfterTheFirstMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) { o.Model.Window = meter.Window{} }, textReply("a"))
		r.SetWindow("test/m", meter.Window{Tokens: 1000, Source: meter.WindowCatalogue})
		r.waitIdle()
		if n := len(r.memory.Events()); n != 0 {
			t.Fatalf("%d events before the first message, want none", n)
		}
		r.sendAndWait("one")
		r.SetWindow("test/m", meter.Window{Tokens: 4096, Source: meter.WindowServer})
		r.SetWindow("test/m", meter.Window{Tokens: 4096, Source: meter.WindowServer})
		r.SetMaxOut("test/m", 256)
		r.SetMaxOut("other/m", 7)
		r.waitIdle()
		if got := r.reading(); got.Window.Tokens != 4096 || got.Reserve != 256 {
			t.Errorf("window %d, reserve %d; want 4096, 256", got.Window.Tokens, got.Reserve)
		}
		r.finish()
		recorded := bodies[conversation.ModelChanged](r.memory.Events())
		want := []conversation.ModelChanged{
			{Provider: "test", Model: "m", Window: 1000, Source: "catalogue"},
			{Provider: "test", Model: "m", Window: 4096, Source: "server"},
			{Provider: "test", Model: "m", Window: 4096, Source: "server", MaxOut: 256},
		}
		checkEqual(t, want, recorded)
	})
}

func TestReplyIsBoundedNearTheEndOfTheWindow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) { o.Model.Window = meter.Window{Tokens: 8000, Source: meter.WindowFlag} },
			replyWithUsage("a", 7299), replyWithUsage("b", 7989), replyWithUsage("c", 9000))
		for _, text := range []string{"one", "two", "three"} {
			r.sendAndWait(text)
		}
		r.finish()
		var bounds []int
		for _, q := range r.provider.Requests() {
			bounds = append(bounds, q.MaxTokens)
		}
		// The reserve is 1000: all of it at first, then the free tokens less the error margin of estimates, at last a quarter of it.
		if bounds[0] != 0 || bounds[1] < 500 || bounds[1] > 700 || bounds[2] != 250 {
			t.Errorf("the bounds of the replies are %v, want 0, 500 to 700, 250", bounds)
		}
	})
}

func TestCostIsReportedOrComputed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		billed, computed := 0.5, 0.25
		with := agenttest.Join(textReply("a"), agenttest.StreamChunk(llm.Chunk{BodyHash: "abc", Usage: &llm.Tokens{Prompt: 10, Completion: 1, CostUSD: &billed}}))
		r := start(t, func(o *core.Options) {
			o.Cost = func(m llm.Model, u llm.Tokens) (*float64, string) { return &computed, "2026-01-01" }
		}, with, replyWithUsage("b", 20), textReply("c"))
		for _, text := range []string{"one", "two", "three"} {
			r.sendAndWait(text)
		}
		r.finish()
		got := bodies[conversation.Usage](r.memory.Events())
		if len(got) != 3 {
			t.Fatalf("%d usages, want 3", len(got))
		}
		if *got[0].CostUSD != billed || got[0].PriceSource != "reported" || got[0].BodyHash != "abc" || got[0].Estimate <= 0 {
			t.Errorf("the usage with a reported cost is %+v", got[0])
		}
		if *got[1].CostUSD != computed || got[1].PriceSource != "2026-01-01" {
			t.Errorf("the usage with a computed cost is %+v", got[1])
		}
		if got[2].CostUSD != nil || got[2].Prompt != -1 || got[2].Completion != -1 {
			t.Errorf("the usage with an unknown cost is %+v", got[2])
		}
		if c := r.reading().CostUSD; c == nil || *c != 0.75 {
			t.Errorf("the cost of the conversation is %v, want 0.75", c)
		}
	})
}

func TestUsageOfTheFormerModelDoesNotCountForTheNewOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		cost := 0.5
		r := start(t, func(o *core.Options) {
			o.Cost = func(llm.Model, llm.Tokens) (*float64, string) { return &cost, "d" }
		},
			agenttest.Join(agenttest.WaitAtGate(gate), replyWithUsage("a", 9000)))
		r.sendAndWait(strings.Repeat("word ", 100))
		r.SwitchModel(llm.Model{Provider: "other", ID: "n", CalibrationKey: "other", Calibration: conversation.Calibration{Factor: 1000, Samples: 9}}, r.provider)
		r.waitIdle()
		gate.Open()
		r.waitIdle()
		if got := r.reading(); !got.Estimated || got.Used == 9001 || got.CostUSD == nil || *got.CostUSD != cost {
			t.Errorf("the meter reads %+v, want an estimate and the cost", got)
		}
		r.finish()
		if c := r.memory.Calibration("other"); c.Samples != 0 {
			t.Errorf("the new model learned %+v from the old one's report", c)
		}
		if n := r.notices(); len(n) != 0 {
			t.Errorf("notices %q, want none", n)
		}
	})
}

// Every request has the user's limit of reply tokens, or the free tokens of the window if they are fewer.
func TestReplyTokenLimitIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		window, limit int
		least, most   int
	}{
		"none": {100_000, 0, 0, 0}, "given": {100_000, 300, 300, 300}, "without a window": {0, 300, 300, 300},
		"more than is left": {1000, 5000, 1, 999},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := start(t, func(o *core.Options) {
				o.Model.Window, o.Model.ReplyLimit = windowOf(c.window, meter.WindowFlag), c.limit
			}, textReply("fine"))
			r.sendAndWait(strings.Repeat("word ", 600))
			if got := r.provider.Requests()[0].MaxTokens; got < c.least || got > c.most {
				t.Errorf("%d tokens at most, want %d to %d", got, c.least, c.most)
			}
			r.finish()
		})
	}
}

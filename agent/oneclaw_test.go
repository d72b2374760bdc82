package agent_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// oneClaw is a conversation under the preset oneclaw, with separate scripts for replies and for summaries.
type oneClaw struct {
	*rig
	summaries *agenttest.Provider
}

// splitProvider sends summary requests to another provider than the rest.
type splitProvider struct{ replies, summaries llm.Provider }

func (p splitProvider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	if agenttest.PurposeOf(r) == conversation.PurposeSummary {
		return p.summaries.Stream(ctx, r)
	}
	return p.replies.Stream(ctx, r)
}

func startOneClaw(t *testing.T, change func(*core.Options), summaries ...agenttest.Reply) *oneClaw {
	t.Helper()
	s := agenttest.NewProvider(summaries...)
	r := start(t, func(o *core.Options) {
		o.Rules, o.Model.Window.Tokens = preset.RulesOf(preset.OneClaw), 10_000
		o.Provider = splitProvider{o.Provider, s}
		if change != nil {
			change(o)
		}
	})
	t.Cleanup(r.end)
	return &oneClaw{r, s}
}

// turn sends a message and gets a reply of that many tokens.
func (c *oneClaw) turn(n, tokens int, usage ...agenttest.Reply) {
	c.provider.Add(agenttest.Join(append([]agenttest.Reply{textReply(turnReply(n, tokens))}, usage...)...))
	c.sendAndWait(turnQuestion(n))
}

func turnQuestion(n int) string { return fmt.Sprintf("question %d", n) }

func turnReply(n, tokens int) string {
	return strings.Repeat(fmt.Sprintf("words of turn %d, ", n), tokens)[:4*tokens-1] + "."
}

// secondSummary also covers goodSummary.
const secondSummary = goodSummary + "\n### Later\nThe later turns went on in the same way, and nothing that was settled before was changed in them."

// The acceptance criteria of OneClaw's FEAT-011. Criteria about a single package are tested in its own oneclaw_test.go.
//
// Each turn adds 1,030 tokens to a window of 10,000. The threshold is 8,500 tokens, which the ninth turn exceeds; the newest
// 2,500 tokens, two turns, are protected.
func TestOneClawAcceptance(t *testing.T) {
	summary, drop := []conversation.Kind{conversation.KindSummary}, []conversation.Kind{conversation.KindDrop}
	down := agenttest.Fail(serverFault())
	for name, c := range map[string]struct {
		turns     int
		change    func(*core.Options)
		summaries []agenttest.Reply
		then      func(*oneClaw)
		requests  int // for summaries
		overlays  []conversation.Kind
	}{
		"does not compact at the threshold": {turns: 7, then: func(c *oneClaw) { c.turn(7, 10, agenttest.ReportTokens(8400, 100)) }},
		"compacts above 85% of the window": {turns: 7, then: func(c *oneClaw) { c.turn(7, 10, agenttest.ReportTokens(8401, 100)) },
			summaries: []agenttest.Reply{summaryReply(goodSummary)}, requests: 1, overlays: summary},
		"counts what was not reported at four characters a token": {turns: 9, summaries: []agenttest.Reply{summaryReply(goodSummary)}, requests: 1, overlays: summary},
		"does not compact in an unknown window":                   {turns: 14, change: func(o *core.Options) { o.Model.Window = meter.Window{} }},
		"does not compact a single long turn":                     {then: func(c *oneClaw) { c.turn(0, 8600) }},
		"the threshold is configurable": {turns: 6, change: func(o *core.Options) { o.Rules.TriggerRatio = 0.6 },
			summaries: []agenttest.Reply{summaryReply(goodSummary)}, requests: 1, overlays: summary},
		"the user can compact": {turns: 6, then: func(c *oneClaw) { c.compact(profileRequest(preset.ProfileHeavy, -1)) },
			summaries: []agenttest.Reply{summaryReply(goodSummary)}, requests: 1, overlays: summary},
		"a smaller model gets a summary by the one before": {turns: 14, change: withWindowTokens(200_000), then: func(c *oneClaw) {
			c.SwitchModel(otherModel("small", 10_000), splitProvider{c.provider, agenttest.NewProvider()})
			c.waitIdle()
		}, summaries: []agenttest.Reply{summaryReply(goodSummary)}, requests: 1, overlays: summary},
		"one compaction at a time": {turns: 9, then: func(c *oneClaw) {
			c.turn(9, 10)
			c.compact(profileRequest(preset.ProfileHeavy, -1))
			time.Sleep(20 * time.Second)
		}, summaries: []agenttest.Reply{slowSummary(20 * time.Second)}, requests: 1, overlays: summary},
		"summaries merge into one": {turns: 16, summaries: []agenttest.Reply{summaryReply(goodSummary), summaryReply(secondSummary)}, requests: 2,
			overlays: append(slices.Clone(summary), summary...)},
		"a failed call is made once more": {turns: 9, summaries: []agenttest.Reply{down, summaryReply(goodSummary)}, requests: 2, overlays: summary},
		"truncates after two failures":    {turns: 9, summaries: []agenttest.Reply{down, down}, requests: 2, overlays: drop},
		"no network":                      {turns: 9, summaries: []agenttest.Reply{failsWith(llm.Network), failsWith(llm.Network)}, requests: 2, overlays: drop},
		"no credit":                       {turns: 9, summaries: []agenttest.Reply{failsWith(llm.Quota), failsWith(llm.Quota)}, requests: 2, overlays: drop},
		"the summary breaks off":          {turns: 9, summaries: []agenttest.Reply{agenttest.StreamText(goodSummary), agenttest.StreamText(goodSummary)}, requests: 2, overlays: drop},
		"an empty summary":                {turns: 9, summaries: []agenttest.Reply{agenttest.Stop(conversation.StopEnd)}, requests: 1, overlays: drop},
		"a blank summary":                 {turns: 9, summaries: []agenttest.Reply{textReply(" \n\n ")}, requests: 1, overlays: drop},
		"an error message":                {turns: 9, summaries: []agenttest.Reply{textReply("Error: 503 service unavailable")}, requests: 1, overlays: drop},
		"the model declines":              {turns: 9, summaries: []agenttest.Reply{textReply("I'm sorry, I can't help with that.")}, requests: 1, overlays: drop},
		"a tool call":                     {turns: 9, summaries: []agenttest.Reply{callsReply(agenttest.StreamCall(0, "cx", "look", `{}`))}, requests: 1, overlays: drop},
		"cut off":                         {turns: 9, summaries: []agenttest.Reply{agenttest.Join(agenttest.StreamText(goodSummary), agenttest.Stop(conversation.StopLength))}, requests: 1, overlays: drop},
		"too long":                        {turns: 9, summaries: []agenttest.Reply{textReply(strings.Repeat(secondSummary, 40))}, requests: 1, overlays: drop},
		"no answer": {turns: 9, summaries: []agenttest.Reply{agenttest.Pause(time.Hour)}, requests: 1, overlays: drop,
			then: func(*oneClaw) { time.Sleep(2 * time.Minute) }},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := startOneClaw(t, c.change, c.summaries...)
			for n := range c.turns {
				r.turn(n, 1000)
				time.Sleep(time.Second) // a failed call is made again
				r.waitIdle()
			}
			if c.then != nil {
				c.then(r)
				r.waitIdle()
			}
			if n := len(r.summaries.Requests()); n != c.requests {
				t.Errorf("%d requests for summaries, want %d", n, c.requests)
			}
			if diff := cmp.Diff(c.overlays, r.overlayKinds()); diff != "" {
				t.Errorf("overlays (-want +got): %s; %v", diff, r.compactionErrors())
			}
			truncated := slices.Equal(c.overlays, drop)
			if made := r.compactions(); truncated != (len(r.failedCompactions()) == 1) || truncated != (len(made) == 1 && made[0].Trimmed) {
				t.Errorf("truncated %v: failed compactions %+v, compactions %+v", truncated, r.failedCompactions(), made)
			}
			before := r.memory.Events()
			r.provider.Add(textReply("fine"))
			r.sendAndWait("and now?")
			r.checkAnswered()
			if diff := cmp.Diff(before, r.memory.Events()[:len(before)]); diff != "" {
				t.Errorf("the log changed: %s", diff)
			}
			r.checkSent(c.turns)
			r.finish()
		})
	}
}

// checkSent checks that the newest request has the newest summary once in place of the turns that it covers, the two newest
// turns unchanged, and no summary in the system prompt.
func (c *oneClaw) checkSent(turns int) {
	c.t.Helper()
	sent := wireMessages(c.lastRequest().Messages)
	all := fmt.Sprint(sent)
	if c.lastRequest().System != "be brief" {
		c.t.Errorf("the system prompt is %q", c.lastRequest().System)
	}
	for n := max(0, turns-2); n < turns; n++ {
		if !strings.Contains(all, turnReply(n, 1000)) {
			c.t.Errorf("the request lacks turn %d", n)
		}
	}
	written := c.modelSummaries()
	if len(written) == 0 {
		return
	}
	if n := written[len(written)-1]; strings.Count(all, n.Text) != 1 || n.FromTurn != 0 || strings.Contains(all, fmt.Sprintf("words of turn %d,", n.ToTurn)) {
		c.t.Errorf("the request lacks the summary of turns %d to %d, or has these turns: %.300s", n.FromTurn, n.ToTurn, all)
	}
	if sent[0].Text != "Summary of the earlier conversation:\n\n"+written[len(written)-1].Text {
		c.t.Errorf("the first message is %.80q, want the newest summary", sent[0].Text)
	}
	asked := c.summaries.Requests()
	for _, r := range asked {
		if len(r.Tools) != 0 || r.System != asked[0].System || !strings.Contains(r.System, "concise, factual summary") {
			c.t.Errorf("the summary request's system prompt is %q", r.System)
		}
	}
	if last := fmt.Sprint(wireMessages(asked[len(asked)-1].Messages)); len(written) == 2 && (!strings.Contains(last, "The user goes through the listings") || strings.Contains(last, "words of turn 3")) {
		c.t.Errorf("the second summary request lacks the first summary: %.300s", last)
	}
}

// OneClaw compacts after a complete reply, with all its tool calls, and never in the middle of a stream.
func TestOneClawCompactsBetweenTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		stream, tool, round := agenttest.NewGate(), agenttest.NewGate(), agenttest.NewGate()
		r := startOneClaw(t, withTools(agenttest.Reader("look", gated(map[string]*agenttest.Gate{"c1": tool}))), summaryReply(goodSummary))
		for n := range 7 {
			r.turn(n, 1000)
		}
		r.provider.Add(agenttest.Join(agenttest.StreamText(turnReply(7, 1700)), agenttest.StreamCall(0, "c1", "look", `{}`), agenttest.WaitAtGate(stream), agenttest.Stop(conversation.StopCalls)),
			agenttest.Join(agenttest.WaitAtGate(round), textReply("done")))
		r.Send("and then?")
		for _, gate := range []*agenttest.Gate{stream, tool, round} {
			time.Sleep(time.Minute)
			r.waitIdle()
			if n := len(r.summaries.Requests()); n != 0 {
				t.Errorf("%d summary requests within the turn, want none", n)
			}
			gate.Open()
			r.waitIdle()
		}
		if len(r.modelSummaries()) != 1 {
			t.Errorf("overlays %v, want one model summary; errors %v", r.overlayKinds(), r.compactionErrors())
		}
		r.finish()
	})
}

// OneClaw stores 30,000 characters of a tool result and a marker.
func TestOneClawCutsToolResultsBeforeTheyAreStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		text := strings.Repeat("abcde ", 50_000)
		r := startOneClaw(t, combine(withWindowTokens(200_000), withTools(agenttest.Reader("look", func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
			return okOutcome(text)
		}))))
		r.provider.Add(callsReply(agenttest.StreamCall(0, "c1", "look", `{}`)), textReply("done"))
		r.sendAndWait("fetch it")
		got, _ := r.newestResult()
		if want := text[:30_000] + "\n\n[... content truncated, showing first 30000 characters of 300000 total ...]"; got.Text != want || got.Total != 300_000 || got.Blob != "" {
			t.Errorf("stored %d characters of %d, which end %q", len(got.Text), got.Total, got.Text[len(got.Text)-90:])
		}
		for _, batch := range r.memory.Batches() {
			for _, e := range batch {
				if b, err := conversation.Marshal(e); err != nil || len(b) > 40_000 {
					t.Errorf("an event of %d bytes, %v", len(b), err)
				}
			}
		}
		r.finish()
	})
}

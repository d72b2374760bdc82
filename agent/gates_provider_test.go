package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// gatekeeper answers by what the user said last. Every request costs a dollar.
type gatekeeper struct {
	whim
	gates   [gates]*agenttest.Gate
	memory  *agenttest.Memory
	began   map[int]int  // events that were stored when a summary was asked for, by its number
	broken  map[int]bool // summaries that were given up, by number
	paid    float64
	running int
}

func (p *gatekeeper) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	p.inspect(r.Messages)
	n := p.requests
	steps, summary := p.reply(n, r)
	return func(yield func(llm.Chunk, error) bool) {
		p.count(1)
		defer p.count(-1)
		if err := p.play(ctx, steps, yield); err != nil {
			p.mu.Lock()
			p.broken[n] = summary
			p.mu.Unlock()
			yield(llm.Chunk{}, &llm.Error{Class: llm.Cancelled, Message: "stopped", Err: err})
		}
	}
}

func (p *gatekeeper) count(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running += n
}

func (p *gatekeeper) play(ctx context.Context, steps agenttest.Reply, yield func(llm.Chunk, error) bool) error {
	for _, s := range steps {
		if s.Gate != nil {
			if err := s.Gate.Pass(ctx); err != nil {
				return err
			}
		}
		if err := lapse(ctx, s.Wait); err != nil {
			return err
		}
		if s.Chunk == nil {
			continue
		}
		if !yield(*s.Chunk, nil) {
			return nil
		}
		if s.Chunk.Usage != nil {
			p.mu.Lock()
			p.paid++
			p.mu.Unlock()
		}
	}
	return nil
}

// lapse lets time pass.
func lapse(ctx context.Context, d time.Duration) error {
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

func (p *gatekeeper) reply(n int, r llm.Request) (steps agenttest.Reply, summary bool) {
	wish, chars := r.Messages[len(r.Messages)-1], len(r.System)+400
	for _, m := range r.Messages {
		chars += len(m.Text) + 16
	}
	cost := 1.0
	paid := agenttest.Send(llm.Chunk{Usage: &llm.Tokens{Prompt: chars / 4, Cached: -1, CacheWrite: -1, Completion: 10, Reasoning: -1, CostUSD: &cost}})
	if forSummary(wish.Text) {
		text := fmt.Sprintf("ACCOUNT %d: %s", n, account)
		p.began[n] = len(p.memory.Events())
		return agenttest.Join(agenttest.Hold(p.gates[begun]), paid, agenttest.Say(text[:len(text)/2]), agenttest.Hold(p.gates[half]),
			agenttest.Say(text[len(text)/2:]), agenttest.Hold(p.gates[unended]), agenttest.Stop(conversation.StopEnd)), true
	}
	said, results := saidLast(r.Messages)
	switch {
	case strings.HasPrefix(said, "slow"):
		return agenttest.Join(paid, agenttest.Say("it takes "), agenttest.Hold(p.gates[behind]), answers("its time")), false
	case strings.HasPrefix(said, "loop") && results < 2:
		return agenttest.Join(agenttest.Pause(400*time.Millisecond), paid, looks(slowLook+n)), false
	case strings.HasPrefix(said, "look") && results == 0:
		return agenttest.Join(paid, looks(n)), false
	case strings.HasPrefix(said, "tidy") && results == 0:
		return agenttest.Join(paid, wantsCompaction(fmt.Sprintf("k%d", n), `{"focus":"model"}`)), false
	}
	return agenttest.Join(paid, answers(fmt.Sprintf("answer %d %s", n, strings.Repeat("in many words ", 50)))), false
}

func forSummary(wish string) bool {
	return strings.Contains(wish, "request of the program") || strings.Contains(wish, "That was the conversation") || strings.HasPrefix(wish, "Summarize this")
}

// saidLast is the newest message of the user, and how many results came after it.
func saidLast(messages []projection.Message) (text string, results int) {
	for i := len(messages) - 1; i >= 0 && text == ""; i-- {
		switch messages[i].Role {
		case projection.RoleTool:
			results++
		case projection.RoleUser:
			text = messages[i].Text
		}
	}
	return text, results
}

// slowLook is the number from which on a look takes its time.
const slowLook = 1000

// slowLooked is looked with shorter listings, some of which take their time.
func slowLooked() agenttest.Tool {
	return agenttest.Reader("look", func(ctx context.Context, c conversation.ToolCall, _ func(string)) conversation.Outcome {
		var args struct{ N int }
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
			return conversation.Outcome{Status: conversation.ResultError, Text: err.Error()}
		}
		if args.N > slowLook {
			if err := lapse(ctx, 300*time.Millisecond); err != nil {
				return conversation.Outcome{Status: conversation.ResultInterrupted, Text: "stopped"}
			}
		}
		text := listing(args.N)
		return ok(text[:len(text)/2])
	})
}

// gatedLog is a log where the overlay of a summary waits before it is stored.
type gatedLog struct {
	*agenttest.Memory
	gate *agenttest.Gate
}

func (l *gatedLog) Append(ctx context.Context, events []conversation.Event) error {
	for _, e := range events {
		if s, isSummary := e.Body.(conversation.Summary); isSummary && s.Policies == nil {
			if err := l.gate.Pass(ctx); err != nil {
				return err
			}
		}
	}
	return l.Memory.Append(ctx, events)
}

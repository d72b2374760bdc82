package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/agent"
	"plimsoll/cli/console"
	"plimsoll/compact"
	"plimsoll/conversation"
)

// A compaction with a summary needs the conversation's model, and so the agent:
// it asks, decides whether what comes back counts, and writes it down. Being
// interrupted leaves everything as it was.

// optimizing is the word while a summary is made (ONE).
const optimizing = "Optimizing conversation context…"

// optimize carries a wish out in a running conversation, and waits for it.
func (g *agents) optimize(ctx context.Context, r *running, w compact.Wish) (compaction, error) {
	s := g.conversations.stateWith(&reading{id: r.id, events: r.events, said: r.events, view: compact.Project(r.events)}, r.cfg, r.link.Model)
	o := optimization{console: g.console, state: s}
	r.agent.Compact(w)
	for {
		updates, err := r.agent.Updates().Take(ctx)
		if err != nil {
			r.agent.Cancel()
			return compaction{}, fmt.Errorf("compacting conversation %s: %w", r.id, err)
		}
		for _, u := range updates {
			if o.see(u) {
				return o.done, o.err
			}
		}
	}
}

// optimization follows one compaction.
type optimization struct {
	console   *console.Console
	state     conversationState
	summaries map[uint64]conversation.Summary // by Seq
	over      bool
	done      compaction
	err       error
}

// see takes an update; true when the compaction is over and the conversation at
// rest again.
func (o *optimization) see(u agent.Update) bool {
	switch u := u.(type) {
	case agent.Compacting:
		if !u.Held {
			o.console.Note(optimizing)
		}
	case agent.Appended:
		for _, e := range u.Events {
			if b, ok := e.Body.(conversation.Summary); ok {
				if o.summaries == nil {
					o.summaries = map[uint64]conversation.Summary{}
				}
				o.summaries[e.Seq] = b
			}
		}
	case agent.Compacted:
		o.over = true
		o.done = newCompaction(o.state, u.Preview)
		o.done.Epoch = &u.Epoch
		if b, ok := o.summaries[u.Epoch]; ok && b.Policies == nil {
			o.done.Summary = o.state.written(b)
		}
	case agent.CompactionFailed:
		o.over, o.err = true, notMade(u.Err)
	case agent.Status:
		return o.over && u.Phase == agent.Idle
	}
	return false
}

// notMade is why a compaction came to nothing, as it is told here. A wish that
// came to nothing is no bad request: no server has seen it.
func notMade(e *agent.Error) error {
	if e.Class == agent.BadRequest && (errors.Is(e, compact.ErrNothingToGain) || errors.Is(e, compact.ErrNoRange)) {
		return console.WithHint(errors.New(e.Message), e.Hint)
	}
	return e
}

// written is a summary as it was made.
func (s conversationState) written(b conversation.Summary) summaryMade {
	text := strings.TrimSpace(b.Text)
	if more := strings.TrimSpace(b.Appendix); more != "" {
		text += "\n\n" + more
	}
	return summaryMade{Text: text, Tokens: int(s.now.Meter.Weigh(conversation.Measure(text)) + 0.5)}
}

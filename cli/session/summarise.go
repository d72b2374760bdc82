package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"

	"plimsoll/compact/projection"

	"plimsoll/cli/console"
	"plimsoll/conversation"
)

// A compaction with a summary needs the conversation's model, and so the agent:
// it asks, decides whether what comes back counts, and writes it down. Being
// interrupted leaves everything as it was.

// optimizing is the word while a summary is made (ONE).
const optimizing = "Optimizing conversation context…"

// Optimize carries a wish out in a running conversation, and waits for it.
func (g *Agents) Optimize(ctx context.Context, r *Running, w edit.Request, show func(updates.Update)) (Compaction, error) {
	s := g.Conversations.StateWith(&Reading{ID: r.ID, Events: r.Events, Said: r.Events, View: projection.Project(r.Events)}, r.Cfg, r.Link.Model)
	o := optimization{console: g.Console, state: s}
	r.Agent.Compact(w)
	for {
		updates, err := r.Agent.Updates().Take(ctx)
		if err != nil {
			r.Agent.Cancel()
			return Compaction{}, fmt.Errorf("compacting conversation %s: %w", r.ID, err)
		}
		for _, u := range updates {
			show(u)
			if o.see(u) {
				return o.done, o.err
			}
		}
	}
}

// optimization follows one compaction.
type optimization struct {
	console   *console.Console
	state     ConversationState
	summaries map[uint64]conversation.Summary // by Seq
	over      bool
	done      Compaction
	err       error
}

// see takes an update; true when the compaction is over and the conversation at
// rest again.
func (o *optimization) see(u updates.Update) bool {
	switch u := u.(type) {
	case updates.Compacting:
		if !u.Held {
			o.console.Note(optimizing)
		}
	case updates.Appended:
		for _, e := range u.Events {
			if b, ok := e.Body.(conversation.Summary); ok {
				if o.summaries == nil {
					o.summaries = map[uint64]conversation.Summary{}
				}
				o.summaries[e.Seq] = b
			}
		}
	case updates.Compacted:
		o.over = true
		o.done = NewCompaction(o.state, u.Preview)
		o.done.Epoch = &u.Epoch
		if b, ok := o.summaries[u.Epoch]; ok && b.Policies == nil {
			o.done.Summary = o.state.written(b)
		}
	case updates.CompactionFailed:
		o.over, o.err = true, notMade(u.Err)
	case updates.Status:
		return o.over && u.Phase == updates.Idle
	}
	return false
}

// notMade is why a compaction was not made, as it is told here. One that would gain
// nothing is no bad request: no server has seen it.
func notMade(e *llm.Error) error {
	if e.Class == llm.BadRequest && (errors.Is(e, edit.ErrNothingToGain) || errors.Is(e, edit.ErrNoRange)) {
		return console.WithHint(errors.New(e.Message), e.Hint)
	}
	return e
}

// written is a summary as it was made.
func (s ConversationState) written(b conversation.Summary) summaryMade {
	text := strings.TrimSpace(b.Text)
	if more := strings.TrimSpace(b.Appendix); more != "" {
		text += "\n\n" + more
	}
	return summaryMade{Text: text, Tokens: int(s.Now.Meter.Weigh(conversation.Measure(text)) + 0.5)}
}

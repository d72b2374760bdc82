package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/edit"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// Manual compactions outside the chat. One without a summary is computed and appended here. A summary needs a model, so an
// agent is started: it requests the summary, checks it and commits it. An interrupt leaves the conversation unchanged.

// CompactFlag is the flag --compact[=PROFILE].
type CompactFlag struct {
	IsGiven bool
	Profile string // "": the default profile
}

// DefaultProfile is the flag's value for the default profile, whose name the configuration sets.
const DefaultProfile = "?"

// String is the flag's default in the help: empty.
func (f *CompactFlag) String() string { return "" }

// Type names the value in the help.
func (f *CompactFlag) Type() string { return "PROFILE" }

// Set sets the value. An empty one is an error.
func (f *CompactFlag) Set(value string) error {
	if value == "" {
		return errors.New("the profile is empty; write --compact=PROFILE, or --compact for the default one")
	}
	f.IsGiven, f.Profile = true, value
	if value == DefaultProfile {
		f.Profile = ""
	}
	return nil
}

// Request is the compaction that the flag asks for.
func (f *CompactFlag) Request(trigger string) edit.Request {
	w := edit.NewRequest()
	w.Profile, w.Trigger = f.Profile, trigger
	return w
}

// CompactFirst compacts before another action, for `ask --compact` and `fork --compact`. A failed compaction is only noted,
// so that a script can always use the flag. The error is that of an unknown profile, of a conversation that another
// program has open, or of ctx.
func (g *Agents) CompactFirst(ctx context.Context, s ConversationState, w edit.Request, l setup.Connection, show func(updates.Update)) error {
	done, err := g.Compact(ctx, s, w, func() (setup.Connection, error) { return l, nil }, show)
	var use console.UsageError
	switch {
	case errors.As(err, &use), errors.Is(err, storage.ErrLocked), err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		g.Console.Note("not compacted: %v", err)
		return nil
	}
	told := edit.Preview{Profile: done.Profile, Range: edit.Range{From: done.From, To: done.To}, Before: done.Before, After: done.After}
	g.Console.Note("%s", CompactionLine(updates.Compacted{Preview: told}))
	return nil
}

// Compact compacts a stored conversation. If a model has to write a summary, connect is called, and an agent is started with
// that connection.
func (g *Agents) Compact(ctx context.Context, s ConversationState, w edit.Request, connect func() (setup.Connection, error), show func(updates.Update)) (Compaction, error) {
	pass, err := s.Propose(w)
	if err != nil {
		return Compaction{}, err
	}
	if pass.Job == nil {
		done, err := g.Conversations.CompactWithoutModel(ctx, s, w)
		if err == nil {
			show(updates.Compacted{Preview: pass.Preview()})
		}
		return done, err
	}
	l, err := connect()
	if err != nil {
		return Compaction{}, err
	}
	r, err := g.Start(ctx, l, OpenOptions{ID: s.ID})
	if err != nil {
		return Compaction{}, err
	}
	done, err := g.CompactRunning(ctx, r, w, show)
	return done, errors.Join(err, r.Close())
}

// optimizingText is shown while a model writes a summary (ONE).
const optimizingText = "Optimizing conversation context…"

// CompactRunning compacts a running conversation, and waits until its agent is idle again.
func (g *Agents) CompactRunning(ctx context.Context, r *Running, w edit.Request, show func(updates.Update)) (done Compaction, err error) {
	s := g.Conversations.StateWith(&Snapshot{ID: r.ID, Events: r.Events, WithPartial: r.Events, View: projection.Project(r.Events)}, r.InitialConfig, r.Connection.Model)
	summaries, over := map[uint64]conversation.Summary{}, false
	r.Agent.Compact(w)
	for {
		list, ended := r.Agent.Updates().Take(ctx)
		if ended != nil {
			r.Agent.Cancel()
			return Compaction{}, fmt.Errorf("compacting conversation %s: %w", r.ID, ended)
		}
		for _, u := range list {
			show(u)
			switch u := u.(type) {
			case updates.Compacting:
				if !u.RequestWaits {
					g.Console.Note(optimizingText)
				}
			case updates.Appended:
				for _, e := range u.Events {
					if b, ok := e.Body.(conversation.Summary); ok {
						summaries[e.Seq] = b
					}
				}
			case updates.Compacted:
				over, done = true, NewCompaction(s, u.Preview)
				done.Epoch = &u.Epoch
				if b, ok := summaries[u.Epoch]; ok && b.Policies == nil {
					done.Summary = s.writtenSummary(b)
				}
			case updates.CompactionFailed:
				over, err = true, compactionError(u.Err)
			case updates.Status:
				if over && u.Phase == updates.Idle {
					return done, err
				}
			}
		}
	}
}

// compactionError is the error of a failed compaction for the command line. If nothing can be gained, the class "bad
// request" is removed: nothing was sent to a server.
func compactionError(e *llm.Error) error {
	if e.Class == llm.BadRequest && (errors.Is(e, edit.ErrNothingToGain) || errors.Is(e, edit.ErrNoRange)) {
		return console.WithHint(errors.New(e.Message), e.Hint)
	}
	return e
}

// writtenSummary is a committed summary with its size, for --json.
func (s ConversationState) writtenSummary(b conversation.Summary) summaryMade {
	text := strings.TrimSpace(b.Text)
	if more := strings.TrimSpace(b.Appendix); more != "" {
		text += "\n\n" + more
	}
	return summaryMade{Text: text, Tokens: int(s.Inputs.Meter.TextTokens(conversation.Measure(text)) + 0.5)}
}

// CompactWithoutModel commits a compaction that needs no model.
func (v *Conversations) CompactWithoutModel(ctx context.Context, s ConversationState, w edit.Request) (Compaction, error) {
	var done Compaction
	err := v.Append(ctx, s, func(s ConversationState) ([]conversation.Body, error) {
		pass, err := s.Propose(w)
		if err != nil {
			return nil, err
		}
		if pass.Job != nil {
			return nil, fmt.Errorf("conversation %s was changed meanwhile: try again", s.ID)
		}
		done = NewCompaction(s, pass.Preview())
		seq := s.NextSeq()
		done.Epoch = &seq
		return pass.Bodies(seq), nil
	})
	return done, err
}

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
	request := edit.NewRequest()
	request.Profile, request.Trigger = f.Profile, trigger
	return request
}

// CompactFirst compacts before another action, for `ask --compact` and `fork --compact`. A failed compaction is only noted,
// so that a script can always use the flag. The error is that of an unknown profile, of a conversation that another
// program has open, or of ctx.
func (a *Agents) CompactFirst(ctx context.Context, s ConversationState, request edit.Request, conn setup.Connection, show func(updates.Update)) error {
	done, err := a.Compact(ctx, s, request, func() (setup.Connection, error) { return conn, nil }, show)
	var usageErr console.UsageError
	switch {
	case errors.As(err, &usageErr), errors.Is(err, storage.ErrLocked), err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		a.Console.Note("not compacted: %v", err)
		return nil
	}
	preview := edit.Preview{Profile: done.Profile, Range: edit.Range{From: done.From, To: done.To}, Before: done.Before, After: done.After}
	a.Console.Note("%s", CompactionLine(updates.Compacted{Preview: preview}))
	return nil
}

// Compact compacts a stored conversation. If a model has to write a summary, connect is called, and an agent is started with
// that connection.
func (a *Agents) Compact(ctx context.Context, s ConversationState, request edit.Request, connect func() (setup.Connection, error), show func(updates.Update)) (Compaction, error) {
	proposal, err := s.Propose(request)
	if err != nil {
		return Compaction{}, err
	}
	if proposal.Job == nil {
		done, err := a.Conversations.CompactWithoutModel(ctx, s, request)
		if err == nil {
			show(updates.Compacted{Preview: proposal.Preview()})
		}
		return done, err
	}
	conn, err := connect()
	if err != nil {
		return Compaction{}, err
	}
	r, err := a.Start(ctx, conn, OpenOptions{ID: s.ID})
	if err != nil {
		return Compaction{}, err
	}
	done, err := a.CompactRunning(ctx, r, request, show)
	return done, errors.Join(err, r.Close())
}

// optimizingText is shown while a model writes a summary (preset oneclaw).
const optimizingText = "Optimizing conversation context…"

// CompactRunning compacts a running conversation, and waits until its agent is idle again.
func (a *Agents) CompactRunning(ctx context.Context, r *Running, request edit.Request, show func(updates.Update)) (done Compaction, err error) {
	s := a.Conversations.StateWith(&Snapshot{ID: r.ID, Events: r.Events, WithPartial: r.Events, View: projection.Project(r.Events)}, r.InitialConfig, r.Connection.Model)
	summaries, isFinished := map[uint64]conversation.Summary{}, false
	r.Agent.Compact(request)
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
					a.Console.Note(optimizingText)
				}
			case updates.Appended:
				for _, e := range u.Events {
					if b, ok := e.Body.(conversation.Summary); ok {
						summaries[e.Seq] = b
					}
				}
			case updates.Compacted:
				isFinished, done = true, NewCompaction(s, u.Preview)
				done.Epoch = &u.Epoch
				if b, ok := summaries[u.Epoch]; ok && b.Policies == nil {
					done.Summary = s.writtenSummary(b)
				}
			case updates.CompactionFailed:
				isFinished, err = true, u.Err
				if u.Err.Class == llm.BadRequest && (errors.Is(err, edit.ErrNothingToGain) || errors.Is(err, edit.ErrNoRange)) {
					err = console.WithHint(errors.New(u.Err.Message), u.Err.Hint) // without its class: nothing was sent to a server
				}
			case updates.Status:
				if isFinished && u.Phase == updates.Idle {
					return done, err
				}
			}
		}
	}
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
func (c *Conversations) CompactWithoutModel(ctx context.Context, s ConversationState, request edit.Request) (Compaction, error) {
	var done Compaction
	err := c.Append(ctx, s, func(s ConversationState) ([]conversation.Body, error) {
		proposal, err := s.Propose(request)
		if err != nil {
			return nil, err
		}
		if proposal.Job != nil {
			return nil, fmt.Errorf("conversation %s was changed meanwhile: try again", s.ID)
		}
		done = NewCompaction(s, proposal.Preview())
		seq := s.NextSeq()
		done.Epoch = &seq
		return proposal.Bodies(seq), nil
	})
	return done, err
}

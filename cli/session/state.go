package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// A manual compaction of a stored conversation is computed twice: first from a snapshot, then again after the conversation
// was opened for writing and read once more, so that no message that was added meanwhile is lost.

// ConversationState is a snapshot of a stored conversation with the model and the rules that a compaction of it uses.
type ConversationState struct {
	*Snapshot
	model     llm.Model
	Rules     preset.Rules
	Inputs    edit.Inputs
	overrides map[string]string // values of --cfg, by key
}

// State adds model and rules to a snapshot. It applies the conversation's recorded settings to the whole run.
func (c *Conversations) State(ctx context.Context, snapshot *Snapshot) (ConversationState, error) {
	if err := c.Settings.AdoptRecorded(snapshot.Events); err != nil {
		return ConversationState{}, err
	}
	m, err := c.Models.ModelOf(ctx, snapshot.Events)
	if err != nil {
		return ConversationState{}, err
	}
	return c.StateWith(snapshot, c.Settings.Cfg(), m), nil
}

// StateOf reads a stored conversation, with the model it used last.
func (c *Conversations) StateOf(ctx context.Context, id string) (ConversationState, error) {
	store, err := c.Resources.Open()
	if err != nil {
		return ConversationState{}, err
	}
	snapshot, _, err := loadSnapshot(ctx, store, id)
	if err != nil {
		return ConversationState{}, err
	}
	return c.stateOf(ctx, snapshot)
}

func (c *Conversations) stateOf(ctx context.Context, snapshot *Snapshot) (ConversationState, error) {
	cfg, err := c.Settings.ConfigFor(snapshot.Events)
	if err != nil {
		return ConversationState{}, err
	}
	m, err := c.Models.ModelOf(ctx, snapshot.Events)
	if err != nil {
		return ConversationState{}, err
	}
	return c.StateWith(snapshot, cfg, c.Settings.WithLimits(cfg, m)), nil
}

// StateWith is the state of a snapshot under a configuration and a model. The provider's cache counts as expired, because
// it is unknown whether it still holds the conversation.
func (c *Conversations) StateWith(snapshot *Snapshot, cfg config.Config, m llm.Model) ConversationState {
	rules := cfg.Rules()
	m = m.WithStoredTTL(snapshot.Events)
	return ConversationState{Snapshot: snapshot, model: m, Rules: rules, overrides: c.Settings.Overrides(),
		Inputs: edit.Inputs{Meter: MeterOf(rules, snapshot, m), Now: time.Now(), Cold: true, Caps: m.Caps}}
}

// WithSnapshot returns the state with a newer snapshot of the same conversation.
func (s ConversationState) WithSnapshot(snapshot *Snapshot) ConversationState {
	s.Snapshot = snapshot
	s.Inputs.Meter = s.Inputs.Meter.WithView(snapshot.View)
	return s
}

// NextSeq is the Seq of the first overlay that would be appended.
func (s ConversationState) NextSeq() uint64 {
	return uint64(len(s.Events) + len(s.pendingBodies()) + 1)
}

// pendingBodies are the events to append before any other: a reply that was interrupted when the program ended, and
// values of --cfg that the log does not record yet.
func (s ConversationState) pendingBodies() []conversation.Body {
	var bodies []conversation.Body
	for _, e := range s.WithPartial[len(s.Events):] {
		bodies = append(bodies, e.Body)
	}
	set, recorded := map[string]string{}, setup.RecordedSettings(s.Events)
	for key, value := range s.overrides {
		if old, ok := recorded[key]; !ok || old != value {
			set[key] = value
		}
	}
	if len(set) > 0 {
		bodies = append(bodies, conversation.ConfigChanged{Set: set})
	}
	return bodies
}

// Propose computes the compaction that a request asks for, without committing it.
func (s ConversationState) Propose(request edit.Request) (edit.Proposal, error) {
	proposal, err := edit.NewProposal(s.WithPartial, s.Rules, s.Inputs, request)
	if errors.Is(err, edit.ErrNoProfile) || errors.Is(err, edit.ErrBadRequest) {
		err = console.AsUsage(err)
	}
	return proposal, err
}

// NeedsModel reports whether a model has to write a summary for a request. The error is a usage error, such as an unknown
// profile.
func (s ConversationState) NeedsModel(request edit.Request) (needsModel bool, err error) {
	proposal, err := s.Propose(request)
	if _, ok := errors.AsType[console.UsageError](err); ok {
		return false, err
	}
	return err == nil && proposal.Job != nil, nil
}

// Append opens the conversation for writing, reads it again, and appends the pending events and those that makeBodies returns,
// in one transaction.
func (c *Conversations) Append(ctx context.Context, s ConversationState, makeBodies func(ConversationState) ([]conversation.Body, error)) (err error) {
	w, err := s.Store.OpenWriter(ctx, s.ID)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return appendWith(ctx, w, s, makeBodies)
}

// appendWith is Append with a writer that is open.
func appendWith(ctx context.Context, w *storage.Writer, s ConversationState, makeBodies func(ConversationState) ([]conversation.Body, error)) error {
	snapshot, _, err := loadSnapshot(ctx, s.Store, s.ID)
	if err != nil {
		return err
	}
	s = s.WithSnapshot(snapshot)
	bodies, err := makeBodies(s)
	if err != nil {
		return err
	}
	log, err := conversation.NewLog(snapshot.Events)
	if err != nil {
		return fmt.Errorf("reading conversation %s: %w", s.ID, err)
	}
	return w.Append(ctx, log.Prepare(time.Now(), append(s.pendingBodies(), bodies...)...))
}

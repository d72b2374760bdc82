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
)

// What a compaction by hand depends on is looked up once, for a conversation at
// rest. The wish is worked out on what was read; when it is committed, the
// conversation is opened for writing, read again and worked out again, so that
// no message is lost in between.

// ConversationState is a stored conversation as a compaction finds it.
type ConversationState struct {
	*Snapshot
	model     llm.Model
	Rules     preset.Rules
	Inputs    edit.Inputs
	overrides map[string]string // what --cfg sets, by key
}

// State is how a conversation stands, for a command that is about this one
// only.
func (v *Conversations) State(ctx context.Context, r *Snapshot) (ConversationState, error) {
	if err := v.Settings.AdoptRecorded(r.Events); err != nil {
		return ConversationState{}, err
	}
	m, err := v.Models.ModelOf(ctx, r.Events)
	if err != nil {
		return ConversationState{}, err
	}
	return v.StateWith(r, v.Settings.Cfg(), m), nil
}

// StateOf is how a stored conversation stands, with the model it was held
// with.
func (v *Conversations) StateOf(ctx context.Context, id string) (ConversationState, error) {
	store, err := v.Resources.Open()
	if err != nil {
		return ConversationState{}, err
	}
	r, _, err := loadSnapshot(ctx, store, id)
	if err != nil {
		return ConversationState{}, err
	}
	return v.stateOf(ctx, r)
}

func (v *Conversations) stateOf(ctx context.Context, r *Snapshot) (ConversationState, error) {
	cfg, err := v.Settings.ConfigFor(r.Events)
	if err != nil {
		return ConversationState{}, err
	}
	m, err := v.Models.ModelOf(ctx, r.Events)
	if err != nil {
		return ConversationState{}, err
	}
	return v.StateWith(r, cfg, v.Settings.WithLimits(cfg, m)), nil
}

// StateWith is how a conversation stands with a configuration and a model.
// Nobody knows whether the provider's cache still holds it.
func (v *Conversations) StateWith(r *Snapshot, cfg config.Config, m llm.Model) ConversationState {
	rules := cfg.Rules()
	m = m.WithStoredTTL(r.Events)
	return ConversationState{Snapshot: r, model: m, Rules: rules, overrides: v.Settings.Overrides(),
		Inputs: edit.Inputs{Meter: MeterOf(rules, r, m), Now: time.Now(), Cold: true, Caps: m.Caps}}
}

// At is the same with the conversation as it was read anew.
func (s ConversationState) WithSnapshot(r *Snapshot) ConversationState {
	s.Snapshot = r
	s.Inputs.Meter = s.Inputs.Meter.WithView(r.View)
	return s
}

// Next is the Seq of the first overlay that would be appended.
func (s ConversationState) NextSeq() uint64 {
	return uint64(len(s.Events) + len(s.pendingBodies()) + 1)
}

// pending is what comes before anything that is appended: a reply that was
// arriving when the program ended, and what --cfg sets, if the log does not
// have it yet.
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

// Pass works a request out.
func (s ConversationState) Propose(w edit.Request) (edit.Proposal, error) {
	pass, err := edit.NewProposal(s.WithPartial, s.Rules, s.Inputs, w)
	if errors.Is(err, edit.ErrNoProfile) || errors.Is(err, edit.ErrBadRequest) {
		err = console.AsUsage(err)
	}
	return pass, err
}

// Accepts reports whether a model has to write a summary for a request. The error is that of wrong use, such as a profile that
// does not exist.
func (s ConversationState) NeedsModel(w edit.Request) (needsModel bool, err error) {
	pass, err := s.Propose(w)
	var use console.UsageError
	if errors.As(err, &use) {
		return false, err
	}
	return err == nil && pass.Job != nil, nil
}

// Append opens the conversation for writing and appends what work gives for it
// as it stands then, in one transaction, behind what is pending.
func (v *Conversations) Append(ctx context.Context, s ConversationState, work func(ConversationState) ([]conversation.Body, error)) (err error) {
	w, err := s.Store.OpenWriter(ctx, s.ID)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	r, _, err := loadSnapshot(ctx, s.Store, s.ID)
	if err != nil {
		return err
	}
	s = s.WithSnapshot(r)
	bodies, err := work(s)
	if err != nil {
		return err
	}
	log, err := conversation.NewLog(r.Events)
	if err != nil {
		return fmt.Errorf("reading conversation %s: %w", s.ID, err)
	}
	return w.Append(ctx, log.Prepare(time.Now(), append(s.pendingBodies(), bodies...)...))
}

package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plimsoll/compact/edit"

	"plimsoll/conversation"
)

// A copy can begin with what was said before a point of the past only. What it
// holds then is a conversation of its own: the model and the settings are those of
// that time, and a reply that was arriving at the end is no part of it.

// ErrNothingBefore says that a copy would be empty; what it is before stands
// behind it.
var ErrNothingBefore = errors.New("nothing to copy: there are no messages before")

// Cut is how a conversation would stand if it had ended before an event, with the
// model and the settings that it had then. The error is errNothingBefore if
// nothing was said before it.
func (v *Conversations) Cut(ctx context.Context, s ConversationState, before uint64) (ConversationState, error) {
	kept, behind := edit.CutBefore(s.Events, before)
	if len(kept) == len(s.Events) {
		return s, nil // and a reply that was arriving, behind it
	}
	said := func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindUser }
	if !slices.ContainsFunc(kept, said) {
		return s, ErrNothingBefore
	}
	log, err := conversation.NewLog(kept)
	if err == nil {
		err = log.Commit(log.Prepare(time.Now(), behind...))
	}
	if err != nil {
		return s, fmt.Errorf("cutting conversation %s: %w", s.ID, err)
	}
	events := log.Events()
	r := NewReading(ctx, s.Store, s.ID, events)
	cfg, err := v.Settings.ConfigFor(events)
	if err != nil {
		return s, err
	}
	m, err := v.Models.ModelOf(ctx, r.Events)
	if err != nil {
		return s, err
	}
	return v.StateWith(r, cfg, v.Settings.BoundedBy(cfg, m)), nil
}

// CutAtTurn is the same before a turn, by its number.
func (v *Conversations) CutAtTurn(ctx context.Context, s ConversationState, turn int) (ConversationState, error) {
	before, err := edit.TurnStart(s.Events, turn)
	if err != nil {
		return s, err
	}
	if s, err = v.Cut(ctx, s, before); errors.Is(err, ErrNothingBefore) {
		return s, fmt.Errorf("%w turn %d", err, turn)
	}
	return s, err
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// A copy can begin with what was said before a point of the past only. What it
// holds then is a conversation of its own: the model and the settings are those of
// that time, and a reply that was arriving at the end is no part of it.

// errNothingBefore says that a copy would be empty; what it is before stands
// behind it.
var errNothingBefore = errors.New("there is nothing to copy: nothing was said before")

// cut is how a conversation would stand if it had ended before an event, with the
// model and the settings that it had then. The error is errNothingBefore if
// nothing was said before it.
func (v *conversations) cut(ctx context.Context, s conversationState, before uint64) (conversationState, error) {
	kept, behind := compact.CutBefore(s.events, before)
	if len(kept) == len(s.events) {
		return s, nil // and a reply that was arriving, behind it
	}
	said := func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindUser }
	if !slices.ContainsFunc(kept, said) {
		return s, errNothingBefore
	}
	log, err := conversation.NewLog(kept)
	if err == nil {
		err = log.Commit(log.Prepare(time.Now(), behind...))
	}
	if err != nil {
		return s, fmt.Errorf("cutting conversation %s: %w", s.id, err)
	}
	events := log.Events()
	r := &reading{store: s.store, id: s.id, events: events, said: events, view: compact.Project(events)}
	cfg, err := v.settings.ConfigFor(events)
	if err != nil {
		return s, err
	}
	m, err := v.models.ModelOf(ctx, r.events)
	if err != nil {
		return s, err
	}
	return v.stateWith(r, cfg, v.settings.BoundedBy(cfg, m)), nil
}

// cutAtTurn is the same before a turn, by its number.
func (v *conversations) cutAtTurn(ctx context.Context, s conversationState, turn int) (conversationState, error) {
	before, err := compact.TurnStart(s.events, turn)
	if err != nil {
		return s, err
	}
	if s, err = v.cut(ctx, s, before); errors.Is(err, errNothingBefore) {
		return s, fmt.Errorf("%w turn %d", err, turn)
	}
	return s, err
}

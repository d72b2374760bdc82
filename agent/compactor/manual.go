package compactor

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A manual edit of single messages or turns is stored as one reversible change (an overlay) with its own epoch. Like
// a compaction, it is made at once while idle, otherwise before the next request of the turn. Rules:
//
//   - Turns are rewound and restored only between two turns, because a running request contains the old ones. The
//     running turn is not stopped.
//   - Any overlay makes a summary that is being written stale.
//   - An edit does not delay later compactions by the planner or the model.
//   - If the overlay cannot be stored, nothing is changed, and nothing is tried again.

// applyManual appends the overlays of an operation, and returns their origin.
func (c *Compactor) applyManual(ctx context.Context, d operation) (origin conversation.Origin, failure *llm.Error) {
	if err := c.journal.Flush(ctx); err != nil {
		return origin, err
	}
	bodies, err := c.overlaysOf(d)
	if err != nil {
		return origin, &llm.Error{Class: llm.BadRequest, Message: err.Error(), Hint: nothingChanged, Err: err}
	}
	if _, err := c.journal.Append(ctx, bodies...); err != nil {
		return origin, &llm.Error{
			Class: llm.NotSaved, Message: "it could not be saved, so nothing changed: " + rootCause(err).Error(),
			Hint: "check the disk and the data folder, then try again", Err: err,
		}
	}
	origin, _ = conversation.OriginOf(bodies[0]) // bodies holds only overlays
	return origin, nil
}

// overlaysOf returns the overlays of an operation on the current log. Its errors are those of package edit.
func (c *Compactor) overlaysOf(d operation) ([]conversation.Body, error) {
	log, rules := c.journal.Events(), c.journal.Rules()
	origin := conversation.Origin{Source: conversation.SourceManual, Trigger: "command", Preset: string(rules.Preset)}
	var body conversation.Body
	var err error
	switch updates.Edit(d.what) {
	case updates.EditMask:
		return c.maskOverlays(d.events, origin)
	case updates.EditRestore:
		body, err = edit.Restore(log)
	case updates.EditPin, updates.EditUnpin:
		body, err = edit.PinOf(log, d.events, updates.Edit(d.what) == updates.EditPin)
	}
	if err != nil {
		return nil, err
	}
	computed, _ := conversation.OriginOf(body) // without an origin Why is empty
	origin.Why = computed.Why
	then := append(log, conversation.NextEvents(log, c.journal.Now(), body)...)
	meter := c.journal.Meter()
	origin.Before, origin.After = meter.EstimatedTokens(), meter.WithView(projection.Project(then)).EstimatedTokens()
	return conversation.AssignEpoch([]conversation.Body{body}, c.journal.NextSeq(), origin), nil
}

// maskOverlays returns overlays that mask results.
func (c *Compactor) maskOverlays(events []uint64, origin conversation.Origin) ([]conversation.Body, error) {
	log, rules := c.journal.Events(), c.journal.Rules()
	mask, err := edit.ManualMask(rules, log, c.journal.View(), events)
	if err != nil {
		return nil, err
	}
	proposal, err := edit.ProposeOverlays(log, rules, c.journal.CompactionInputs(), origin, mask)
	if errors.Is(err, edit.ErrNothingToGain) {
		err = fmt.Errorf("%w: the result is too short", edit.ErrNothingToGain)
	}
	if err != nil {
		return nil, err
	}
	return proposal.Bodies(c.journal.NextSeq()), nil
}

// turnToRewind returns the first turn that a rewind undoes, and its message; -1 if no such turn exists. A negative
// turn is the newest; restored ignores earlier rewinds, because they will be undone before this one.
func (c *Compactor) turnToRewind(turn int, restored bool) (first int, text string) {
	events := c.journal.Events()
	var rewound []uint64
	if !restored {
		rewound = conversation.RewoundBy(events)
	}
	first = -1
	for i, e := range events {
		m, ok := e.Body.(conversation.UserMessage)
		if !ok || rewound != nil && rewound[i] != 0 {
			continue
		}
		if turn < 0 || e.Turn == turn {
			first, text = e.Turn, m.Typed()
		}
	}
	return first, text
}

func noSuchTurn() *llm.Error {
	return &llm.Error{
		Class: llm.BadRequest, Message: "there is no such turn to undo", Hint: "/rewind shows the turns",
	}
}

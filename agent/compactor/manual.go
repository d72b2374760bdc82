package compactor

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What the user does by hand to single messages and turns is one overlay with its
// own epoch, made where a compaction would be: at once while idle, otherwise
// before the turn's next request. Rules:
//
//   - Turns come back between two turns only, as they go: a request under way was
//     made of what went before. The turn is not stopped for it.
//   - A summary that is being written is then no longer about what the model is
//     shown, whichever messages the overlay names: it is given up as overtaken.
//   - It says nothing of when a compaction is welcome: neither the planner nor the
//     model waits for longer because of it.
//   - Where the overlay cannot be stored nothing is in force and nothing waits to be.

// manualEdits works out, on the log as it is, what the user does by hand.
type manualEdits struct{ journal *core.Journal }

// overlay puts the overlay of an operation in force.
func (e *manualEdits) overlay(ctx context.Context, d operation) (made conversation.Origin, failure *llm.Error) {
	if err := e.journal.Flush(ctx); err != nil {
		return made, err
	}
	bodies, err := e.bodies(d)
	if err != nil {
		return made, &llm.Error{Class: llm.BadRequest, Message: err.Error(), Hint: nothingChanged, Err: err}
	}
	if _, err := e.journal.Append(ctx, bodies...); err != nil {
		return made, &llm.Error{
			Class: llm.NotSaved, Message: "it could not be saved, so nothing changed: " + behind(err).Error(),
			Hint: "check the disk and the data folder, then try again", Err: err,
		}
	}
	made, _ = conversation.OriginOf(bodies[0]) // bodies makes overlays
	return made, nil
}

// bodies works an operation out on the log as it is. The error is one of package compact.
func (e *manualEdits) bodies(d operation) ([]conversation.Body, error) {
	log, rules := e.journal.Events(), e.journal.Rules()
	made := conversation.Origin{Source: conversation.SourceManual, Trigger: "command", Preset: string(rules.Preset)}
	var body conversation.Body
	var err error
	switch updates.Edit(d.what) {
	case updates.EditMask:
		return e.mask(d.events, made)
	case updates.EditRestore:
		body, err = edit.Restore(log)
	default:
		body, err = edit.PinOf(log, d.events, updates.Edit(d.what) == updates.EditPin)
	}
	if err != nil {
		return nil, err
	}
	own, _ := conversation.OriginOf(body) // zero where it says nothing
	made.Why = own.Why
	then := append(log, conversation.NextEvents(log, e.journal.Now(), body)...)
	made.Before, made.After = e.journal.Meter().EstimatedTokens(), e.journal.Meter().WithView(projection.Project(then)).EstimatedTokens()
	return conversation.AssignEpoch([]conversation.Body{body}, e.journal.NextSeq(), made), nil
}

// mask works out overlays that mask results.
func (e *manualEdits) mask(events []uint64, made conversation.Origin) ([]conversation.Body, error) {
	log, rules := e.journal.Events(), e.journal.Rules()
	mask, err := edit.ManualMask(rules, log, e.journal.View(), events)
	if err != nil {
		return nil, err
	}
	proposal, err := edit.ProposeOverlays(log, rules, e.journal.Situation(), made, mask)
	if errors.Is(err, edit.ErrNothingToGain) {
		err = fmt.Errorf("%w: the result is too short", edit.ErrNothingToGain)
	}
	if err != nil {
		return nil, err
	}
	return proposal.Bodies(e.journal.NextSeq()), nil
}

// newestEpoch is the newest compaction in force, 0 without one.
func (e *manualEdits) newestEpoch() uint64 {
	newest := uint64(0)
	for _, e := range conversation.Epochs(e.journal.Events()) {
		if e.InForce {
			newest = e.ID
		}
	}
	return newest
}

// turnToRewind is the first turn that a rewind undoes, and its message; -1 if there is
// none. Restored says that turns which were rewound before are restored first.
func (e *manualEdits) turnToRewind(turn int, restored bool) (first int, text string) {
	events := e.journal.Events()
	var rewound []uint64
	if !restored {
		rewound = conversation.RewoundBy(events)
	}
	first = -1
	for i, e := range events {
		m, said := e.Body.(conversation.UserMessage)
		if !said || rewound != nil && rewound[i] != 0 {
			continue
		}
		if turn < 0 || e.Turn == turn {
			first, text = e.Turn, m.Text
		}
	}
	return first, text
}

func noSuchTurn() *llm.Error {
	return &llm.Error{
		Class: llm.BadRequest, Message: "there is no such turn to undo", Hint: "turns count from 0, as plimsoll print shows them",
	}
}

package session

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/conversation"
	"plimsoll/tools/checkpoint"
	"plimsoll/tools/workspace"
)

// errNoCheckpoints reports that files were not kept.
var errNoCheckpoints = errors.New("checkpoints.enabled is false, so files are not brought back")

// PlanRewind is what bringing the files back to what they were before a turn would do. With redo it is what undoing the newest
// rewind of files would do.
func (r *Running) PlanRewind(ctx context.Context, turn int, redo bool) (checkpoint.Plan, error) {
	rewinder, ok := r.Toolbox.Rewinder()
	if !ok {
		return checkpoint.Plan{Turn: turn, Redo: redo}, nil
	}
	store, err := r.Agents.Resources.Open()
	if err != nil {
		return checkpoint.Plan{}, err
	}
	log, _, err := store.Load(ctx, r.ID)
	if err != nil {
		return checkpoint.Plan{}, err
	}
	if entry, err := r.Agents.Conversations.Entry(ctx, r.ID); err == nil && entry.Workspace != r.Agents.Settings.Workspace {
		return checkpoint.Plan{}, fmt.Errorf("its files are in %s: go back there, or with plimsoll rewind", entry.Workspace)
	}
	if redo {
		return rewinder.PlanRedo(ctx, log)
	}
	return rewinder.Plan(ctx, log, turn)
}

// RewindFiles carries out a plan, also for files that somebody else changed if foreign is set.
func (r *Running) RewindFiles(ctx context.Context, p checkpoint.Plan, foreign bool) (checkpoint.Outcome, error) {
	rewinder, ok := r.Toolbox.Rewinder()
	if !ok {
		return checkpoint.Outcome{}, errNoCheckpoints
	}
	return rewinder.Apply(ctx, p, foreign, func(ctx context.Context, b conversation.Body) error { return r.Agent.Append(ctx, b) })
}

// noteUnfinished notes that a rewind of files was interrupted, and which files it did not reach.
func (r *Running) noteUnfinished(ctx context.Context) {
	rewinder, ok := r.Toolbox.Rewinder()
	if !ok {
		return
	}
	if done, left := rewinder.Unfinished(ctx, r.Events); len(left) > 0 {
		r.Notes = append(r.Notes, checkpoint.UnfinishedNote(done, left))
	}
}

// ChangedFiles lists the files that are not as the conversation left them when it was opened.
func (r *Running) ChangedFiles(ctx context.Context) []string {
	rewinder, ok := r.Toolbox.Rewinder()
	if !ok {
		return nil
	}
	return rewinder.Changed(ctx, r.Events)
}

// FileRewind is a rewind of files of a stored conversation that is not open for writing.
type FileRewind struct {
	checkpoint.Plan
	rewinder checkpoint.Rewinder
	state    ConversationState
}

// PlanRewind is what bringing the files of a stored conversation back to what they were before a turn would do. Close it.
func (c *Conversations) PlanRewind(ctx context.Context, s ConversationState, turn int) (*FileRewind, error) {
	entry, err := c.Entry(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	files, err := workspace.Open(entry.Workspace)
	if err != nil {
		return nil, err
	}
	f := &FileRewind{rewinder: checkpoint.Rewinder{Store: c.Resources.Checkpoints(), Files: files}, state: s}
	f.Plan, err = f.rewinder.Plan(ctx, s.Events, turn)
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	return f, nil
}

// Close releases the workspace.
func (f *FileRewind) Close() error { return f.rewinder.Files.Close() }

// Apply carries the plan out, as [Running.RewindFiles] does, and then appends the events that then makes, nil for none. Nothing
// is changed if another program has the conversation open for writing, and none can open it meanwhile.
func (f *FileRewind) Apply(ctx context.Context, foreign bool, then func(ConversationState) ([]conversation.Body, error)) (out checkpoint.Outcome, err error) {
	w, err := f.state.Store.OpenWriter(ctx, f.state.ID)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	out, err = f.rewinder.Apply(ctx, f.Plan, foreign, func(ctx context.Context, b conversation.Body) error {
		return appendWith(ctx, w, f.state, func(ConversationState) ([]conversation.Body, error) { return []conversation.Body{b}, nil })
	})
	if err == nil && then != nil {
		err = appendWith(ctx, w, f.state, then)
	}
	return out, err
}

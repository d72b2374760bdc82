package session

import (
	"context"
	"errors"

	"plimsoll/agent/updates"
	"plimsoll/compact/edit"

	"plimsoll/cli/console"
	"plimsoll/conversation"
)

// `ask --compact` and `fork --compact`: the compaction comes before something
// else. A profile that does not exist is wrong use, and then nothing is done.
// Otherwise a compaction that comes to nothing is told of, and what comes behind
// it is done all the same: a script may always ask for it.

// CompactFlag is the flag --compact[=PROFILE].
type CompactFlag struct {
	Given   bool
	Profile string // "": the default one
}

// ByDefault stands for the default profile, which has whatever name the
// configuration gives it.
const ByDefault = "?"

// String is the flag's value as the help shows it: none.
func (f *CompactFlag) String() string { return "" }

// Type names the value in the help.
func (f *CompactFlag) Type() string { return "PROFILE" }

// Set takes the value. The error is that of an empty one.
func (f *CompactFlag) Set(value string) error {
	if value == "" {
		return errors.New("the profile is empty; write --compact=PROFILE, or --compact for the default one")
	}
	f.Given, f.Profile = true, value
	if value == ByDefault {
		f.Profile = ""
	}
	return nil
}

// First is a compaction that comes before something else. The zero value is
// none.
type First struct {
	Console       *console.Console
	Conversations *Conversations
	Agents        *Agents

	State   ConversationState
	Request edit.Request
	pass    *edit.Proposal // nil: there is nothing to do
	None    error          // why, nil if nothing was asked for
	Done    *Compaction    // what was made
	told    updates.Compacted
}

// First works out what the flag asks for, before anything is done. The error is
// that of a profile that does not exist.
func (g *Agents) First(s ConversationState, flag CompactFlag, trigger string) (*First, error) {
	f := &First{Console: g.Console, Conversations: g.Conversations, Agents: g, State: s}
	if !flag.Given {
		return f, nil
	}
	f.Request = edit.NewRequest()
	f.Request.Profile, f.Request.Trigger = flag.Profile, trigger
	pass, err := s.Pass(f.Request)
	var use console.UsageError
	switch {
	case errors.As(err, &use):
		return nil, err
	case err != nil:
		f.None = err
	default:
		f.pass = &pass
	}
	return f, nil
}

// StateOf is how a stored conversation stands, with the model it was held
// with.
func (v *Conversations) StateOf(ctx context.Context, id string) (ConversationState, error) {
	store, err := v.Resources.Open()
	if err != nil {
		return ConversationState{}, err
	}
	r, _, err := load(ctx, store, id)
	if err != nil {
		return ConversationState{}, err
	}
	cfg, err := v.Settings.ConfigFor(r.Events)
	if err != nil {
		return ConversationState{}, err
	}
	m, err := v.Models.ModelOf(ctx, r.Events)
	if err != nil {
		return ConversationState{}, err
	}
	return v.StateWith(r, cfg, v.Settings.BoundedBy(cfg, m)), nil
}

// NeedsModel reports whether a model has to write a summary.
func (f *First) NeedsModel() bool { return f.pass != nil && f.pass.Job != nil }

// overlays are what a compaction that needs no model appends, for a copy; nil
// otherwise.
func (f *First) overlays() []conversation.Body {
	if f.pass == nil || f.NeedsModel() {
		return nil
	}
	return f.pass.Bodies(f.State.Next())
}

// made takes a compaction that was made, or why it was not, and tells it on
// standard error.
func (f *First) made(done Compaction, err error) {
	if err != nil {
		f.Console.Note("not compacted: %v", err)
		return
	}
	f.Done = &done
	p := edit.Preview{Profile: done.Profile, Range: edit.Range{From: done.From, To: done.To}, Before: done.Before, After: done.After}
	f.told = updates.Compacted{Preview: p}
	f.Console.Note("%s", CompactionLine(f.told))
}

// Before makes the compaction of the stored conversation, unless a model is
// needed for it. The error is that of a conversation that cannot be written:
// nothing can be asked in it either.
func (f *First) Before(ctx context.Context) error {
	switch {
	case f.None != nil:
		f.made(Compaction{}, f.None)
	case f.pass != nil && !f.NeedsModel():
		done, err := f.Conversations.Commit(ctx, f.State, f.Request)
		if errors.Is(err, errNotWritable) {
			return err
		}
		f.made(done, err)
	}
	return nil
}

// Within makes it in a running conversation, if a model is needed for it. It shows
// what happens, and what Before has made. The error is that of being interrupted.
func (f *First) Within(ctx context.Context, r *Running, show func(updates.Update)) error {
	if !f.NeedsModel() {
		if f.Done != nil {
			show(f.told)
		}
		return nil
	}
	done, err := f.Agents.Optimize(ctx, r, f.Request, show)
	if ctx.Err() != nil {
		return err
	}
	f.made(done, err)
	return nil
}

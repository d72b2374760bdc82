package tui

import (
	"context"
	"fmt"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/composer"
	"plimsoll/tui/pane"
)

// A draft belongs to a conversation: it is stored when another conversation is opened, and restored with its own.
// It is also stored while the user types, so that a crash loses at most a second of it. The draft of a read-only
// conversation is stored separately, and joins the other when the conversation is taken over.

// draftEvery is the time between two stores of a changing draft.
const draftEvery = time.Second

// drafts stores the composer's draft with its conversation.
type drafts struct {
	env      *env
	session  *session
	composer *composer.Model

	stored        Draft      // the draft as last stored
	storedChanges int        // composer.Changes at that time; -1 after a conversation was opened
	timerPending  bool       // a timer for the next store is pending
	previous      ownedDraft // of the conversation that is being left, until another is open
	storeCount    int        // number of stores requested so far
	storeState    *storeState
}

// storeState prevents that an older draft replaces a newer one, and that a failure that lasts is shown again.
type storeState struct {
	mu         sync.Mutex // guards the other fields, and is held while a draft is stored
	newest     int
	lastFailed bool
}

// reportOnce returns err, or nil if the store before failed, too, so that the user sees a lasting failure once.
func (s *storeState) reportOnce(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	again := s.lastFailed && err != nil
	s.lastFailed = err != nil
	if again {
		return nil
	}
	return err
}

// draftOwner identifies the conversation of a draft.
type draftOwner struct {
	conversationID string // "" if no conversation is open
	readOnly       bool   // the conversation is read-only here
}

func (d *drafts) currentOwner() draftOwner { return draftOwner{d.session.ID, d.session.ReadOnly != ""} }

// newStore returns a function that stores a draft; without a conversation it does nothing.
func (d *drafts) newStore(owner draftOwner, draft Draft) func(context.Context) error {
	d.storeCount++
	n, state, b := d.storeCount, d.storeState, d.env.Backend
	return func(ctx context.Context) error {
		state.mu.Lock()
		defer state.mu.Unlock()
		if owner.conversationID == "" || n < state.newest {
			return nil
		}
		state.newest = n
		if err := b.KeepDraft(ctx, owner.conversationID, owner.readOnly, draft); err != nil {
			return fmt.Errorf("keeping the draft: %w", err)
		}
		return nil
	}
}

// setStored notes the stored draft of a conversation that was opened. It reports whether the draft of the same conversation,
// from when it was read-only here, was added to the composer.
func (d *drafts) setStored(stored Draft) (merges bool) {
	previous := d.previous
	d.stored, d.storedChanges, d.previous = stored, -1, ownedDraft{}
	if previous.draftOwner != (draftOwner{d.session.ID, true}) || previous.Draft == stored || previous.Draft == (Draft{}) {
		return false
	}
	d.composer.RestoreDrafts(previous.Text, previous.Stashed)
	return true
}

// storeMerged stores the joined draft, and then removes the separate draft of the read-only conversation.
func (d *drafts) storeMerged() tea.Cmd {
	d.stored, d.storedChanges = d.current(), d.composer.Changes()
	state, store, drop := d.storeState, d.newStore(d.currentOwner(), d.stored), d.newStore(draftOwner{d.session.ID, true}, Draft{})
	return d.env.tryAsync(func(ctx context.Context) error {
		err := store(ctx)
		if err == nil {
			err = drop(ctx)
		}
		return state.reportOnce(err)
	}, failureSnackbar)
}

// ownedDraft is a draft and the conversation that it belongs to.
type ownedDraft struct {
	draftOwner
	Draft
}

// canStore reports whether a conversation is open, so that the composer's draft belongs to the shown conversation.
func (d *drafts) canStore() bool { return d.session.isOpen && !d.session.isOpening }

// storeSoon stores the draft some time after it changed, and at once after it was sent, so that it is not restored.
func (d *drafts) storeSoon() tea.Cmd {
	if d.stored.Text != "" && d.composer.Empty() && d.canStore() {
		due := d.timerPending
		cmd := d.storeChanged()
		d.timerPending = due
		return cmd
	}
	if d.storedChanges < 0 && d.current() == d.stored { // as it was opened
		d.storedChanges = d.composer.Changes()
	}
	if d.timerPending || d.storedChanges == d.composer.Changes() || !d.canStore() {
		return nil
	}
	d.timerPending = true
	return afterDelay(draftEvery, func() pane.Action { return d.storeChanged() })
}

func (d *drafts) storeChanged() tea.Cmd {
	d.timerPending = false
	if !d.canStore() {
		return nil
	}
	d.storedChanges = d.composer.Changes()
	now := d.current()
	if now == d.stored {
		return nil
	}
	d.stored = now
	state, store := d.storeState, d.newStore(d.currentOwner(), now)
	return d.env.tryAsync(func(ctx context.Context) error { return state.reportOnce(store(ctx)) }, failureSnackbar)
}

// current returns the composer's draft.
func (d *drafts) current() Draft {
	text, stashed := d.composer.Drafts()
	return Draft{text, stashed}
}

// KeepDraft stores the draft at once, when the program ends.
func (d *drafts) KeepDraft(ctx context.Context) error {
	owner, draft := d.previous.draftOwner, d.previous.Draft
	if d.canStore() {
		owner, draft = d.currentOwner(), d.current()
	}
	return d.newStore(owner, draft)(ctx)
}

// takePrevious removes the draft from the composer and remembers it for the conversation that is left.
func (d *drafts) takePrevious() {
	if d.canStore() {
		d.previous.draftOwner = d.currentOwner()
		d.previous.Text, d.previous.Stashed = d.composer.TakeDrafts()
	}
}

// restorePrevious returns the draft to the composer, because its conversation stays open.
func (d *drafts) restorePrevious() {
	previous := d.previous
	d.previous = ownedDraft{}
	if previous.Draft != (Draft{}) {
		d.composer.RestoreDrafts(previous.Text, previous.Stashed)
	}
}

// stashOrClear stashes the draft, or if no key restores a stash moves it to the prompt history.
func (d *drafts) stashOrClear() pane.Action {
	keys := d.env.Keys.Composer.Writing
	if !keys.Stash.Enabled() {
		d.composer.Clear()
		return textSnackbar("the draft is the newest prompt: " + keys.Older.Help().Key + " restores it")
	}
	d.composer.Stash() // its box says so
	return nil
}

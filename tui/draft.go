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

	kept    Draft // the draft as last stored
	changes int   // composer.Changes at that time; -1 after a conversation was opened
	due     bool  // a timer for the next store is pending
	left    leftDraft
	asked   int // number of stores requested so far
	queue   *draftQueue
}

// draftQueue prevents that an older draft replaces a newer one.
type draftQueue struct {
	mu     sync.Mutex // guards the other fields, and is held while a draft is stored
	newest int
	failed bool
}

// once returns err, or nil if the store before failed, too, so that the user sees a lasting failure once.
func (q *draftQueue) once(err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	again := q.failed && err != nil
	q.failed = err != nil
	if again {
		return nil
	}
	return err
}

// draftOf identifies the conversation of a draft.
type draftOf struct {
	id   string // of the conversation; "" if none is open
	read bool   // the conversation is read-only here
}

// here identifies the conversation of the present draft.
func (d *drafts) here() draftOf { return draftOf{d.session.ID, d.session.ReadOnly != ""} }

// store returns a function that stores a draft; without a conversation it does nothing.
func (d *drafts) store(of draftOf, draft Draft) func(context.Context) error {
	d.asked++
	n, q, b := d.asked, d.queue, d.env.Backend
	return func(ctx context.Context) error {
		q.mu.Lock()
		defer q.mu.Unlock()
		if of.id == "" || n < q.newest {
			return nil
		}
		q.newest = n
		if err := b.KeepDraft(ctx, of.id, of.read, draft); err != nil {
			return fmt.Errorf("keeping the draft: %w", err)
		}
		return nil
	}
}

// begin takes the stored draft of a conversation that was opened. It reports whether the draft from while the same
// conversation was read-only was added to the composer.
func (d *drafts) begin(kept Draft) (along bool) {
	left := d.left
	d.kept, d.changes, d.left = kept, -1, leftDraft{}
	if left.draftOf != (draftOf{d.session.ID, true}) || left.Draft == kept || left.Draft == (Draft{}) {
		return false
	}
	d.composer.RestoreDrafts(left.Text, left.Stashed)
	return true
}

// merge stores the joined draft, and then removes the separate draft of the read-only conversation.
func (d *drafts) merge() tea.Cmd {
	d.kept, d.changes = d.now(), d.composer.Changes()
	q, store, drop := d.queue, d.store(d.here(), d.kept), d.store(draftOf{d.session.ID, true}, Draft{})
	return d.env.attempt(func(ctx context.Context) error {
		err := store(ctx)
		if err == nil {
			err = drop(ctx)
		}
		return q.once(err)
	}, failure)
}

// leftDraft is the draft of the conversation that is being left, until another is open.
type leftDraft struct {
	draftOf
	Draft
}

// written reports whether the composer's draft belongs to the shown conversation.
func (d *drafts) written() bool {
	return d.session.open && !d.session.opening
}

// watch stores the draft some time after it changed, and at once after it was sent, so that it is not restored.
func (d *drafts) watch() tea.Cmd {
	if d.kept.Text != "" && d.composer.Empty() && d.written() {
		due := d.due
		cmd := d.keep()
		d.due = due
		return cmd
	}
	if d.changes < 0 && d.now() == d.kept { // as it was opened
		d.changes = d.composer.Changes()
	}
	if d.due || d.changes == d.composer.Changes() || !d.written() {
		return nil
	}
	d.due = true
	return later(draftEvery, func() pane.Action { return d.keep() })
}

// keep stores the draft if it changed.
func (d *drafts) keep() tea.Cmd {
	d.due = false
	if !d.written() {
		return nil
	}
	d.changes = d.composer.Changes()
	now := d.now()
	if now == d.kept {
		return nil
	}
	d.kept = now
	q, store := d.queue, d.store(d.here(), now)
	return d.env.attempt(func(ctx context.Context) error { return q.once(store(ctx)) }, failure)
}

// now returns the composer's draft.
func (d *drafts) now() Draft {
	text, stashed := d.composer.Drafts()
	return Draft{text, stashed}
}

// KeepDraft stores the draft at once, when the program ends.
func (d *drafts) KeepDraft(ctx context.Context) error {
	of, draft := d.left.draftOf, d.left.Draft
	if d.written() {
		of, draft = d.here(), d.now()
	}
	return d.store(of, draft)(ctx)
}

// leave removes the draft from the composer and remembers it for the conversation that is left.
func (d *drafts) leave() {
	if d.written() {
		d.left.draftOf = d.here()
		d.left.Text, d.left.Stashed = d.composer.TakeDrafts()
	}
}

// back returns the draft to the composer, because its conversation stays open.
func (d *drafts) back() {
	left := d.left
	d.left = leftDraft{}
	if left.Draft != (Draft{}) {
		d.composer.RestoreDrafts(left.Text, left.Stashed)
	}
}

// stashOrClear stashes the draft, or if no key restores a stash moves it to the prompt history.
func (d *drafts) stashOrClear() pane.Action {
	keys := d.env.Keys.Composer.Writing
	if !keys.Stash.Enabled() {
		d.composer.Clear()
		return say("the draft is the newest prompt: " + keys.Older.Help().Key + " restores it")
	}
	d.composer.Stash() // its box says so
	return nil
}

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

// A draft belongs to a conversation: it stays behind when another is opened, and is there again when the conversation is.
// It is stored while one writes, so that a crash costs a second of it at most. What is written where a conversation is
// only read is kept apart, and comes along when the conversation is taken over.

// draftEvery is how much of what is being written a crash may cost.
const draftEvery = time.Second

// drafts keeps what is being written with its conversation.
type drafts struct {
	env      *env
	session  *session
	composer *composer.Model

	kept    Draft // as it was stored last
	changes int   // of the composer, then; -1 after a conversation was opened
	due     bool  // the next is under way
	left    leftDraft
	asked   int // how often a draft was to be stored
	queue   *draftQueue
}

// draftQueue lets no older draft replace a newer one.
type draftQueue struct {
	mu     sync.Mutex // guards what follows, and is held while a draft is stored
	newest int
	failed bool
}

// once is an error, nil for one that follows another: who writes on is told once.
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

// draftOf is where a draft belongs.
type draftOf struct {
	id   string // of the conversation, "" for none
	read bool   // it is only read here
}

// here is where belongs what is being written.
func (d *drafts) here() draftOf { return draftOf{d.session.ID, d.session.ReadOnly != ""} }

// store returns what stores a draft; without a conversation it does nothing.
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

// begin takes over the draft of a conversation that is open now. It reports whether what was being written while the
// conversation was only read comes along.
func (d *drafts) begin(kept Draft) (along bool) {
	left := d.left
	d.kept, d.changes, d.left = kept, -1, leftDraft{}
	if left.draftOf != (draftOf{d.session.ID, true}) || left.Draft == kept || left.Draft == (Draft{}) {
		return false
	}
	d.composer.Arrive(left.Text, left.Stashed)
	return true
}

// merge stores what came along with the conversation, and then no longer apart.
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

// leftDraft is what was being written in the conversation that is left, until another is open.
type leftDraft struct {
	draftOf
	Draft
}

// written reports whether what is being written belongs to the conversation on the screen.
func (d *drafts) written() bool {
	return d.session.open && !d.session.opening
}

// watch has the draft stored a while after it changed, and at once where it was sent: it must not come back.
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

// keep stores the draft if it is another one than before.
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

// now is what is being written.
func (d *drafts) now() Draft {
	text, stashed := d.composer.Kept()
	return Draft{text, stashed}
}

// KeepDraft stores what is being written at once, for the end of the program.
func (d *drafts) KeepDraft(ctx context.Context) error {
	of, draft := d.left.draftOf, d.left.Draft
	if d.written() {
		of, draft = d.here(), d.now()
	}
	return d.store(of, draft)(ctx)
}

// leave takes what is being written out of the composer: it stays with the conversation that is left.
func (d *drafts) leave() {
	if d.written() {
		d.left.draftOf = d.here()
		d.left.Text, d.left.Stashed = d.composer.Leave()
	}
}

// back returns what was left to the composer, as its conversation stays open.
func (d *drafts) back() {
	left := d.left
	d.left = leftDraft{}
	if left.Draft != (Draft{}) {
		d.composer.Arrive(left.Text, left.Stashed)
	}
}

// putAway puts the draft away, into the prompt history where no key brings it back.
func (d *drafts) stashOrClear() pane.Action {
	keys := d.env.Keys.Composer.Writing
	if !keys.Stash.Enabled() {
		d.composer.Clear()
		return say("the draft is the newest prompt: " + keys.Older.Help().Key + " restores it")
	}
	d.composer.Stash() // its box says so
	return nil
}

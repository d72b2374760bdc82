package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"plimsoll/agent"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// inCopy has the summary written in a copy that waits for one, and tells what
// was made.
func (f *first) inCopy(ctx context.Context, id string, l setup.Link) error {
	if !f.needsModel() {
		f.copied(id)
		return nil
	}
	r, err := f.agents.start(ctx, l, openOptions{id: id})
	if err != nil {
		return err
	}
	return errors.Join(f.within(ctx, r), r.close())
}

// copied tells what was made in a copy without a model.
func (f *first) copied(id string) {
	switch {
	case f.none != nil:
		f.made(compaction{}, f.none)
	case f.pass != nil:
		done := newCompaction(f.state, f.pass.Preview())
		seq := f.state.next()
		done.ID, done.Epoch = id, &seq
		f.made(done, nil)
	}
}

// copy makes a copy of a stored conversation, with the compaction that needs no
// model, and returns its ID. The original is only read.
func (v *conversations) copy(ctx context.Context, f *first) (string, error) {
	id := conversation.NewID()
	w, err := f.state.store.Create(ctx, storage.NewConversation{ID: id, Workspace: v.settings.Workspace})
	if err != nil {
		return "", err
	}
	err = copyInto(ctx, w, f.state, f.overlays())
	return id, errors.Join(err, w.Close())
}

// copyInto writes the texts that events name, then the events and what comes
// behind them, in one transaction.
func copyInto(ctx context.Context, w *storage.Writer, s conversationState, more []conversation.Body) error {
	for _, name := range blobsOf(s.events) {
		text, err := s.store.Blob(ctx, s.id, name)
		if err != nil {
			return fmt.Errorf("copying a text of %s: %w", s.id, err)
		}
		if _, err := w.PutBlob(ctx, text); err != nil {
			return err
		}
	}
	log, err := conversation.NewLog(s.events)
	if err != nil {
		return fmt.Errorf("copying conversation %s: %w", s.id, err)
	}
	bodies := append(s.pending(), more...)
	if name := copyTitle(s.events); name != "" {
		bodies = append(bodies, conversation.Renamed{Title: name, By: "auto"})
	}
	return w.Append(ctx, append(log.Events(), log.Prepare(time.Now(), bodies...)...))
}

// copyOf is how the title of a copy ends: (fork), of a copy of that (fork 2).
var copyOf = regexp.MustCompile(` \(fork(?: ([0-9]{1,6}))?\)$`)

// copyTitle is the title of a copy, by which a list tells it from the original; ""
// where nothing was said.
func copyTitle(events []conversation.Event) string {
	name := cmp.Or(title(events), agent.DefaultTitle(events))
	if name == "" {
		return ""
	}
	end := copyOf.FindStringSubmatchIndex(name)
	if end == nil {
		return name + " (fork)"
	}
	n := 1
	if end[2] >= 0 {
		n, _ = strconv.Atoi(name[end[2]:end[3]])
	}
	return name[:end[0]] + fmt.Sprintf(" (fork %d)", n+1)
}

// copyNote says what a copy is, to who goes on in it.
func copyNote(from string) string {
	return "forked: this is the copy, and " + from + " stays as it is (/resume " + from + " goes back to it)"
}

// blobsOf lists the texts that events name, each once.
func blobsOf(events []conversation.Event) []string {
	var names []string
	seen := map[string]bool{"": true}
	add := func(list ...string) {
		for _, n := range list {
			if !seen[n] {
				seen[n] = true
				names = append(names, n)
			}
		}
	}
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			add(b.Blob)
		case conversation.Instructions:
			add(b.System, b.Tools)
		}
	}
	return names
}

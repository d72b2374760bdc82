package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tui"
)

// A conversation, also one that is open elsewhere, can be continued as a copy. A
// copy has the same events and texts under another ID, all of them or
// those before a point of the past, with what is said of them behind it; the
// original is not touched.

// forkOptions says how a conversation is copied.
type forkOptions struct {
	json    bool
	compact compactFlag
	cut     bool // at turn
	turn    int
}

// forkCommand copies a conversation.
type forkCommand struct {
	agents        *agents
	console       *console
	conversations *conversations
	models        *models
	settings      *settings

	options forkOptions
}

func (cmd *forkCommand) cobra() *cobra.Command {
	o := &cmd.options
	c := &cobra.Command{
		Use:   "fork [ID]",
		Short: "Copy a conversation, to go on in another way",
		Long: `Fork makes a copy of a conversation and writes the copy's ID to standard output.
The original is only read, and may be open elsewhere.

--turn N copies what was said before turn N, to go on from there. Turns are counted
from 0, as print shows them; -1 is the one before the last. Compactions that were
made later stay as far as they are about what is copied, and turns that were taken
back can be named.

--compact makes the older turns of the copy shorter, as compact does. Where
nothing can be made shorter, the copy is made all the same.

` + idHelp,
		Example: `  plimsoll fork
  plimsoll -r "$(plimsoll fork 3kq7)"
  plimsoll fork 3kq7 --turn 5
  plimsoll fork 3kq7 --compact=heavy`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			o.cut = c.Flags().Changed("turn")
			return cmd.Run(c.Context(), args)
		},
	}
	o.compact.addTo(c, "compact the copy, as configured or by --compact=`PROFILE`")
	c.Flags().IntVar(&o.turn, "turn", 0, "copy only what was said before turn `N`")
	c.Flags().BoolVar(&o.json, "json", false, "write one JSON object")
	return c
}

// forked is `fork --json`.
type forked struct {
	ID         string      `json:"id"`
	From       string      `json:"from"`
	Compaction *compaction `json:"compaction"` // null without one
}

// Run copies a stored conversation.
func (cmd *forkCommand) Run(ctx context.Context, args []string) error {
	o := cmd.options
	_, from, err := cmd.conversations.resolve(ctx, args)
	if err != nil {
		return o.misread(err, args)
	}
	s, err := cmd.conversations.stateOf(ctx, from)
	if err != nil {
		return err
	}
	if o.compact.given {
		cmd.settings.noteRefused()
	}
	if o.cut {
		if s, err = cmd.conversations.cutAtTurn(ctx, s, o.turn); err != nil {
			return err
		}
	}
	f, err := cmd.agents.first(s, o.compact, "fork")
	if err != nil {
		return err
	}
	var l link
	if f.needsModel() {
		if l, err = cmd.models.linkFor(ctx, from, true); err != nil {
			return err
		}
	}
	id, err := cmd.conversations.copy(ctx, f)
	if err != nil {
		return err
	}
	if err := f.inCopy(ctx, id, l); err != nil {
		cmd.console.note("the copy %s was made, and is not compacted", id)
		return err
	}
	if !o.json {
		_, err = fmt.Fprintln(cmd.console.Stdout, id)
		return err
	}
	return writeJSON(cmd.console.Stdout, forked{ID: id, From: from, Compaction: f.done})
}

// misread is the error of an ID that is none, with a hint if it was meant as a
// profile.
func (o forkOptions) misread(err error, args []string) error {
	if o.compact.given && o.compact.profile == "" && errors.Is(err, storage.ErrNotFound) && len(args) > 0 {
		return withHint(err, "a profile is written --compact="+args[0])
	}
	return err
}

// inCopy has the summary written in a copy that waits for one, and tells what
// was made.
func (f *first) inCopy(ctx context.Context, id string, l link) error {
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

// errNothingToFork says that there is nothing to copy yet.
var errNothingToFork = errors.New("nothing was said yet: there is nothing to copy")

// Fork leaves the open conversation and continues a copy of it. By a profile
// the copy is compacted: at once, or, where a model has to write a summary, as
// the first thing that happens in it.
func (h *host) Fork(ctx context.Context, compactWith string) (tui.Conversation, error) {
	flag := compactFlag{given: compactWith != "", profile: compactWith}
	if compactWith == tui.CompactByDefault {
		flag.profile = ""
	}
	s, err := h.source(ctx)
	if err != nil {
		return tui.Conversation{}, err
	}
	f, err := h.agents.first(s, flag, "fork")
	if err != nil {
		return tui.Conversation{}, err
	}
	id, err := h.conversations.copy(ctx, f)
	if err != nil {
		return tui.Conversation{}, err
	}
	talk, err := h.enter(ctx, id)
	if err != nil {
		return talk, err
	}
	talk.Notes = append(talk.Notes, copyNote(s.id))
	if f.none != nil {
		talk.Notes = append(talk.Notes, "not compacted: "+f.none.Error())
	}
	if f.needsModel() {
		h.compact(id, f.wish)
	}
	return talk, nil
}

// source is the open conversation as a copy of it begins.
func (h *host) source(ctx context.Context) (conversationState, error) {
	from, ours := h.openID()
	if from == "" {
		return conversationState{}, errNothingToFork
	}
	s, err := h.conversations.stateOf(ctx, from)
	if errors.Is(err, storage.ErrNotFound) {
		return conversationState{}, errNothingToFork
	}
	if err == nil && ours { // a reply that is arriving stays where it arrives
		s = s.at(&reading{store: s.store, id: s.id, events: s.events, said: s.events, view: compact.Project(s.events)})
	}
	return s, err
}

// compact has the open conversation compacted, if it is this one still.
func (h *host) compact(id string, w compact.Wish) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running != nil && h.running.id == id {
		h.running.agent.Compact(w)
	}
}

// copy makes a copy of a stored conversation, with the compaction that needs no
// model, and returns its ID. The original is only read.
func (v *conversations) copy(ctx context.Context, f *first) (string, error) {
	id := conversation.NewID()
	w, err := f.state.store.Create(ctx, storage.NewConversation{ID: id, Workspace: v.settings.workspace})
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

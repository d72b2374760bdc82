package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/storage"
)

// Which conversation a command uses: the one of the ID argument, which may be a prefix of at least four characters; without
// it the newest of this workspace, else of the data directory. An ambiguous prefix is an error that lists the candidates.

// IDHelp explains the ID argument in the help of every command that takes one.
const IDHelp = "ID is a conversation's, or at least four characters of its beginning; without it,\n" +
	"the newest conversation of this workspace, else of all."

// ErrNoConversation reports that no conversation is stored.
var ErrNoConversation = errors.New("no conversation yet")

// Conversations reads the stored conversations, and appends to those that no program has open.
type Conversations struct{ setup.Parts }

// Resolve finds the conversation that the arguments of a command name.
func (c *Conversations) Resolve(ctx context.Context, args []string) (*storage.Store, string, error) {
	store, err := c.Resources.Open()
	if err != nil {
		return nil, "", err
	}
	if len(args) > 0 && strings.TrimSpace(args[0]) == "" {
		// An unset variable in a script must not pick a conversation.
		return nil, "", console.AsUsage(console.WithHint(errors.New("the ID is empty"), "`plimsoll list` shows them; leave the argument out for the newest"))
	}
	if len(args) > 0 {
		id, err := store.Resolve(ctx, args[0])
		return store, id, err
	}
	id, passed, err := store.Newest(ctx, c.Settings.Workspace)
	if passed != "" {
		c.Console.Note("passed over, as its workspace is not known: %s", passed)
	}
	if errors.Is(err, storage.ErrNotFound) {
		return nil, "", console.WithHint(ErrNoConversation, "start one with `plimsoll`, or with `plimsoll ask PROMPT`")
	}
	return store, id, err
}

// Snapshot is a stored conversation as it was read once.
type Snapshot struct {
	Store  *storage.Store
	ID     string
	Events []conversation.Event
	// WithPartial is Events, then a reply that was interrupted when the program ended, if there is one. It is stored when the
	// conversation is next opened for writing.
	WithPartial []conversation.Event
	View        projection.View // of WithPartial

	system string                  // system prompt of the newest request, "" if unreadable
	Tools  []conversation.ToolSpec // that the newest request declares, as the log records them
}

// Read loads the conversation that the arguments of a command name. Unreadable events are noted on standard error.
func (c *Conversations) Read(ctx context.Context, args []string) (*Snapshot, error) {
	store, id, err := c.Resolve(ctx, args)
	if err != nil {
		return nil, err
	}
	snapshot, report, err := loadSnapshot(ctx, store, id)
	if err != nil {
		return nil, err
	}
	for _, d := range report.Damaged {
		c.Console.Note("event %d cannot be read (%s); `plimsoll doctor --repair` may help", d.Seq, d.Reason)
	}
	for _, n := range slices.Concat(report.Notices, snapshot.View.Notes) {
		c.Console.Note("%s", n)
	}
	return snapshot, nil
}

// DamageNotes describes, for the user, the events of a conversation that could not be read.
func DamageNotes(report storage.LoadReport) []string {
	if n := len(report.Damaged); n > 0 {
		return append([]string{numbers.Count(n, "event") + " could not be read; `plimsoll doctor` says more"}, report.Notices...)
	}
	return report.Notices
}

func loadSnapshot(ctx context.Context, store *storage.Store, id string) (*Snapshot, storage.LoadReport, error) {
	events, report, err := store.Load(ctx, id)
	if err != nil {
		return nil, report, fmt.Errorf("reading conversation %s: %w", id, err)
	}
	snapshot := NewSnapshot(ctx, store, id, events)
	if partial, ok := snapshot.InterruptedReply(ctx); ok {
		newest := events[len(events)-1]
		snapshot.WithPartial = append(slices.Clone(events), conversation.Event{Seq: newest.Seq + 1, Turn: newest.Turn, Time: newest.Time, Body: partial})
		snapshot.View = projection.Project(snapshot.WithPartial)
	}
	return snapshot, report, nil
}

// NewSnapshot makes a snapshot from events that were already read.
func NewSnapshot(ctx context.Context, store *storage.Store, id string, events []conversation.Event) *Snapshot {
	snapshot := &Snapshot{Store: store, ID: id, Events: events, WithPartial: events, View: projection.Project(events)}
	var carried inspect.RebuiltRequest
	if err := (RequestRef{Store: store, ID: id}).readPrompt(ctx, events, &carried); err == nil {
		snapshot.system, snapshot.Tools = carried.System, carried.Tools
	}
	return snapshot
}

// InterruptedReply returns the reply that was arriving when the last writer ended without appending it.
func (snapshot *Snapshot) InterruptedReply(ctx context.Context) (conversation.AssistantMessage, bool) {
	if snapshot.Store.IsOpenElsewhere(snapshot.ID) {
		return conversation.AssistantMessage{}, false
	}
	partial, ok, err := snapshot.Store.Partial(ctx, snapshot.ID)
	if err != nil || !ok || len(snapshot.Events) == 0 || partial.After != uint64(len(snapshot.Events)) {
		return conversation.AssistantMessage{}, false // the partial reply does not belong to the end of the log, which has priority
	}
	log, err := conversation.NewLog(snapshot.Events) // Prepare cleans and measures the reply
	if err != nil {
		return conversation.AssistantMessage{}, false
	}
	reply, ok := log.Prepare(snapshot.Events[len(snapshot.Events)-1].Time, partial.Reply())[0].Body.(conversation.AssistantMessage)
	return reply, ok
}

// Prompt returns the system prompt of the newest request. If none is recorded, it is that of this workspace.
func (snapshot *Snapshot) Prompt(ctx context.Context, settings *setup.Settings) (string, error) {
	in, ok := conversation.Newest[conversation.Instructions](snapshot.Events)
	switch {
	case !ok:
		return buildSystemPrompt(settings.Workspace, instructionFiles(settings)), nil
	case in.System == "":
		return "", nil
	}
	text, err := snapshot.Store.Blob(ctx, snapshot.ID, in.System)
	if err != nil {
		return "", fmt.Errorf("reading the system prompt of conversation %s: %w", snapshot.ID, err)
	}
	return text, nil
}

// Title is the newest title among events.
func Title(events []conversation.Event) string {
	r, _ := conversation.Newest[conversation.Renamed](events)
	return r.Title
}

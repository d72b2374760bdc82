package screen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"plimsoll/cli/session"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/find"
	"plimsoll/conversation/numbers"
	"plimsoll/storage"
	"plimsoll/tools/workspace"
	"plimsoll/tui"
	"plimsoll/tui/changes"
)

// Past requests, full texts and other conversations are not kept in memory: they are read from the store on demand. The open
// conversation continues meanwhile.

// ErrNothingStored reports that the conversation is not stored yet.
var ErrNothingStored = errors.New("nothing is stored yet")

// loadShown reads the conversation that the screen shows. The error is [ErrNothingStored] before its first message.
func (h *Host) loadShown(ctx context.Context) (*storage.Store, string, []conversation.Event, error) {
	id, _ := h.openID()
	store, err := h.deps.Resources.Open()
	if err != nil {
		return nil, "", nil, err
	}
	events, _, err := store.Load(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, "", nil, ErrNothingStored
	}
	return store, id, events, err
}

// storedEvents reads the events of the open conversation, none before the first is stored.
func (h *Host) storedEvents(ctx context.Context, running *session.Running) []conversation.Event {
	events, _, _ := h.deps.Resources.Store.Load(ctx, running.ID) // none with an error
	return events
}

// Request rebuilds a request of the conversation on the screen; event is the Seq of its usage.
func (h *Host) Request(ctx context.Context, event uint64) (inspect.RebuiltRequest, error) {
	store, id, events, err := h.loadShown(ctx)
	if err != nil {
		return inspect.RebuiltRequest{}, err
	}
	for _, q := range inspect.SentRequests(events) {
		if q.Event == event {
			return h.deps.Conversations.Rebuild(ctx, session.RequestRef{Store: store, ID: id, Events: events, SentRequest: q})
		}
	}
	return inspect.RebuiltRequest{}, fmt.Errorf("e%d records no request", event)
}

// maxPageChars is how many characters a page shows: more would take long to wrap.
const maxPageChars = 1_000_000

// errNoResult reports that no tool result was cut.
var errNoResult = errors.New("no tool result is truncated; ctrl+o expands them")

// ExpandPage returns the full text of events: those that selector names ("e41", "e41-45", "t3", or the id of a call), or for ""
// the newest tool result that was cut.
func (h *Host) ExpandPage(ctx context.Context, selector string) (string, error) {
	store, id, events, err := h.loadShown(ctx)
	if errors.Is(err, ErrNothingStored) {
		return "", errNoResult
	}
	if err != nil {
		return "", err
	}
	found, err := findEvents(events, selector)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range found {
		if b.Len() > 2*maxPageChars { // the page is full: later events would be cut
			break
		}
		text, err := fullEventText(ctx, store, id, e)
		if err != nil {
			return "", err
		}
		b.WriteString(text + "\n\n")
	}
	shown, _ := conversation.Cut(strings.TrimSuffix(b.String(), "\n\n"), maxPageChars)
	return shown, nil
}

// findEvents lists the events that selector names; ExpandPage describes its form.
func findEvents(events []conversation.Event, selector string) ([]conversation.Event, error) {
	id, ok := conversation.ParseRecallID(selector)
	var found []conversation.Event
	for _, e := range events {
		r, result := e.Body.(conversation.ToolResult)
		at := e.Seq
		if id.Turns {
			at = uint64(max(e.Turn, 0))
		}
		switch _, hasText := labelOf(e); {
		case selector == "" && result && r.Total > 0:
			found = []conversation.Event{e}
		case selector != "" && ok && hasText && id.First <= at && at <= id.Last, selector != "" && !ok && result && r.CallID == selector:
			found = append(found, e)
		}
	}
	switch {
	case len(found) == 0 && selector == "":
		return nil, errNoResult
	case len(found) == 0:
		return nil, fmt.Errorf("nothing found at %s; name a turn (t3), a call or a message by its number in the history", selector)
	}
	return found, nil
}

// labelOf is the label of an event with text, false for other events.
func labelOf(e conversation.Event) (string, bool) {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return "user", true
	case conversation.AssistantMessage:
		return "assistant", true
	case conversation.ToolResult:
		return b.Tool + " · " + string(b.Status), true
	case conversation.Summary:
		return "summary", b.Text != ""
	}
	return "", false
}

// fullEventText is the full text of an event below a line with its number, turn and label.
func fullEventText(ctx context.Context, store *storage.Store, id string, e conversation.Event) (string, error) {
	label, _ := labelOf(e)
	text := ""
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		text = b.Text
	case conversation.AssistantMessage:
		text = fullReplyText(b)
	case conversation.ToolResult:
		if text = b.Text; b.Blob == "" {
			break
		}
		full, err := store.Blob(ctx, id, b.Blob)
		switch {
		case err != nil && ctx.Err() != nil:
			return "", err
		case err != nil: // the log still has the cut text
			text += fmt.Sprintf("\n\n(reading the full text of event %d: %v; plimsoll doctor says more)", e.Seq, err)
		default:
			text = full
		}
	case conversation.Summary:
		text = strings.TrimSpace(b.Text + "\n\n" + b.Appendix)
	}
	return fmt.Sprintf("event e%d · turn %s · %s\n\n%s", e.Seq, numbers.Grouped(e.Turn+1), label, text), nil
}

// fullReplyText is a reply with its reasoning, its calls, and why it failed.
func fullReplyText(m conversation.AssistantMessage) string {
	parts := make([]string, 0, 3+len(m.Calls))
	if m.Reasoning != "" {
		parts = append(parts, "[reasoning]\n"+m.Reasoning)
	}
	if m.Text != "" {
		parts = append(parts, m.Text)
	}
	for _, c := range m.Calls {
		parts = append(parts, "→ "+c.Name+" "+c.Arguments)
	}
	if m.Error != "" {
		parts = append(parts, "[failed: "+m.Error+"]")
	}
	return strings.Join(parts, "\n\n")
}

// Search searches the texts and titles of all conversations.
func (h *Host) Search(ctx context.Context, query string) (tui.Found, error) {
	q, err := find.Parse(query)
	if err != nil {
		return tui.Found{}, err
	}
	store, err := h.deps.Resources.Open()
	if err != nil {
		return tui.Found{}, err
	}
	started, found := time.Now(), tui.Found{Query: query}
	report, err := store.Search(ctx, q, storage.SearchOptions{}, func(hit find.Hit) bool {
		found.Hits = append(found.Hits, hit)
		return true
	})
	if err != nil {
		return tui.Found{}, err
	}
	if report.Unread+report.Damaged > 0 {
		h.deps.Resources.Logger().Warn("not all could be searched", "conversations", report.Unread, "texts", report.Damaged)
	}
	found.Conversations, found.More, found.Took = report.Conversations, report.More, time.Since(started)
	found.Unread, found.Damaged = report.Unread, report.Damaged
	return found, nil
}

// Conversations lists the stored conversations, newest first.
func (h *Host) Conversations(ctx context.Context) ([]tui.Stored, error) {
	store, err := h.deps.Resources.Open()
	if err != nil {
		return nil, err
	}
	entries, err := store.List(ctx, storage.Filter{})
	if err != nil {
		return nil, err
	}
	openID, isWritable := h.openID()
	out := make([]tui.Stored, 0, len(entries))
	for _, e := range entries {
		c := tui.Stored{ID: e.ID, Title: e.Heading(), Updated: e.Updated, Turns: e.Turns, Size: e.Bytes}
		if e.Workspace != h.deps.Settings.Workspace { // the current workspace is not shown
			c.Workspace = h.deps.Console.Home(e.Workspace)
		}
		switch {
		case e.OpenElsewhere:
			c.Open = "open in " + session.WindowName(store.OwnerPID(e.ID))
		case e.ID == openID && isWritable:
			c.Open = "open here"
		}
		out = append(out, c)
	}
	return out, nil
}

// LastExchange returns the newest user message and the reply to it, each cut to an excerpt.
func (h *Host) LastExchange(ctx context.Context, id string) (question, reply string, err error) {
	store, err := h.deps.Resources.Open()
	if err != nil {
		return "", "", err
	}
	events, _, err := store.Load(ctx, id)
	if err != nil {
		return "", "", err
	}
	for _, e := range slices.Backward(events) {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			return excerpt(b.Text), excerpt(reply), nil
		case conversation.AssistantMessage:
			if reply == "" && strings.TrimSpace(b.Text) != "" {
				reply = b.Text
			}
		}
	}
	return "", excerpt(reply), nil
}

// excerpt is the beginning of a text, at most 600 characters.
func excerpt(text string) string {
	if runes := []rune(text); len(runes) > 600 {
		return string(runes[:599]) + "…"
	}
	return text
}

// RenameStored sets the title of a conversation that is not open here.
func (h *Host) RenameStored(ctx context.Context, id, title string) error {
	_, err := h.deps.Conversations.Rename(ctx, id, title)
	return err
}

// RemoveStored deletes a conversation that is not open here.
func (h *Host) RemoveStored(ctx context.Context, id string) error {
	return h.deps.Conversations.Delete(ctx, id)
}

// PlanRewind plans to bring the files of the open conversation back.
func (h *Host) PlanRewind(ctx context.Context, turn int, redo bool) (tui.FilePlan, error) {
	running := h.running()
	if running == nil {
		return tui.FilePlan{}, errReadOnly
	}
	plan, err := running.PlanRewind(ctx, turn, redo)
	out := tui.FilePlan{Unknown: plan.Unknown, Apply: func(ctx context.Context, overwrite bool) (string, error) {
		done, err := running.RewindFiles(ctx, plan, overwrite)
		return done.Text(), err
	}}
	for _, f := range plan.Files {
		out.Files = append(out.Files, tui.PlannedFile{Path: f.Path, Removed: f.Target == "", Foreign: f.Foreign, Problem: f.Problem, Diff: f.Diff})
	}
	return out, err
}

// OnDisk compares files that the conversation's tools changed with their current content in the workspace.
func (h *Host) OnDisk(ctx context.Context, files []diff.ChangedFile, kept []conversation.FileChange) []changes.File {
	found := make([]changes.File, len(files))
	ws, err := workspace.Open(h.deps.Settings.Workspace)
	if err == nil {
		defer func() { _ = ws.Close() }() // opened for reading
	}
	for i, f := range files {
		found[i] = changes.File{ChangedFile: f, Disk: changes.DiskUnreadable}
		if err == nil && ctx.Err() == nil {
			found[i].ChangedFile, found[i].Disk = h.compareFile(ws, f, kept)
		}
	}
	return found
}

// compareFile returns the change and the state on disk. The change is one diff if the file is unchanged on disk and its content
// before the first change was kept.
func (h *Host) compareFile(ws *workspace.Files, f diff.ChangedFile, kept []conversation.FileChange) (diff.ChangedFile, changes.Disk) {
	p, err := ws.Locate(f.Name)
	if err != nil {
		return f, changes.DiskUnreadable
	}
	if _, err := ws.Stat(p); errors.Is(err, fs.ErrNotExist) {
		return f, changes.DiskGone
	}
	text, err := ws.Content(p)
	if err != nil {
		return f, changes.DiskUnreadable
	}
	at := slices.IndexFunc(kept, func(c conversation.FileChange) bool { return c.Path == p.Rel && c.To == conversation.ContentHash(text) })
	if at >= 0 {
		first, now := diff.Version{Name: f.Name, Missing: kept[at].From == ""}, diff.Version{Name: f.Name, Text: text}
		if !first.Missing {
			first.Text, err = h.deps.Resources.Checkpoints().Get(kept[at].From)
		}
		if whole, ok := diff.Parse(diff.Unified(first, now)); err == nil && ok {
			f.Diffs = []diff.File{whole}
			return f, changes.DiskSame
		}
	}
	if !f.IsNow(text) {
		return f, changes.DiskOther
	}
	return f, changes.DiskSame
}

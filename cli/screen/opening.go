package screen

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll/agent/openai"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/compact/projection"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
	"plimsoll/tui"
)

// Open opens the conversation that the program was started with, or a new one
// if the user has yet to pick one.
func (h *Host) Open(ctx context.Context) (tui.Conversation, error) {
	if h.first.Resume == Pick {
		return h.New(ctx)
	}
	return h.Resume(ctx, h.first.Resume)
}

// New leaves the open conversation and begins another.
func (h *Host) New(ctx context.Context) (tui.Conversation, error) { return h.Resume(ctx, "") }

// Resume leaves the open conversation and continues another; "" is a new one.
func (h *Host) Resume(ctx context.Context, id string) (tui.Conversation, error) {
	return h.openWith(ctx, id, h.connectFor)
}

// NewWithModel leaves the open conversation and begins a new one with the named model.
func (h *Host) NewWithModel(ctx context.Context, model string) (tui.Conversation, error) {
	return h.openWith(ctx, "", func(ctx context.Context, _ string) (setup.Connection, error) {
		c, err := h.deps.Providers.ChoiceByName(model)
		if err != nil {
			return setup.Connection{}, err
		}
		return h.deps.Models.Connect(ctx, c)
	})
}

// openWith leaves the open conversation and opens another with the model that connect returns for it.
func (h *Host) openWith(ctx context.Context, id string, connect func(ctx context.Context, id string) (setup.Connection, error)) (tui.Conversation, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leaveTask(h.follower)
	switch {
	case h.isClosed:
		return tui.Conversation{}, errClosing
	case h.Running != nil && id != "" && h.Running.ID == id:
		return tui.Conversation{}, errors.New("this conversation is already open")
	}
	if q := h.trustQuestion(func(ctx context.Context) (tui.Conversation, error) { return h.openWith(ctx, id, connect) }); q != nil {
		return tui.Conversation{}, q
	}
	if locked := h.lockedBy(ctx, id); locked != nil {
		return h.readOnly(ctx, id, locked) // nothing is sent, so no model is needed
	}
	conn, err := connect(ctx, id)
	if err != nil {
		return tui.Conversation{}, h.withConsent(err)
	}
	options := session.OpenOptions{ID: id, Interactive: true}
	if h.Running != nil {
		options.Mode = h.Running.Toolbox.Mode() // the mode stays the same across conversations
	}
	running, err := h.deps.Start(ctx, conn, options)
	if locked, ok := errors.AsType[*storage.LockedError](err); ok {
		return h.readOnly(ctx, id, locked)
	}
	if err != nil {
		return tui.Conversation{}, err
	}
	h.leaveConversation()
	h.Running, h.ReadOnlyID = running, ""
	if conn.Discover != nil {
		running.DiscoverLimits(conn)
	}
	opened := h.Conversation(running)
	opened.Found = h.modelsFound(running)
	opened.Draft = h.draft(ctx, running.ID, false)
	if p := h.deps.Providers; p.CheckKey(p.ChoiceAt(conn.Model.Provider, conn.Model.ID)) != nil {
		opened.Keyless = conn.Model.Provider
	}
	return opened, nil
}

// lockedBy returns which other program has a conversation open for writing, nil if it is not open elsewhere.
func (h *Host) lockedBy(ctx context.Context, id string) *storage.LockedError {
	store, err := h.deps.Resources.Open()
	if id == "" || err != nil || !store.IsOpenElsewhere(id) {
		return nil
	}
	w, err := store.OpenWriter(ctx, id)
	var locked *storage.LockedError
	if err == nil {
		err = w.Close() // the other program closed it meanwhile
	}
	errors.As(err, &locked)
	return locked
}

// connectFor connects to the model for conversation id: the one that it used last, or
// for a new conversation the one in use. A model chosen with a flag also serves this
// conversation if it is local or the same endpoint. The error is
// [setup.ModelUnavailableError] if the user has to agree first. The caller holds h.mu.
func (h *Host) connectFor(ctx context.Context, id string) (setup.Connection, error) {
	if h.Running == nil {
		c, err := h.deps.Models.Choose(ctx, id, true)
		if err != nil {
			return setup.Connection{}, err
		}
		return h.deps.Models.Connect(ctx, c)
	}
	last, err := h.deps.Models.LastUsed(ctx, id)
	if err != nil {
		return setup.Connection{}, err
	}
	choice, model := h.Running.Connection.Choice(), h.Running.Connection.Model
	isSameModel := last.Name() == model.Name() && (last.BaseURL == "" || setup.SameEndpoint(last.BaseURL, model.BaseURL))
	isFlagUsable := h.deps.Settings.Flags.HasModel() && (setup.IsLocal(model.BaseURL) || setup.SameEndpoint(h.deps.Providers.ChoiceOf(last).Address(), model.BaseURL))
	if last.Name() == "" || (isSameModel || isFlagUsable) && !setup.MovesToHosted(last, model) {
		return h.connectTo(ctx, choice)
	}
	c, why := h.deps.Models.Reuse(last)
	if why != "" {
		return setup.Connection{}, &setup.ModelUnavailableError{ID: id, Last: last, Why: why, Proposed: &choice}
	}
	return h.deps.Models.Connect(ctx, c)
}

// connectTo returns the current connection if it is to choice c, and connects otherwise. The caller holds h.mu.
func (h *Host) connectTo(ctx context.Context, c setup.Choice) (setup.Connection, error) {
	if h.Running != nil && h.Running.Connection.Choice() == c {
		conn := h.Running.Connection
		h.deps.Models.ReloadCalibration(ctx, &conn.Model)
		return conn, nil
	}
	return h.deps.Models.Connect(ctx, c)
}

// withConsent turns a [setup.ModelUnavailableError] into a question to the user, and returns other errors unchanged.
func (h *Host) withConsent(err error) error {
	var e *setup.ModelUnavailableError
	if !errors.As(err, &e) || e.Proposed == nil {
		return err
	}
	target := *e.Proposed
	return &tui.Consent{
		Title: "Send it elsewhere?", Question: fmt.Sprintf("This conversation used %s, which %s.\nGo on with %s? All of it is then sent to %s.",
			e.Last.Name(), e.Why, target.Name(), target.DisplayAddress()),
		Yes: "go on with " + target.Name() + " at " + target.DisplayAddress(), No: "no, send nothing",
		Declined: "nothing was sent · /model chooses another model, /resume " + e.ID + " asks again",
		Open: func(ctx context.Context) (tui.Conversation, error) {
			return h.openWith(ctx, e.ID, func(ctx context.Context, _ string) (setup.Connection, error) { return h.connectTo(ctx, target) })
		},
	}
}

// trustQuestion asks whether to apply the settings of the workspace's file that need
// the user's consent; open then opens the conversation. It returns nil if no
// question is needed. The caller holds h.mu.
func (h *Host) trustQuestion(open func(context.Context) (tui.Conversation, error)) *tui.Consent {
	settings, loaded := h.deps.Settings, h.deps.Settings.Loaded.Load()
	contents := settings.UndecidedContents()
	refused := loaded.Refused
	if settings.TrustOf(settings.Workspace).Hash == loaded.Hash {
		refused = nil
	}
	if h.isTrustAsked || len(refused)+len(contents) == 0 {
		return nil
	}
	storeAnswer := func(yes bool) func(context.Context) (tui.Conversation, error) {
		return func(ctx context.Context) (tui.Conversation, error) {
			h.mu.Lock()
			h.isTrustAsked = true
			h.mu.Unlock()
			err := settings.StoreTrust(setup.Trust{Workspace: settings.Workspace, Hash: loaded.Hash, Trusted: yes}, contents...)
			if err == nil && yes {
				err = settings.Reload()
			}
			if err != nil {
				return tui.Conversation{}, err
			}
			return open(ctx)
		}
	}
	var b strings.Builder
	b.WriteString("What came with this folder asks for what only you can decide:\n")
	for _, r := range refused {
		fmt.Fprintf(&b, "\n%s: %s: %s\n    it %s\n", h.deps.Console.Home(r.File), r.Key, r.Value, r.Why)
	}
	for _, c := range contents {
		fmt.Fprintf(&b, "\n%s: it %s:\n\n%s\n", h.deps.Console.Home(c.Path), c.Why, plain.MarkInvisible(c.Text))
	}
	for _, note := range settings.UnknownNotes(*loaded) {
		b.WriteString("\n" + note + "\n")
	}
	return &tui.Consent{
		Title: "Apply the folder's settings?", Question: b.String(), Yes: "apply them, until the file changes", No: "leave them out",
		Declined: "left out · plimsoll config trust applies them", Open: storeAnswer(true), Decline: storeAnswer(false),
	}
}

// modelsFound describes the models that could be used, without showing a key, for the
// first start: it is nil once a conversation is stored. It asks no server; /connect
// does.
func (h *Host) modelsFound(running *session.Running) []string {
	store, err := h.deps.Resources.Open()
	if err != nil || len(running.Events) > 0 {
		return nil
	}
	if empty, err := store.IsEmpty(); err != nil || !empty {
		return nil
	}
	var out []string
	for _, name := range openai.ProvidersByKey() {
		if h.deps.Providers.Key(name).Text != "" {
			out = append(out, "a key for "+name)
		}
	}
	if base := h.deps.Console.Getenv("OPENAI_BASE_URL"); base != "" && !strings.Contains(base, "//api.openai.com") {
		out = append(out, "a server at "+setup.HostOf(base))
	}
	inUse := running.Connection.Model.Provider
	for _, name := range slices.Sorted(maps.Keys(h.deps.Settings.Cfg().Providers)) {
		if !slices.Contains(openai.ProvidersByKey(), name) && name != inUse {
			out = append(out, name+" in the configuration")
		}
	}
	return out
}

// Delete removes the open conversation permanently and begins a new one.
func (h *Host) Delete(ctx context.Context) (tui.Conversation, error) {
	old := h.running()
	opened, err := h.New(ctx)
	if err != nil || old == nil {
		return opened, err
	}
	err = h.deps.Conversations.Delete(ctx, old.ID)
	if errors.Is(err, storage.ErrNotFound) { // nothing was said in it
		err = h.deps.Conversations.DeleteDraft(old.ID)
	}
	if err != nil {
		return opened, fmt.Errorf("deleting %s: %w", old.ID, err)
	}
	return opened, nil
}

// ErrNothingToFork says that there is nothing to copy yet.
var ErrNothingToFork = errors.New("nothing to copy yet")

// Fork leaves the open conversation and continues a copy of it.
func (h *Host) Fork(ctx context.Context) (tui.Conversation, error) {
	s, err := h.copySource(ctx)
	if err != nil {
		return tui.Conversation{}, err
	}
	return h.copyOf(ctx, s)
}

// ForkAt leaves the open conversation and continues a copy of the part before an
// event, or a new conversation if that part is empty.
func (h *Host) ForkAt(ctx context.Context, before uint64) (tui.Conversation, error) {
	s, err := h.copySource(ctx)
	if err == nil {
		s, err = h.deps.Conversations.Cut(ctx, s, before)
	}
	if errors.Is(err, session.ErrNothingBefore) {
		return h.New(ctx)
	}
	if err != nil {
		return tui.Conversation{}, err
	}
	return h.copyOf(ctx, s)
}

// ForkStored leaves the open conversation and continues a copy of a stored one.
func (h *Host) ForkStored(ctx context.Context, id string) (tui.Conversation, error) {
	s, err := h.deps.Conversations.StateOf(ctx, id)
	if err != nil {
		return tui.Conversation{}, err
	}
	return h.copyOf(ctx, s)
}

// copySource is the state of the open conversation that a copy starts from.
func (h *Host) copySource(ctx context.Context) (session.ConversationState, error) {
	from, isWritable := h.openID()
	if from == "" {
		return session.ConversationState{}, ErrNothingToFork
	}
	s, err := h.deps.Conversations.StateOf(ctx, from)
	switch {
	case errors.Is(err, storage.ErrNotFound) && isWritable:
		return s, ErrNothingToFork
	case errors.Is(err, storage.ErrNotFound):
		return s, errors.New("this conversation was deleted in the other window; nothing is left to copy")
	case err == nil && isWritable: // the copy leaves out a reply that is still arriving
		s = s.WithSnapshot(&session.Snapshot{Store: s.Store, ID: s.ID, Events: s.Events, WithPartial: s.Events, View: projection.Project(s.Events)})
	}
	return s, err
}

// changedFilesNote says which files are not as the open conversation left them; nil if all are.
func (h *Host) changedFilesNote(ctx context.Context) []string {
	running := h.running()
	if running == nil {
		return nil
	}
	if changed := running.ChangedFiles(ctx); len(changed) > 0 {
		return []string{"not as this conversation remembers: " + plain.Line(strings.Join(changed, ", ")) + " (/diff)"}
	}
	return nil
}

// copyOf copies a conversation, leaves the open one and continues the copy.
func (h *Host) copyOf(ctx context.Context, s session.ConversationState) (tui.Conversation, error) {
	id, err := h.deps.Conversations.Copy(ctx, s)
	if err != nil {
		return tui.Conversation{}, err
	}
	opened, err := h.Resume(ctx, id)
	if err == nil {
		opened.Notes = append(append(opened.Notes, "Forked: you are in the copy. Original: /resume "+s.ID), h.changedFilesNote(ctx)...)
	}
	return opened, err
}

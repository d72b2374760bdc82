package screen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation/numbers"
	"plimsoll/storage"
	"plimsoll/tools/shell"
	"plimsoll/tui"
)

// Limits of what surrounds a conversation on the screen.
const (
	maxFiles      = 20_000          // that can be mentioned
	maxPrompts    = 500             // of the history
	shellTime     = 2 * time.Minute // for a command of the user's own
	MaxAttachment = 16 << 20        // bytes of a mentioned file
)

// Conversations lists the stored ones, newest first.
func (h *Host) Conversations(ctx context.Context) ([]tui.Stored, error) {
	store, err := h.with.Resources.Open()
	if err != nil {
		return nil, err
	}
	entries, err := store.List(ctx, storage.Filter{})
	if err != nil {
		return nil, err
	}
	out := make([]tui.Stored, 0, len(entries))
	for _, e := range entries {
		note := fmt.Sprintf("%s · %s · %s", e.Updated.Local().Format("2 Jan 15:04"), numbers.Count(e.Turns, "turn"), h.with.Console.Home(e.Workspace))
		if e.Elsewhere {
			note += " · open elsewhere"
		}
		out = append(out, tui.Stored{ID: e.ID, Title: e.Heading(), Note: note})
	}
	return out, nil
}

// Models lists what can be switched to: the catalogue's models of providers
// that have a key, what the server in use lists, and the demo model.
func (h *Host) Models(ctx context.Context) ([]tui.ModelChoice, error) {
	h.mu.Lock()
	var current setup.Link
	if h.Running != nil {
		current = h.Running.Link
	}
	h.mu.Unlock()
	var out []tui.ModelChoice
	if current.Discover != nil {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		if found, err := current.Discover(ctx); err == nil {
			for _, m := range found.Models {
				if m.Chat {
					out = append(out, tui.ModelChoice{Name: current.Model.Provider + "/" + m.ID, Note: windowNote(m.Window)})
				}
			}
		}
	}
	listed := len(out) > 0
	for _, e := range catalog.All() {
		key, _ := h.with.Providers.Key(e.Provider)
		if key == "" || e.Deprecated || !e.Tools || listed && e.Provider == current.Model.Provider {
			continue
		}
		out = append(out, tui.ModelChoice{Name: e.Provider + "/" + e.ID, Note: windowNote(e.Limit())})
	}
	return append(out, tui.ModelChoice{Name: setup.ProviderDemo, Note: "built in, not an AI"}), nil
}

func windowNote(tokens int) string {
	if tokens <= 0 {
		return ""
	}
	return fmt.Sprintf("%dk", (tokens+500)/1000)
}

// errLeft says that another conversation was opened meanwhile.
var errLeft = errors.New("the conversation was left before the model answered")

// SwitchModel makes requests go to another model from here on, with the effort that
// follows its name; a level alone changes the effort. A conversation that was held with a local model needs a yes before a hosted one gets it.
func (h *Host) SwitchModel(ctx context.Context, name string) error {
	h.mu.Lock()
	r, in := h.Running, setup.Link{}
	if r != nil {
		in = r.Link
	}
	h.mu.Unlock()
	if r == nil {
		return errors.New("this conversation is read only")
	}
	name, effort, err := setup.SplitEffort(name)
	if err != nil {
		return err
	}
	if name == "" {
		in.Model.Effort = effort
		return h.switchTo(r, in)
	}
	c, err := h.Meant(ctx, in, name)
	if err != nil {
		return err
	}
	l, err := h.with.Models.Connect(ctx, c)
	if err != nil {
		return err
	}
	if effort != "" {
		l.Model.Effort = effort
	}
	held, err := h.with.Models.Held(ctx, r.ID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	if !setup.Leaves(held, l.Model) {
		return h.switchTo(r, l)
	}
	to := l.Choice()
	return &tui.Consent{
		Title:    "Send it elsewhere?",
		Question: fmt.Sprintf("This conversation was held with %s on your own machines.\nGo on with %s? All of it is then sent to %s.", held.Name(), to.Name(), to.Place()),
		Yes:      "go on with " + to.Name() + " at " + to.Place(),
		No:       "no, send nothing",
		Declined: "nothing was sent; " + in.Model.Name() + " goes on with it",
		Switch:   func(context.Context) error { return h.switchTo(r, l) },
	}
}

// SetWindow says how many tokens the model in use holds. It is kept for later runs.
func (h *Host) SetWindow(_ context.Context, text string) error {
	tokens, err := numbers.ParseCount(text)
	if err != nil || tokens <= 0 {
		return errors.New("/window takes a number of tokens, like 32000, 128k or 1M")
	}
	h.mu.Lock()
	r := h.Running
	h.mu.Unlock()
	if r == nil {
		return errors.New("this conversation is read only")
	}
	return r.SetWindow(tokens)
}

// switchTo sends the requests of a conversation to another model, if it is open
// still.
func (h *Host) switchTo(r *session.Running, l setup.Link) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Running != r {
		return errLeft
	}
	r.SwitchTo(l)
	return nil
}

// Meant is the choice that a name means in a conversation: what the server in use
// lists by that name comes before other providers.
func (h *Host) Meant(ctx context.Context, in setup.Link, name string) (setup.Choice, error) {
	at := in.Choice()
	provider, _, _ := strings.Cut(name, "/")
	rest := strings.TrimPrefix(name, at.Provider+"/")
	switch {
	case at.Demo:
	case rest != name && at.Provider == setup.ProviderCustom:
		at.Model = rest
		return at, nil
	case rest == name && provider != name && h.with.Providers.Known(provider), h.with.Providers.Known(name):
	case in.Discover != nil:
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		if found, err := in.Discover(ctx); err == nil {
			if m, ok := found.Listed(rest); ok {
				at.Model = setup.CanonicalID(at.Provider, m.ID)
				return at, nil
			}
		}
	}
	return h.with.Providers.Named(name)
}

// Shell runs a command of the user's own in the workspace and returns what it
// printed. It keeps the environment: the user runs it, not the model.
func (h *Host) Shell(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, shellTime)
	defer cancel()
	output, err := shell.Run(ctx, h.with.Settings.Workspace, command)
	text, _ := h.arrivalCap().Apply(output, "")
	return text, err
}

// Prompts returns what was sent before, oldest first.
func (h *Host) Prompts(ctx context.Context) ([]string, error) {
	store, err := h.with.Resources.Open()
	if err != nil {
		return nil, err
	}
	return store.History(ctx, h.with.Settings.Workspace, maxPrompts)
}

// Remember adds a prompt to the history.
func (h *Host) Remember(ctx context.Context, text string) error {
	store, err := h.with.Resources.Open()
	if err != nil {
		return err
	}
	return store.AddHistory(ctx, h.with.Settings.Workspace, text)
}

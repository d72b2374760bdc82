package screen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

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
		Question: fmt.Sprintf("This conversation used %s on your own machines.\nGo on with %s? All of it is then sent to %s.", held.Name(), to.Name(), to.Place()),
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
	h.chooser.used(l.Model.Name())
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

package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// With which model a stored conversation goes on. Rules:
//
//   - it goes on with the model it was held with, at the address where that was
//   - otherwise nothing is sent: another model, or the same one somewhere else,
//     needs a yes; a flag that names one is a yes, the configuration and the
//     environment are none

// Held is the model that a stored conversation was last held with and its
// address, the zero value for a new conversation and for one that names none.
func (d *Models) Held(ctx context.Context, id string) (conversation.ModelChanged, error) {
	if id == "" {
		return conversation.ModelChanged{}, nil
	}
	store, err := d.Resources.Open()
	if err != nil {
		return conversation.ModelChanged{}, err
	}
	// The list is the quick way. Where it does not know the conversation, its events do.
	entries, err := store.List(ctx, storage.Filter{})
	if i := slices.IndexFunc(entries, func(e storage.Entry) bool { return e.ID == id && e.Problem == "" }); err == nil && i >= 0 {
		provider, model, ok := strings.Cut(entries[i].Model, "/")
		if !ok || model == "" {
			return conversation.ModelChanged{}, nil
		}
		return conversation.ModelChanged{Provider: provider, Model: CanonicalID(provider, model), BaseURL: entries[i].BaseURL}, nil
	}
	events, _, err := store.Load(ctx, id)
	return LastModel(events), err
}

// Again is the choice that goes on with what a conversation was held with. why
// completes "the conversation used X, which ..." if it is not to be had.
func (d *Models) Again(held conversation.ModelChanged) (c Choice, why string) {
	if held.Provider == ProviderDemo {
		return Choice{Provider: ProviderDemo, Demo: true}, ""
	}
	c = d.Providers.HeldAt(held)
	now := c.Address()
	switch {
	case !d.Providers.Known(held.Provider):
		return c, "belongs to a provider that is no longer configured"
	case now == "":
		return c, "is at an address that was not recorded"
	case held.BaseURL != "" && !SamePlace(now, held.BaseURL) && !Local(now):
		return c, "was at " + HostOf(held.BaseURL) + " and would be at " + HostOf(now) + " now"
	}
	if err := d.Providers.CheckKey(c); err != nil {
		return c, "cannot be used (" + err.Error() + ")"
	}
	return c, ""
}

// Elsewhere says that a conversation cannot go on with what it was held with.
// Nothing was sent.
type Elsewhere struct {
	ID       string
	Held     conversation.ModelChanged
	Why      string
	Proposed *Choice // what could go on with it, nil for nothing
}

// elsewhere works out what to propose for a conversation.
func (d *Models) elsewhere(ctx context.Context, id string, held conversation.ModelChanged, why string, demoAllowed bool) *Elsewhere {
	e := &Elsewhere{ID: id, Held: held, Why: why}
	if c, err := d.fresh(ctx, demoAllowed); err == nil && d.Providers.CheckKey(c) == nil {
		e.Proposed = &c
	}
	return e
}

// Error says what happened, and what could be done about it on the next lines.
func (e *Elsewhere) Error() string {
	return fmt.Sprintf("the conversation used %s, which %s; nothing was sent", e.Held.Name(), e.Why)
}

// hint is how to choose on the command line.
func (e *Elsewhere) hint() string {
	text := "make it reachable again"
	if e.Held.Provider == ProviderCustom && e.Held.BaseURL == "" {
		text = "give its address with --base-url URL --model " + e.Held.Model
	}
	text += ", or choose with --model PROVIDER/ID the model that continues the conversation"
	if e.Proposed != nil {
		text += fmt.Sprintf("; --model %s sends all of it to %s", e.Proposed.Name(), e.Proposed.Place())
	}
	return text + "; `plimsoll models` lists what is known"
}

// Question is what a yes is asked for.
func (e *Elsewhere) Question() string {
	return fmt.Sprintf("This conversation used %s, which %s.\nGo on with %s? All of it is then sent to %s.",
		e.Held.Name(), e.Why, e.Proposed.Name(), e.Proposed.Place())
}

// Leaves reports whether going on with a model takes a conversation from a local
// Model to a hosted one. One whose address nobody recorded counts as local.
func Leaves(held conversation.ModelChanged, to llm.Model) bool {
	if held.Name() == "" || to.Provider == ProviderDemo || Local(to.BaseURL) {
		return false
	}
	if held.BaseURL != "" {
		return Local(held.BaseURL)
	}
	e, known := openai.Known(held.Provider)
	return !known || e.Local
}

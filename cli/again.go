package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// With which model a stored conversation goes on. Rules:
//
//   - it goes on with the model it was held with, at the address where that was
//   - a server on this machine counts if it answers and has the model
//   - otherwise nothing is sent: another model, or the same one somewhere else,
//     needs a yes; a flag that names one is a yes, the configuration and the
//     environment are none

// serverPatience is how long a server on this machine has to list its models.
const serverPatience = time.Second

// held is the model that a stored conversation was last held with and its
// address, the zero value for a new conversation and for one that names none.
func (d *models) held(ctx context.Context, id string) (conversation.ModelChanged, error) {
	if id == "" {
		return conversation.ModelChanged{}, nil
	}
	store, err := d.resources.open()
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
		return conversation.ModelChanged{Provider: provider, Model: canonicalID(provider, model), BaseURL: entries[i].BaseURL}, nil
	}
	events, _, err := store.Load(ctx, id)
	return lastModel(events), err
}

// canonicalID is the id of a model in the one spelling that is recorded: Ollama
// takes a name without a tag for the one with :latest.
func canonicalID(provider, id string) string {
	if provider == "ollama" && id != "" && !strings.Contains(id[strings.LastIndexByte(id, '/')+1:], ":") {
		return id + ":latest"
	}
	return id
}

// again is the choice that goes on with what a conversation was held with. why
// completes "the conversation was held with X, which ..." if it is not to be had.
func (d *models) again(ctx context.Context, held conversation.ModelChanged) (c choice, why string) {
	if held.Provider == providerDemo {
		return choice{provider: providerDemo, demo: true}, ""
	}
	c = d.providers.heldAt(held)
	if held.BaseURL == "" && held.Provider == providerCustom && c.baseURL == "" {
		c.baseURL = d.soleEndpoint(ctx, held.Model)
	}
	now := c.address()
	switch {
	case !d.providers.known(held.Provider):
		return c, "is of a provider that is not configured any more"
	case now == "":
		return c, "is at an address that was not recorded"
	case held.BaseURL != "" && !samePlace(now, held.BaseURL) && !local(now):
		return c, "was at " + hostOf(held.BaseURL) + " and would be at " + hostOf(now) + " now"
	}
	if err := d.providers.checkKey(c); err != nil {
		return c, "cannot be used (" + err.Error() + ")"
	}
	if local(now) && (d.providers.probing() || held.BaseURL != "") {
		return c, d.missing(ctx, c)
	}
	return c, ""
}

// heldAt is the choice of a model at the address of its provider; where a name
// says nothing of the address, at the recorded one.
func (p *providers) heldAt(held conversation.ModelChanged) choice {
	c := p.at(held.Provider, held.Model)
	if held.BaseURL != "" && (c.address() == "" || held.Provider == providerCustom && p.settings.flags.baseURL == "") {
		c.baseURL = held.BaseURL
	}
	return c
}

// soleEndpoint is the address of a model of a custom endpoint that no log
// recorded: if one only has been used for a model of this id, it is that one.
func (d *models) soleEndpoint(ctx context.Context, id string) string {
	store, err := d.resources.open()
	if err != nil {
		return ""
	}
	all, err := store.Calibrations(ctx)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(soleKey(all, id), " "+id)
}

// missing says why a server on this machine cannot go on with a model, "" if it
// can. A server that lists nothing may have it.
func (d *models) missing(ctx context.Context, c choice) string {
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	found, err := openai.Discover(ctx, d.providers.endpoint(c), "")
	var failure *agent.Error
	switch {
	case errors.As(err, &failure) && failure.Status > 0:
		return "" // it answers, and has no list
	case err != nil:
		return "does not answer at " + hostOf(c.address())
	case len(found.Models) == 0:
		return ""
	}
	if _, ok := found.Listed(c.model); !ok {
		return "is not among the models of " + hostOf(c.address())
	}
	return ""
}

// elsewhere says that a conversation cannot go on with what it was held with.
// Nothing was sent.
type elsewhere struct {
	id       string
	held     conversation.ModelChanged
	why      string
	proposed *choice // what could go on with it, nil for nothing
}

// elsewhere works out what to propose for a conversation.
func (d *models) elsewhere(ctx context.Context, id string, held conversation.ModelChanged, why string, demoAllowed bool) *elsewhere {
	e := &elsewhere{id: id, held: held, why: why}
	if c, err := d.fresh(ctx, demoAllowed); err == nil && d.providers.checkKey(c) == nil {
		e.proposed = &c
	}
	return e
}

// Error says what happened, and what could be done about it on the next lines.
func (e *elsewhere) Error() string {
	return fmt.Sprintf("the conversation was held with %s, which %s; nothing was sent", e.held.Name(), e.why)
}

// hint is how to choose on the command line.
func (e *elsewhere) hint() string {
	text := "make it reachable again"
	if e.held.Provider == providerCustom && e.held.BaseURL == "" {
		text = "say where it is with --base-url URL --model " + e.held.Model
	}
	text += ", or choose with --model PROVIDER/ID what goes on with the conversation"
	if e.proposed != nil {
		text += fmt.Sprintf("; --model %s sends all of it to %s", e.proposed.name(), e.proposed.place())
	}
	return text + "; `plimsoll models` lists what is known"
}

// question is what a yes is asked for.
func (e *elsewhere) question() string {
	return fmt.Sprintf("This conversation was held with %s, which %s.\nGo on with %s? All of it is then sent to %s.",
		e.held.Name(), e.why, e.proposed.name(), e.proposed.place())
}

// name is a choice as the user writes it.
func (c choice) name() string {
	switch {
	case c.demo:
		return providerDemo
	case c.model == "":
		return c.provider
	}
	return c.provider + "/" + c.model
}

// place is where the requests of a choice go, as the user reads it.
func (c choice) place() string {
	switch at := c.address(); {
	case c.demo:
		return "the built-in demo model on this machine"
	case local(at):
		return hostOf(at) + " (your own network)"
	default:
		return hostOf(at)
	}
}

// leaves reports whether going on with a model takes a conversation from a local
// model to a hosted one. One whose address nobody recorded counts as local.
func leaves(held conversation.ModelChanged, to agent.Model) bool {
	if held.Name() == "" || to.Provider == providerDemo || local(to.BaseURL) {
		return false
	}
	if held.BaseURL != "" {
		return local(held.BaseURL)
	}
	e, known := openai.Known(held.Provider)
	return !known || e.Local
}

// decide has the user say in a terminal whether a conversation may go on
// elsewhere; without a terminal the answer is no.
func (d *models) decide(ctx context.Context, e *elsewhere) (choice, error) {
	refused := console.WithHint(e, e.hint())
	if e.proposed == nil || !console.Terminal(d.console.Stdin) || !console.Terminal(d.console.Stderr) {
		return choice{}, refused
	}
	yes, err := d.console.Agree(ctx, e.question())
	if err != nil {
		return choice{}, err
	}
	if !yes {
		return choice{}, refused
	}
	return *e.proposed, nil
}

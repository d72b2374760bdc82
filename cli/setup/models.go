package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/compact/meter"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// With which model a conversation begins, and with which a stored one goes on. Rules:
//
//   - a flag that names one decides
//   - a stored conversation goes on with the model it was held with, at the address where that was; otherwise nothing is
//     sent: another model, or the same one somewhere else, needs a yes
//   - a new one takes the model of the configuration, that of the first key in the environment, a local server's, or
//     where somebody sees it the demo model

// Models finds the model of a conversation, connects to it, and lists those that are known.
type Models struct {
	Console   *console.Console
	Settings  *Settings
	Providers *Providers
	Resources *Resources
}

// Choose asks no server but local ones; id is the conversation that goes on, "" for a new one. The error is [Elsewhere] if
// it cannot go on with what it was held with.
func (d *Models) Choose(ctx context.Context, id string, demoAllowed bool) (Choice, error) {
	if d.Settings.Flags.HasModel() {
		return d.Providers.choiceByFlags()
	}
	held, err := d.LastUsed(ctx, id)
	if err != nil {
		return Choice{}, err
	}
	if held.Name() == "" {
		return d.chooseForNew(ctx, demoAllowed)
	}
	c, why := d.Reuse(held)
	if why == "" {
		return c, nil
	}
	e := &ModelUnavailableError{ID: id, Last: held, Why: why}
	if c, err := d.chooseForNew(ctx, demoAllowed); err == nil && d.Providers.CheckKey(c) == nil {
		e.Proposed = &c
	}
	return Choice{}, e
}

// fresh is the choice for a new conversation without a flag.
func (d *Models) chooseForNew(ctx context.Context, demoAllowed bool) (Choice, error) {
	if name := d.Settings.Cfg().Model; name != "" {
		return d.Providers.ChoiceByName(name)
	}
	if base := d.Console.Getenv("OPENAI_BASE_URL"); base != "" && !strings.Contains(base, "//api.openai.com") {
		return Choice{Provider: "openai", BaseURL: base}, nil // local servers need no key
	}
	for _, name := range openai.ProvidersByKey() {
		if e, ok := catalog.Default(name); ok && d.Providers.Key(name).Text != "" {
			return d.Providers.ChoiceAt(name, e.ID), nil
		}
	}
	if d.Providers.MayProbe() {
		for _, s := range openai.LocalWithModels(ctx, openai.LocalCandidates(d.Console.Getenv), nil) {
			return Choice{Provider: s.Provider, Model: s.Model, BaseURL: s.BaseURL}, nil
		}
	}
	if demoAllowed {
		return Choice{Provider: ProviderDemo}, nil
	}
	return Choice{}, console.AsUsage(console.WithHint(errors.New("no model is available: there is no API key in the environment or the configuration"),
		"set OPENAI_API_KEY (or another provider's key), start Ollama, give --base-url URL, or try --demo; `plimsoll doctor` shows what was looked for"))
}

// flagged is the choice that the flags name.
func (p *Providers) choiceByFlags() (Choice, error) {
	f := p.Settings.Flags
	switch {
	case f.Demo:
		return Choice{Provider: ProviderDemo}, nil
	case f.BaseURL != "":
		return Choice{Provider: ProviderCustom, BaseURL: f.BaseURL, Model: strings.TrimPrefix(f.Model, ProviderCustom+"/")}, nil
	}
	return p.ChoiceByName(f.Model)
}

// LinkFor is the model to ask. A server that knows how large its window is has a second to say so. unread says that nobody
// reads what arrives.
func (d *Models) ConnectFor(ctx context.Context, id string, unread bool) (Connection, error) {
	c, err := d.Choose(ctx, id, false)
	var e *ModelUnavailableError
	if errors.As(err, &e) {
		return Connection{}, console.WithHint(e, e.hint())
	}
	if err != nil {
		return Connection{}, err
	}
	c.isUnattended = unread
	if err := d.Providers.CheckKey(c); err != nil {
		return Connection{}, err
	}
	l, err := d.Connect(ctx, c)
	if err != nil || l.Discover == nil {
		return l, err
	}
	if w := l.Model.Window; w.Known() && w.Source != meter.WindowCatalogue && w.Source != meter.WindowLearned {
		return l, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	found, err := l.Discover(ctx)
	if err != nil {
		return l, nil // a server that does not say is the usual case
	}
	if w := WindowOf(found); w.Known() {
		l.Model.Window = w
	}
	if found.MaxOut > 0 {
		l.Model.MaxOut = found.MaxOut
	}
	l.AskAgain = found.AskAgain
	return l, nil
}

// Held is the model that a stored conversation was last held with and its address, the zero value for a new conversation
// and for one that names none.
func (d *Models) LastUsed(ctx context.Context, id string) (conversation.ModelChanged, error) {
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

// Again is the choice that goes on with what a conversation was held with. why completes "the conversation used X,
// which ..." if it is not to be had.
func (d *Models) Reuse(held conversation.ModelChanged) (c Choice, why string) {
	c = d.Providers.ChoiceOf(held)
	now := c.Address()
	switch {
	case c.IsDemo():
		return c, ""
	case !d.Providers.Known(held.Provider):
		return c, "belongs to a provider that is no longer configured"
	case now == "":
		return c, "is at an address that was not recorded"
	case held.BaseURL != "" && !SameEndpoint(now, held.BaseURL) && !IsLocal(now):
		return c, "was at " + HostOf(held.BaseURL) + " and would be at " + HostOf(now) + " now"
	}
	if err := d.Providers.CheckKey(c); err != nil {
		return c, "cannot be used (" + err.Error() + ")"
	}
	return c, ""
}

// Elsewhere says that a conversation cannot go on with what it was held with. Nothing was sent.
type ModelUnavailableError struct {
	ID       string
	Last     conversation.ModelChanged
	Why      string
	Proposed *Choice // what could go on with it, nil for nothing
}

func (e *ModelUnavailableError) Error() string {
	return fmt.Sprintf("the conversation used %s, which %s; nothing was sent", e.Last.Name(), e.Why)
}

// hint is how to choose on the command line.
func (e *ModelUnavailableError) hint() string {
	text := "make it reachable again"
	if e.Last.Provider == ProviderCustom && e.Last.BaseURL == "" {
		text = "give its address with --base-url URL --model " + e.Last.Model
	}
	text += ", or choose with --model PROVIDER/ID the model that continues the conversation"
	if e.Proposed != nil {
		text += fmt.Sprintf("; --model %s sends all of it to %s", e.Proposed.Name(), e.Proposed.DisplayAddress())
	}
	return text + "; `plimsoll models` lists what is known"
}

// Question is what a yes is asked for.
func (e *ModelUnavailableError) Question() string {
	return fmt.Sprintf("This conversation used %s, which %s.\nGo on with %s? All of it is then sent to %s.",
		e.Last.Name(), e.Why, e.Proposed.Name(), e.Proposed.DisplayAddress())
}

// Leaves reports whether going on with a model takes a conversation from a local model to a hosted one. One whose address
// nobody recorded counts as local.
func MovesToHosted(held conversation.ModelChanged, to llm.Model) bool {
	if held.Name() == "" || to.Provider == ProviderDemo || IsLocal(to.BaseURL) {
		return false
	}
	if held.BaseURL != "" {
		return IsLocal(held.BaseURL)
	}
	e, known := openai.KnownProvider(held.Provider)
	return !known || e.Local
}

// ModelOf is the model a stored conversation goes on with: the one that is asked for, else the one it talked to last.
func (d *Models) ModelOf(ctx context.Context, events []conversation.Event) (llm.Model, error) {
	last := LastModel(events)
	c := d.Providers.ChoiceOf(last)
	if d.Settings.Flags.HasModel() {
		var err error
		if c, err = d.Providers.choiceByFlags(); err != nil {
			return llm.Model{}, err
		}
		if c.Provider == ProviderCustom && c.Model == "" {
			c.Model = last.Model
		}
	}
	m := llm.Model{Window: meter.Window{Source: meter.WindowUnknown}}
	if c.Provider == "" {
		d.Providers.ApplySettings(&m, config.Model{})
		return m, nil
	}
	m = d.Model(ctx, c)
	if c.IsDemo() || last.Name() != m.Name() {
		return m, nil
	}
	from, own := meter.WindowSource(last.Source), d.Providers.ModelConfig(c)
	said := from == meter.WindowServer && (m.Window.Source == meter.WindowCatalogue || m.Window.Tokens == last.Window) ||
		(from == meter.WindowServer || from == meter.WindowLearned) && !m.Window.Known()
	if said && last.Window > 0 {
		m.Window = meter.Window{Tokens: last.Window, Source: from}
		d.Providers.ApplySettings(&m, own)
	}
	if last.MaxOut > 0 && own.MaxOutput == 0 {
		m.MaxOut = last.MaxOut
	}
	return m, nil
}

// OwnersModel is the model that a conversation was held with last, with the window that its owner knows.
func (d *Models) RecordedModel(ctx context.Context, events []conversation.Event) llm.Model {
	last := LastModel(events)
	if last.Provider == "" {
		return llm.Model{Window: meter.Window{Source: meter.WindowUnknown}}
	}
	c := d.Providers.ChoiceOf(last)
	if last.BaseURL != "" {
		c.BaseURL = last.BaseURL
	}
	m := d.Model(ctx, c)
	if last.Window > 0 {
		m.Window = meter.Window{Tokens: last.Window, Source: meter.WindowSource(last.Source)}
	}
	if last.MaxOut > 0 {
		m.MaxOut = last.MaxOut
	}
	return m
}

// LastModel is the model a conversation talked to last, with the window as it was recorded. One that took a turn over, in
// which the program ended, is none.
func LastModel(events []conversation.Event) conversation.ModelChanged {
	events = beforeTakeover(events)
	found := conversation.ModelChanged{}
	for _, e := range slices.Backward(events) {
		switch b := e.Body.(type) {
		case conversation.ModelChanged:
			found = b
		case conversation.AssistantMessage:
			provider, id, ok := strings.Cut(b.Model, "/")
			if !ok {
				continue
			}
			if found, _ = NewestModel(events); found.Name() != b.Model {
				found = conversation.ModelChanged{Provider: provider, Model: id}
			}
		default:
			continue
		}
		found.Model = CanonicalID(found.Provider, found.Model)
		return found
	}
	return found
}

// beforeTakeover are the events before a turn was taken over that did not end.
func beforeTakeover(events []conversation.Event) []conversation.Event {
	for i, e := range slices.Backward(events) {
		if m, ok := e.Body.(conversation.ModelChanged); ok {
			if m.OneTurn {
				return beforeTakeover(events[:i])
			}
			break
		}
	}
	return events
}

// NewestModel is the newest record of a change of model.
func NewestModel(events []conversation.Event) (conversation.ModelChanged, bool) {
	for _, e := range slices.Backward(events) {
		if m, ok := e.Body.(conversation.ModelChanged); ok {
			return m, true
		}
	}
	return conversation.ModelChanged{}, false
}

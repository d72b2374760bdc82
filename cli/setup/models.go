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

// Which model a new conversation uses, and which a stored one continues with. Rules:
//
//   - a flag that names a model decides
//   - a stored conversation continues with its last model at the same address; another model, or the same model at another
//     address, needs the user's consent before anything is sent
//   - a new one uses the configured model, else that of the first key in the environment, else a local server's, else, in
//     the chat, the demo model

// Models finds the model of a conversation, connects to it, and lists those that are known.
type Models struct {
	Console   *console.Console
	Settings  *Settings
	Providers *Providers
	Resources *Resources
}

// Choose returns the model for conversation id, "" for a new one. It asks local servers only. The error is
// [ModelUnavailableError] if the conversation cannot continue with its last model.
func (models *Models) Choose(ctx context.Context, id string, demoAllowed bool) (Choice, error) {
	if models.Settings.Flags.HasModel() {
		return models.Providers.choiceByFlags()
	}
	lastUsed, err := models.LastUsed(ctx, id)
	if err != nil {
		return Choice{}, err
	}
	if lastUsed.Name() == "" {
		return models.chooseForNew(ctx, demoAllowed)
	}
	c, why := models.Reuse(lastUsed)
	if why == "" {
		return c, nil
	}
	e := &ModelUnavailableError{ID: id, Last: lastUsed, Why: why}
	if c, err := models.chooseForNew(ctx, demoAllowed); err == nil && models.Providers.CheckKey(c) == nil {
		e.Proposed = &c
	}
	return Choice{}, e
}

// chooseForNew returns the model for a new conversation without a flag.
func (models *Models) chooseForNew(ctx context.Context, demoAllowed bool) (Choice, error) {
	if name := models.Settings.Cfg().Model; name != "" {
		return models.Providers.ChoiceByName(name)
	}
	if base := models.Console.Getenv("OPENAI_BASE_URL"); base != "" && !strings.Contains(base, "//api.openai.com") {
		return Choice{Provider: "openai", BaseURL: base}, nil // local servers need no key
	}
	for _, name := range openai.ProvidersByKey() {
		if e, ok := catalog.Default(name); ok && models.Providers.Key(name).Text != "" {
			return models.Providers.ChoiceAt(name, e.ID), nil
		}
	}
	if models.Providers.MayProbe() {
		for _, s := range openai.LocalWithModels(ctx, openai.LocalCandidates(models.Console.Getenv), nil) {
			return Choice{Provider: s.Provider, Model: s.Model, BaseURL: s.BaseURL}, nil
		}
	}
	if demoAllowed {
		return Choice{Provider: ProviderDemo}, nil
	}
	return Choice{}, console.AsUsage(console.WithHint(errors.New("no model is available: there is no API key in the environment or the configuration"),
		"set OPENAI_API_KEY (or another provider's key), start Ollama, give --base-url URL, or try --demo; `plimsoll doctor` shows what was looked for"))
}

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

// ConnectFor connects to the model for conversation id, and waits up to a second for the server to report its window. An
// unattended demo model replies without delays.
func (models *Models) ConnectFor(ctx context.Context, id string, isUnattended bool) (Connection, error) {
	c, err := models.Choose(ctx, id, false)
	if e, ok := errors.AsType[*ModelUnavailableError](err); ok {
		return Connection{}, console.WithHint(e, e.hint())
	}
	if err != nil {
		return Connection{}, err
	}
	c.isUnattended = isUnattended
	if err := models.Providers.CheckKey(c); err != nil {
		return Connection{}, err
	}
	conn, err := models.Connect(ctx, c)
	if err != nil || conn.Discover == nil {
		return conn, err
	}
	if w := conn.Model.Window; w.IsKnown() && w.Source != meter.WindowCatalogue && w.Source != meter.WindowLearned {
		return conn, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	found, err := conn.Discover(ctx)
	if err != nil {
		return conn, nil // most servers do not report a window
	}
	if w := WindowOf(found); w.IsKnown() {
		conn.Model.Window = w
	}
	if found.MaxOut > 0 {
		conn.Model.MaxOut = found.MaxOut
	}
	conn.AskAgain = found.AskAgain
	return conn, nil
}

// LastUsed returns the model that a stored conversation used last and its address, the zero value if it is new or records
// no model.
func (models *Models) LastUsed(ctx context.Context, id string) (conversation.ModelChanged, error) {
	if id == "" {
		return conversation.ModelChanged{}, nil
	}
	store, err := models.Resources.Open()
	if err != nil {
		return conversation.ModelChanged{}, err
	}
	// The list is faster to read than the events, which are read only if the list does not have the conversation.
	entries, err := store.List(ctx, storage.Filter{Tasks: true})
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

// Reuse returns the choice of a conversation's last model. If that is not possible, why completes the sentence "the
// conversation used X, which ...".
func (models *Models) Reuse(lastUsed conversation.ModelChanged) (c Choice, why string) {
	c = models.Providers.ChoiceOf(lastUsed)
	now := c.Address()
	switch {
	case c.IsDemo():
		return c, ""
	case !models.Providers.Known(lastUsed.Provider):
		return c, "belongs to a provider that is no longer configured"
	case now == "":
		return c, "is at an address that was not recorded"
	case lastUsed.BaseURL != "" && !SameEndpoint(now, lastUsed.BaseURL) && !IsLocal(now):
		return c, "was at " + HostOf(lastUsed.BaseURL) + " and would be at " + HostOf(now) + " now"
	}
	if err := models.Providers.CheckKey(c); err != nil {
		return c, "cannot be used (" + err.Error() + ")"
	}
	return c, ""
}

// ModelUnavailableError reports that a conversation cannot continue with its last model. Nothing was sent.
type ModelUnavailableError struct {
	ID       string
	Last     conversation.ModelChanged
	Why      string
	Proposed *Choice // a model that could continue it, nil if no other model is ready
}

func (e *ModelUnavailableError) Error() string {
	return fmt.Sprintf("the conversation used %s, which %s; nothing was sent", e.Last.Name(), e.Why)
}

// hint says how to choose a model on the command line.
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

// MovesToHosted reports whether a switch of models takes a conversation from a local model to a hosted one. A model without
// a recorded address counts as local.
func MovesToHosted(lastUsed conversation.ModelChanged, to llm.Model) bool {
	if lastUsed.Name() == "" || to.Provider == ProviderDemo || IsLocal(to.BaseURL) {
		return false
	}
	if lastUsed.BaseURL != "" {
		return IsLocal(lastUsed.BaseURL)
	}
	e, known := openai.KnownProvider(lastUsed.Provider)
	return !known || e.Local
}

// ModelOf returns the model that a stored conversation continues with: that of the flags, else the one it used last.
func (models *Models) ModelOf(ctx context.Context, events []conversation.Event) (llm.Model, error) {
	last := LastModel(events)
	c := models.Providers.ChoiceOf(last)
	if models.Settings.Flags.HasModel() {
		var err error
		if c, err = models.Providers.choiceByFlags(); err != nil {
			return llm.Model{}, err
		}
		if c.Provider == ProviderCustom && c.Model == "" {
			c.Model = last.Model
		}
	}
	m := llm.Model{Window: meter.Window{Source: meter.WindowUnknown}}
	if c.Provider == "" {
		models.Providers.ApplySettings(&m, config.Model{})
		return m, nil
	}
	m = models.Model(ctx, c)
	if c.IsDemo() || last.Name() != m.Name() {
		return m, nil
	}
	source, configured := meter.WindowSource(last.Source), models.Providers.ModelConfig(c)
	isRecordedNewer := source == meter.WindowServer && (m.Window.Source == meter.WindowCatalogue || m.Window.Tokens == last.Window) ||
		(source == meter.WindowServer || source == meter.WindowLearned) && !m.Window.IsKnown()
	if isRecordedNewer && last.Window > 0 {
		m.Window = meter.Window{Tokens: last.Window, Source: source}
		models.Providers.ApplySettings(&m, configured)
	}
	if last.MaxOut > 0 && configured.MaxOutput == 0 {
		m.MaxOut = last.MaxOut
	}
	return m, nil
}

// RecordedModel returns the model that a conversation used last, with the window and limits that its log records.
func (models *Models) RecordedModel(ctx context.Context, events []conversation.Event) llm.Model {
	last := LastModel(events)
	if last.Provider == "" {
		return llm.Model{Window: meter.Window{Source: meter.WindowUnknown}}
	}
	c := models.Providers.ChoiceOf(last)
	if last.BaseURL != "" {
		c.BaseURL = last.BaseURL
	}
	m := models.Model(ctx, c)
	if last.Window > 0 {
		m.Window = meter.Window{Tokens: last.Window, Source: meter.WindowSource(last.Source)}
	}
	if last.MaxOut > 0 {
		m.MaxOut = last.MaxOut
	}
	return m
}

// LastModel returns the model that a conversation used last, with its recorded window. A fallback model does not count if
// the program ended during its turn.
func LastModel(events []conversation.Event) conversation.ModelChanged {
	events = beforeFallback(events)
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
			if found, _ = conversation.Newest[conversation.ModelChanged](events); found.Name() != b.Model {
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

// beforeFallback returns the events before a fallback model took over a turn that did not end.
func beforeFallback(events []conversation.Event) []conversation.Event {
	for i, e := range slices.Backward(events) {
		if m, ok := e.Body.(conversation.ModelChanged); ok {
			if m.OneTurn {
				return beforeFallback(events[:i])
			}
			break
		}
	}
	return events
}

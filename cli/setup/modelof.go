package setup

import (
	"context"
	"slices"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/compact/meter"
	"plimsoll/config"
	"plimsoll/conversation"
)

// ModelOf is the model a stored conversation goes on with: the one that is
// asked for, else the one it talked to last.
func (d *Models) ModelOf(ctx context.Context, events []conversation.Event) (llm.Model, error) {
	last := LastModel(events)
	c, err := d.Providers.choiceFor(last)
	if err != nil {
		return llm.Model{}, err
	}
	if c.Provider == "" {
		m := llm.Model{Window: meter.Window{Source: meter.WindowUnknown}}
		d.Providers.Apply(&m, config.Model{})
		return llm.Model{Window: m.Window}, nil
	}
	if c.Demo {
		return d.demoModel(ctx), nil
	}
	m := d.Model(ctx, c, openai.New(d.Providers.Endpoint(c)))
	from := meter.WindowSource(last.Source)
	said := from == meter.WindowServer && (m.Window.Source == meter.WindowCatalogue || m.Window.Tokens == last.Window) ||
		(from == meter.WindowServer || from == meter.WindowLearned) && !m.Window.Known()
	if said && last.Window > 0 && last.Name() == m.Name() {
		m.Window = meter.Window{Tokens: last.Window, Source: from}
		d.Providers.Apply(&m, d.Providers.OwnModel(c))
	}
	if last.MaxOut > 0 && last.Name() == m.Name() && d.Providers.OwnModel(c).MaxOutput == 0 {
		m.MaxOut = last.MaxOut
	}
	return m, nil
}

// choiceFor is the endpoint and model to measure for.
func (p *Providers) choiceFor(last conversation.ModelChanged) (Choice, error) {
	switch {
	case p.Settings.Flags.Demo:
		return Choice{Provider: ProviderDemo, Demo: true}, nil
	case p.Settings.Flags.BaseURL != "":
		c := Choice{Provider: ProviderCustom, BaseURL: p.Settings.Flags.BaseURL, Model: strings.TrimPrefix(p.Settings.Flags.Model, ProviderCustom+"/")}
		if c.Model == "" {
			c.Model = last.Model
		}
		return c, nil
	case p.Settings.Flags.Model != "":
		return p.Named(p.Settings.Flags.Model)
	case last.Provider == ProviderDemo:
		return Choice{Provider: ProviderDemo, Demo: true}, nil
	}
	return p.HeldAt(last), nil
}

// LastModel is the model a conversation talked to last, with the window as it
// was recorded. One that took a turn over, in which the program ended, is none.
func LastModel(events []conversation.Event) conversation.ModelChanged {
	events = beforeTakeover(events)
	for _, e := range slices.Backward(events) {
		switch b := e.Body.(type) {
		case conversation.ModelChanged:
			b.Model = CanonicalID(b.Provider, b.Model)
			return b
		case conversation.AssistantMessage:
			if provider, id, ok := strings.Cut(b.Model, "/"); ok {
				found := conversation.ModelChanged{Provider: provider, Model: id}
				if m, ok := NewestModel(events); ok && m.Name() == found.Name() {
					found = m
				}
				found.Model = CanonicalID(provider, id)
				return found
			}
		}
	}
	return conversation.ModelChanged{}
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

// OwnersModel is the model that a conversation was held with last, with the window
// that its owner knows.
func (d *Models) OwnersModel(ctx context.Context, events []conversation.Event) llm.Model {
	last := LastModel(events)
	m := llm.Model{Window: meter.Window{Source: meter.WindowUnknown}}
	switch {
	case last.Provider == "":
		return m
	case last.Provider == ProviderDemo:
		m = d.demoModel(ctx)
	default:
		c := d.Providers.HeldAt(last)
		if last.BaseURL != "" {
			c.BaseURL = last.BaseURL
		}
		m = d.Model(ctx, c, openai.New(d.Providers.Endpoint(c)))
	}
	if last.Window > 0 {
		m.Window = meter.Window{Tokens: last.Window, Source: meter.WindowSource(last.Source)}
	}
	if last.MaxOut > 0 {
		m.MaxOut = last.MaxOut
	}
	return m
}

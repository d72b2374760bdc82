package setup

import (
	"context"
	"slices"
	"strings"
	"time"

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
		return llm.Model{Window: d.Providers.flagWindow()}, nil
	}
	if c.Demo {
		return d.demoModel(ctx), nil
	}
	m := d.Model(ctx, c, openai.New(d.Providers.Endpoint(c)))
	if c.Provider == ProviderCustom && c.BaseURL == "" {
		d.calibrateByID(ctx, &m)
	}
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

// flagWindow is the window of a conversation whose model nobody knows.
func (p *Providers) flagWindow() meter.Window {
	m := llm.Model{Window: meter.Window{Source: meter.WindowUnknown}}
	p.Apply(&m, config.Model{})
	return m.Window
}

// calibrateByID takes over what was learned about a model of a custom
// endpoint, whose address no log records: if one endpoint only has been used
// for a model of this id, it is that one.
func (d *Models) calibrateByID(ctx context.Context, m *llm.Model) {
	var all map[string]conversation.Calibration
	store, err := d.Resources.Open()
	if err == nil {
		all, err = store.Calibrations(ctx)
	}
	if err != nil {
		d.Resources.Logger().Warn("calibrations not read", "error", err)
		return
	}
	found := soleKey(all, m.ID)
	if found == "" {
		return
	}
	m.CalibrationKey = found
	m.Calibration = all[found]
	if w := all[found].LearnedWindow(time.Now()); w > 0 && m.Window.Source != meter.WindowFlag && m.Window.Source != meter.WindowConfig {
		m.Window = meter.Window{Tokens: w, Source: meter.WindowLearned}
	}
}

// soleKey is the only key of what was learned about a model of this id, "" if
// there are none or several.
func soleKey(all map[string]conversation.Calibration, id string) string {
	found := ""
	for key := range all {
		if strings.HasSuffix(key, " "+id) {
			if found != "" {
				return ""
			}
			found = key
		}
	}
	return found
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
		if c.Provider == ProviderCustom && c.BaseURL == "" {
			d.calibrateByID(ctx, &m)
		}
	}
	if last.Window > 0 {
		m.Window = meter.Window{Tokens: last.Window, Source: meter.WindowSource(last.Source)}
	}
	if last.MaxOut > 0 {
		m.MaxOut = last.MaxOut
	}
	return m
}

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/demo"
	"plimsoll/agent/openai"
	"plimsoll/compact"
	"plimsoll/config"
	"plimsoll/conversation"
)

// modelOf is the model a stored conversation goes on with: the one that is
// asked for, else the one it talked to last.
func (d *models) modelOf(ctx context.Context, events []conversation.Event) (agent.Model, error) {
	last := lastModel(events)
	c, err := d.providers.choiceFor(last)
	if err != nil {
		return agent.Model{}, err
	}
	if c.provider == "" {
		return agent.Model{Window: d.providers.flagWindow()}, nil
	}
	if c.demo {
		return d.demoModel(ctx), nil
	}
	m := d.model(ctx, c, openai.New(d.providers.endpoint(c)))
	if c.provider == providerCustom && c.baseURL == "" {
		d.calibrateByID(ctx, &m)
	}
	weak := m.Window.Source == compact.WindowCatalogue || !m.Window.Known()
	from := compact.WindowSource(last.Source)
	if said := from == compact.WindowServer || from == compact.WindowLearned; said && last.Window > 0 && weak && last.Name() == m.Name() {
		m.Window = compact.Window{Tokens: last.Window, Source: from}
		d.providers.apply(&m, d.providers.ownModel(c))
	}
	if last.MaxOut > 0 && last.Name() == m.Name() && d.providers.ownModel(c).MaxOutput == 0 {
		m.MaxOut = last.MaxOut
	}
	return m, nil
}

// demoModel is the demo model with the window that it is started with. What was
// learned of it is kept for each window: started with another one, it is another
// server.
func (d *models) demoModel(ctx context.Context) agent.Model {
	m := agent.Model{Provider: providerDemo, ID: demo.ModelID, Badge: "not an AI", Prices: &agent.Prices{},
		Caps:   openai.New(openai.Options{Provider: providerDemo}).Capabilities(),
		Window: compact.Window{Tokens: demo.DefaultWindow, Source: compact.WindowServer}}
	d.providers.apply(&m, config.Model{})
	started := m.Window
	m.CalibrationKey = fmt.Sprintf("demo %s %d", demo.ModelID, started.Tokens)
	d.calibrate(ctx, &m)
	m.Window = started
	return m
}

// choiceFor is the endpoint and model to measure for.
func (p *providers) choiceFor(last conversation.ModelChanged) (choice, error) {
	switch {
	case p.settings.flags.demo:
		return choice{provider: providerDemo, demo: true}, nil
	case p.settings.flags.baseURL != "":
		c := choice{provider: providerCustom, baseURL: p.settings.flags.baseURL, model: strings.TrimPrefix(p.settings.flags.model, providerCustom+"/")}
		if c.model == "" {
			c.model = last.Model
		}
		return c, nil
	case p.settings.flags.model != "":
		return p.named(p.settings.flags.model)
	case last.Provider == providerDemo:
		return choice{provider: providerDemo, demo: true}, nil
	}
	return p.heldAt(last), nil
}

// lastModel is the model a conversation talked to last, with the window as it
// was recorded.
func lastModel(events []conversation.Event) conversation.ModelChanged {
	for _, e := range slices.Backward(events) {
		switch b := e.Body.(type) {
		case conversation.ModelChanged:
			b.Model = canonicalID(b.Provider, b.Model)
			return b
		case conversation.AssistantMessage:
			if provider, id, ok := strings.Cut(b.Model, "/"); ok {
				found := conversation.ModelChanged{Provider: provider, Model: id}
				if m, ok := newestModel(events); ok && m.Name() == found.Name() {
					found = m
				}
				found.Model = canonicalID(provider, id)
				return found
			}
		}
	}
	return conversation.ModelChanged{}
}

// newestModel is the newest record of a change of model.
func newestModel(events []conversation.Event) (conversation.ModelChanged, bool) {
	for _, e := range slices.Backward(events) {
		if m, ok := e.Body.(conversation.ModelChanged); ok {
			return m, true
		}
	}
	return conversation.ModelChanged{}, false
}

// flagWindow is the window of a conversation whose model nobody knows.
func (p *providers) flagWindow() compact.Window {
	m := agent.Model{Window: compact.Window{Source: compact.WindowUnknown}}
	p.apply(&m, config.Model{})
	return m.Window
}

// calibrateByID takes over what was learned about a model of a custom
// endpoint, whose address no log records: if one endpoint only has been used
// for a model of this id, it is that one.
func (d *models) calibrateByID(ctx context.Context, m *agent.Model) {
	var all map[string]conversation.Calibration
	store, err := d.resources.open()
	if err == nil {
		all, err = store.Calibrations(ctx)
	}
	if err != nil {
		d.resources.logger().Warn("calibrations not read", "error", err)
		return
	}
	found := soleKey(all, m.ID)
	if found == "" {
		return
	}
	m.CalibrationKey = found
	m.Calibration = all[found]
	if w := all[found].LearnedWindow(time.Now()); w > 0 && m.Window.Source != compact.WindowFlag && m.Window.Source != compact.WindowConfig {
		m.Window = compact.Window{Tokens: w, Source: compact.WindowLearned}
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

// ownersModel is the model that a conversation was held with last, with the window
// that its owner knows.
func (d *models) ownersModel(ctx context.Context, events []conversation.Event) agent.Model {
	last := lastModel(events)
	m := agent.Model{Window: compact.Window{Source: compact.WindowUnknown}}
	switch {
	case last.Provider == "":
		return m
	case last.Provider == providerDemo:
		m = d.demoModel(ctx)
	default:
		c := d.providers.heldAt(last)
		if last.BaseURL != "" {
			c.baseURL = last.BaseURL
		}
		m = d.model(ctx, c, openai.New(d.providers.endpoint(c)))
		if c.provider == providerCustom && c.baseURL == "" {
			d.calibrateByID(ctx, &m)
		}
	}
	if last.Window > 0 {
		m.Window = compact.Window{Tokens: last.Window, Source: compact.WindowSource(last.Source)}
	}
	if last.MaxOut > 0 {
		m.MaxOut = last.MaxOut
	}
	return m
}

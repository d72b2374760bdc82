package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/catalog"
	"plimsoll/agent/demo"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/compact"
	"plimsoll/config"
)

// link is a model that can be talked to.
type link struct {
	model    agent.Model
	provider agent.Provider
	// discover asks the server how large window and reply are, within what the
	// user and the catalogue say; nil where servers do not say.
	discover func(context.Context) (openai.Found, error)
	// again says that the server knows its window only when the model is loaded.
	again bool
}

// models finds the model of a conversation and connects to it.
type models struct {
	console   *console.Console
	settings  *settings
	providers *providers
	resources *resources
}

// connect makes a choice into a link. The only request it may send is for the
// list of models, when the choice names none.
func (d *models) connect(ctx context.Context, c choice) (link, error) {
	if c.demo {
		return d.connectDemo(ctx, c.unread)
	}
	o := d.providers.endpoint(c)
	if err := checkAddress(o); err != nil {
		return link{}, err
	}
	if c.model == "" {
		id, err := firstModel(ctx, o)
		if err != nil {
			return link{}, err
		}
		c.model = id
	}
	client := openai.New(o)
	l := link{provider: client, model: d.model(ctx, c, client)}
	l.discover = func(ctx context.Context) (openai.Found, error) {
		found, err := openai.Discover(ctx, o, c.model)
		if most := publishedInput(c.provider, c.model); most > 0 {
			found.Window = min(found.Window, most)
		}
		if own := d.providers.ownModel(c).MaxOutput; own > 0 {
			found.MaxOut = own
		}
		return found, err
	}
	return l, nil
}

// publishedInput is the largest prompt of a model by the catalogue, 0 if there
// is no limit but the window.
func publishedInput(provider, id string) int {
	e, ok := catalog.Lookup(provider, id)
	if !ok || e.Match == catalog.MatchFamily {
		return 0
	}
	return e.MaxInput
}

// checkAddress reports an endpoint that nothing can be sent to.
func checkAddress(o openai.Options) error {
	if o.BaseURL != "" {
		return checkBaseURL("the base URL of "+o.Provider, o.BaseURL)
	}
	if e, ok := openai.Known(o.Provider); ok && e.BaseURL != "" {
		return nil
	}
	return console.AsUsage(console.WithHint(fmt.Errorf("nobody said where %s is", o.Provider),
		"give --base-url URL, or set providers."+o.Provider+".base_url"))
}

// checkKey reports a provider that answers nobody without a key, so that
// nothing is sent in vain.
func (p *providers) checkKey(c choice) error {
	e, ok := openai.Known(c.provider)
	key, variable := p.key(c.provider)
	if c.demo || !ok || e.Local || e.BaseURL == "" || c.baseURL != "" || key != "" || len(p.settings.cfg().Providers[c.provider].Headers) > 0 {
		return nil
	}
	return console.AsUsage(console.WithHint(fmt.Errorf("there is no key for %s: %s is not set", c.provider, variable),
		"set it, or name another model with --model; `plimsoll doctor` shows which keys there are"))
}

// endpoint is how to reach a choice's provider.
func (p *providers) endpoint(c choice) openai.Options {
	known := p.settings.cfg().Providers[c.provider]
	key, variable := p.key(c.provider)
	return openai.Options{Provider: c.provider, BaseURL: c.baseURL, Key: key, KeyVar: variable,
		Headers: known.Headers, Wire: openai.Wire(known.Wire)}
}

// firstModel is the first model a server lists that is fit for chat, or the
// provider's default if the server has that: it may be the provider behind
// another address. With a key of the provider the default also stands in for a
// server that lists nothing.
func firstModel(ctx context.Context, o openai.Options) (string, error) {
	found, err := openai.Discover(ctx, o, "")
	if usual, ok := catalog.Default(o.Provider); ok {
		if _, listed := found.Listed(usual.ID); listed || o.Key != "" && len(found.Models) == 0 {
			return usual.ID, nil
		}
	}
	if err != nil {
		hint := "name one with --model, or check the address"
		if e := agent.AsError(err); e.Class == agent.Auth && e.Hint != "" {
			hint = e.Hint
		}
		return "", console.WithHint(fmt.Errorf("asking %s for its models: %w", openai.New(o).BaseURL(), err), hint)
	}
	m, ok := found.First()
	if !ok {
		if len(found.Models) == 0 && found.Server == "ollama" {
			what, hint := openai.Server{Provider: found.Server}.NoModels()
			return "", console.WithHint(errors.New(what), hint)
		}
		return "", console.WithHint(fmt.Errorf("%s lists no model that is fit for chat", openai.New(o).BaseURL()), "name one with --model")
	}
	return m.ID, nil
}

// model is what is known about a choice's model before anything is sent:
// catalogue, then what was learned, then configuration, then the flag.
func (d *models) model(ctx context.Context, c choice, client *openai.Client) agent.Model {
	m := agent.Model{Provider: c.provider, ID: c.model, Window: compact.Window{Source: compact.WindowUnknown}}
	own := client.Capabilities()
	if e, ok := catalog.Lookup(c.provider, c.model); ok {
		m = e.Model(c.model)
		own.NoTools = own.NoTools || m.Caps.NoTools && e.Match != catalog.MatchFamily
	}
	m.Caps, m.NoCache = own, client.NoCaching()
	m.BaseURL = c.address()
	m.CalibrationKey = strings.TrimSuffix(client.BaseURL(), "/") + " " + c.model
	d.calibrate(ctx, &m)
	d.providers.apply(&m, d.providers.ownModel(c))
	return m
}

// calibrate takes over what was learned about the model before. A store that
// cannot be read is no reason not to talk.
func (d *models) calibrate(ctx context.Context, m *agent.Model) {
	s, err := d.resources.open()
	if err != nil {
		return
	}
	known, ok, err := s.Calibration(ctx, m.CalibrationKey)
	if err != nil {
		d.resources.logger().Warn("calibration not read", "error", err)
		return
	}
	if !ok {
		return
	}
	m.Calibration = known
	if w := known.LearnedWindow(time.Now()); w > 0 {
		m.Window = compact.Window{Tokens: w, Source: compact.WindowLearned}
	}
}

// relearn takes over what was learned about a model since it was chosen. What
// the user says of its window stays.
func (d *models) relearn(ctx context.Context, m *agent.Model) {
	said := m.Window
	d.calibrate(ctx, m)
	if said.Source == compact.WindowFlag || said.Source == compact.WindowConfig {
		m.Window = said
	}
}

// apply lets the user's own settings win.
func (p *providers) apply(m *agent.Model, own config.Model) {
	if own.MaxOutput > 0 {
		m.MaxOut, m.ReplyLimit = own.MaxOutput, own.MaxOutput
	}
	window := own.ContextWindow
	if window > 0 && own.MaxInput == 0 {
		own.MaxInput = publishedInput(m.Provider, m.ID)
	}
	if w := p.settings.cfg().Context.Window; w > 0 {
		window = w
	}
	if window == 0 && m.Window.Known() {
		window = m.Window.Tokens
	}
	if own.MaxInput > 0 && (window == 0 || own.MaxInput < window) {
		window = own.MaxInput
	}
	if window > 0 && window != m.Window.Tokens || own.ContextWindow > 0 || p.settings.cfg().Context.Window > 0 {
		m.Window = compact.Window{Tokens: window, Source: compact.WindowConfig}
	}
	if p.settings.flags.window > 0 {
		m.Window = compact.Window{Tokens: p.settings.flags.window, Source: compact.WindowFlag}
	}
	applyPrices(m, own.Prices)
	m.CacheTTL = own.CacheTTL
}

// applyPrices lets the user's prices win, one by one.
func applyPrices(m *agent.Model, own config.Prices) {
	if own == (config.Prices{}) {
		return
	}
	p := agent.Prices{Date: "configured"}
	if m.Prices != nil {
		p = *m.Prices
		p.Tiers = nil
		p.Date = "configured"
	}
	for _, set := range []struct {
		to   *float64
		from *float64
	}{{&p.Input, own.Input}, {&p.Cached, own.Cached}, {&p.CacheWrite, own.CacheWrite}, {&p.Output, own.Output}} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	m.Prices = &p
}

// connectDemo starts the demo model with the window that the user chose. It is
// reached over the wire like any other; only its name, badge and prices come
// from here.
func (d *models) connectDemo(ctx context.Context, unread bool) (link, error) {
	m := d.demoModel(ctx)
	s, err := demo.Start(context.WithoutCancel(ctx), demo.Options{Window: m.Window.Tokens, Pace: demoPace(unread)})
	if err != nil {
		return link{}, err
	}
	d.resources.atEnd(s.Close)
	o := openai.Options{Provider: providerDemo, BaseURL: s.URL, Key: s.Token}
	return link{model: m, provider: openai.New(o)}, nil
}

// demoPace is how fast the demo model writes, in tokens a second: it takes its
// time only where somebody reads along. 0 is as fast as it can.
func demoPace(unread bool) int {
	if unread {
		return 0
	}
	return demo.DefaultPace
}

// cost prices a request by the model's sheet.
func cost(m agent.Model, t agent.Tokens) (*float64, string) {
	if m.Prices == nil || t.Prompt < 0 {
		return nil, ""
	}
	usd := catalog.Cost(*m.Prices, t)
	return &usd, m.Prices.Date
}

// choice is what a link was made from.
func (l link) choice() choice {
	if l.model.Provider == providerDemo {
		return choice{provider: providerDemo, demo: true}
	}
	return choice{provider: l.model.Provider, model: l.model.ID, baseURL: l.model.BaseURL}
}

// linkFor is the model to ask. A server that knows how large its window is
// has a second to say so. unread says that nobody reads what arrives.
func (d *models) linkFor(ctx context.Context, id string, unread bool) (link, error) {
	c, err := d.choose(ctx, id, false)
	var e *elsewhere
	if errors.As(err, &e) {
		c, err = d.decide(ctx, e)
	}
	if err != nil {
		return link{}, err
	}
	c.unread = unread
	if err := d.providers.checkKey(c); err != nil {
		return link{}, err
	}
	l, err := d.connect(ctx, c)
	if err != nil || l.discover == nil {
		return l, err
	}
	if w := l.model.Window; w.Known() && w.Source != compact.WindowCatalogue && w.Source != compact.WindowLearned {
		return l, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	found, err := l.discover(ctx)
	if err != nil {
		return l, nil // a server that does not say is the usual case
	}
	if w := serverWindow(found); w.Known() {
		l.model.Window = w
	}
	if found.MaxOut > 0 {
		l.model.MaxOut = found.MaxOut
	}
	l.again = found.AskAgain
	return l, nil
}

// serverWindow is the window a server says it has, unknown if it does not say.
func serverWindow(found openai.Found) compact.Window {
	return compact.Window{Tokens: found.Window, Source: compact.WindowServer}
}

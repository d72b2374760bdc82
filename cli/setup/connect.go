package setup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/agent/demo"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/compact/meter"
	"plimsoll/config"
	"plimsoll/conversation"
)

// Connection is a model with the client that reaches it.
type Connection struct {
	Model    llm.Model
	Provider llm.Provider
	// Discover asks the server for its window and largest reply; limits of the user and the catalogue still apply. It is nil
	// for servers that do not report them.
	Discover func(context.Context) (openai.Discovery, error)
	// AskAgain reports that the server knows its window only after it has loaded the model.
	AskAgain bool
}

// Connect creates the connection for a choice. It sends no request, except for the list of models if the choice names none.
func (d *Models) Connect(ctx context.Context, c Choice) (Connection, error) {
	if c.IsDemo() {
		return d.ConnectDemo(ctx, c.isUnattended)
	}
	o := d.Providers.Endpoint(c)
	if err := checkAddress(o); err != nil {
		return Connection{}, err
	}
	if c.Model == "" {
		id, err := firstModel(ctx, o)
		if err != nil {
			return Connection{}, err
		}
		c.Model = id
		o = d.Providers.Endpoint(c)
	}
	client := openai.New(o)
	l := Connection{Provider: client, Model: d.model(ctx, c, client)}
	l.Discover = func(ctx context.Context) (openai.Discovery, error) {
		found, err := openai.Discover(ctx, o, c.Model)
		client.LearnMaxOutput(c.Model, found)
		if most := publishedInput(c.Provider, c.Model); most > 0 {
			found.Window = min(found.Window, most)
		}
		if own := d.Providers.ModelConfig(c).MaxOutput; own > 0 {
			found.MaxOut = own
		}
		return found, err
	}
	return l, nil
}

// publishedInput is the largest prompt of a model in the catalogue, in tokens, 0 if only the window limits it.
func publishedInput(provider, id string) int {
	e, ok := catalog.Lookup(provider, id)
	if !ok || e.Match == catalog.MatchFamily {
		return 0
	}
	return e.MaxInput
}

// checkAddress returns an error for an endpoint without a usable address.
func checkAddress(o openai.Options) error {
	if o.BaseURL != "" {
		return CheckBaseURL("the base URL of "+o.Provider, o.BaseURL)
	}
	if e, ok := openai.KnownProvider(o.Provider); ok && e.BaseURL != "" {
		return nil
	}
	return console.AsUsage(console.WithHint(fmt.Errorf("the address of %s is missing", o.Provider),
		"give --base-url URL, or set providers."+o.Provider+".base_url"))
}

// CheckKey returns an error if a provider needs a key and has none, before anything is sent.
func (p *Providers) CheckKey(c Choice) error {
	e, ok := openai.KnownProvider(c.Provider)
	k := p.Key(c.Provider)
	own := p.Settings.Cfg().Providers[c.Provider]
	if c.IsDemo() || !ok || e.Local || e.BaseURL == "" || c.BaseURL != "" || k.Text != "" || own.Headers != nil || own.KeyCommand != nil {
		return nil
	}
	return console.AsUsage(console.WithHint(fmt.Errorf("there is no key for %s: %s is not set", c.Provider, k.Variable),
		"run `plimsoll connect "+c.Provider+"` to store one, set the variable, or name another model with --model"))
}

// Endpoint returns the client options for a choice's provider.
func (p *Providers) Endpoint(c Choice) openai.Options {
	known := p.Settings.Cfg().Providers[c.Provider]
	k := p.Key(c.Provider)
	o := openai.Options{Provider: c.Provider, BaseURL: c.BaseURL, Key: k.Text, KeyVar: k.Variable, Headers: known.Headers,
		Wire: openai.Wire(known.Wire), Body: p.bodyFields(c)}
	if len(known.KeyCommand) > 0 {
		o.Renew = p.Settings.keyCommand(c.Provider, known).Key
	}
	return o
}

// bodyFields are the JSON fields that the configuration adds to requests: the provider's, then the model's by its id, then
// by its whole name.
func (p *Providers) bodyFields(c Choice) []string {
	cfg := p.Settings.Cfg()
	bodies := make([]config.Body, 3)
	bodies[0] = cfg.Providers[c.Provider].Body
	for name, asked := range cfg.Models {
		id, whole := strings.CutPrefix(name, c.Provider+"/")
		switch {
		case CanonicalID(c.Provider, id) != CanonicalID(c.Provider, c.Model):
		case whole:
			bodies[2] = asked.Body
		default:
			bodies[1] = asked.Body
		}
	}
	var out []string
	for _, b := range bodies {
		if raw, err := conversation.EncodeJSON(b); err == nil && len(b) > 0 { // it was decoded from JSON
			out = append(out, string(raw))
		}
	}
	return out
}

// firstModel returns the first chat model that a server lists, or the provider's default model if the server lists that: a
// proxy of the provider does. With the provider's key the default is also used if the server lists nothing.
func firstModel(ctx context.Context, o openai.Options) (string, error) {
	found, err := openai.Discover(ctx, o, "")
	if usual, ok := catalog.Default(o.Provider); ok {
		if _, listed := found.FindModel(usual.ID); listed || o.Key != "" && len(found.Models) == 0 {
			return usual.ID, nil
		}
	}
	if err != nil {
		hint := "name one with --model, or check the address"
		if e := llm.AsError(err); e.Class == llm.Auth && e.Hint != "" {
			hint = e.Hint
		}
		return "", console.WithHint(fmt.Errorf("asking %s for its models: %w", openai.New(o).BaseURL(), err), hint)
	}
	m, ok := found.FirstChatModel()
	if !ok {
		return "", console.WithHint(fmt.Errorf("%s lists no chat model", openai.New(o).BaseURL()), "name one with --model")
	}
	return m.ID, nil
}

// Model returns what is known about a choice's model before a request: the catalogue, overridden by what was learned, by the
// configuration and by the flags.
func (d *Models) Model(ctx context.Context, c Choice) llm.Model {
	if c.IsDemo() {
		return d.demoModel(ctx)
	}
	return d.model(ctx, c, openai.New(d.Providers.Endpoint(c)))
}

func (d *Models) model(ctx context.Context, c Choice, client *openai.Client) llm.Model {
	m := llm.Model{Provider: c.Provider, ID: c.Model, Window: meter.Window{Source: meter.WindowUnknown}}
	own := client.Capabilities(c.Model)
	if e, ok := client.Entry(c.Model); ok {
		m = e.Model(c.Model)
		if e.Provider != c.Provider { // a Claude model at another provider
			m.Provider, m.Prices = c.Provider, nil
			if IsLocal(c.Address()) {
				m.Window = meter.Window{Source: meter.WindowUnknown}
			}
		}
		own.NoTools = own.NoTools || m.Caps.NoTools && e.Match != catalog.MatchFamily
	}
	address := c.Address()
	d.Settings.Endpoints().apply(&m, address)
	m.Caps, m.NoCache = own, client.NoCaching()
	if own.KeepsReasoning {
		m.Thinker = client
	}
	m.BaseURL = address
	m.CalibrationKey = strings.TrimSuffix(client.BaseURL(), "/") + " " + c.Model
	d.applyCalibration(ctx, &m)
	if tokens := d.Settings.Endpoints().UserWindow(address, c.Model); tokens > 0 {
		m.Window = meter.Window{Tokens: tokens, Source: meter.WindowConfig}
	}
	d.Providers.ApplySettings(&m, d.Providers.ModelConfig(c))
	if client.SetsLifetime(c.Model) {
		m.TTL = llm.TTLChosen
		if m.CacheTTL > 0 {
			m.TTL = llm.TTLAsked
		}
	}
	return m
}

// applyCalibration adds the stored calibration to a model. If the store cannot be read, the model is used without it.
func (d *Models) applyCalibration(ctx context.Context, m *llm.Model) {
	s, err := d.Resources.Open()
	if err != nil {
		return
	}
	known, ok, err := s.Calibration(ctx, m.CalibrationKey)
	if err != nil {
		d.Resources.Logger().Warn("calibration not read", "error", err)
		return
	}
	if !ok {
		return
	}
	m.Calibration = known
	if w := known.LearnedWindow(time.Now()); w > 0 {
		m.Window = meter.Window{Tokens: w, Source: meter.WindowLearned}
	}
}

// ReloadCalibration adds what was learned about a model since it was chosen. A window that the user set stays.
func (d *Models) ReloadCalibration(ctx context.Context, m *llm.Model) {
	before := m.Window
	d.applyCalibration(ctx, m)
	if before.Source == meter.WindowFlag || before.Source == meter.WindowConfig {
		m.Window = before
	}
}

// ApplySettings overrides a model's window, limits, prices and effort with those of the configuration and the flags.
func (p *Providers) ApplySettings(m *llm.Model, own config.Model) {
	if own.MaxOutput > 0 {
		m.MaxOut, m.ReplyLimit = own.MaxOutput, own.MaxOutput
	}
	window := own.ContextWindow
	if window > 0 && own.MaxInput == 0 {
		own.MaxInput = publishedInput(m.Provider, m.ID)
	}
	if w := p.Settings.Cfg().Context.Window; w > 0 {
		window = w
	}
	if window == 0 && m.Window.IsKnown() {
		window = m.Window.Tokens
	}
	if own.MaxInput > 0 && (window == 0 || own.MaxInput < window) {
		window = own.MaxInput
	}
	if window > 0 && window != m.Window.Tokens || own.ContextWindow > 0 || p.Settings.Cfg().Context.Window > 0 {
		m.Window = meter.Window{Tokens: window, Source: meter.WindowConfig}
	}
	if p.Settings.Flags.Window > 0 {
		m.Window = meter.Window{Tokens: p.Settings.Flags.Window, Source: meter.WindowFlag}
	}
	m.Prices = WithPrices(m.Prices, own.Prices)
	m.CacheTTL = own.CacheTTL
	m.Effort = own.Effort
	if p.Settings.Flags.Effort != "" {
		m.Effort = p.Settings.Flags.Effort
	}
}

// WithPrices returns known prices, each overridden by the user's own if that is set.
func WithPrices(known *llm.Prices, own config.Prices) *llm.Prices {
	if own == (config.Prices{}) {
		return known
	}
	var p llm.Prices
	if known != nil {
		p = *known
	}
	p.Tiers, p.Date = nil, "configured"
	for _, set := range []struct {
		to   *float64
		from *float64
	}{{&p.Input, own.Input}, {&p.Cached, own.Cached}, {&p.CacheWrite, own.CacheWrite}, {&p.Output, own.Output}} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	return &p
}

// ConnectDemo starts the server of the demo model, with the window that the user chose, and connects to it over HTTP like to
// any other. An unattended run gets its replies without delays.
func (d *Models) ConnectDemo(ctx context.Context, unread bool) (Connection, error) {
	m, pace := d.demoModel(ctx), demo.DefaultPace // a user reads the text as it arrives
	if unread {
		pace = 0
	}
	s, err := demo.Start(context.WithoutCancel(ctx), demo.Options{Window: m.Window.Tokens, Pace: pace})
	if err != nil {
		return Connection{}, err
	}
	d.Resources.onClose(s.Close)
	o := openai.Options{Provider: ProviderDemo, BaseURL: s.URL, Key: s.Token}
	return Connection{Model: m, Provider: openai.New(o)}, nil
}

// Cost returns the cost of a request in US dollars by the model's prices, and their date; nil if unknown.
func Cost(m llm.Model, t llm.Tokens) (*float64, string) {
	if m.Prices == nil || t.Prompt < 0 {
		return nil, ""
	}
	usd := catalog.Cost(*m.Prices, t)
	return &usd, m.Prices.Date
}

// WithEffortNote returns the connection with a note in its model if the chosen effort does not mean what its name says.
func (l Connection) WithEffortNote() Connection {
	l.Model.EffortNote = ""
	if client, ok := l.Provider.(*openai.Client); ok {
		l.Model.EffortNote = client.EffortNote(l.Model.ID, l.Model.Effort)
	}
	return l
}

// Choice returns the choice that leads to this connection.
func (l Connection) Choice() Choice {
	if l.Model.Provider == ProviderDemo {
		return Choice{Provider: ProviderDemo}
	}
	return Choice{Provider: l.Model.Provider, Model: l.Model.ID, BaseURL: l.Model.BaseURL}
}

// WindowOf returns the window that a server reported, unknown if it did not.
func WindowOf(found openai.Discovery) meter.Window {
	return meter.Window{Tokens: found.Window, Source: meter.WindowServer}
}

// demoModel returns the demo model with its configured window. Its calibration is stored for each window separately, because
// the window is part of its behaviour.
func (d *Models) demoModel(ctx context.Context) llm.Model {
	m := llm.Model{Provider: ProviderDemo, ID: demo.ModelID, Badge: "not an AI", Prices: &llm.Prices{},
		Caps:   openai.New(openai.Options{Provider: ProviderDemo}).Capabilities(demo.ModelID),
		Window: meter.Window{Tokens: demo.DefaultWindow, Source: meter.WindowServer}}
	d.Providers.ApplySettings(&m, config.Model{})
	started := m.Window
	m.CalibrationKey = fmt.Sprintf("demo %s %d", demo.ModelID, started.Tokens)
	d.applyCalibration(ctx, &m)
	m.Window = started
	return m
}

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
func (models *Models) Connect(ctx context.Context, c Choice) (Connection, error) {
	if c.IsDemo() {
		return models.ConnectDemo(ctx, c.isUnattended)
	}
	o := models.Providers.Endpoint(c)
	if err := checkAddress(o); err != nil {
		return Connection{}, err
	}
	if c.Model == "" {
		id, err := firstModel(ctx, o)
		if err != nil {
			return Connection{}, err
		}
		c.Model = id
		o = models.Providers.Endpoint(c)
	}
	client := openai.New(o)
	conn := Connection{Provider: client, Model: models.model(ctx, c, client)}
	conn.Discover = func(ctx context.Context) (openai.Discovery, error) {
		found, err := openai.Discover(ctx, o, c.Model)
		client.LearnMaxOutput(c.Model, found)
		if maxInput := publishedInput(c.Provider, c.Model); maxInput > 0 {
			found.Window = min(found.Window, maxInput)
		}
		if configured := models.Providers.ModelConfig(c).MaxOutput; configured > 0 {
			found.MaxOut = configured
		}
		return found, err
	}
	return conn, nil
}

// publishedInput is the largest prompt of a model in the catalogue, in tokens, 0 if only the window limits it.
func publishedInput(provider, id string) int {
	e, ok := catalog.Lookup(provider, id)
	if !ok || e.Guessed {
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
	configured := p.Settings.Cfg().Providers[c.Provider]
	if c.IsDemo() || !ok || e.Local || e.BaseURL == "" || c.BaseURL != "" || k.Text != "" || configured.Headers != nil || configured.KeyCommand != nil {
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
	for name, modelConfig := range cfg.Models {
		id, isFullName := strings.CutPrefix(name, c.Provider+"/")
		switch {
		case CanonicalID(c.Provider, id) != CanonicalID(c.Provider, c.Model):
		case isFullName:
			bodies[2] = modelConfig.Body
		default:
			bodies[1] = modelConfig.Body
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

// listTime is how long a server may take to list its models if none can be used before.
const listTime = 5 * time.Second

// firstModel returns the first chat model that a server lists, or the provider's default model if the server lists that: a
// proxy of the provider does. With the provider's key the default is also used if the server lists nothing.
func firstModel(ctx context.Context, o openai.Options) (string, error) {
	defaultModel, ok := catalog.Default(o.Provider)
	if !ok {
		o.Answer = listTime
	}
	found, err := openai.Discover(ctx, o, "")
	if ok {
		if _, listed := found.FindModel(defaultModel.ID); listed || o.Key != "" && len(found.Models) == 0 {
			return defaultModel.ID, nil
		}
	}
	if err != nil {
		hint := "name one with --model, or check the address"
		if e := llm.AsError(err); e.Class == llm.Auth && e.Hint != "" {
			hint = e.Hint
		}
		return "", console.WithHint(fmt.Errorf("asking %s for its models: %w", openai.New(o).BaseURL(), err), hint)
	}
	m, listed := found.FirstChatModel()
	if !listed {
		return "", console.WithHint(fmt.Errorf("%s lists no chat model", openai.New(o).BaseURL()), "name one with --model")
	}
	return m.ID, nil
}

// Model returns what is known about a choice's model before a request: the catalogue, overridden by what was learned, by the
// configuration and by the flags.
func (models *Models) Model(ctx context.Context, c Choice) llm.Model {
	if c.IsDemo() {
		return models.demoModel(ctx)
	}
	return models.model(ctx, c, openai.New(models.Providers.Endpoint(c)))
}

func (models *Models) model(ctx context.Context, c Choice, client *openai.Client) llm.Model {
	m := llm.Model{Provider: c.Provider, ID: c.Model, Window: meter.Window{Source: meter.WindowUnknown}}
	configured := client.Capabilities(c.Model)
	if e, ok := client.Entry(c.Model); ok {
		m = e.Model(c.Model)
		if e.Provider != c.Provider { // a Claude model at another provider
			m.Provider, m.Prices = c.Provider, nil
			if IsLocal(c.Address()) {
				m.Window = meter.Window{Source: meter.WindowUnknown}
			}
		}
		configured.NoTools = configured.NoTools || m.Caps.NoTools && !e.Guessed
		configured.NoImages = m.Caps.NoImages && !e.Guessed
		configured.PDFs = configured.PDFs && !configured.NoImages
	}
	m.Images = client.ImageRule(m)
	address := c.Address()
	models.Settings.Endpoints().apply(&m, address)
	m.Caps, m.NoCache = configured, client.NoCaching()
	if configured.KeepsReasoning {
		m.Thinker = client
	}
	m.BaseURL = address
	m.CalibrationKey = strings.TrimSuffix(client.BaseURL(), "/") + " " + c.Model
	models.applyCalibration(ctx, &m)
	if tokens := models.Settings.Endpoints().UserWindow(address, c.Model); tokens > 0 {
		m.Window = meter.Window{Tokens: tokens, Source: meter.WindowConfig}
	}
	models.Providers.ApplySettings(&m, models.Providers.ModelConfig(c))
	if client.SetsLifetime(c.Model) {
		m.TTL = llm.TTLChosen
		if m.CacheTTL > 0 {
			m.TTL = llm.TTLAsked
		}
	}
	return m
}

// applyCalibration adds the stored calibration to a model. If the store cannot be read, the model is used without it.
func (models *Models) applyCalibration(ctx context.Context, m *llm.Model) {
	s, err := models.Resources.Open()
	if err != nil {
		return
	}
	known, ok, err := s.Calibration(ctx, m.CalibrationKey)
	if err != nil {
		models.Resources.Logger().Warn("calibration not read", "error", err)
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
func (models *Models) ReloadCalibration(ctx context.Context, m *llm.Model) {
	before := m.Window
	models.applyCalibration(ctx, m)
	if before.Source == meter.WindowFlag || before.Source == meter.WindowConfig {
		m.Window = before
	}
}

// ApplySettings overrides a model's window, limits, prices and effort with those of the configuration and the flags.
func (p *Providers) ApplySettings(m *llm.Model, configured config.Model) {
	if configured.MaxOutput > 0 {
		m.MaxOut, m.ReplyLimit = configured.MaxOutput, configured.MaxOutput
	}
	window := configured.ContextWindow
	if window > 0 && configured.MaxInput == 0 {
		configured.MaxInput = publishedInput(m.Provider, m.ID)
	}
	if w := p.Settings.Cfg().Context.Window; w > 0 {
		window = w
	}
	if window == 0 && m.Window.IsKnown() {
		window = m.Window.Tokens
	}
	if configured.MaxInput > 0 && (window == 0 || configured.MaxInput < window) {
		window = configured.MaxInput
	}
	if window > 0 && window != m.Window.Tokens || configured.ContextWindow > 0 || p.Settings.Cfg().Context.Window > 0 {
		m.Window = meter.Window{Tokens: window, Source: meter.WindowConfig}
	}
	if p.Settings.Flags.Window > 0 {
		m.Window = meter.Window{Tokens: p.Settings.Flags.Window, Source: meter.WindowFlag}
	}
	m.Prices = WithPrices(m.Prices, configured.Prices)
	m.CacheTTL = configured.CacheTTL
	m.Effort = configured.Effort
	if p.Settings.Flags.Effort != "" {
		m.Effort = p.Settings.Flags.Effort
	}
}

// WithPrices returns known prices, each overridden by the user's own if that is set.
func WithPrices(known *llm.Prices, configured config.Prices) *llm.Prices {
	if configured == (config.Prices{}) {
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
	}{{&p.Input, configured.Input}, {&p.Cached, configured.Cached}, {&p.CacheWrite, configured.CacheWrite}, {&p.Output, configured.Output}} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	return &p
}

// ConnectDemo starts the server of the demo model, with the window that the user chose, and connects to it over HTTP like to
// any other. An unattended run gets its replies without delays.
func (models *Models) ConnectDemo(ctx context.Context, isUnattended bool) (Connection, error) {
	m, pace := models.demoModel(ctx), demo.DefaultPace // a user reads the text as it arrives
	if isUnattended {
		pace = 0
	}
	s, err := demo.Start(context.WithoutCancel(ctx), demo.Options{Window: m.Window.Tokens, Pace: pace})
	if err != nil {
		return Connection{}, err
	}
	models.Resources.OnClose(s.Close)
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
func (conn Connection) WithEffortNote() Connection {
	conn.Model.EffortNote = ""
	if client, ok := conn.Provider.(*openai.Client); ok {
		conn.Model.EffortNote = client.EffortNote(conn.Model.ID, conn.Model.Effort)
	}
	return conn
}

// Choice returns the choice that leads to this connection.
func (conn Connection) Choice() Choice {
	if conn.Model.Provider == ProviderDemo {
		return Choice{Provider: ProviderDemo}
	}
	return Choice{Provider: conn.Model.Provider, Model: conn.Model.ID, BaseURL: conn.Model.BaseURL}
}

// WindowOf returns the window that a server reported, unknown if it did not.
func WindowOf(found openai.Discovery) meter.Window {
	return meter.Window{Tokens: found.Window, Source: meter.WindowServer}
}

// demoModel returns the demo model with its configured window. Its calibration is stored for each window separately, because
// the window is part of its behaviour.
func (models *Models) demoModel(ctx context.Context) llm.Model {
	m := llm.Model{Provider: ProviderDemo, ID: demo.ModelID, Badge: "not an AI", Prices: &llm.Prices{},
		Caps:   openai.New(openai.Options{Provider: ProviderDemo}).Capabilities(demo.ModelID),
		Window: meter.Window{Tokens: demo.DefaultWindow, Source: meter.WindowServer}}
	m.Caps.NoImages = true
	models.Providers.ApplySettings(&m, config.Model{})
	started := m.Window
	m.CalibrationKey = fmt.Sprintf("demo %s %d", demo.ModelID, started.Tokens)
	models.applyCalibration(ctx, &m)
	m.Window = started
	return m
}

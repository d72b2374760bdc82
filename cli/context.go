package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/agent"
	"plimsoll/agent/catalog"
	"plimsoll/agent/demo"
	"plimsoll/agent/openai"
	"plimsoll/compact"
	"plimsoll/config"
	"plimsoll/conversation"
)

// The window of a conversation at rest, without asking a server: the flag,
// then the configuration, then what an overflow taught, then what the server
// said when the conversation last ran, then the catalogue.

// contextCommand shows how full the window of a conversation is.
type contextCommand struct {
	console       *console
	conversations *conversations
	models        *models
	settings      *settings

	asJSON bool
}

func (cmd *contextCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "context [ID]",
		Short: "Show how full a conversation's context window is",
		Long: `Context shows what fills the context window of a conversation: tokens by
category, the load line and the hard line of the gauge, and what is kept free for
the reply; what compaction will do next, and when; the heaviest of what is sent;
what compaction saves in every request; how far estimates are off; what was
compacted, and what the conversation has cost. ~ marks an estimate. Nothing is
sent. With --model the same conversation is measured for that model.

` + idHelp,
		Example: `  plimsoll context
  plimsoll context 3kq7 --model openai/gpt-5.4
  plimsoll context --json | jq .used
  plimsoll context --json | jq -r .next.words`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	c.Flags().BoolVar(&cmd.asJSON, "json", false, "write one JSON object")
	return c
}

func (cmd *contextCommand) Run(ctx context.Context, args []string) error {
	r, err := cmd.conversations.read(ctx, args)
	if err != nil {
		return err
	}
	if err := cmd.settings.adopt(r.events); err != nil {
		return err
	}
	m, err := cmd.models.modelOf(ctx, r)
	if err != nil {
		return err
	}
	cmd.settings.noteRefused()
	account := accountOf(rulesOf(cmd.settings.cfg()), r, m)
	if cmd.asJSON {
		report := newContextReport(m, account)
		report.CompactedSummary, report.CompactBoundary = r.summarised()
		return writeJSON(cmd.console.Stdout, report)
	}
	return cmd.write(r, m, account)
}

// cacheSaved is what the provider's cache took off a request of a conversation with
// a model.
func cacheSaved(m agent.Model, u conversation.Usage) *float64 { return catalog.Savings(m)(u) }

// accountOf is the account of a stored conversation with a model, as the planner
// would find it where another turn begins.
func accountOf(rules compact.Rules, r *reading, m agent.Model) compact.Account {
	idle, gone := r.sinceReply(m, time.Now())
	return compact.NewAccount(rules, compact.Check{
		Moment: compact.MomentTurn, Log: r.said, View: r.view, Meter: meterOf(rules, r, m),
		Idle: idle, Gone: gone, Sheet: m.Sheet(), Past: compact.PastOf(r.said),
	}, catalog.Savings(m))
}

// sinceReply is how long ago the newest reply was reported, and whether it came
// from another model, or none ever did. Which prompt and tools the next run of
// the program has is not known.
func (r *reading) sinceReply(m agent.Model, now time.Time) (idle time.Duration, gone bool) {
	for _, e := range slices.Backward(r.events) {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			return 0, true // nothing was sent with it yet
		case conversation.Usage:
			if b.For == conversation.ForReply {
				return now.Sub(e.Time), b.Model != m.Name()
			}
		}
	}
	return 0, true
}

// adopt puts the settings that a conversation records in force, for a command
// that shows this one only.
func (s *settings) adopt(events []conversation.Event) error {
	cfg, err := s.configFor(events)
	if err != nil {
		return err
	}
	loaded := *s.loaded.Load()
	loaded.Config = cfg
	s.loaded.Store(&loaded)
	return nil
}

// meterOf is the meter of a stored conversation for a model.
func meterOf(rules compact.Rules, r *reading, m agent.Model) compact.Meter {
	in, _ := newestInstructions(r.events)
	if m.Caps.NoTools {
		in.ToolsSize = conversation.Size{}
	}
	return compact.NewMeter(m.MeterOptions(rules)).WithPrompt(in.SystemSize, in.ToolsSize).
		WithView(r.view).WithHistory(r.events, m.Name())
}

// modelOf is the model a stored conversation goes on with: the one that is
// asked for, else the one it talked to last.
func (d *models) modelOf(ctx context.Context, r *reading) (agent.Model, error) {
	last := lastModel(r.events)
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
		d.calibrateByID(ctx, r, &m)
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
func (d *models) calibrateByID(ctx context.Context, r *reading, m *agent.Model) {
	all, err := r.store.Calibrations(ctx)
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

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

func (a *app) contextCommand() *cobra.Command {
	asJSON := false
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
		RunE: func(c *cobra.Command, args []string) error { return a.context(c.Context(), args, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	return c
}

func (a *app) context(ctx context.Context, args []string, asJSON bool) error {
	r, err := a.read(ctx, args)
	if err != nil {
		return err
	}
	if err := a.adopt(r.events); err != nil {
		return err
	}
	m, err := a.modelOf(ctx, r)
	if err != nil {
		return err
	}
	a.noteRefused()
	account := accountOf(a.rules(a.cfg()), r, m)
	if asJSON {
		report := newContextReport(m, account)
		report.CompactedSummary, report.CompactBoundary = r.summarised()
		return writeJSON(a.env.Stdout, report)
	}
	return a.writeContext(r, m, account)
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
func (a *app) adopt(events []conversation.Event) error {
	cfg, err := a.configFor(events)
	if err != nil {
		return err
	}
	loaded := *a.loaded.Load()
	loaded.Config = cfg
	a.loaded.Store(&loaded)
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
func (a *app) modelOf(ctx context.Context, r *reading) (agent.Model, error) {
	last := lastModel(r.events)
	c, err := a.choiceFor(last)
	if err != nil {
		return agent.Model{}, err
	}
	if c.provider == "" {
		return agent.Model{Window: a.flagWindow()}, nil
	}
	if c.demo {
		return a.demoModel(ctx), nil
	}
	m := a.model(ctx, c, openai.New(a.endpoint(c)))
	if c.provider == providerCustom && c.baseURL == "" {
		a.calibrateByID(ctx, r, &m)
	}
	weak := m.Window.Source == compact.WindowCatalogue || !m.Window.Known()
	from := compact.WindowSource(last.Source)
	if said := from == compact.WindowServer || from == compact.WindowLearned; said && last.Window > 0 && weak && last.Name() == m.Name() {
		m.Window = compact.Window{Tokens: last.Window, Source: from}
		a.apply(&m, a.ownModel(c))
	}
	if last.MaxOut > 0 && last.Name() == m.Name() && a.ownModel(c).MaxOutput == 0 {
		m.MaxOut = last.MaxOut
	}
	return m, nil
}

// demoModel is the demo model with the window that it is started with. What was
// learned of it is kept for each window: started with another one, it is another
// server.
func (a *app) demoModel(ctx context.Context) agent.Model {
	m := agent.Model{Provider: providerDemo, ID: demo.ModelID, Badge: "not an AI", Prices: &agent.Prices{},
		Caps:   openai.New(openai.Options{Provider: providerDemo}).Capabilities(),
		Window: compact.Window{Tokens: demo.DefaultWindow, Source: compact.WindowServer}}
	a.apply(&m, config.Model{})
	started := m.Window
	m.CalibrationKey = fmt.Sprintf("demo %s %d", demo.ModelID, started.Tokens)
	a.calibrate(ctx, &m)
	m.Window = started
	return m
}

// choiceFor is the endpoint and model to measure for.
func (a *app) choiceFor(last conversation.ModelChanged) (choice, error) {
	switch {
	case a.flags.demo:
		return choice{provider: providerDemo, demo: true}, nil
	case a.flags.baseURL != "":
		c := choice{provider: providerCustom, baseURL: a.flags.baseURL, model: strings.TrimPrefix(a.flags.model, providerCustom+"/")}
		if c.model == "" {
			c.model = last.Model
		}
		return c, nil
	case a.flags.model != "":
		return a.named(a.flags.model)
	case last.Provider == providerDemo:
		return choice{provider: providerDemo, demo: true}, nil
	}
	return a.heldAt(last), nil
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
func (a *app) flagWindow() compact.Window {
	m := agent.Model{Window: compact.Window{Source: compact.WindowUnknown}}
	a.apply(&m, config.Model{})
	return m.Window
}

// calibrateByID takes over what was learned about a model of a custom
// endpoint, whose address no log records: if one endpoint only has been used
// for a model of this id, it is that one.
func (a *app) calibrateByID(ctx context.Context, r *reading, m *agent.Model) {
	all, err := r.store.Calibrations(ctx)
	if err != nil {
		a.logger().Warn("calibrations not read", "error", err)
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

package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/cli/table"
	"plimsoll/compact/meter"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// modelsCommand lists the models that are known.
type modelsCommand struct {
	console   *console.Console
	listing   *setup.Listing
	models    *setup.Models
	providers *setup.Providers
	settings  *setup.Settings

	provider string
	asJSON   bool
	refresh  bool
}

func (cmd *modelsCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "models",
		Short: "List known models",
		Long: `Models lists the catalog of the known providers, and what the servers on this
machine and those of your configuration list themselves. With --base-url it lists
what that server has. Prices are in US dollars per million tokens.

With --refresh it asks the providers that you have a key for, and those servers, for
windows and prices, keeps what they tell for later runs, and says what changed.

A window marked "server" is what the server says, "config" what you say,
"catalogue" what the provider publishes. The model used without --model is marked *.`,
		Example: `  plimsoll models
  plimsoll models --provider anthropic
  plimsoll models --refresh
  plimsoll models --base-url http://localhost:8080/v1
  plimsoll models --json | jq -r '.[] | select(.context_window > 500000).id'`,
		Args: positional(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
	c.Flags().BoolVar(&cmd.asJSON, "json", false, "write a JSON array")
	c.Flags().BoolVar(&cmd.refresh, "refresh", false, "ask the providers for windows and prices, and keep what they tell")
	c.Flags().StringVar(&cmd.provider, "provider", "", "only models of `PROVIDER`")
	return c
}

func (cmd *modelsCommand) Run(ctx context.Context) error {
	provider := cmd.provider
	if err := cmd.settings.Configure(); err != nil {
		return err
	}
	if provider != "" && !cmd.providers.Known(provider) {
		return console.AsUsage(console.WithHint(fmt.Errorf("unknown provider %q", provider), "the providers are "+strings.Join(cmd.providers.Names(), ", ")))
	}
	if cmd.refresh {
		return cmd.refreshed(cmd.listing.Refresh(ctx, provider))
	}
	rows, err := cmd.listing.Rows(ctx, provider)
	if err != nil {
		return err
	}
	if cmd.asJSON {
		return console.WriteJSON(cmd.console.Stdout, rows)
	}
	if len(rows) == 0 {
		fmt.Fprintln(cmd.console.Stdout, "No known models there. You can still name one with --model PROVIDER/ID.")
		return nil
	}
	return cmd.table(ctx, rows)
}

func (cmd *modelsCommand) table(ctx context.Context, rows []setup.ModelRow) error {
	inUse := ""
	if c, err := cmd.models.Choose(ctx, "", false); err == nil {
		inUse = c.Provider + "/" + c.Model
	}
	heads := []table.Column{{}, {Head: "MODEL"}, {Head: "WINDOW", Right: true}, {Head: "FROM"}, {Head: "REPLY", Right: true},
		{Head: "$ IN", Right: true}, {Head: "CACHED", Right: true}, {Head: "OUT", Right: true}, {Head: "DATE"}, {Head: "NOTE"}}
	columns := make([]*table.Column, len(heads))
	for i := range heads {
		columns[i] = &heads[i]
	}
	for _, r := range rows {
		for i, cell := range cells(r, inUse) {
			columns[i].Add(cell)
		}
	}
	return table.Write(cmd.console.Stdout, cmd.console.Limit(), columns...)
}

// cells is a row of the table: the mark of the model in use, name, window and
// its source, largest reply, prices, date, note.
func cells(r setup.ModelRow, inUse string) []string {
	name := r.Provider + "/" + r.ID
	mark, from, date, note := "", "", "", ""
	if name == inUse {
		mark = "*"
	}
	if r.WindowSource != meter.WindowUnknown {
		from = string(r.WindowSource)
	}
	if r.Date != nil {
		date = *r.Date
	}
	if r.Deprecated {
		note = "deprecated"
	}
	return []string{mark, plain.Line(name), count(r.ContextWindow), from, count(r.MaxOutput),
		price(r.Prices.Input), price(r.Prices.Cached), price(r.Prices.Output), date, note}
}

func count(n *int) string {
	if n == nil {
		return "?"
	}
	return numbers.Grouped(*n)
}

func price(p *float64) string {
	if p == nil {
		return "?"
	}
	return strconv.FormatFloat(*p, 'f', -1, 64)
}

// refreshJSON is an endpoint in `models --refresh --json`.
type refreshJSON struct {
	Provider string             `json:"provider"`
	Models   int                `json:"models"`
	Changed  []refreshModelJSON `json:"changed"`
	Error    *string            `json:"error"`
}

// refreshModelJSON is a model of which an endpoint tells something else. What it does not tell is null.
type refreshModelJSON struct {
	ID            string   `json:"id"`
	New           bool     `json:"new"`
	ContextWindow *int     `json:"context_window"`
	MaxOutput     *int     `json:"max_output"`
	Input         *float64 `json:"input"`
	Output        *float64 `json:"output"`
}

// refreshed says what endpoints told. The error says that none answered.
func (cmd *modelsCommand) refreshed(all []setup.Refreshed) error {
	if len(all) == 0 {
		return console.WithHint(errors.New("there is no provider to ask"), "store a key with `plimsoll connect`, start a local server, or set providers.NAME.base_url")
	}
	answered := false
	for _, r := range all {
		answered = answered || r.Err == nil
	}
	if cmd.asJSON {
		if err := console.WriteJSON(cmd.console.Stdout, refreshRows(all)); err != nil {
			return err
		}
	} else {
		for _, r := range all {
			cmd.tellRefresh(r)
		}
	}
	if !answered {
		return errors.New("no provider listed its models; nothing was changed")
	}
	return nil
}

// mostChanges is how many changes of an endpoint are written out.
const mostChanges = 20

func (cmd *modelsCommand) tellRefresh(r setup.Refreshed) {
	out := cmd.console.Stdout
	if r.Err != nil {
		fmt.Fprintf(out, "%s: %s\n", r.Provider, plain.Line(r.Err.Error()))
		return
	}
	fresh := 0
	for _, c := range r.Changes {
		if c.New {
			fresh++
		}
	}
	fmt.Fprintf(out, "%s: %s", r.Provider, numbers.Count(r.Models, "model"))
	if fresh > 0 {
		fmt.Fprintf(out, ", %d new", fresh)
	}
	if n := len(r.Changes) - fresh; n > 0 {
		fmt.Fprintf(out, ", %d changed", n)
	}
	fmt.Fprintln(out)
	shown := 0
	for _, c := range r.Changes {
		if c.New {
			continue // they are in the list of all models
		}
		if shown++; shown > mostChanges {
			fmt.Fprintf(out, "  … %d more\n", len(r.Changes)-fresh-mostChanges)
			return
		}
		fmt.Fprintf(out, "  %s  %s\n", plain.Line(c.ID), changeText(c))
	}
}

// changeText says what is told differently.
func changeText(c setup.Change) string {
	var parts []string
	size := func(what string, was, now int) {
		if was != now {
			parts = append(parts, what+" "+count(console.Or(was))+" → "+count(console.Or(now)))
		}
	}
	size("window", c.Was.Window, c.Now.Window)
	size("reply", c.Was.MaxOutput, c.Now.MaxOutput)
	money := func(what string, of func(*llm.Prices) float64) {
		var was, now *float64
		if c.Was.Prices != nil {
			was = new(of(c.Was.Prices))
		}
		if c.Now.Prices != nil {
			now = new(of(c.Now.Prices))
		}
		if price(was) != price(now) {
			parts = append(parts, what+" $"+price(was)+" → $"+price(now))
		}
	}
	money("input", func(p *llm.Prices) float64 { return p.Input })
	money("cached", func(p *llm.Prices) float64 { return p.Cached })
	money("output", func(p *llm.Prices) float64 { return p.Output })
	return strings.Join(parts, ", ")
}

func refreshRows(all []setup.Refreshed) []refreshJSON {
	rows := []refreshJSON{}
	for _, r := range all {
		row := refreshJSON{Provider: r.Provider, Models: r.Models, Changed: []refreshModelJSON{}}
		if r.Err != nil {
			row.Error = new(r.Err.Error())
		}
		for _, c := range r.Changes {
			m := refreshModelJSON{ID: c.ID, New: c.New, ContextWindow: console.Or(c.Now.Window), MaxOutput: console.Or(c.Now.MaxOutput)}
			if p := c.Now.Prices; p != nil {
				m.Input, m.Output = &p.Input, &p.Output
			}
			row.Changed = append(row.Changed, m)
		}
		rows = append(rows, row)
	}
	return rows
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
windows and prices, and keeps what they tell for later runs.

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

// refreshed says what endpoints told. The error says that none answered.
func (cmd *modelsCommand) refreshed(all []setup.Refreshed) error {
	if len(all) == 0 {
		return console.WithHint(errors.New("there is no provider to ask"), "store a key with `plimsoll connect`, start a local server, or set providers.NAME.base_url")
	}
	answered := false
	for _, r := range all {
		if r.Err != nil {
			fmt.Fprintf(cmd.console.Stdout, "%s: %s\n", r.Provider, plain.Line(r.Err.Error()))
			continue
		}
		answered = true
		added := 0
		for _, c := range r.Changes {
			if c.New {
				added++
			}
		}
		fmt.Fprintf(cmd.console.Stdout, "%s: %s, %d new, %d changed\n", r.Provider, numbers.Count(r.Models, "model"), added, len(r.Changes)-added)
	}
	if !answered {
		return errors.New("no provider listed its models; nothing was changed")
	}
	return nil
}

package cli

import (
	"context"
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
}

func (cmd *modelsCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "models",
		Short: "List the models that are known",
		Long: `Models lists the catalogue of the known providers, and what the servers on this
machine and those of your configuration list themselves. With --base-url it lists
what that server has. Prices are in US dollars per million tokens.

A window marked "server" is what the server says, "config" what you say,
"catalogue" what the provider publishes. The model used without --model is marked *.`,
		Example: `  plimsoll models
  plimsoll models --provider anthropic
  plimsoll models --base-url http://localhost:8080/v1
  plimsoll models --json | jq -r '.[] | select(.context_window > 500000).id'`,
		Args: positional(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
	c.Flags().BoolVar(&cmd.asJSON, "json", false, "write a JSON array")
	c.Flags().StringVar(&cmd.provider, "provider", "", "only models of `PROVIDER`")
	return c
}

func (cmd *modelsCommand) Run(ctx context.Context) error {
	provider := cmd.provider
	if err := cmd.settings.Configure(); err != nil {
		return err
	}
	if provider != "" && !cmd.providers.Known(provider) {
		return console.AsUsage(console.WithHint(fmt.Errorf("the provider %q is not known", provider), "known are "+strings.Join(cmd.providers.Names(), ", ")))
	}
	rows, err := cmd.listing.Rows(ctx, provider)
	if err != nil {
		return err
	}
	if cmd.asJSON {
		return console.WriteJSON(cmd.console.Stdout, rows)
	}
	if len(rows) == 0 {
		fmt.Fprintln(cmd.console.Stdout, "No model is known there. Name one with --model PROVIDER/ID all the same.")
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

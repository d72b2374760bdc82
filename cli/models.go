package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/cli/table"
	"plimsoll/compact/meter"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

type modelsCommand struct {
	*app

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
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
	c.Flags().BoolVar(&cmd.asJSON, "json", false, "write a JSON array")
	c.Flags().BoolVar(&cmd.refresh, "refresh", false, "ask the providers for windows and prices, and keep what they tell")
	c.Flags().StringVar(&cmd.provider, "provider", "", "only models of `PROVIDER`")
	return c
}

func (cmd *modelsCommand) Run(ctx context.Context) error {
	provider := cmd.provider
	if cmd.refresh && cmd.asJSON {
		return console.WrongUse("use --refresh or --json, not both: --refresh first, then --json lists what it brought")
	}
	if err := cmd.Settings.Configure(); err != nil {
		return err
	}
	if provider != "" && !cmd.Providers.Known(provider) {
		return unknownProvider(provider, cmd.Providers)
	}
	if cmd.refresh {
		return cmd.reportRefresh(cmd.Models.Refresh(ctx, provider))
	}
	rows, err := cmd.Models.Rows(ctx, provider)
	if err != nil {
		return err
	}
	if cmd.asJSON {
		return cmd.writeJSON(rows)
	}
	if len(rows) == 0 {
		fmt.Fprintln(cmd.Console.Stdout, "No known models there. You can still name one with --model PROVIDER/ID.")
		return nil
	}
	return cmd.writeTable(ctx, rows)
}

func (cmd *modelsCommand) writeTable(ctx context.Context, rows []setup.ModelRow) error {
	inUse := ""
	if c, err := cmd.Models.Choose(ctx, "", false); err == nil {
		inUse = c.Provider + "/" + c.Model
	}
	columns := []table.Column{table.Left(""), table.Left("MODEL"), table.Right("WINDOW"), table.Left("FROM"), table.Right("REPLY"),
		table.Right("$ IN"), table.Right("CACHED"), table.Right("OUT"), table.Left("DATE"), table.Left("NOTE")}
	var lines [][]string
	for _, r := range rows {
		lines = append(lines, rowCells(r, inUse))
	}
	return table.Write(cmd.Console.Stdout, cmd.Console.TableWidth(), columns, lines)
}

// rowCells returns the cells of a row, in the order of writeTable's columns.
func rowCells(r setup.ModelRow, inUse string) []string {
	name := r.Provider + "/" + r.ID
	mark, from, note := "", "", ""
	if name == inUse {
		mark = "*"
	}
	if r.Source != meter.WindowUnknown {
		from = string(r.Source)
	}
	if r.Deprecated {
		note = "deprecated"
	}
	p := pricesOf(r)
	return []string{mark, plain.Line(name), formatCount(r.Window), from, formatCount(r.MaxOutput),
		formatPrice(p.Input), formatPrice(p.Cached), formatPrice(p.Output), r.Date, note}
}

func formatCount(n int) string {
	if n == 0 {
		return "?"
	}
	return numbers.Grouped(n)
}

func formatPrice(p *float64) string {
	if p == nil {
		return "?"
	}
	return strconv.FormatFloat(*p, 'f', -1, 64)
}

// modelJSON is a model in `models --json`. Unknown values are null.
type modelJSON struct {
	Provider      string             `json:"provider"`
	ID            string             `json:"id"`
	ContextWindow *int               `json:"context_window"`
	MaxInput      *int               `json:"max_input"`
	MaxOutput     *int               `json:"max_output"`
	WindowSource  meter.WindowSource `json:"window_source"`
	Prices        pricesJSON         `json:"prices"`
	Date          *string            `json:"date"`
}

// pricesJSON is in US dollars per million tokens.
type pricesJSON struct {
	Input      *float64 `json:"input"`
	Cached     *float64 `json:"cached"`
	CacheWrite *float64 `json:"cache_write"`
	Output     *float64 `json:"output"`
}

// pricesOf returns the prices of a model, overridden by the user's own. A cached or cache-write price of 0 next to an input
// price above 0 was not published, so it is null.
func pricesOf(r setup.ModelRow) (out pricesJSON) {
	if p := r.Prices; p != nil {
		out = pricesJSON{Input: &p.Input, Output: &p.Output, Cached: console.OrNull(p.Cached), CacheWrite: console.OrNull(p.CacheWrite)}
		if p.Input == 0 {
			out.Cached, out.CacheWrite = &p.Cached, &p.CacheWrite
		}
	}
	own := r.OwnPrices
	return pricesJSON{cmp.Or(own.Input, out.Input), cmp.Or(own.Cached, out.Cached),
		cmp.Or(own.CacheWrite, out.CacheWrite), cmp.Or(own.Output, out.Output)}
}

func (cmd *modelsCommand) writeJSON(rows []setup.ModelRow) error {
	out := []modelJSON{}
	for _, r := range rows {
		out = append(out, modelJSON{r.Provider, r.ID, console.OrNull(r.Window), console.OrNull(r.MaxInput), console.OrNull(r.MaxOutput),
			r.Source, pricesOf(r), console.OrNull(r.Date)})
	}
	return console.WriteJSON(cmd.Console.Stdout, out)
}

// reportRefresh prints how many models each endpoint listed. It is an error if no endpoint answered.
func (cmd *modelsCommand) reportRefresh(all []setup.ListResult) error {
	if len(all) == 0 {
		return console.WithHint(errors.New("there is no provider to ask"),
			"store a key with `plimsoll connect`, start a local server, or set providers.NAME.base_url")
	}
	answered := false
	for _, r := range all {
		if r.Err != nil {
			fmt.Fprintf(cmd.Console.Stdout, "%s: %s\n", r.Provider, plain.Line(r.Err.Error()))
			continue
		}
		answered = true
		chat := slices.DeleteFunc(slices.Clone(r.Found.Models), func(m openai.ListedModel) bool { return !m.Chat })
		fmt.Fprintf(cmd.Console.Stdout, "%s: %s\n", r.Provider, numbers.Count(len(chat), "model"))
	}
	if !answered {
		return errors.New("no provider listed its models; nothing was changed")
	}
	return nil
}

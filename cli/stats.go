package cli

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/table"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/storage"
)

// Requests count on the day on which they were sent, by the clock here. Those of tasks count with the conversation that
// started the task; those that a fork has from its original count once.

type statsCommand struct {
	*app

	json bool
	days int
}

func (cmd *statsCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show what the last days took: tokens, cost, cache, compactions",
		Long: `Stats draws the tokens sent on each day, over all conversations: those that were
new to the provider's cache and those that it had. Beside the bars stand the share
from the cache, the tokens received, the cost, and the compactions. What compaction
saved is how much smaller the requests were until the next one.`,
		Example: `  plimsoll stats
  plimsoll stats --days 30
  plimsoll stats --json | jq .total.cost_usd`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
	c.Flags().BoolVar(&cmd.json, "json", false, "write JSON: days, the oldest first, and their total; unknown is null")
	c.Flags().IntVar(&cmd.days, "days", 7, "how many days, with today: `N`")
	return c
}

// statsRow is a day, or all of them, in `stats --json`. Counts are of tokens unless their names say otherwise.
type statsRow struct {
	Date        string   `json:"date,omitempty"`
	Requests    int      `json:"requests"`
	Prompt      int      `json:"prompt"`
	Cached      int      `json:"cached"`
	CachedShare *float64 `json:"cached_share"`
	Output      int      `json:"output"`
	CostUSD     *float64 `json:"cost_usd"`
	Compactions int      `json:"compactions"`
	Saved       int      `json:"saved_by_compaction"` // by how much requests were smaller until the next compaction

	usages []conversation.Event
}

func (cmd *statsCommand) Run(ctx context.Context) error {
	if cmd.days < 1 || cmd.days > 366 {
		return console.WrongUse("--days is 1 to 366, not %d", cmd.days)
	}
	year, month, day := time.Now().Date()
	days, total := make([]statsRow, cmd.days), statsRow{}
	at := map[string]*statsRow{}
	for i := range days {
		days[i].Date = time.Date(year, month, day-cmd.days+1+i, 12, 0, 0, 0, time.Local).Format(time.DateOnly)
		at[days[i].Date] = &days[i]
	}
	store, err := cmd.Resources.Open()
	if err != nil {
		return err
	}
	entries, err := store.List(ctx, storage.Filter{})
	if err != nil {
		return err
	}
	counted := map[string]bool{}
	for _, e := range entries {
		if e.Problem != "" || e.Updated.Local().Format(time.DateOnly) < days[0].Date {
			continue
		}
		log, _, err := store.Load(ctx, e.ID)
		if err != nil {
			return fmt.Errorf("reading conversation %s: %w", e.ID, err)
		}
		countLog(log, at, counted)
	}
	for i := range days {
		total.usages = append(total.usages, days[i].usages...)
		total.Compactions, total.Saved = total.Compactions+days[i].Compactions, total.Saved+days[i].Saved
		days[i].addCosts()
	}
	total.addCosts()
	if cmd.json {
		return console.WriteJSON(cmd.Console.Stdout, map[string]any{"days": days, "total": total})
	}
	return cmd.draw(days, total)
}

// countLog adds a conversation to the days; counted has what was counted before, also in a conversation that it is a copy of.
func countLog(log []conversation.Event, at map[string]*statsRow, counted map[string]bool) {
	dayOf := func(t time.Time, what ...any) *statsRow { // nil if it was counted, or is too old
		id := fmt.Sprint(t.UnixNano(), what)
		if counted[id] {
			return nil
		}
		counted[id] = true
		return at[t.Local().Format(time.DateOnly)]
	}
	for _, e := range log {
		if u, ok := e.Body.(conversation.Usage); ok {
			if row := dayOf(e.Time, u.Purpose, u.Prompt, u.Completion, u.BodyHash); row != nil {
				row.usages = append(row.usages, e)
			}
		}
	}
	requests, newest := inspect.SentRequests(log), inspect.Entry{}
	for _, entry := range append(inspect.CompactionLog(log), inspect.Entry{Kind: inspect.EntryEpoch, Event: math.MaxUint64}) {
		if entry.Kind != inspect.EntryEpoch || entry.Result == inspect.ResultUndone {
			continue
		}
		for ; len(requests) > 0 && requests[0].Event < entry.Event; requests = requests[1:] {
			if row := dayOf(requests[0].Time, "saved", requests[0].Event); row != nil {
				row.Saved += max(0, newest.Before-newest.After)
			}
		}
		if row := dayOf(entry.Time, entry.Event); row != nil {
			row.Compactions++
		}
		newest = entry
	}
}

// addCosts sums the requests of a row.
func (r *statsRow) addCosts() {
	c := inspect.CostsOf(r.usages)
	r.Requests, r.Prompt, r.Cached, r.Output, r.CostUSD = c.ReplyRequests+c.SummaryRequests, c.Prompt, c.Cached, c.Output, c.Total
	if c.Prompt > 0 {
		r.CachedShare = new(float64(c.Cached) / float64(c.Prompt))
	}
}

// barCells are the cells of the longest bar: the table fits 80 columns.
const barCells = 28

// draw writes a row with a bar for each day, and the totals.
func (cmd *statsCommand) draw(days []statsRow, total statsRow) error {
	most := 1
	for _, d := range days {
		most = max(most, d.Prompt)
	}
	var rows [][]string
	for _, d := range append(days, total) {
		row := []string{"total", "", "", "", "", "", ""}
		if date, err := time.Parse(time.DateOnly, d.Date); err == nil {
			row[0] = date.Format("Mon 2 Jan")
		}
		if d.CachedShare != nil {
			row[2], row[3], row[4] = numbers.Tokens(d.Prompt), numbers.Percent(*d.CachedShare), numbers.Tokens(d.Output)
			if d.Date != "" {
				cells := int(math.Ceil(barCells * float64(d.Prompt) / float64(most)))
				cached := int(float64(cells) * *d.CachedShare)
				row[1] = strings.Repeat("█", cells-cached) + strings.Repeat("░", cached)
			}
		}
		if d.CostUSD != nil {
			row[5] = "$" + console.Dollars(*d.CostUSD)
		}
		if d.Compactions > 0 {
			row[6] = fmt.Sprint(d.Compactions)
		}
		rows = append(rows, row)
	}
	columns := []table.Column{
		table.Left("DAY"), table.Left("█ NEW  ░ FROM THE CACHE"), table.Right("SENT"), table.Right("CACHED"), table.Right("OUT"), table.Right("COST"), table.Right("COMPACTED"),
	}
	if err := table.Write(cmd.Console.Stdout, cmd.Console.TableWidth(), columns, rows); err != nil {
		return err
	}
	text := fmt.Sprintf("%s in %s.", numbers.Count(total.Requests, "request"), numbers.Count(len(days), "day"))
	if total.Saved > 0 {
		text += fmt.Sprintf(" Compaction made them smaller by %s tokens.", numbers.Tokens(total.Saved))
	}
	_, err := fmt.Fprintln(cmd.Console.Stdout, "\n"+text)
	return err
}

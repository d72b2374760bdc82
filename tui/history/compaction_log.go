package history

import (
	"strconv"
	"time"

	"plimsoll/compact/inspect"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The compaction log (/ledger) is the history reduced to its compactions, with the result of each, the tokens that
// it saved and what it cost.

// listCompactions lists the compactions, also the failed ones, and the pins, undos and redos.
func (d *document) listCompactions() {
	d.entries = map[uint64]inspect.Entry{}
	for _, e := range inspect.CompactionLog(d.Log) {
		if at := d.index(e.Event); at >= 0 {
			d.entries[e.Event] = e
			d.items = append(d.items, item{kind: kindEvent, at: at})
		}
	}
}

// entryColumns are the result of an entry, its tokens, its cost and its duration, as many as fit.
func (d *drawer) entryColumns(e inspect.Entry, width int) string {
	const leastDescription = 40 // cells of the description
	out := ""
	for _, column := range []struct {
		text  string
		cells int
	}{{resultWord(e), 9}, {tokensOfEntry(e), 15}, {costOf(e), 7}, {formatDuration(e.Duration), 6}} {
		text := pane.AlignRight(column.text, column.cells)
		if out != "" {
			text += "  " + out
		}
		if out != "" && width-cells(text) < leastDescription {
			break
		}
		out = text
	}
	return d.styles.Muted.Render(out)
}

// resultWord is the result of an entry. Of an undo or a redo only the opposite is a result.
func resultWord(e inspect.Entry) string {
	if e.Result != inspect.ResultInForce {
		return plain.Line(string(e.Result))
	}
	return map[inspect.EntryKind]string{inspect.EntryEpoch: "active", inspect.EntryPin: "active"}[e.Kind]
}

// tokensOfEntry are the estimated tokens of a request before and after the compaction.
func tokensOfEntry(e inspect.Entry) string {
	switch {
	case e.Before == 0:
		return ""
	case e.After == 0:
		return "at " + pane.About(e.Before)
	}
	return pane.About(e.Before) + " → " + pane.About(e.After)
}

func costOf(e inspect.Entry) string {
	if e.CostUSD == nil {
		return ""
	}
	return pane.Dollars(*e.CostUSD)
}

func formatDuration(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return pane.Duration(d)
}

// meaningOf says what a result means for the conversation, after its word; "" where the word says it.
func meaningOf(r inspect.EntryResult) string {
	return map[inspect.EntryResult]string{inspect.ResultStale: ": the conversation had changed by the time it was ready",
		inspect.ResultFailed: ": nothing was changed", inspect.ResultCancelled: ": nothing was changed"}[r]
}

// costsOf are the model of an entry's summary, its tokens, its cost and its duration, as far as they are known; an unknown cost is "".
func costsOf(e inspect.Entry) (out []string) {
	if e.Model != "" {
		out = append(out, "summary by "+e.Model)
	}
	if e.Prompt > 0 {
		out = append(out, pane.Tokens(e.Prompt)+" tokens read")
	}
	if e.Output > 0 {
		out = append(out, pane.Tokens(e.Output)+" written")
	}
	if out = append(out, costOf(e)); e.Duration > 0 {
		out = append(out, "took "+pane.Duration(e.Duration))
	}
	return out
}

// compactionTotals counts the compactions and adds up what they cost. It does not add up the savings, because each
// compaction begins with the result of the previous one.
func (d *document) compactionTotals() string {
	made, active, failed, spent := 0, 0, 0, 0.0
	for _, e := range d.entries {
		switch {
		case e.Kind == inspect.EntryAttempt && e.Result != inspect.ResultUnused:
			failed++
		case e.Kind == inspect.EntryEpoch:
			made++
			if e.Result == inspect.ResultInForce {
				active++
			}
		}
		if e.CostUSD != nil {
			spent += *e.CostUSD
		}
	}
	out := numbers.Count(made, "compaction") + ", " + strconv.Itoa(active) + " active"
	if failed > 0 {
		out += " · " + numbers.Count(failed, "failed attempt")
	}
	if spent > 0 {
		out += " · " + pane.Dollars(spent) + " for summaries"
	}
	return out
}

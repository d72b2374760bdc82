package show

import (
	"fmt"
	"io"
	"strings"
	"time"

	"plimsoll/compact/inspect"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/cli/console"
	"plimsoll/cli/table"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// The ledger of a conversation: what compaction did to it, and what was done to it
// by hand, oldest first. It is read from the log alone, so it needs neither a model
// nor a configuration.

// LedgerRow is an entry in `print --ledger --json`. What is not known is null.
type LedgerRow struct {
	Kind     inspect.EntryKind    `json:"kind"`
	Event    uint64               `json:"event"`
	Turn     int                  `json:"turn"`
	Time     *time.Time           `json:"time"`
	Result   inspect.EntryResult  `json:"result"`
	Source   *conversation.Source `json:"source"`
	Trigger  *string              `json:"trigger"`
	Preset   *string              `json:"preset"`
	Profile  *string              `json:"profile"`
	Why      *string              `json:"why"`
	About    *uint64              `json:"about"`
	Model    *string              `json:"model"`
	Before   *int                 `json:"before"`
	After    *int                 `json:"after"`
	CostUSD  *float64             `json:"cost_usd"`
	Prompt   *int                 `json:"prompt_tokens"`
	Output   *int                 `json:"output_tokens"`
	Duration *int64               `json:"duration_ms"`
}

func NewLedgerRow(e inspect.Entry) LedgerRow {
	return LedgerRow{
		Kind: e.Kind, Event: e.Event, Turn: e.Turn, Time: console.Or(e.Time.UTC()), Result: e.Result,
		Source: console.Or(e.Source), Trigger: console.Or(e.Trigger), Preset: console.Or(e.Preset), Profile: console.Or(e.Profile), Why: console.Or(e.Why), About: console.Or(e.About),
		Model: console.Or(e.Model), Before: console.Or(e.Before), After: console.Or(e.After),
		CostUSD: e.CostUSD, Prompt: console.Or(e.Prompt), Output: console.Or(e.Output), Duration: console.Or(e.Duration.Milliseconds()),
	}
}

// leastWhy is how many cells a table has to leave for why something was done.
const leastWhy = 24

// WriteLedger writes entries for people, at most limit cells wide, 0 without one:
// as a table, or where that would leave too little of why, in two lines each.
func WriteLedger(w io.Writer, limit int, entries []inspect.Entry) error {
	event, when, turn := &table.Column{Head: "EVENT"}, &table.Column{Head: "TIME"}, &table.Column{Head: "TURN", Right: true}
	what, result, by := &table.Column{Head: "WHAT"}, &table.Column{Head: "RESULT"}, &table.Column{Head: "BY"}
	size, cost, took := &table.Column{Head: "TOKENS"}, &table.Column{Head: "COST", Right: true}, &table.Column{Head: "TOOK", Right: true}
	model, why := &table.Column{Head: "MODEL"}, &table.Column{Head: "WHY"}
	for _, e := range entries {
		event.Add(fmt.Sprintf("e%d", e.Event))
		when.Add(e.Time.Local().Format("2006-01-02 15:04"))
		turn.Add(fmt.Sprint(e.Turn))
		what.Add(whatText(e))
		result.Add(resultText(e.Result))
		by.Add(byText(e))
		size.Add(changeText(e))
		cost.Add(costText(e))
		took.Add(tookText(e))
		model.Add(plain.Line(e.Model))
		why.Add(plain.Line(e.Why))
	}
	columns := []*table.Column{event, when, turn, what, result, by, size, cost, took, model}
	wide := leastWhy
	for _, c := range columns {
		if n := c.Size(); n > 0 {
			wide += n + len(table.Gap)
		}
	}
	if limit > 0 && wide > limit {
		return writeNarrowLedger(w, limit, entries)
	}
	return table.Write(w, limit, append(columns, why)...)
}

// resultText is what became of an entry, in a word; JSON has its own.
func resultText(r inspect.EntryResult) string {
	if r == inspect.ResultInForce {
		return "active"
	}
	return string(r)
}

// writeNarrowLedger writes two lines for each entry: what was done, and below it
// who wanted it, and why.
func writeNarrowLedger(w io.Writer, limit int, entries []inspect.Entry) error {
	var b strings.Builder
	for _, e := range entries {
		line := fmt.Sprintf("e%d", e.Event)
		for _, part := range []string{whatText(e) + ", " + resultText(e.Result), changeText(e), costText(e), tookText(e), e.Time.Local().Format("2006-01-02 15:04")} {
			if part != "" {
				line += table.Gap + part
			}
		}
		below := "    " + byText(e)
		for _, part := range []string{plain.Line(e.Model), plain.Line(e.Why)} {
			if part != "" {
				below += "; " + part
			}
		}
		b.WriteString(ansi.Truncate(line, limit, "…") + "\n" + ansi.Truncate(below, limit, "…") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// costText is what the summaries of an entry cost, "" if there is none or nobody
// knows.
func costText(e inspect.Entry) string {
	if e.CostUSD == nil {
		return ""
	}
	return "$" + console.Dollars(*e.CostUSD)
}

// tookText is how long it took, "" if nobody knows.
func tookText(e inspect.Entry) string {
	if e.Duration <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f s", e.Duration.Seconds())
}

// whatText is what an entry tells of, and of which other one.
func whatText(e inspect.Entry) string {
	if e.About == 0 {
		return string(e.Kind)
	}
	return fmt.Sprintf("%s of e%d", e.Kind, e.About)
}

// byText is who wanted it, and what set it off.
func byText(e inspect.Entry) string {
	source, trigger := plain.Line(string(e.Source)), plain.Line(e.Trigger)
	if source == "" || trigger == "" {
		return source + trigger
	}
	return source + ", " + trigger
}

// changeText is what became of the size of a request.
func changeText(e inspect.Entry) string {
	switch {
	case e.Before == 0 && e.After == 0:
		return ""
	case e.After == 0:
		return "~" + numbers.Grouped(e.Before)
	case e.Before == 0:
		return "-> ~" + numbers.Grouped(e.After)
	}
	return "~" + numbers.Grouped(e.Before) + " -> ~" + numbers.Grouped(e.After)
}

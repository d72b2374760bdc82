// Package show writes the context view and the compaction log of a conversation for the command line, as text and as JSON.
package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/breakdown"
)

const (
	maxHeading = 60  // characters of a heading
	maxEntries = 10  // entries of the compaction log below the context view
	pipeWidth  = 100 // cells of a line where standard output is no terminal
)

// WriteContext writes the context view of a conversation as the screen draws it, and the newest entries of its compaction log.
func WriteContext(c *console.Console, snapshot *session.Snapshot, m llm.Model, b inspect.Breakdown) error {
	name := "no model yet"
	content := breakdown.Content{Breakdown: b, Reading: b.Reading}
	if m.ID != "" {
		name = m.Name()
	}
	if m.Prices != nil {
		content.Priced = m.Prices.Date
	}
	head := snapshot.ID + "  " + plain.Line(heading(snapshot)) + "\n" + plain.Line(name) + "\n\n"
	if _, err := io.WriteString(c.Stdout, head+breakdown.Text(content, cmp.Or(c.TableWidth(), pipeWidth))); err != nil {
		return err
	}
	entries := inspect.CompactionLog(snapshot.WithPartial)
	if len(entries) == 0 {
		return nil
	}
	if _, err := io.WriteString(c.Stdout, "\n  The newest compactions and pins: plimsoll print --ledger lists all\n"); err != nil {
		return err
	}
	return WriteCompactionLog(c.Stdout, c.TableWidth(), entries[max(0, len(entries)-maxEntries):])
}

// heading is the title of a conversation, or its first user message.
func heading(snapshot *session.Snapshot) string {
	if t := session.Title(snapshot.Events); t != "" {
		return t
	}
	for _, e := range snapshot.WithPartial {
		if b, ok := e.Body.(conversation.UserMessage); ok {
			return conversation.OneLine(b.Text, maxHeading)
		}
	}
	return ""
}

// WriteCosts writes the cost of the conversation.
func WriteCosts(b *strings.Builder, m llm.Model, c inspect.Costs) {
	switch {
	case c.Total == nil:
		b.WriteString("cost        unknown\n")
	case m.Prices != nil && m.Prices.Date != "":
		fmt.Fprintf(b, "cost        $%s (prices: %s)\n", console.Dollars(*c.Total), m.Prices.Date)
	default:
		fmt.Fprintf(b, "cost        $%s\n", console.Dollars(*c.Total))
	}
	if c.ReplyRequests+c.SummaryRequests > 0 {
		fmt.Fprintf(b, "            %s: %s tokens sent, %s of them from the cache, %s received\n", numbers.Count(c.ReplyRequests+c.SummaryRequests, "request"),
			numbers.Grouped(c.Prompt), numbers.Grouped(c.Cached), numbers.Grouped(c.Output))
	}
	if c.SummaryRequests > 0 {
		usd := "unknown"
		if c.Summaries != nil {
			usd = "$" + console.Dollars(*c.Summaries)
		}
		fmt.Fprintf(b, "            %s of it for summaries, in %s\n", usd, numbers.Count(c.SummaryRequests, "request"))
	}
	if c.Saved != nil && *c.Saved > 0 {
		fmt.Fprintf(b, "            $%s more without the provider's cache\n", console.Dollars(*c.Saved))
	}
}

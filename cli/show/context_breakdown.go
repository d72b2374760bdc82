package show

import (
	"fmt"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/table"
	"plimsoll/compact/inspect"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// Parts of the context view for reading: the next compaction, the largest messages, the savings by kind of overlay, and the
// cost of the conversation.

// writeNext writes the forecast of the next compaction.
func writeNext(b *strings.Builder, o planner.Forecast) {
	if words := o.Text(""); words != "" {
		fmt.Fprintf(b, "next        %s\n", words)
	}
	fmt.Fprintf(b, "            (%s)\n", plain.Line(o.Rule))
}

// writeHeaviest lists the messages with the most tokens.
func writeHeaviest(b *strings.Builder, limit int, a inspect.Breakdown) error {
	if len(a.Heaviest) == 0 {
		return nil
	}
	fmt.Fprintf(b, "\nheaviest    of %s; %s said%s\n", numbers.Count(a.Messages, "message"), numbers.Count(a.Events, "event"), pinsText(a.Pins))
	columns := []table.Column{table.Right("tokens"), table.Right("share"), table.Right("turn"), table.Right("event"),
		table.Left("what"), table.Left("state")}
	var rows [][]string
	for _, item := range a.Heaviest {
		turn, event := "", ""
		if item.Event != 0 {
			turn, event = fmt.Sprint(item.Turn), fmt.Sprintf("e%d", item.Event)
		}
		rows = append(rows, []string{"~" + numbers.Grouped(item.Tokens), numbers.Percent(float64(item.Tokens) / float64(max(1, a.Estimated))),
			turn, event, conversation.OneLine(plain.Line(item.Label), maxWhat), stateText(item)})
	}
	return table.Write(b, limit, columns, rows)
}

// maxWhat is the greatest length of a label or a heading, in characters.
const maxWhat = 60

func pinsText(pins int) string {
	if pins == 0 {
		return ""
	}
	return fmt.Sprintf(", %d pinned", pins)
}

// stateText is the state of an item in the view; "" for the original.
func stateText(i inspect.Item) string {
	if i.State == projection.StateVerbatim && i.Original <= i.Tokens {
		return ""
	}
	text := i.State.Word()
	if i.Original > i.Tokens {
		text += ", was ~" + numbers.Grouped(i.Original)
	}
	return text
}

// writeAdditions writes the tokens that skills, servers and hooks brought in.
func writeAdditions(b *strings.Builder, additions []inspect.Addition) {
	label := "\nbrought in"
	for _, a := range additions {
		fmt.Fprintf(b, "%-10s  ~%s by %s (%d)\n", label, numbers.Grouped(a.Tokens), a.Kind, a.Items)
		label = ""
	}
}

// writeSavings writes the tokens that each kind of overlay saves in the next request.
func writeSavings(b *strings.Builder, savings []inspect.Saving) {
	if len(savings) == 0 {
		return
	}
	b.WriteByte('\n')
	label, all := "saved", 0
	for _, s := range savings {
		fmt.Fprintf(b, "%-10s  ~%s by %s (%d)\n", label, numbers.Grouped(s.Tokens), s.Kind, s.Items)
		label, all = "", all+s.Tokens
	}
	if len(savings) > 1 {
		fmt.Fprintf(b, "            ~%s in every request\n", numbers.Grouped(all))
	}
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

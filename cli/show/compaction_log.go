package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/cli/console"
	"plimsoll/cli/table"
	"plimsoll/compact/inspect"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// WriteCompactionLog writes the compaction log of a conversation: automatic and manual changes, oldest first. An entry has
// two lines: the change, and below it its source and reason. Lines are cut to limit cells; 0 is no limit.
func WriteCompactionLog(w io.Writer, limit int, entries []inspect.Entry) error {
	var b strings.Builder
	line := func(separator string, parts ...string) {
		var kept []string
		for _, part := range parts {
			if part != "" {
				kept = append(kept, part)
			}
		}
		text := plain.Line(strings.Join(kept, separator))
		if limit > 0 {
			text = ansi.Truncate(text, limit, "…")
		}
		b.WriteString(text + "\n")
	}
	for _, e := range entries {
		what, result, cost, took := string(e.Kind), string(e.Result), "", ""
		if e.Target != 0 {
			what += fmt.Sprintf(" of e%d", e.Target)
		}
		if e.Result == inspect.ResultInForce {
			result = "active"
		}
		if e.CostUSD != nil {
			cost = "$" + console.Dollars(*e.CostUSD)
		}
		if e.Duration > 0 {
			took = fmt.Sprintf("%.1f s", e.Duration.Seconds())
		}
		line(table.Gap, fmt.Sprintf("e%d", e.Event), what+", "+result, changeText(e), cost, took, e.Time.Local().Format("2006-01-02 15:04"))
		by := strings.Trim(string(e.Source)+", "+e.Trigger, ", ")
		line("; ", "    "+by, e.Model, e.Why)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// changeText is the size of a request before and after.
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

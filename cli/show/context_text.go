// Package show writes the context view and the ledger of a conversation for the command line, as text and as JSON.
package show

import (
	"fmt"
	"io"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// The context view for reading: bars for what fills the window, then its lines and numbers. The rest is in
// context_breakdown.go.

// WriteContext writes the context view of a conversation.
func WriteContext(c *console.Console, snapshot *session.Snapshot, m llm.Model, breakdown inspect.Breakdown) error {
	reading := breakdown.Reading
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", snapshot.ID, plain.Line(heading(snapshot)))
	writeContextHead(&b, m, reading)
	b.WriteByte('\n')
	bars(&b, reading)
	b.WriteByte('\n')
	writeContextLines(&b, reading)
	writeNext(&b, breakdown.Forecast)
	if err := writeHeaviest(&b, c.TableWidth(), breakdown); err != nil {
		return err
	}
	writeAdditions(&b, breakdown.Additions)
	writeSavings(&b, breakdown.Savings)
	b.WriteByte('\n')
	writeContextLearned(&b, breakdown)
	WriteCosts(&b, m, breakdown.Costs)
	writeEpochs(&b, conversation.Epochs(snapshot.WithPartial))
	_, err := io.WriteString(c.Stdout, b.String())
	return err
}

// heading is the title of a conversation, or its first user message.
func heading(snapshot *session.Snapshot) string {
	if t := session.Title(snapshot.Events); t != "" {
		return t
	}
	for _, e := range snapshot.WithPartial {
		if b, ok := e.Body.(conversation.UserMessage); ok {
			return conversation.OneLine(b.Text, maxWhat)
		}
	}
	return ""
}

func writeContextHead(b *strings.Builder, m llm.Model, r meter.Reading) {
	name := "unknown"
	if m.ID != "" {
		name = plain.Line(m.Name())
	}
	fmt.Fprintf(b, "model       %s\n", name)
	if r.Window.IsKnown() {
		fmt.Fprintf(b, "window      %s tokens (%s)\n", numbers.Grouped(r.Window.Tokens), WindowSource(r.Window.Source))
		fmt.Fprintf(b, "used        %s (%s)\n", tokens(r.Used, r.Estimated), console.WindowShare(r, r.Used))
		return
	}
	b.WriteString("window      unknown; set it with --window, or let the first refused request tell it\n")
	fmt.Fprintf(b, "used        %s\n", tokens(r.Used, r.Estimated))
}

// WindowSource describes the source of a window's size.
func WindowSource(s meter.WindowSource) string {
	switch s {
	case meter.WindowFlag:
		return "from --window"
	case meter.WindowConfig:
		return "from the configuration"
	case meter.WindowLearned:
		return "learned from a refused request"
	case meter.WindowServer:
		return "reported by the server"
	case meter.WindowCatalogue:
		return "from the catalog"
	}
	return "unknown"
}

// tokens formats a number of tokens, with ~ if it is estimated.
func tokens(n int, estimated bool) string {
	if estimated {
		return "~" + numbers.Grouped(n)
	}
	return numbers.Grouped(n)
}

// bars writes a line with a bar for each category that has tokens.
func bars(b *strings.Builder, r meter.Reading) {
	most := 0
	for _, seg := range projection.Segments() {
		most = max(most, r.Segments[seg])
	}
	for _, seg := range projection.Segments() {
		n := r.Segments[seg]
		if n == 0 {
			continue
		}
		filled := max(1, n*console.BarWidth/most)
		share := numbers.Percent(float64(n) / float64(max(1, r.Used)))
		fmt.Fprintf(b, "%-10s  %s%s  %10s  %5s\n", seg, strings.Repeat("█", filled), strings.Repeat("·", console.BarWidth-filled),
			tokens(n, r.Estimated), share)
	}
	if most == 0 {
		b.WriteString("nothing yet\n")
	}
}

func writeContextLines(b *strings.Builder, r meter.Reading) {
	if !r.Window.IsKnown() {
		return
	}
	fmt.Fprintf(b, "load line   %s (%s): auto-compaction starts here\n", numbers.Grouped(r.LoadLine), console.WindowShare(r, r.LoadLine))
	fmt.Fprintf(b, "hard line   %s (%s): from here a reply may not fit\n", numbers.Grouped(r.HardLine), console.WindowShare(r, r.HardLine))
	fmt.Fprintf(b, "reserve     %s kept free for the reply\n", numbers.Grouped(r.Reserve))
}

func writeContextLearned(b *strings.Builder, a inspect.Breakdown) {
	if c := a.Calibration; c.Samples > 0 {
		fmt.Fprintf(b, "estimates   %.2f times the rule of thumb, learned from %s\n", c.Factor, numbers.Count(c.Samples, "report"))
	} else {
		b.WriteString("estimates   by rule of thumb; the model has reported nothing yet\n")
	}
	if r := a.Reading; r.CachedShare >= 0 {
		fmt.Fprintf(b, "cached      %s of the last prompt\n", numbers.Percent(r.CachedShare))
	}
}

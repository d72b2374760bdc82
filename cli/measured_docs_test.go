package cli

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
	"plimsoll/docs/docstest"
)

const (
	measuredPage = "../docs/measured/README.md"
	replayPage   = "../docs/replay.md"
	picture      = "../docs/images/replay.svg"
)

func TestDocumentsShowTheMeasurements(t *testing.T) {
	t.Parallel()
	all := readMeasurements(t)
	run := all["128k"].run()
	example := outputOf(t, func(w io.Writer) error { return run.WriteTable(w, 96) })
	checkGenerated(t, replayPage, "example", "```\n"+example+"```\n")
	checkGenerated(t, replayPage, "sheets", sheetRows())
	checkGenerated(t, measuredPage, "claude", claudeRows(all))
	for window, m := range all {
		for name, f := range m.Totals {
			if f.Violations != 0 {
				t.Errorf("%s in %s makes %d requests that providers refuse", name, window, f.Violations)
			}
		}
		for name, c := range m.Claude {
			if better := min(c["claude-5m"], c["claude-1h"]); better <= 0 || c["claude"] > 1.03*better {
				t.Errorf("%s in %s: the chosen lifetime costs %v, the better fixed one %v", name, window, c["claude"], better)
			}
		}
	}
	checkGenerated(t, measuredPage, "comparison", comparison(all))
	checkGenerated(t, measuredPage, "clients", clientRows(all))
	checkGenerated(t, measuredPage, "variants", variantRows(all))
	checkGenerated(t, measuredPage, "numbers", numbersIn(all["128k"]))
	docstest.File(t, picture, outputOf(t, run.WritePicture), *update)
}

// outputOf returns what a function writes.
func outputOf(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sheetRows returns the table of price sheets.
func sheetRows() string {
	var b strings.Builder
	b.WriteString("| sheet | read from the cache | written | lifetime of the cache | output |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, s := range replay.DefaultSheets() {
		fmt.Fprintf(&b, "| `%s` | %v | %v | %.0f min | %v |\n", s.Name, s.Read, s.Write, s.Lifetime.Minutes(), s.Output)
	}
	return b.String()
}

// claudeRows returns the cost of policies on Claude, relative to the same policy without a cache.
func claudeRows(all map[string]measurement) string {
	sheets := replay.ClaudeSheets()
	uncached, short, long, chosen := sheets[0].Name, sheets[1].Name, sheets[2].Name, sheets[3].Name
	var b strings.Builder
	fmt.Fprintf(&b, "| window | preset | no cache (`%s`) | 5 minutes (`%s`) | 1 hour (`%s`) | chosen (`%s`) | chosen, if the better fixed one costs 1 |\n"+
		"| --- | --- |"+strings.Repeat(" ---: |", 5)+"\n", uncached, short, long, chosen)
	for _, w := range measuredWindows {
		for _, name := range []preset.Name{preset.Plimsoll, preset.Truncate, preset.Raw} {
			c := all[w.name].Claude[name]
			fmt.Fprintf(&b, "| %s | `%s` | 1 | %.3f | %.3f | %.3f | %.3f |\n", numbers.Grouped(w.tokens), name,
				c[short]/c[uncached], c[long]/c[uncached], c[chosen]/c[uncached], c[chosen]/min(c[short], c[long]))
		}
	}
	return b.String()
}

// comparison compares Plimsoll with dropping the oldest messages, in every window.
func comparison(all map[string]measurement) string {
	var b strings.Builder
	b.WriteString("| window | preset | cost with lookups, if `truncate` costs 1 | without lookups | stitched left out | served | silent losses | edit anchors | written lines | " +
		"names from results | in place | demands | dearer than sending everything |\n| --- | --- |" + strings.Repeat(" ---: |", 11) + "\n")
	for _, w := range measuredWindows {
		m := all[w.name]
		for _, name := range []preset.Name{preset.Plimsoll, preset.Truncate} {
			f := m.Totals[name]
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %d of %d |\n", numbers.Grouped(m.Window), name,
				ratio(f.CostWithDebtVsTruncate[m.Plan]), ratio(f.CostVsTruncate[m.Plan]), ratio(m.Unstitched[name].CostWithDebtVsTruncate[m.Plan]),
				shareText(f.Served), shareText(f.SilentLosses), shareText(f.EditAnchors), shareText(f.WriteLines), shareText(f.RecallTool),
				shareText(f.RecallInPlace), shareText(f.Instructions), highest(f.SessionsWorse), m.Fits)
		}
	}
	fmt.Fprintf(&b, "\nCosts are by the sheet `%s`; conversations that are dearer are those by the sheet that has most of them.\n", all["128k"].Plan)
	return b.String()
}

// clientRows compares Plimsoll with the rules of other clients.
func clientRows(all map[string]measurement) string {
	var b strings.Builder
	b.WriteString("| rule |")
	for _, w := range measuredWindows {
		fmt.Fprintf(&b, " %s: cost | served | silent |", w.name)
	}
	b.WriteString(" source |\n| --- |" + strings.Repeat(" ---: |", 3*len(measuredWindows)) + " --- |\n")
	for _, c := range append([]replay.Client{{Name: preset.Plimsoll, Rule: "`plimsoll`"}}, replay.Clients()...) {
		fmt.Fprintf(&b, "| %s |", c.Rule)
		for _, w := range measuredWindows {
			m := all[w.name]
			f, over := m.Totals[c.Name], ""
			if f.Overflow > 0 {
				over = "*"
			}
			fmt.Fprintf(&b, " %s%s | %s | %s |", ratio(f.CostWithDebtVsTruncate[m.Plan]), over, shareText(f.Served), shareText(f.SilentLosses))
		}
		b.WriteString(" " + c.From + " |\n")
	}
	return b.String()
}

// ratio formats a ratio with three decimals.
func ratio(r replay.Ratio) string { return fmt.Sprintf("%.3f", float64(r)) }

// highest returns the highest number.
func highest(bySheet map[string]int) int {
	n := 0
	for _, one := range bySheet {
		n = max(n, one)
	}
	return n
}

// variantRows returns the table of variants.
func variantRows(all map[string]measurement) string {
	var b strings.Builder
	b.WriteString("| set |")
	for _, w := range measuredWindows {
		fmt.Fprintf(&b, " %s: cost | silent | edits |", w.name)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", 3*len(measuredWindows)) + "\n")
	row := func(name string, of func(measurement) measuredSums) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, w := range measuredWindows {
			m := all[w.name]
			f := of(m)
			fmt.Fprintf(&b, " %s | %s | %s |", ratio(f.CostWithDebtVsTruncate[m.Plan]), ratio(f.SilentLosses), ratio(f.EditAnchors))
		}
		b.WriteString("\n")
	}
	row("nothing: the default", func(m measurement) measuredSums { return m.Totals[preset.Plimsoll] })
	for _, v := range variants {
		row("`"+v+"`", func(m measurement) measuredSums { return m.Variants[v] })
	}
	return b.String()
}

// numbersIn returns the three main numbers of a measurement.
func numbersIn(m measurement) string {
	own, cut := m.Totals[preset.Plimsoll], m.Totals[preset.Truncate]
	whole := func(r replay.Ratio) string { return fmt.Sprintf("%.0f%%", 100*float64(r)) }
	return fmt.Sprintf("In a window of %s tokens, over %s of several agents and chats:\n\n"+
		"- With all that has to be looked up again it costs **%.2f** times what leaving out the oldest messages does, and **%d of %d**\n"+
		"  conversations that fit the window cost more than if everything was sent.\n"+
		"- **%s** of the demands, decisions, last errors and open points is out of view when a reply is due, which nothing tells the\n"+
		"  model; with the oldest left out %s. **%s** of the replies have in place all that they use, to %s.\n"+
		"- **%s** of the names from results of tools that are out of view can be had back by the model, with ids that it is\n"+
		"  shown; of what is left out, none.\n",
		numbers.Grouped(m.Window), numbers.Count(m.Corpus.Files, "recorded conversation"), float64(own.CostWithDebtVsTruncate[m.Plan]), highest(own.SessionsWorse), m.Fits,
		whole(own.SilentLosses), whole(cut.SilentLosses), whole(own.Served), whole(cut.Served), whole(own.Recoverable))
}

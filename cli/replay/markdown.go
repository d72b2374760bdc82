package replay

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// The Markdown form has all figures that are the same every time, which speed is
// not, so that documents can hold it and be compared with it.

// WriteMarkdown writes the report as Markdown tables.
func (r Run) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	report, c := r.Report, r.Report.Corpus
	fmt.Fprintf(&b, "%s, %s, %s (%s to tool results alone), %s, %s; window %s tokens. "+
		"What is no cost was measured with compaction planned for %s.",
		numbers.Count(c.Files, "conversation"), numbers.Count(c.Requests, "request"), numbers.Count(c.References, "reference"), numbers.Grouped(c.ToolReferences),
		numbers.Count(c.EditAnchors, "edit anchor"), numbers.Count(c.WrittenLines, "written line"), numbers.Grouped(report.Window), cellText(report.Plan))
	for _, name := range report.Sheets {
		if note := r.Caches[name]; note != "" {
			fmt.Fprintf(&b, " %s: %s.", cellText(name), note)
		}
	}
	b.WriteString("\n")
	t := mdTable{r}
	t.visible(&b)
	t.bare(&b)
	t.debt(&b)
	t.requests(&b)
	t.bySheet(&b, "Cost, when sending everything costs 1:", func(f replay.Figures, sheet string) string { return ratioText(f.CostRatio[sheet]) })
	t.bySheet(&b, "Cost, when leaving out the oldest (`truncate`) costs 1:", func(f replay.Figures, sheet string) string { return ratioText(f.CostVsTruncate[sheet]) })
	t.bySheet(&b, "Cost with what would have to be looked up, when sending everything costs 1:",
		func(f replay.Figures, sheet string) string { return ratioText(f.CostWithDebtRatio[sheet]) })
	t.bySheet(&b, "The same, when `truncate` with what it would have to look up costs 1:",
		func(f replay.Figures, sheet string) string { return ratioText(f.CostWithDebtVsTruncate[sheet]) })
	fits := 0
	for _, f := range report.Files {
		if f.Fits {
			fits++
		}
	}
	t.bySheet(&b, fmt.Sprintf("Conversations that cost more than sending everything, of the %s that fit the window, and the highest ratio to that:", numbers.Grouped(fits)),
		func(f replay.Figures, sheet string) string {
			return strconv.Itoa(f.SessionsWorse[sheet]) + ", " + ratioText(f.WorstFit[sheet])
		})
	t.bySheet(&b, "Highest ratio to `truncate` among the conversations that do not fit:", func(f replay.Figures, sheet string) string { return ratioText(f.WorstOver[sheet]) })
	b.WriteString("\n" + presenceNote + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// mdTable writes tables with a row for each policy.
type mdTable struct{ Run }

// visible is what stays in view.
func (t mdTable) visible(b *strings.Builder) {
	front := map[preset.Name]bool{}
	for _, name := range t.Front() {
		front[name] = true
	}
	t.write(b, "Share still in view when it is needed, and what of the rest can be had back:",
		[]string{"recall, tools only", "recall, all", "edit anchors", "written lines", "content", "instructions", "recoverable", "on the front"},
		func(name preset.Name, f replay.Figures) []string {
			on := "no"
			if front[name] {
				on = "yes"
			}
			return []string{ratioText(f.RecallTool), ratioText(f.RecallAll), ratioText(f.EditAnchors), ratioText(f.WriteLines),
				ratioText(f.Content), ratioText(f.Instructions), ratioText(f.Recoverable), on}
		})
}

// bare is the same without the indexes of names.
func (t mdTable) bare(b *strings.Builder) {
	t.write(b, "The same, as if no index of names was there, and what of recall, tools only, is by the index alone:",
		[]string{"recall, tools only", "recall, all", "edit anchors", "written lines", "content", "by the index alone"},
		func(_ preset.Name, f replay.Figures) []string {
			w := f.WithoutIndex
			return []string{ratioText(w.RecallTool), ratioText(w.RecallAll), ratioText(w.EditAnchors), ratioText(w.WriteLines),
				ratioText(w.Content), ratioText(f.RecallIndex)}
		})
}

// debt is what would have to be looked up.
func (t mdTable) debt(b *strings.Builder) {
	t.write(b, "What would have to be looked up, sizes in tokens; to the right as if no index of names was there:",
		[]string{"lookups", "lookups for a request", "tokens looked up", "recall debt", "lookups, no index", "tokens looked up, no index"},
		func(_ preset.Name, f replay.Figures) []string {
			w := f.WithoutIndex
			return []string{numbers.Grouped(f.Lookups), ratioText(f.LookupsPerRequest), sizeText(f.LookupTokens), sizeText(f.RecallDebt),
				numbers.Grouped(w.Lookups), sizeText(w.LookupTokens)}
		})
}

// requests is what the requests are like.
func (t mdTable) requests(b *strings.Builder) {
	t.write(b, "Requests, sizes in tokens:",
		[]string{"sent", "p95", "peak", "overflow", "prefix breaks", "rewritten", "summaries", "read for them", "violations"},
		func(name preset.Name, f replay.Figures) []string {
			return []string{sizeText(f.TokensSent), sizeText(f.TokensP95), sizeText(f.TokensPeak), numbers.Grouped(f.Overflow),
				numbers.Grouped(f.PrefixBreaks), sizeText(f.Rewritten),
				numbers.Grouped(f.Summaries), sizeText(f.SummaryInput), numbers.Grouped(f.Violations)}
		})
}

// bySheet is a table with a column for each sheet.
func (t mdTable) bySheet(b *strings.Builder, title string, cell func(f replay.Figures, sheet string) string) {
	t.write(b, title, t.Report.Sheets, func(_ preset.Name, f replay.Figures) []string {
		var cells []string
		for _, sheet := range t.Report.Sheets {
			cells = append(cells, cell(f, sheet))
		}
		return cells
	})
}

func (t mdTable) write(b *strings.Builder, title string, heads []string, cells func(preset.Name, replay.Figures) []string) {
	fmt.Fprintf(b, "\n%s\n\n| policy |", title)
	for _, head := range heads {
		fmt.Fprintf(b, " %s |", cellText(head))
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(heads)) + "\n")
	for _, name := range t.Policies {
		fmt.Fprintf(b, "| %s | %s |\n", cellText(string(name)), strings.Join(cells(name, t.Report.Totals[name]), " | "))
	}
}

// cellText is text as a cell of a Markdown table can have it.
func cellText(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'").Replace(plain.Line(text))
}

// sizeText is a number of tokens, rounded.
func sizeText(n float64) string { return numbers.Grouped(int(n + 0.5)) }

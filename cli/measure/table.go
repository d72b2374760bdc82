package measure

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"plimsoll/cli/table"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

type column struct {
	head string
	note string // what it means
	cell func(replay.Figures) string
}

// columns are the columns of the table, the most important first.
func (r Run) columns() []column {
	fits := 0
	for _, f := range r.Report.Files {
		if f.Fits {
			fits++
		}
	}
	type figures = replay.Figures
	return []column{
		{"COST", "by " + plain.Line(r.Sheet) + ", if sending everything costs 1; looking up what was needed and not in place is billed",
			func(f figures) string { return ratioText(f.CostWithDebtRatio[r.Sheet]) }},
		{"OVER", "requests larger than the window, which providers refuse",
			func(f figures) string { return numbers.Grouped(f.Overflow) }},
		{"SERVED", "replies that had in place all that they used, mean over conversations", func(f figures) string { return ratioText(f.Served) }},
		{"SILENT", "demands, decisions, last errors and open points: share out of view, which nothing tells", func(f figures) string { return ratioText(f.SilentLosses) }},
		{"CONTENT", "lines that edits and rewritten files go back to: share still in view",
			func(f figures) string { return ratioText(f.Content) }},
		{"RECALL", "names from tool results that later replies use: share still in view",
			func(f figures) string { return ratioText(f.RecallTool) }},
		{"SUMS", "summaries", func(f figures) string { return numbers.Grouped(f.Summaries) }},
		{"/TRUNC", "the same as COST, if leaving out the oldest costs 1",
			func(f figures) string { return ratioText(f.CostWithDebtVsTruncate[r.Sheet]) }},
		{"WORSE", "conversations dearer than sending everything, of the " + numbers.Grouped(fits) + " that fit the window",
			func(f figures) string { return numbers.Grouped(f.SessionsWorse[r.Sheet]) }},
	}
}

// WriteTable writes a row for each policy, at most limit cells wide, 0 being no limit, and below them what the columns mean.
func (r Run) WriteTable(w io.Writer, limit int) error {
	var b strings.Builder
	corpus := r.Report.Corpus
	fmt.Fprintf(&b, "%s, %s, %s (%s to tool results alone); window %s tokens, prices %s\n\n",
		numbers.Count(corpus.Files, "conversation"), numbers.Count(corpus.Requests, "request"), numbers.Count(corpus.References, "reference"),
		numbers.Grouped(corpus.ToolReferences), numbers.Grouped(r.Report.Window), plain.Line(r.Sheet))
	front := r.Front()
	columns, heads, notes := r.columns(), []table.Column{table.Left(""), table.Left("POLICY")}, ""
	for _, c := range columns {
		heads, notes = append(heads, table.Right(c.head)), notes+fmt.Sprintf("%-8s %s\n", c.head, c.note)
	}
	var rows [][]string
	for _, name := range r.Policies {
		row := []string{"", plain.Line(string(name))}
		if slices.Contains(front, name) {
			row[0] = "*"
		}
		for _, c := range columns {
			row = append(row, c.cell(r.Report.Totals[name]))
		}
		rows = append(rows, row)
	}
	if err := table.Write(&b, limit, heads, rows); err != nil {
		return err
	}
	b.WriteString("\n" + notes)
	if len(front) > 0 {
		b.WriteString("*        nothing else without OVER is cheaper and has as much SERVED, or as cheap and has more\n")
	}
	b.WriteString(r.clients())
	b.WriteString("\nWhat is in view need not be used: shares are upper bounds.\nThe recorded model saw everything, and so had less to look up again.\n")
	b.WriteString(r.others())
	for _, name := range r.Policies {
		if n := r.Report.Totals[name].Violations; n > 0 {
			fmt.Fprintf(&b, "%s makes requests that providers refuse: %s\n", plain.Line(string(name)), numbers.Count(n, "fault"))
		}
	}
	if sentence := r.Sentence(); sentence != "" {
		b.WriteString("\n" + sentence + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// clients says what the rows of other clients stand for.
func (r Run) clients() string {
	text := ""
	for _, c := range replay.Clients() {
		if slices.Contains(r.Policies, c.Name) {
			text += fmt.Sprintf("%-10s %s\n           %s\n", c.Name, c.Rule, c.From)
		}
	}
	if text == "" {
		return ""
	}
	return "\nRules of others; an extract stands in for each summary:\n" + text
}

// ratioText formats a ratio with three decimals, an unknown one as "-".
func ratioText(r replay.Ratio) string {
	if !r.IsKnown() {
		return "-"
	}
	return strconv.FormatFloat(float64(r), 'f', 3, 64)
}

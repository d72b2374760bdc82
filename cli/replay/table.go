package replay

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/cli/table"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// The table for people: a row for each policy, in as many columns as fit, and
// below it what they mean. A terminal has bars beside the costs. Where there is no
// width, in a pipe or a file, all columns are there, and no bars.

// column is a column of the table.
type column struct {
	head string
	note string // what it means
	rank int    // the higher, the earlier it is left out
	cell func(replay.Figures) string
}

// WriteTable writes the report for people, in lines of at most limit cells; 0 is no
// limit.
func (r Run) WriteTable(w io.Writer, limit int) error {
	var b strings.Builder
	b.WriteString(wrapped(r.headline(), limit) + "\n\n")
	columns := fitting(r.columns(limit > 0), r.Policies, r.Report, limit)
	front := r.Front()
	all := []*table.Column{{}, {Head: "POLICY"}}
	for _, c := range columns {
		all = append(all, &table.Column{Head: c.head, Right: c.head != barHead})
	}
	for k, name := range r.Policies {
		mark := ""
		if slices.Contains(front, name) {
			mark = "*"
		}
		if len(r.Variants) > 0 && k > 0 && k == len(front) { // the rest
			for _, c := range all {
				c.Add("")
			}
		}
		all[0].Add(mark)
		all[1].Add(plain.Line(string(name)))
		for i := range columns {
			all[i+2].Add(columns[i].cell(r.Report.Totals[name]))
		}
	}
	if err := table.Write(&b, limit, all...); err != nil {
		return err
	}
	b.WriteString("\n" + legend(columns, len(front) > 0, keptAxis(r.Report).head, limit))
	b.WriteString(violationsText(r.Policies, r.Report))
	_, err := io.WriteString(w, b.String())
	return err
}

// headline says what was replayed.
func (r Run) headline() string {
	report, c := r.Report, r.Report.Corpus
	text := fmt.Sprintf("%s, %s, %s (%s to tool results alone); window %s tokens, prices %s",
		numbers.Count(c.Files, "conversation"), numbers.Count(c.Requests, "request"), numbers.Count(c.References, "reference"), numbers.Grouped(c.ToolReferences),
		numbers.Grouped(report.Window), plain.Line(r.Sheet))
	if note := r.Caches[r.Sheet]; note != "" {
		text += ", " + note
	}
	for _, name := range report.Sheets {
		if note := r.Caches[name]; note != "" && name != r.Sheet {
			text += "; " + plain.Line(name) + ": " + note
		}
	}
	return text
}

// columns are those of the table, in order.
func (r Run) columns(bars bool) []column {
	report, sheet := r.Report, r.Sheet
	most := replay.Ratio(0)
	for _, name := range r.Policies {
		if cost := report.Totals[name].CostRatio[sheet]; bars && cost.Known() {
			most = max(most, cost)
		}
	}
	fits := 0
	for _, f := range report.Files {
		if f.Fits {
			fits++
		}
	}
	whole := func(get func(replay.Figures) int) func(replay.Figures) string {
		return func(f replay.Figures) string { return numbers.Grouped(get(f)) }
	}
	share := func(get func(replay.Figures) replay.Ratio) func(replay.Figures) string {
		return func(f replay.Figures) string { return ratioText(get(f)) }
	}
	size := func(get func(replay.Figures) float64) func(replay.Figures) string {
		return func(f replay.Figures) string { return amount(get(f)) }
	}
	out := []column{
		{"COST", "by " + sheet + ", if sending everything costs 1", 0, share(func(f replay.Figures) replay.Ratio { return f.CostRatio[sheet] })},
		{barHead, "", 7, func(f replay.Figures) string { return costBar(f.CostRatio[sheet], most) }},
		{"/TRUNC", "the same, if leaving out the oldest costs 1", 5, share(func(f replay.Figures) replay.Ratio { return f.CostVsTruncate[sheet] })},
		{"DEBT", "the same as COST, with looking up what was needed and not in view", 8, share(func(f replay.Figures) replay.Ratio { return f.CostWithDebtRatio[sheet] })},
		{"WORSE", fmt.Sprintf("conversations dearer than sending everything, of the %s that fit the window", numbers.Grouped(fits)), 6,
			whole(func(f replay.Figures) int { return f.SessionsWorse[sheet] })},
		{"CONTENT", "EDITS and WRITES together: share still in view", 1, share(func(f replay.Figures) replay.Ratio { return f.Content })},
		{"EDITS", "texts that edits replace: share still in view", 11, share(func(f replay.Figures) replay.Ratio { return f.EditAnchors })},
		{"WRITES", "lines of files written whole that results had: share still in view", 12, share(func(f replay.Figures) replay.Ratio { return f.WriteLines })},
		{"RECALL", "names from tool results that later replies use: share still in view", 3, share(func(f replay.Figures) replay.Ratio { return f.RecallTool })},
		{"INDEX", "of RECALL, what only an index of names shows", 9, share(func(f replay.Figures) replay.Ratio { return f.RecallIndex })},
		{"INSTR", "what the user demanded: share still in view", 4, share(func(f replay.Figures) replay.Ratio { return f.Instructions })},
		{"BREAKS", "requests for which the provider's cache was of less use", 13, whole(func(f replay.Figures) int { return f.PrefixBreaks })},
		{"SUMS", "summaries", 10, whole(func(f replay.Figures) int { return f.Summaries })},
		{"OVER", "requests larger than the window, which providers refuse", 2, whole(func(f replay.Figures) int { return f.Overflow })},
		{"BACK", "lost names that the model could ask for again", 14, share(func(f replay.Figures) replay.Ratio { return f.Recoverable })},
		{"LOOKS", "how often a request would have something looked up", 15, share(func(f replay.Figures) replay.Ratio { return f.LookupsPerRequest })},
		{"ALL", "as RECALL, wherever the names stood", 16, share(func(f replay.Figures) replay.Ratio { return f.RecallAll })},
		{"SENT", "tokens in all requests", 17, size(func(f replay.Figures) float64 { return f.TokensSent })},
		{"P95", "tokens that 95% of the requests stay within", 19, size(func(f replay.Figures) float64 { return f.TokensP95 })},
		{"PEAK", "tokens in the largest request", 18, size(func(f replay.Figures) float64 { return f.TokensPeak })},
		{"TIME", "to decide and to make a request", 20, func(f replay.Figures) string { return micros(f.NsPerRequest) }},
	}
	for _, name := range report.Sheets {
		if name != sheet {
			out = append(out, column{plain.Line(name), "", 21, share(func(f replay.Figures) replay.Ratio { return f.CostRatio[name] })})
		}
	}
	return out
}

// Bars are so many cells wide, and their column has no head.
const (
	costBarCells = 6
	barHead      = ""
)

// costBar is a cost as a bar, the most expensive one being full; "" if there is
// nothing to draw.
func costBar(cost, most replay.Ratio) string {
	if !cost.Known() || most <= 0 {
		return ""
	}
	eighths := int(math.Round(float64(cost/most) * costBarCells * 8))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

// fitting leaves columns out until the table fits, those of one rank together.
func fitting(columns []column, policies []preset.Name, report replay.Report, limit int) []column {
	for limit > 0 && len(columns) > 2 {
		total := 3 + ansi.StringWidth("POLICY")
		for _, name := range policies {
			total = max(total, 3+ansi.StringWidth(plain.Line(string(name))))
		}
		last := 0
		for i := range columns {
			wide := ansi.StringWidth(columns[i].head)
			for _, name := range policies {
				wide = max(wide, ansi.StringWidth(columns[i].cell(report.Totals[name])))
			}
			total += len(table.Gap) + wide
			last = max(last, columns[i].rank)
		}
		if total <= limit {
			break
		}
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.rank == last })
	}
	return columns
}

// presenceNote says how to take the figures.
const presenceNote = "What is in view need not be used: shares are upper bounds. " +
	"The recorded model saw everything, and so had less to look up again."

// legend says what the columns mean, and how to take it.
func legend(columns []column, front bool, kept string, limit int) string {
	var b strings.Builder
	line := func(head, text string) {
		const indent = 9
		if limit > 0 {
			text = wrapped(text, max(1, limit-indent))
		}
		b.WriteString(table.Pad(head, indent, false) + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", indent)) + "\n")
	}
	for _, c := range columns {
		if c.note != "" {
			line(c.head, plain.Line(c.note))
		}
	}
	if front {
		line("*", "nothing else without OVER is cheaper and has as much "+kept+", or as cheap and has more")
	}
	b.WriteString("\n" + wrapped(presenceNote, limit) + "\n")
	return b.String()
}

// violationsText names the policies that make requests no provider takes; ""
// without any.
func violationsText(policies []preset.Name, report replay.Report) string {
	var b strings.Builder
	for _, name := range policies {
		if n := report.Totals[name].Violations; n > 0 {
			fmt.Fprintf(&b, "%s makes requests that providers refuse: %s\n", plain.Line(string(name)), numbers.Count(n, "fault"))
		}
	}
	return b.String()
}

// wrapped is text in lines of at most limit cells; 0 is no limit.
func wrapped(text string, limit int) string {
	if limit <= 0 {
		return text
	}
	return ansi.Wrap(text, limit, "")
}

// ratioText is a ratio with three places, - for none.
func ratioText(r replay.Ratio) string {
	if !r.Known() {
		return "-"
	}
	return strconv.FormatFloat(float64(r), 'f', 3, 64)
}

// amount is a number of tokens in few characters: 950, 78.1k, 412.5M.
func amount(n float64) string {
	switch {
	case n < 1000:
		return strconv.FormatFloat(math.Round(n), 'f', 0, 64)
	case n < 999_950:
		return strconv.FormatFloat(n/1e3, 'f', 1, 64) + "k"
	}
	return strconv.FormatFloat(n/1e6, 'f', 1, 64) + "M"
}

// micros is a time in microseconds.
func micros(ns int64) string { return numbers.Grouped(int(math.Round(float64(ns)/1e3))) + " µs" }

package cli

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/cli/measure"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
)

// runWithFigures returns a run with given figures: cost relative to truncate, replies served, overflow.
func runWithFigures(rows map[preset.Name][3]float64) measure.Run {
	report := replay.Report{Window: 128_000, Sheets: []string{"openai", replay.DefaultPlanSheet}, Totals: map[preset.Name]replay.Figures{},
		Corpus: replay.Corpus{Files: 42, Requests: 3242, References: 15_721, ToolReferences: 2778, EditAnchors: 520}}
	r := measure.Run{Report: report, Sheet: replay.DefaultPlanSheet}
	for name, row := range rows {
		report.Totals[name] = replay.Figures{RetainedNeeds: replay.RetainedNeeds{Served: replay.Ratio(row[1]),
			CostWithDebtRatio:      map[string]replay.Ratio{replay.DefaultPlanSheet: replay.Ratio(row[0] / 2)},
			CostWithDebtVsTruncate: map[string]replay.Ratio{replay.DefaultPlanSheet: replay.Ratio(row[0])}}, Overflow: int(row[2])}
		r.Policies = append(r.Policies, name)
	}
	slices.Sort(r.Policies)
	return r
}

func TestTheFrontHasThePoliciesThatNoOtherBeats(t *testing.T) {
	t.Parallel()
	r := runWithFigures(map[preset.Name][3]float64{
		"cheap": {0.5, 0.7, 0}, "good": {0.9, 0.9, 0}, "alike": {0.9, 0.9, 0}, "dearer": {0.95, 0.9, 0}, "less": {0.9, 0.85, 0},
		"full": {0.1, 1, 3}, "unknown": {0.2, math.NaN(), 0}, "best": {1.2, 0.99, 0},
	})
	if diff := cmp.Diff([]preset.Name{"alike", "best", "cheap", "good"}, r.Front()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Rows are cut where a terminal is narrow, and names are made safe.
func TestTheTableFitsTheTerminal(t *testing.T) {
	t.Parallel()
	r := runWithFigures(map[preset.Name][3]float64{
		"plimsoll": {0.9, 0.95, 0}, "a\x1b[1mb\nc": {1.1, 0.9, 1064}, "truncate": {1, 0.97, 0},
	})
	f := r.Report.Totals["truncate"]
	f.Violations = 1200
	r.Report.Totals["truncate"] = f
	for _, limit := range []int{0, 80, 20} {
		text := outputOf(t, func(w io.Writer) error { return r.WriteTable(w, limit) })
		if strings.ContainsAny(text, "\x1b") || !strings.Contains(text, "b c") || !strings.Contains(text, "1,200 faults\n") {
			t.Errorf("%d cells:\n%s", limit, text)
		}
		for l := range strings.Lines(text) {
			if strings.Contains(l, "b c") && limit > 0 && ansi.StringWidth(strings.TrimRight(l, "\n")) > limit && !strings.Contains(l, "faults") {
				t.Errorf("%d cells: a row is wider: %q", limit, l)
			}
		}
	}
}

// The picture in docs/images is an example.
func TestThePictureIsValidForAnyFigures(t *testing.T) {
	t.Parallel()
	for _, rows := range []map[preset.Name][3]float64{
		nil,
		{"<b>&\x1b[1m\x00" + preset.Name(strings.Repeat("日", 100)): {0.9, 0.95, 3}, "unknown": {math.NaN(), math.NaN(), 0}, "endless": {math.Inf(1), 2, 0}, "plimsoll": {0, 1, 0}},
	} {
		text := outputOf(t, runWithFigures(rows).WritePicture)
		if strings.ContainsAny(text, "\x1b") || strings.Contains(text, "NaN") || strings.Count(text, ` class="name`) != len(rows) {
			t.Errorf("%s", text)
		}
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v:\n%s", err, text)
			}
		}
	}
}

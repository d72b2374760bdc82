package replay

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
)

// measured is a report by hand: cost in relation to truncate, content, overflow.
func measured(rows map[preset.Name][3]float64) Run {
	report := replay.Report{Window: 128_000, Sheets: []string{"openai", replay.PlanSheet}, Totals: map[preset.Name]replay.Figures{},
		Corpus: replay.Corpus{Files: 42, Requests: 3242, References: 15_721, ToolReferences: 2778, EditAnchors: 520}}
	r := Run{Report: report, Sheet: replay.PlanSheet}
	for name, row := range rows {
		report.Totals[name] = replay.Figures{Kept: replay.Kept{Content: replay.Ratio(row[1])}, Overflow: int(row[2]), TokensSent: 4.5e8, TokensPeak: 9.8e5,
			CostRatio:      map[string]replay.Ratio{replay.PlanSheet: replay.Ratio(row[0] / 2), "openai": 1},
			CostVsTruncate: map[string]replay.Ratio{replay.PlanSheet: replay.Ratio(row[0])}}
		r.Policies = append(r.Policies, name)
	}
	slices.Sort(r.Policies)
	return r
}

func tableText(t *testing.T, r Run, limit int) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteTable(&b, limit); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheFrontIsWhatNothingElseBeats(t *testing.T) {
	t.Parallel()
	r := measured(map[preset.Name][3]float64{
		"cheap": {0.5, 0.7, 0}, "good": {0.9, 0.9, 0}, "alike": {0.9, 0.9, 0}, "dearer": {0.95, 0.9, 0}, "less": {0.9, 0.85, 0},
		"full": {0.1, 1, 3}, "unknown": {0.2, math.NaN(), 0}, "best": {1.2, 0.99, 0},
	})
	want := []preset.Name{"alike", "best", "cheap", "good"}
	if diff := cmp.Diff(want, r.Front()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c := r.chart()
	if len(c.Points) != 8 || strings.Contains(c.Subtitle, "NaN") {
		t.Errorf("the chart is %+v", c)
	}
	for _, p := range c.Points {
		if p.Front != slices.Contains(want, preset.Name(p.Name)) || (p.Overflow > 0) != (p.Name == "full") {
			t.Errorf("a point is %+v", p)
		}
	}
}

func TestWithoutEditsNamesAreComparedButNotByTheirIndex(t *testing.T) {
	t.Parallel()
	r := measured(map[preset.Name][3]float64{"cheap": {0.5, math.NaN(), 0}, "good": {0.9, math.NaN(), 0}})
	if front := r.Front(); len(front) != 0 {
		t.Errorf("without content the front is %v", front)
	}
	r.Report.Corpus.EditAnchors = 0
	for name, recall := range map[preset.Name]replay.Ratio{"cheap": 0.7, "good": 0.8} {
		f := r.Report.Totals[name]
		f.RecallTool, f.WithoutIndex.RecallTool = 0.9, recall
		r.Report.Totals[name] = f
	}
	if diff := cmp.Diff([]preset.Name{"cheap", "good"}, r.Front()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c := r.chart(); len(c.Points) != 2 || c.Points[0].Kept != 0.7 || c.KeptLabel == keptAxis(replay.Report{Corpus: replay.Corpus{WrittenLines: 1}}).label {
		t.Errorf("the chart is %+v", c)
	}
}

func TestTheTableFitsTheTerminal(t *testing.T) {
	t.Parallel()
	r := measured(map[preset.Name][3]float64{
		"plimsoll": {0.9, 0.95, 0}, "a\x1b[1mb\nc": {1.1, 0.9, 1064}, "truncate": {1, 0.97, 0},
	})
	for limit, heads := range map[int]string{
		0:   "POLICY COST /TRUNC DEBT WORSE CONTENT EDITS WRITES RECALL INDEX INSTR BREAKS SUMS OVER BACK LOOKS ALL SENT P95 PEAK TIME openai",
		120: "POLICY COST /TRUNC DEBT WORSE CONTENT EDITS WRITES RECALL INDEX INSTR BREAKS SUMS OVER",
		80:  "POLICY COST /TRUNC DEBT WORSE CONTENT RECALL INSTR OVER",
		40:  "POLICY COST CONTENT OVER",
		20:  "POLICY COST",
	} {
		text := tableText(t, r, limit)
		if strings.ContainsAny(text, "\x1b") || !strings.Contains(text, "b c") && limit > 20 {
			t.Errorf("%d cells: the name is not made safe:\n%s", limit, text)
		}
		got := ""
		for l := range strings.Lines(text) {
			if limit > 0 && ansi.StringWidth(strings.TrimRight(l, "\n")) > limit {
				t.Errorf("%d cells: a line is wider: %q", limit, l)
			}
			if strings.Contains(l, "POLICY") {
				got = strings.Join(strings.Fields(l), " ")
			}
		}
		if limit > 20 && got != heads {
			t.Errorf("%d cells: the columns are %q, not %q", limit, got, heads)
		}
	}
}

func TestCostsHaveBarsInATerminalOnly(t *testing.T) {
	t.Parallel()
	r := measured(map[preset.Name][3]float64{"plimsoll": {0.9, 0.95, 0}, "raw": {2, 1, 0}, "unknown": {math.NaN(), 1, 0}})
	text := tableText(t, r, 80)
	for _, want := range []string{"plimsoll  0.450  ██▊      0.900", "raw       1.000  ██████   2.000", "unknown       -               -  0.000"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q:\n%s", want, text)
		}
	}
	if text = tableText(t, r, 0); strings.Contains(text, "█") || !strings.Contains(text, "plimsoll  0.450   0.900") {
		t.Errorf("without a terminal:\n%s", text)
	}
}

func TestRequestsThatProvidersRefuseAreTold(t *testing.T) {
	t.Parallel()
	r := measured(map[preset.Name][3]float64{"plimsoll": {0.9, 0.95, 0}, "raw": {2, 1, 0}})
	f := r.Report.Totals["raw"]
	f.Violations = 1200
	r.Report.Totals["raw"] = f
	text := tableText(t, r, 80)
	if !strings.HasSuffix(text, "\nraw makes requests that providers refuse: 1,200 faults\n") {
		t.Errorf("%s", text)
	}
}

func TestHeadlinesTellHowLongTheCachesOfModelsLive(t *testing.T) {
	t.Parallel()
	r := measured(map[preset.Name][3]float64{"plimsoll": {0.9, 0.95, 0}})
	if text := r.headline(); strings.Contains(text, "lives") {
		t.Errorf("of named sheets it is told:\n%s", text)
	}
	r.Sheet, r.Report.Sheets = "a/one", []string{"a/one", "openai", "b/two"}
	r.Caches = map[string]string{"a/one": "cache lives 5 min (assumed)", "b/two": "cache lives 24 h"}
	if got := r.headline(); !strings.HasSuffix(got, "prices a/one, cache lives 5 min (assumed); b/two: cache lives 24 h") {
		t.Errorf("the headline is %q", got)
	}
}

func TestTheFrontComesFirstThenTheRestByCost(t *testing.T) {
	t.Parallel()
	r := measured(map[preset.Name][3]float64{
		"good": {0.9, 0.9, 0}, "dearer": {0.95, 0.9, 0}, "cheap": {0.5, 0.7, 0}, "full": {0.1, 1, 3}, "best": {1.2, 0.99, 0},
	})
	for name, f := range r.Report.Totals {
		f.Cost = map[string]float64{replay.PlanSheet: float64(f.CostVsTruncate[replay.PlanSheet])}
		r.Report.Totals[name] = f
	}
	before := slices.Clone(r.Policies)
	if r.SortVariants(); !slices.Equal(before, r.Policies) {
		t.Errorf("without variants the order is %v", r.Policies)
	}
	r.Variants = []Variant{{Name: "good"}, {Name: "full"}}
	r.SortVariants()
	if d := cmp.Diff([]preset.Name{"cheap", "good", "best", "full", "dearer"}, r.Policies); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	d := r.Document()
	if len(d.Variants) != 2 || d.Variants[0].Name != "good" || !d.Variants[0].Front || d.Variants[1].Front {
		t.Errorf("the variants are %+v", d.Variants)
	}
	text := tableText(t, r, 0)
	if !strings.Contains(text, "\n\n   full") {
		t.Errorf("the rest is not apart:\n%s", text)
	}
}

func TestReplayPageTellsOfEveryColumn(t *testing.T) {
	t.Parallel()
	const page = "../../docs/replay.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range measured(nil).columns(false) {
		if c.note != "" && !strings.Contains(string(text), "` | "+c.head+" | ") {
			t.Errorf("%s does not tell of the column %s", page, c.head)
		}
	}
}

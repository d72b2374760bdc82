package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/cli/console"
	"plimsoll/cli/measure"
	formats "plimsoll/cli/replay"
	"plimsoll/cli/setup"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/docs/docstest"
)

// What replay came to on recorded conversations stands in docs/measured, one
// file for a window: the totals, without names of files and without speed. The
// tables and the picture of the documents are made from them. To measure anew,
// and to write files, tables and picture:
//
//	PLIMSOLL_TRANSCRIPTS=FOLDER go test ./cli -run Measure -update
//
// Without the folder, -update writes tables and picture anew from the files;
// without -update, the folder is measured and compared with them.

// measuredWindow is a window that was measured: its file, and its tokens.
type measuredWindow struct {
	name   string
	tokens int
}

func (w measuredWindow) file() string { return "../docs/measured/" + w.name + ".json" }

var measuredWindows = []measuredWindow{{"32k", 32_000}, {"128k", 128_000}, {"200k", 200_000}}

// measurement is what one window came to.
type measurement struct {
	Window int      `json:"window"` // tokens
	Plan   string   `json:"plan_sheet"`
	Sheets []string `json:"sheets"`

	Corpus   replay.Corpus                `json:"corpus"`
	Fits     int                          `json:"fits"` // conversations that fit, sent whole
	Totals   map[preset.Name]measuredSums `json:"totals"`
	Variants map[string]measuredSums      `json:"variants"` // of plimsoll, by the key that is set; one sheet
	// Claude is what policies cost over each wire and with each lifetime of the
	// cache, by sheet, in tokens at the price of input.
	Claude map[preset.Name]map[string]float64 `json:"claude"`
}

// measuredSums is what a policy came to on all conversations.
type measuredSums struct {
	replay.Figures
	Speed *int64 `json:"ns_per_request,omitempty"` // in the place of the figure, which is another one each time
}

// variants are settings that were tried and are not the default.
var variants = []string{
	"compaction.summary.when=never",
	"compaction.evict.target=0.6",
	"compaction.evict.cold=0.3",
	"compaction.evict.index=0.005",
	"compaction.protected_ratio=0.05",
	"compaction.mask.enabled=true",
}

// measureFolder is a measurement.
func measureFolder(t *testing.T, folder string, window int) measurement {
	t.Helper()
	_, report := replayFolder(t, folder, window, measure.ReplayOptions{All: true}, nil)
	m := measurement{Window: report.Window, Plan: report.Plan, Sheets: report.Sheets, Corpus: report.Corpus,
		Totals: map[preset.Name]measuredSums{}, Variants: map[string]measuredSums{}}
	for _, f := range report.Files {
		if f.Fits {
			m.Fits++
		}
	}
	for name := range report.Totals {
		m.Totals[name] = summed(report, name)
	}
	var own []replay.Named
	for _, v := range variants {
		a := testApp(t, window, v)
		own = append(own, replay.Named{Name: preset.Name(v), Rules: setup.RulesOf(a.settings.Cfg())})
	}
	_, tried := replayFolder(t, folder, window, measure.ReplayOptions{Prices: []string{report.Plan}}, own)
	for _, v := range variants {
		m.Variants[v] = summed(tried, preset.Name(v))
	}
	m.Claude = billClaude(t, folder, window)
	return m
}

// billClaude replays what most people choose from by the sheets of Claude.
func billClaude(t *testing.T, folder string, window int) map[preset.Name]map[string]float64 {
	t.Helper()
	var sheets []string
	for _, s := range replay.ClaudeSheets() {
		sheets = append(sheets, s.Name)
	}
	r, report := replayFolder(t, folder, window, measure.ReplayOptions{Prices: sheets, Presets: []string{"plimsoll,raw,truncate"}}, nil)
	costs := map[preset.Name]map[string]float64{}
	for _, name := range r.Policies {
		costs[name] = report.Totals[name].Cost
	}
	return costs
}

// summed is a policy's totals, without speed.
func summed(report replay.Report, name preset.Name) measuredSums {
	s := measuredSums{Figures: report.Totals[name]}
	s.NsPerRequest = 0
	return s
}

// testApp is the program with nothing but one setting, "" for none.
func testApp(t *testing.T, window int, set string) *app {
	t.Helper()
	a := newApp(console.Env{Lookup: func(string) (string, bool) { return "", false }, Dir: t.TempDir(), Stdout: io.Discard, Stderr: io.Discard}, setup.Flags{Data: t.TempDir(), Window: window})
	if set != "" {
		a.settings.Flags.Set = []string{set}
	}
	if err := a.settings.Configure(); err != nil {
		t.Fatal(err)
	}
	return a
}

// replayFolder is what the command does with a folder, or with own policies
// alone.
func replayFolder(t *testing.T, folder string, window int, o measure.ReplayOptions, own []replay.Named) (*measure.Replaying, replay.Report) {
	t.Helper()
	a := testApp(t, window, "")
	r := &measure.Replaying{Options: o, Window: window, Own: own}
	for _, n := range own {
		r.Policies = append(r.Policies, n.Name)
	}
	var err error
	if r.Sheets, err = a.replayer().ReplaySheets(o.Prices); err != nil {
		t.Fatal(err)
	}
	if own == nil {
		if err = a.replayer().ChoosePolicies(r); err != nil {
			t.Fatal(err)
		}
	}
	if r.Inputs, err = a.replayer().Inputs(t.Context(), []string{folder}); err != nil {
		t.Fatal(err)
	}
	report, err := a.replayer().Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return r, report
}

// run is the command's report as far as it was stored: one file has all sums,
// and as many others fit the window.
func (m measurement) run() formats.Run {
	report := replay.Report{Window: m.Window, Plan: m.Plan, Sheets: m.Sheets, Corpus: m.Corpus, Totals: map[preset.Name]replay.Figures{}}
	all := replay.File{Policies: map[preset.Name]replay.Figures{}}
	for name, s := range m.Totals {
		report.Totals[name] = s.Figures
		all.Policies[name] = s.Figures
	}
	report.Files = append(report.Files, all)
	for range m.Fits {
		report.Files = append(report.Files, replay.File{Fits: true})
	}
	// A preset that is new has no figures until somebody measures anew.
	measured := slices.DeleteFunc(preset.All(), func(p preset.Name) bool { _, ok := m.Totals[p]; return !ok })
	return formats.Run{Report: report, Policies: measured, Sheet: replay.PlanSheet}
}

// readMeasurement reads what was stored of a window.
func readMeasurement(t *testing.T, w measuredWindow) measurement {
	t.Helper()
	text, err := os.ReadFile(w.file())
	if err != nil {
		t.Fatal(err)
	}
	var m measurement
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Fatalf("%s: %v", w.file(), err)
	}
	if m.Window != w.tokens {
		t.Fatalf("%s is of a window of %d tokens", w.file(), m.Window)
	}
	return m
}

func readMeasurements(t *testing.T) map[string]measurement {
	t.Helper()
	all := map[string]measurement{}
	for _, w := range measuredWindows {
		all[w.name] = readMeasurement(t, w)
	}
	return all
}

// It runs before the tests that are parallel, which read what it writes.
func TestRecordedConversationsMeasureAsStored(t *testing.T) {
	folder := os.Getenv("PLIMSOLL_TRANSCRIPTS")
	if folder == "" {
		t.Skip("PLIMSOLL_TRANSCRIPTS names no folder of recorded conversations")
	}
	for _, w := range measuredWindows {
		got := measureFolder(t, folder, w.tokens)
		if *update {
			text, err := json.MarshalIndent(got, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(w.file(), append(text, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(readMeasurement(t, w), got, cmpopts.EquateApprox(1e-9, 0), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: measure anew, as the head of this file says (-stored +measured):\n%s", w.name, diff)
		}
	}
}

// madeText compares a part of a document with what it should be.
func madeText(t *testing.T, document, part, want string) {
	t.Helper()
	docstest.Part(t, document, part, want, *update)
}

// shareText is a share in percent, - for none.
func shareText(r replay.Ratio) string {
	if !r.Known() {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(r))
}

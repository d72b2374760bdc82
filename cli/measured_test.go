package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/cli/console"
	"plimsoll/cli/measure"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/docs/docstest"
)

// The measurements of replay on recorded conversations are in docs/measured, one file for each window: totals, without file
// names and speed. The tables and the picture of the documents are generated from them. To measure again and write all files:
//
//	PLIMSOLL_TRANSCRIPTS=FOLDER go test ./cli -run Measure -update
//
// Without the folder, -update only writes the tables and the picture. Without -update, the folder is measured and compared.

// measuredWindow is a measured window: its file and its tokens.
type measuredWindow struct {
	name   string
	tokens int
}

func (w measuredWindow) file() string { return "../docs/measured/" + w.name + ".json" }

var measuredWindows = []measuredWindow{{"32k", 32_000}, {"128k", 128_000}, {"200k", 200_000}}

// measurement is the result of one window.
type measurement struct {
	Window int      `json:"window"` // tokens
	Plan   string   `json:"plan_sheet"`
	Sheets []string `json:"sheets"`

	Corpus     replay.Corpus                `json:"corpus"`
	Fits       int                          `json:"fits"` // conversations that fit, sent whole
	Totals     map[preset.Name]measuredSums `json:"totals"`
	Unstitched map[preset.Name]measuredSums `json:"unstitched"` // without stitched recordings
	Variants   map[string]measuredSums      `json:"variants"`   // of plimsoll, by the key that is set; one sheet
	// Claude is what policies cost over each wire and with each lifetime of the
	// cache, by sheet, in tokens at the price of input.
	Claude map[preset.Name]map[string]float64 `json:"claude"`
}

// measuredSums are the sums of a policy over all conversations.
type measuredSums struct {
	replay.Figures
	Speed *int64 `json:"ns_per_request,omitempty"` // hides the field of the figures, which differs each time
}

// variants are settings that were measured and are not the default.
var variants = []string{
	"compaction.summary.when=load-line",
	"compaction.evict.cold=0.5",
	"compaction.evict.cold_protected=0.25",
}

// measureFolder measures the recordings of a folder.
func measureFolder(t *testing.T, folder string, window int) measurement {
	t.Helper()
	names := []string{"plimsoll", "raw", "truncate"}
	for _, c := range replay.Clients() {
		names = append(names, string(c.Name))
	}
	report := replayFolder(t, folder, window, "--preset", strings.Join(names, ","))
	m := measurement{Window: report.Window, Plan: report.Plan, Sheets: report.Sheets, Corpus: report.Corpus,
		Totals: map[preset.Name]measuredSums{}, Unstitched: map[preset.Name]measuredSums{}, Variants: map[string]measuredSums{}, Claude: map[preset.Name]map[string]float64{}}
	for _, f := range report.Files {
		if f.Fits {
			m.Fits++
		}
	}
	for name, f := range report.Totals {
		m.Totals[name] = summed(f)
	}
	for _, name := range []preset.Name{preset.Plimsoll, preset.Truncate} {
		m.Unstitched[name] = summed(report.Unstitched[name])
	}
	for _, v := range variants {
		m.Variants[v] = summed(replayFolder(t, folder, window, "--preset", measure.Configured, "--cfg", v, "--prices", report.Plan).Totals[measure.Configured])
	}
	sheets := []string{}
	for _, s := range replay.ClaudeSheets() {
		sheets = append(sheets, s.Name)
	}
	for name, f := range replayFolder(t, folder, window, "--preset", "plimsoll,raw,truncate", "--prices", strings.Join(sheets, ",")).Totals {
		m.Claude[name] = f.Cost
	}
	return m
}

// summed returns figures without speed.
func summed(f replay.Figures) measuredSums {
	f.NsPerRequest = 0
	return measuredSums{Figures: f}
}

// replayFolder returns the output of replay for a folder, without a configuration.
func replayFolder(t *testing.T, folder string, window int, flags ...string) (d measure.Document) {
	t.Helper()
	var out bytes.Buffer
	args := append([]string{"replay", folder, "--json", "--window", strconv.Itoa(window), "--data", t.TempDir()}, flags...)
	code := Run(t.Context(), console.Env{Args: args, Lookup: func(string) (string, bool) { return "", false }, Dir: t.TempDir(), Stdout: &out, Stderr: io.Discard})
	if code != 0 {
		t.Fatalf("%v: exit code %d", args, code)
	}
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// run returns the stored part of the command's report: one file has all sums, and as many others fit the window.
func (m measurement) run() measure.Run {
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
	// A new preset has no figures until the next measurement.
	policies := preset.All()
	for _, c := range replay.Clients() {
		policies = append(policies, c.Name)
	}
	measured := slices.DeleteFunc(policies, func(p preset.Name) bool { _, ok := m.Totals[p]; return !ok })
	return measure.Run{Report: report, Policies: measured, Sheet: replay.DefaultPlanSheet}
}

// readMeasurement reads the stored measurement of a window.
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

// TestRecordedConversationsMeasureAsStored runs before the parallel tests, which read the files that it writes.
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
			t.Errorf("%s: measure again as described at the top of this file (-stored +measured):\n%s", w.name, diff)
		}
	}
}

// checkGenerated compares a generated part of a document.
func checkGenerated(t *testing.T, document, part, want string) {
	t.Helper()
	docstest.Part(t, document, part, want, *update)
}

// shareText formats a share in percent, "-" if there is no value.
func shareText(r replay.Ratio) string {
	if !r.IsKnown() {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(r))
}

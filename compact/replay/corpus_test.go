package replay_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/jsonl"
)

// recordings is the sources in the folder that PLIMSOLL_TRANSCRIPTS names.
func recordings(t *testing.T) []replay.Source {
	t.Helper()
	folder := os.Getenv("PLIMSOLL_TRANSCRIPTS")
	if folder == "" {
		t.Skip("PLIMSOLL_TRANSCRIPTS names no folder of recorded conversations")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v", folder, err)
	}
	var out []replay.Source
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		out = append(out, replay.Source{Name: name, Load: func() (replay.Conversation, error) { return recording(file, name) }})
	}
	return out
}

func recording(file, name string) (replay.Conversation, error) {
	f, err := os.Open(file)
	if err != nil {
		return replay.Conversation{}, err
	}
	defer f.Close()
	doc, _, err := jsonl.Read(f)
	if err != nil {
		return replay.Conversation{}, err
	}
	return replay.Load(doc, name), nil
}

// measured is what the recordings offer, and what truncate came to on them, as another implementation of the same
// definitions measured it. That one takes essionID for a name, where SessionID stands, and so has 2,778 references to
// results alone. It counts what clients write as demands, too; the shares of demands are ours.
var measured = struct {
	corpus   replay.Corpus
	truncate map[int]baseline
}{
	replay.Corpus{Files: 42, Requests: 3242, ToolReferences: 2791, EditAnchors: 520},
	map[int]baseline{
		// The recall was .749 where what stands in requests above the window counts as in view.
		32_000:  {[]float64{0.181, 0.139, 0.189, 0.232, 0.195}, 215, 7, 0.744, 0.817, 0.416},
		128_000: {[]float64{0.451, 0.419, 0.464, 0.487, 0.454}, 33, 0, 0.970, 0.983, 0.833},
		200_000: {[]float64{0.569, 0.544, 0.585, 0.589, 0.567}, 15, 0, 0.988, 0.988, 0.8755},
	},
}

// baseline is a line of that measurement; costs are to raw, by sheet.
type baseline struct {
	costs                      []float64
	breaks, overflow           int
	recall, anchors, retention float64
}

// TestRecordedConversationsUnderTruncate compares the counts and truncate with what
// was measured elsewhere.
func TestRecordedConversationsUnderTruncate(t *testing.T) {
	sources := recordings(t)
	for _, window := range []int{32_000, 128_000, 200_000} {
		r, err := replay.Run(context.Background(), sources, replay.Options{Window: window, Policies: []preset.Name{preset.Raw, preset.Truncate}})
		conversationtest.Must(t, err)
		corpus := r.Corpus
		corpus.References, corpus.WrittenLines = 0, 0
		if d := cmp.Diff(measured.corpus, corpus); d != "" {
			t.Errorf("the recordings offer:\n%s", d)
		}
		compare(t, r, measured.truncate[window])
	}
}

// compare holds truncate and raw against what was measured: figures within about
// a hundredth, most of which is in the rounding of the third digit.
func compare(t *testing.T, r replay.Report, want baseline) {
	t.Helper()
	f := r.Totals[preset.Truncate]
	within := func(what string, got replay.Ratio, want, part float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > part*want+0.0005 {
			t.Errorf("truncate in %d: %s is %.4f, want %v", r.Window, what, float64(got), want)
		}
	}
	for i, sheet := range r.Sheets {
		within("the cost by "+sheet, f.CostRatio[sheet], want.costs[i], 0.01)
		if raw := r.Totals[preset.Raw].CostRatio[sheet]; raw != 1 {
			t.Errorf("raw costs %v times itself", raw)
		}
	}
	within("recall", f.RecallTool, want.recall, 0.005)
	within("the share of anchors", f.EditAnchors, want.anchors, 0.015)
	within("the share of instructions", f.Instructions, want.retention, 0.015)
	within("the number of breaks", replay.Ratio(f.PrefixBreaks), float64(want.breaks), 0.035)
	if f.Overflow > want.overflow {
		t.Errorf("truncate in %d: %d requests above the window, want at most %d", r.Window, f.Overflow, want.overflow)
	}
}

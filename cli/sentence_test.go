package cli

import (
	"strings"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
)

func TestTheSentenceSaysOnlyWhatTheFiguresCarry(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		costVsTruncate, recall float64
		overflow, files        int
		want                   string
	}{
		"a gain, rounded down": {0.823, 0.987, 0, 42, "On these 42 conversations (3,242 requests, 31.4 M tokens if everything is sent; prices anthropic-5m) " +
			"Plimsoll costs, with looking things up again, 58 % less than sending everything (7 requests too large for the window), and keeps in view 98 % of the names from tool results that later replies use."},
		"no gain":                {1.99, 1, 0, 42, "Plimsoll costs, with looking things up again, as much as sending everything (7 requests too large for the window)."},
		"a loss":                 {2.09, 1, 0, 42, "Plimsoll costs, with looking things up again, 5 % more than sending everything (7 requests too large for the window)."},
		"few":                    {0.8, 1, 0, 9, "9 conversations: too few to say what Plimsoll saves on others."},
		"requests that are over": {0.8, 1, 1, 42, ""},
		"names unknown":          {0.8, float64(replay.NoRatio()), 0, 42, "Plimsoll costs, with looking things up again, 60 % less than sending everything (7 requests too large for the window)."},
	} {
		r := runWithFigures(map[preset.Name][3]float64{preset.Plimsoll: {test.costVsTruncate, 1, float64(test.overflow)}, preset.Raw: {2, 1, 7}})
		r.Report.Corpus.Files = test.files
		raw, ours := r.Report.Totals[preset.Raw], r.Report.Totals[preset.Plimsoll]
		raw.TokensSent, ours.RecallTool = 31_400_000, replay.Ratio(test.recall)
		r.Report.Totals[preset.Raw], r.Report.Totals[preset.Plimsoll] = raw, ours
		if got := r.Sentence(); !strings.HasSuffix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	r := runWithFigures(map[preset.Name][3]float64{preset.Raw: {2, 1, 0}})
	if got := r.Sentence(); got != "" {
		t.Errorf("without Plimsoll: %q", got)
	}
}

package cli

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/compact/replay"
)

// measured is a report by hand: cost in relation to truncate, content, overflow.
func measured(rows map[compact.Preset][3]float64) (*replaying, replay.Report) {
	report := replay.Report{Window: 128_000, Sheets: []string{"openai", replay.PlanSheet}, Totals: map[compact.Preset]replay.Figures{},
		Corpus: replay.Corpus{Files: 42, Requests: 3242, References: 15_721, ToolReferences: 2778, EditAnchors: 520}}
	r := &replaying{}
	for name, row := range rows {
		report.Totals[name] = replay.Figures{Kept: replay.Kept{Content: replay.Ratio(row[1])}, Overflow: int(row[2]), TokensSent: 4.5e8, TokensPeak: 9.8e5,
			CostRatio:      map[string]replay.Ratio{replay.PlanSheet: replay.Ratio(row[0] / 2), "openai": 1},
			CostVsTruncate: map[string]replay.Ratio{replay.PlanSheet: replay.Ratio(row[0])}}
		r.policies = append(r.policies, name)
	}
	slices.Sort(r.policies)
	return r, report
}

func TestTheFrontIsWhatNothingElseBeats(t *testing.T) {
	t.Parallel()
	r, report := measured(map[compact.Preset][3]float64{
		"cheap": {0.5, 0.7, 0}, "good": {0.9, 0.9, 0}, "alike": {0.9, 0.9, 0}, "dearer": {0.95, 0.9, 0}, "less": {0.9, 0.85, 0},
		"full": {0.1, 1, 3}, "unknown": {0.2, math.NaN(), 0}, "best": {1.2, 0.99, 0},
	})
	want := []compact.Preset{"alike", "best", "cheap", "good"}
	if diff := cmp.Diff(want, frontOf(r.policies, report, replay.PlanSheet)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c := r.chart(report)
	if len(c.Points) != 8 || strings.Contains(c.Subtitle, "NaN") {
		t.Errorf("the chart is %+v", c)
	}
	for _, p := range c.Points {
		if p.Front != slices.Contains(want, compact.Preset(p.Name)) || (p.Overflow > 0) != (p.Name == "full") {
			t.Errorf("a point is %+v", p)
		}
	}
}

func TestWithoutEditsNamesAreComparedButNotByTheirIndex(t *testing.T) {
	t.Parallel()
	r, report := measured(map[compact.Preset][3]float64{"cheap": {0.5, math.NaN(), 0}, "good": {0.9, math.NaN(), 0}})
	if front := frontOf(r.policies, report, replay.PlanSheet); len(front) != 0 {
		t.Errorf("without content the front is %v", front)
	}
	report.Corpus.EditAnchors = 0
	for name, recall := range map[compact.Preset]replay.Ratio{"cheap": 0.7, "good": 0.8} {
		f := report.Totals[name]
		f.RecallTool, f.WithoutIndex.RecallTool = 0.9, recall
		report.Totals[name] = f
	}
	if diff := cmp.Diff([]compact.Preset{"cheap", "good"}, frontOf(r.policies, report, replay.PlanSheet)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c := r.chart(report); len(c.Points) != 2 || c.Points[0].Kept != 0.7 || c.KeptLabel == keptAxis(replay.Report{Corpus: replay.Corpus{WrittenLines: 1}}).label {
		t.Errorf("the chart is %+v", c)
	}
}

func TestTheTableFitsTheTerminal(t *testing.T) {
	t.Parallel()
	r, report := measured(map[compact.Preset][3]float64{
		"plimsoll": {0.9, 0.95, 0}, "a\x1b[1mb\nc": {1.1, 0.9, 1064}, "truncate": {1, 0.97, 0},
	})
	for limit, heads := range map[int]string{
		0:   "POLICY COST /TRUNC DEBT WORSE CONTENT EDITS WRITES RECALL INDEX INSTR BREAKS SUMS OVER BACK LOOKS ALL SENT P95 PEAK TIME openai",
		120: "POLICY COST /TRUNC DEBT WORSE CONTENT EDITS WRITES RECALL INDEX INSTR BREAKS SUMS OVER",
		80:  "POLICY COST /TRUNC DEBT WORSE CONTENT RECALL INSTR OVER",
		40:  "POLICY COST CONTENT OVER",
		20:  "POLICY COST",
	} {
		text, err := r.text(report, limit)
		if err != nil {
			t.Fatal(err)
		}
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
	r, report := measured(map[compact.Preset][3]float64{"plimsoll": {0.9, 0.95, 0}, "raw": {2, 1, 0}, "unknown": {math.NaN(), 1, 0}})
	text, err := r.text(report, 80)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"plimsoll  0.450  ██▊      0.900", "raw       1.000  ██████   2.000", "unknown       -               -  0.000"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q:\n%s", want, text)
		}
	}
	if text, err = r.text(report, 0); err != nil || strings.Contains(text, "█") || !strings.Contains(text, "plimsoll  0.450   0.900") {
		t.Errorf("without a terminal: %v\n%s", err, text)
	}
}

func TestRequestsThatProvidersRefuseAreTold(t *testing.T) {
	t.Parallel()
	r, report := measured(map[compact.Preset][3]float64{"plimsoll": {0.9, 0.95, 0}, "raw": {2, 1, 0}})
	f := report.Totals["raw"]
	f.Violations = 1200
	report.Totals["raw"] = f
	text, err := r.text(report, 80)
	if err != nil || !strings.HasSuffix(text, "\nraw makes requests that providers refuse: 1,200 faults\n") {
		t.Errorf("%v:\n%s", err, text)
	}
}

func TestMarkdownCellsHoldOneCell(t *testing.T) {
	t.Parallel()
	if got := cellText("a|b\n<c> `d` \x1b[1m"); got != `a\|b &lt;c> 'd' ␛[1m` {
		t.Errorf("%q", got)
	}
}

func TestModelsHaveSheetsInRelationToTheirInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prices agent.Prices
		want   replay.Sheet
	}{
		"all": {agent.Prices{Input: 2, Cached: 0.5, CacheWrite: 2.5, Output: 10, Tiers: []agent.Tier{{Over: 200_000, Input: 4}, {Over: 500_000, Input: 8}}},
			replay.Sheet{Read: 0.25, Write: 1.25, Output: 5, Lifetime: 5 * time.Minute, Step: 200_000, StepFactor: 2}},
		"no cache":              {agent.Prices{Input: 4, Output: 8}, replay.Sheet{Read: 1, Write: 1, Output: 2, Lifetime: compact.UnknownLifetime}},
		"a step that is no one": {agent.Prices{Input: 4, Output: 8, Tiers: []agent.Tier{{Over: 100, Input: 4, Output: 16}}}, replay.Sheet{Read: 1, Write: 1, Output: 2, Lifetime: compact.UnknownLifetime}},
	} {
		c.want.Name = name
		if diff := cmp.Diff(c.want, modelSheet(agent.Model{ID: name, Prices: &c.prices})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCachesOfModelsLiveAsLongAsTheConfigurationSays(t *testing.T) {
	t.Parallel()
	a := &app{env: Env{Lookup: func(string) (string, bool) { return "", false }, Dir: t.TempDir()}, flags: flags{data: t.TempDir(),
		set: []string{"providers.openai.models={gpt-5.4: {cache_ttl: 24h, prices: {cached: 1}}}"}}}
	if err := a.configure(); err != nil {
		t.Fatal(err)
	}
	sheets, err := a.replaySheets([]string{"openai/gpt-5.4, openai/gpt-4o", "gpt-4o,openai/gpt-4o"})
	if err != nil {
		t.Fatal(err)
	}
	if len(sheets) != 3 || sheets[0].Lifetime != 24*time.Hour || sheets[1].Lifetime != compact.UnknownLifetime || sheets[2].Lifetime != 10*time.Minute {
		t.Errorf("the sheets are %+v", sheets)
	}
	want := map[string]string{"openai/gpt-5.4": "cache lives 24 h", "openai/gpt-4o": "cache lives 60 min (assumed)"}
	if diff := cmp.Diff(want, a.cacheNotes(sheets)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if input := 1 / sheets[0].Read; input <= 1 {
		t.Errorf("a price of the configuration counts for nothing: %+v", sheets[0])
	}
}

func TestLifetimesThatNobodySaysAreAssumedByTheWritePrice(t *testing.T) {
	t.Parallel()
	a := &app{env: Env{Lookup: func(string) (string, bool) { return "", false }, Dir: t.TempDir()}, flags: flags{data: t.TempDir(),
		set: []string{"providers.anthropic.models={claude-opus-4-5: {prices: {input: 5, cache_write: 10, output: 25}}, claude-sonnet-4-5: {cache_ttl: 1h}}"}}}
	if err := a.configure(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		lifetime time.Duration
		note     string
	}{
		"anthropic/claude-opus-4-6":            {5 * time.Minute, "cache lives 5 min (assumed)"},
		"openrouter/anthropic/claude-opus-5.5": {5 * time.Minute, "cache lives 5 min (assumed)"},
		"anthropic/claude-sonnet-4-5":          {time.Hour, "cache lives 60 min"},
		"anthropic/claude-opus-4-5":            {time.Hour, "cache lives 60 min (assumed)"}, // the price of the hour
		"openai/gpt-5.6-sol":                   {30 * time.Minute, "cache lives 30 min (assumed)"},
		"openrouter/openai/gpt-6-luna":         {30 * time.Minute, "cache lives 30 min (assumed)"},
		"openai/gpt-5.4":                       {time.Hour, "cache lives 60 min (assumed)"},
		"gpt-5.6":                              {30 * time.Minute, ""},
	} {
		sheets, err := a.replaySheets([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		if note := a.cacheNotes(sheets)[name]; sheets[0].Lifetime != want.lifetime || note != want.note {
			t.Errorf("%s: %v, told as %q", name, sheets[0].Lifetime, note)
		}
	}
}

func TestHeadlinesTellHowLongTheCachesOfModelsLive(t *testing.T) {
	t.Parallel()
	r, report := measured(map[compact.Preset][3]float64{"plimsoll": {0.9, 0.95, 0}})
	if text := r.headline(report) + r.markdown(report); strings.Contains(text, "lives") {
		t.Errorf("of named sheets it is told:\n%s", text)
	}
	r.options.prices = []string{"a/one", "openai", "b/two"}
	report.Sheets = r.options.prices
	r.sheets = []replay.Sheet{{Name: "a/one"}, {Name: "openai"}, {Name: "b/two"}}
	r.caches = map[string]string{"a/one": "cache lives 5 min (assumed)", "b/two": "cache lives 24 h"}
	if got := r.headline(report); !strings.HasSuffix(got, "prices a/one, cache lives 5 min (assumed); b/two: cache lives 24 h") {
		t.Errorf("the headline is %q", got)
	}
	first, _, _ := strings.Cut(r.markdown(report), "\n")
	if !strings.HasSuffix(first, " a/one: cache lives 5 min (assumed). b/two: cache lives 24 h.") {
		t.Errorf("the Markdown begins with %q", first)
	}
}

func TestNumbersOfTokensCanBeShort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"32000": 32_000, "32k": 32_000, "200K": 200_000, "1M": 1_000_000, "1.05m": 1_050_000, "0.5k": 500,
		"128_000": 128_000, " 7 ": 7, "-3": -3} {
		var n tokenCount
		if err := n.Set(text); err != nil || int(n) != want {
			t.Errorf("%q is %d, not %d: %v", text, n, want, err)
		}
	}
	for _, text := range []string{"", "k", "12 k", "12kk", "1e3", "NaN", "infM", "1.5", "0x", "99999999999999999999", strings.Repeat("9", 400) + "k", "٣k"} {
		var n tokenCount
		if err := n.Set(text); err == nil {
			t.Errorf("%q is taken for %d", text, n)
		}
	}
}

// drawn is a bar of barWidth cells as it is written.
func drawn(what string, filled int) string {
	return "\r" + what + " " + strings.Repeat("█", filled) + strings.Repeat("·", barWidth-filled)
}

func TestBarsOfPartsTakeTheLineAndGiveItBack(t *testing.T) {
	t.Parallel()
	const gone = "\r\x1b[K"
	var b strings.Builder
	p := &progress{w: &b, what: "all", drawn: -1}
	p.fit(80)
	p.show(0, 10)
	part := p.inside("reading")
	part.show(1, 2)
	part.show(2, 2)
	part.clear()
	p.again()
	p.again()
	p.tell(&b, "said")
	p.show(5, 10)
	p.close()
	want := drawn("all", 0) + gone + drawn("reading", 12) + drawn("reading", 24) + gone + drawn("all", 0) + gone + "said\n" + drawn("all", 12) + gone
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +written):\n%s", diff)
	}
	none := new(progress)
	none.inside("reading").show(1, 2)
	none.tell(&b, "told without a bar")
	if !strings.HasSuffix(b.String(), gone+"told without a bar\n") {
		t.Errorf("without a terminal: %q", b.String())
	}
}

// Other conversations are replayed while one is read.
func TestABarIsNotDrawnOverThatOfAPart(t *testing.T) {
	t.Parallel()
	const gone = "\r\x1b[K"
	var b strings.Builder
	p := &progress{w: &b, what: "all", drawn: -1}
	p.fit(80)
	p.show(0, 10)
	part := p.inside("reading")
	part.show(1, 2)
	p.show(5, 10)
	part.show(2, 2)
	part.clear()
	p.show(10, 10)
	p.again()
	p.hold()
	p.show(5, 10)
	p.close()
	want := drawn("all", 0) + gone + drawn("reading", 12) + drawn("reading", 24) + gone + drawn("all", 24) + gone
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +written):\n%s", diff)
	}
}

func TestNothingIsWrittenOnceABarIsClosed(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := &progress{w: &b, what: "all", drawn: -1}
	p.fit(80)
	part := p.inside("reading")
	drew, stop, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			p.show(i%10, 10)
			part.show(i%10, 10)
			part.clear()
			p.again()
			p.tell(&b, "said")
			if i == 3 {
				close(drew)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	<-drew
	p.close()
	at := b.String()
	close(stop)
	<-ended
	for range 3 { // the rounds of another goroutine may have ended before
		p.show(9, 10)
		part.show(9, 10)
		p.tell(&b, "said")
		p.close()
	}
	if b.String() != at {
		t.Errorf("written afterwards: %q", strings.TrimPrefix(b.String(), at))
	}
}

func TestBarsStayOnTheirLine(t *testing.T) {
	t.Parallel()
	for columns, want := range map[int]int{80: 24, 45: 45 - 27 - 1, 20: 8, 10: 8, 3: 1, 0: 0} {
		var b strings.Builder
		p := &progress{w: &b, what: "replaying 43 conversations", cells: barWidth, drawn: -1}
		p.fit(columns)
		p.show(43, 43)
		if got := strings.Count(b.String(), "█"); got != want || ansi.StringWidth(strings.TrimSpace(b.String())) > max(columns-1, 0) {
			t.Errorf("%d cells: %q", columns, b.String())
		}
	}
}

func TestAReplayThatDoesNotLookUpIsGivenUpWhenInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began, stuck := time.Now(), make(chan struct{})
		defer close(stuck)
		_, err := runUntil(ctx, func() (replay.Report, error) { <-stuck; return replay.Report{}, nil })
		if !errors.Is(err, context.Canceled) || time.Since(began) != replayPatience {
			t.Errorf("after %v it ended with %v", time.Since(began), err)
		}
	})
}

package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/measure"
	"plimsoll/cli/setup"
	"plimsoll/compact/planner"
	"plimsoll/compact/replay"
)

func TestModelsHaveSheetsInRelationToTheirInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prices llm.Prices
		want   replay.Sheet
	}{
		"all": {llm.Prices{Input: 2, Cached: 0.5, CacheWrite: 2.5, Output: 10, Tiers: []llm.Tier{{Over: 200_000, Input: 4}, {Over: 500_000, Input: 8}}},
			replay.Sheet{Read: 0.25, Write: 1.25, Output: 5, Lifetime: 5 * time.Minute, Step: 200_000, StepFactor: 2}},
		"no cache":              {llm.Prices{Input: 4, Output: 8}, replay.Sheet{Read: 1, Write: 1, Output: 2, Lifetime: planner.UnknownLifetime}},
		"a step that is no one": {llm.Prices{Input: 4, Output: 8, Tiers: []llm.Tier{{Over: 100, Input: 4, Output: 16}}}, replay.Sheet{Read: 1, Write: 1, Output: 2, Lifetime: planner.UnknownLifetime}},
	} {
		c.want.Name = name
		if diff := cmp.Diff(c.want, measure.ModelSheet(llm.Model{ID: name, Prices: &c.prices})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCachesOfModelsLiveAsLongAsTheConfigurationSays(t *testing.T) {
	t.Parallel()
	a := newApp(console.Env{Lookup: func(string) (string, bool) { return "", false }, Dir: t.TempDir()}, setup.Flags{Data: t.TempDir(),
		Set: []string{"providers.openai.models={gpt-5.4: {cache_ttl: 24h, prices: {cached: 1}}}"}})
	if err := a.settings.Configure(); err != nil {
		t.Fatal(err)
	}
	sheets, err := a.replayer().ReplaySheets([]string{"openai/gpt-5.4, openai/gpt-4o", "gpt-4o,openai/gpt-4o"})
	if err != nil {
		t.Fatal(err)
	}
	if len(sheets) != 3 || sheets[0].Lifetime != 24*time.Hour || sheets[1].Lifetime != planner.UnknownLifetime || sheets[2].Lifetime != 10*time.Minute {
		t.Errorf("the sheets are %+v", sheets)
	}
	want := map[string]string{"openai/gpt-5.4": "cache lives 24 h", "openai/gpt-4o": "cache lives 60 min (assumed)"}
	if diff := cmp.Diff(want, a.replayer().CacheNotes(sheets)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if input := 1 / sheets[0].Read; input <= 1 {
		t.Errorf("a price of the configuration counts for nothing: %+v", sheets[0])
	}
}

func TestLifetimesThatNobodySaysAreAssumedByTheWritePrice(t *testing.T) {
	t.Parallel()
	a := newApp(console.Env{Lookup: func(string) (string, bool) { return "", false }, Dir: t.TempDir()}, setup.Flags{Data: t.TempDir(),
		Set: []string{"providers.anthropic.models={claude-opus-4-5: {prices: {input: 5, cache_write: 10, output: 25}}, claude-sonnet-4-5: {cache_ttl: 1h}}"}})
	if err := a.settings.Configure(); err != nil {
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
		sheets, err := a.replayer().ReplaySheets([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		if note := a.replayer().CacheNotes(sheets)[name]; sheets[0].Lifetime != want.lifetime || note != want.note {
			t.Errorf("%s: %v, told as %q", name, sheets[0].Lifetime, note)
		}
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
	return "\r" + what + " " + strings.Repeat("█", filled) + strings.Repeat("·", console.BarWidth-filled)
}

func TestBarsOfPartsTakeTheLineAndGiveItBack(t *testing.T) {
	t.Parallel()
	const gone = "\r\x1b[K"
	var b strings.Builder
	p := &console.Progress{W: &b, What: "all", Drawn: -1}
	p.Fit(80)
	p.Show(0, 10)
	part := p.Inside("reading")
	part.Show(1, 2)
	part.Show(2, 2)
	part.Clear()
	p.Again()
	p.Again()
	p.Tell(&b, "said")
	p.Show(5, 10)
	p.Close()
	want := drawn("all", 0) + gone + drawn("reading", 12) + drawn("reading", 24) + gone + drawn("all", 0) + gone + "said\n" + drawn("all", 12) + gone
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +written):\n%s", diff)
	}
	none := new(console.Progress)
	none.Inside("reading").Show(1, 2)
	none.Tell(&b, "told without a bar")
	if !strings.HasSuffix(b.String(), gone+"told without a bar\n") {
		t.Errorf("without a terminal: %q", b.String())
	}
}

// Other conversations are replayed while one is read.
func TestABarIsNotDrawnOverThatOfAPart(t *testing.T) {
	t.Parallel()
	const gone = "\r\x1b[K"
	var b strings.Builder
	p := &console.Progress{W: &b, What: "all", Drawn: -1}
	p.Fit(80)
	p.Show(0, 10)
	part := p.Inside("reading")
	part.Show(1, 2)
	p.Show(5, 10)
	part.Show(2, 2)
	part.Clear()
	p.Show(10, 10)
	p.Again()
	p.Hold()
	p.Show(5, 10)
	p.Close()
	want := drawn("all", 0) + gone + drawn("reading", 12) + drawn("reading", 24) + gone + drawn("all", 24) + gone
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +written):\n%s", diff)
	}
}

func TestNothingIsWrittenOnceABarIsClosed(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := &console.Progress{W: &b, What: "all", Drawn: -1}
	p.Fit(80)
	part := p.Inside("reading")
	drew, stop, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			p.Show(i%10, 10)
			part.Show(i%10, 10)
			part.Clear()
			p.Again()
			p.Tell(&b, "said")
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
	p.Close()
	at := b.String()
	close(stop)
	<-ended
	for range 3 { // the rounds of another goroutine may have ended before
		p.Show(9, 10)
		part.Show(9, 10)
		p.Tell(&b, "said")
		p.Close()
	}
	if b.String() != at {
		t.Errorf("written afterwards: %q", strings.TrimPrefix(b.String(), at))
	}
}

func TestBarsStayOnTheirLine(t *testing.T) {
	t.Parallel()
	for columns, want := range map[int]int{80: 24, 45: 45 - 27 - 1, 20: 8, 10: 8, 3: 1, 0: 0} {
		var b strings.Builder
		p := &console.Progress{W: &b, What: "replaying 43 conversations", Cells: console.BarWidth, Drawn: -1}
		p.Fit(columns)
		p.Show(43, 43)
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
		_, err := measure.RunUntil(ctx, func() (replay.Report, error) { <-stuck; return replay.Report{}, nil })
		if !errors.Is(err, context.Canceled) || time.Since(began) != measure.Patience {
			t.Errorf("after %v it ended with %v", time.Since(began), err)
		}
	})
}

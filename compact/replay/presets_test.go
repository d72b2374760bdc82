package replay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/jsonl"
)

// presetFigures is the figures of a preset on one conversation.
func presetFigures(t *testing.T, p preset.Name, window int, one *builder) (replay.Figures, replay.Figures) {
	t.Helper()
	r := run(t, replay.Options{Window: window, Policies: []preset.Name{p}}, one)
	return r.Totals[p], r.Files[0].Policies[p]
}

func TestTruncateDropsTheOldestUnits(t *testing.T) {
	t.Parallel()
	// Of 10,000 tokens 8,500 are the load line. Before request k there are 4,100 and
	// k units of 251.5, which is above it with the 18th.
	one := (&builder{}).user(text(400))
	for range 20 {
		one.call("read", "{}", text(1000))
	}
	one.reply("done")
	f, _ := presetFigures(t, preset.Truncate, 10_000, one)
	// Then the oldest go until 5,000 are left, which is three units; the message of
	// the user is the newest and stays.
	const unit = 251.5
	checkNear(t, "tokens sent", f.TokensSent, 18*4100+17*18/2*unit+3*4100+(3+4+5)*unit)
	if f.PrefixBreaks != 1 || f.Violations != 0 || f.Overflow != 0 {
		t.Errorf("the figures are %+v, want one break alone", f)
	}
}

func TestTruncateKeepsTheNewestMessage(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user(text(40_000)).reply("a").user(text(60_000)).reply("b")
	f, _ := presetFigures(t, preset.Truncate, 10_000, one)
	if f.Overflow != 2 || f.Violations != 0 {
		t.Errorf("the figures are %+v, want 2 overflows of a message above the window", f)
	}
	checkNear(t, "the last request", f.TokensPeak, 4000+15_000)
	if got, _ := presetFigures(t, preset.Truncate, 0, one); got.PrefixBreaks != 0 {
		t.Error("truncate acts without a known window")
	}
}

func TestTruncateGoesBelowAPriceStepAsFarAsBelowItsLine(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user(text(400))
	for range 60 {
		one.call("read", "{}", text(1000))
	}
	one.reply("done")
	stepped := replay.PriceSheet{Name: "stepped", Read: 0.1, Write: 1, Output: 5, Step: 10_000, StepFactor: 2}
	plain := replay.PriceSheet{Name: "plain", Read: 0.1, Write: 1, Output: 5}
	r := run(t, replay.Options{Window: 1_000_000, Policies: []preset.Name{preset.Truncate}, Sheets: []replay.PriceSheet{plain, stepped}}, one)
	f := r.Totals[preset.Truncate]
	if f.PrefixBreaks != 0 {
		t.Errorf("%d breaks where no price steps", f.PrefixBreaks)
	}
	alone := run(t, replay.Options{Window: 1_000_000, Policies: []preset.Name{preset.Truncate}, Sheets: []replay.PriceSheet{stepped}}, one)
	g := alone.Totals[preset.Truncate]
	if g.PrefixBreaks != 3 || g.TokensPeak > 10_000 { // from 9,500 down to 5,588, and again after 16 units
		t.Errorf("%d breaks, the largest request has %.0f tokens", g.PrefixBreaks, g.TokensPeak)
	}
	checkNear(t, "the cost beside another sheet", f.Cost["stepped"], g.Cost["stepped"])
}

func TestProfilesByHandNameWhatTheyHide(t *testing.T) {
	t.Parallel()
	one := &builder{}
	for i := range 12 {
		one.user("do").call("fs_read_file", `{"path":"a"}`, text(2000)+fmt.Sprintf("  hidden_name_x%02d ", i)+text(2000)).reply("done")
	}
	one.user("now").reply("hidden_name_x01 it is")
	o := replay.Options{Window: 128_000, Policies: []preset.Name{}, ExtraPolicies: []replay.NamedPolicy{{Name: "default", Rules: preset.RulesOf(preset.Plimsoll), IsCommand: true}}}
	if f := run(t, o, one).Totals["default"]; f.RecallTool != 0 || f.Recoverable != 1 {
		t.Errorf("recall %v, recoverable %v", f.RecallTool, f.Recoverable)
	}
}

// turns is a conversation of turns with a result each.
func turns(n, chars int) *builder {
	one := &builder{}
	for range n {
		one.user("do").call("fs_read_file", `{"path":"a"}`, text(chars)).reply("done")
	}
	return one
}

func TestJPStripsAtTheStartOfATurnAllButTheNewest(t *testing.T) {
	t.Parallel()
	// At the start of turns 4 and 5 one more turn is older than the three before.
	f, _ := presetFigures(t, preset.JP, 100_000, turns(6, 4000))
	if f.PrefixBreaks != 2 || f.Summaries != 0 || f.Violations != 0 {
		t.Errorf("the figures of jp are %+v, want 2 breaks alone", f)
	}
	heavy, file := presetFigures(t, preset.JPHeavy, 100_000, turns(6, 4000))
	if heavy.PrefixBreaks != 2 || heavy.Summaries != 2 || heavy.Violations != 0 {
		t.Errorf("the figures of jp-heavy are %+v, want 2 breaks and 2 summaries", heavy)
	}
	// Each summary reads what was said in all turns that it covers: one, then two.
	turn := float64(len("do")+len("fs_read_file")+len(`{"path":"a"}`)+4000+len("done")) / 4
	checkNear(t, "what its summaries read", file.SummaryInput, turn+2*turn)
	if early, _ := presetFigures(t, preset.JP, 100_000, turns(4, 4000)); early.PrefixBreaks != 0 {
		t.Errorf("%d breaks in four turns", early.PrefixBreaks)
	}
}

func TestOneClawSummarisesWhenATurnHasEnded(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("do")
	for range 12 {
		one.call("read", "{}", "The value is large. "+text(4000))
	}
	one.reply("done").user("more").reply("fine").user("and more").reply("ok")
	f, file := presetFigures(t, preset.OneClaw, 10_000, one)
	if f.Overflow == 0 {
		t.Error("oneclaw acts within a turn")
	}
	if f.Summaries != 1 || f.PrefixBreaks != 1 || f.Violations != 0 {
		t.Errorf("the figures are %+v, want one summary and one break", f)
	}
	if file.SummaryInput < 5000 {
		t.Errorf("the summary read %v tokens", file.SummaryInput)
	}
	long := (&builder{}).user("do").call("read", "{}", text(50_000)).reply("done")
	f, _ = presetFigures(t, preset.OneClaw, 100_000, long)
	checkNear(t, "a long result, cut", f.TokensPeak, 4000+float64(2+6+30_000+len("\n\n[... content truncated, showing first 30000 characters of 50000 total ...]"))/4)
}

func TestJCLIHidesAllButTheNewestTenBeforeEveryRequest(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("do")
	for range 13 {
		one.call("Bash", "{}", text(1000))
	}
	f, _ := presetFigures(t, preset.JCLI, 100_000, one.reply("done"))
	if f.PrefixBreaks != 3 || f.Summaries != 0 || f.Violations != 0 {
		t.Errorf("13 results: %+v", f)
	}
	huge := (&builder{}).user("do").call("Bash", "{}", text(10)).call("Bash", "{}", strings.Repeat("A line that says little.\n", 40_000)).reply("done").user("x").reply("y")
	f, file := presetFigures(t, preset.JCLI, 1_000_000, huge)
	if f.Summaries != 1 || f.Violations != 0 {
		t.Errorf("above 204,800 tokens: %+v", f)
	}
	if file.SummaryInput < 200_000 {
		t.Errorf("the summary read %v tokens", file.SummaryInput)
	}
}

func TestAdachsoftOmitsWhatNewerCallsRepeat(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("do").
		call("read", `{"path":"a"}`, text(1000)).
		call("read", `{"path":"b"}`, text(1000)).
		call("apply_patch", `{"input":"`+text(500)+`"}`, text(500)).
		call("apply_patch", `{"input":"`+text(500)+`"}`, text(500)).
		call("read", `{"path":"a"}`, text(1000)).
		reply("done")
	f, _ := presetFigures(t, preset.Adachsoft, 100_000, one)
	if f.PrefixBreaks != 1 || f.Violations != 0 {
		t.Errorf("of two reads of one path the older one goes, patches have no identity: %+v", f)
	}
}

func TestConfiguredRulesObeyHowResultsAreStored(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("go").call("read", "{}", text(40_000)).reply("done")
	for name, c := range map[string]struct {
		preset  preset.Name
		byHand  bool
		results *replay.ResultStorage
		peak    float64
	}{
		"as the preset has it":   {preset.Plimsoll, false, nil, 35_000},
		"left to the preset":     {preset.Plimsoll, false, &replay.ResultStorage{KeepFull: true}, 35_000},
		"of a profile, the same": {preset.Plimsoll, true, nil, 35_000},
		"of a source":            {preset.OneClaw, false, nil, 30_000},
		"of a source, the same":  {preset.OneClaw, false, &replay.ResultStorage{}, 30_000},
		"shorter":                {preset.Plimsoll, false, &replay.ResultStorage{MaxChars: 8000, KeepFull: true}, 8000},
		"longer":                 {preset.Plimsoll, false, &replay.ResultStorage{MaxChars: 50_000}, 40_000},
		"under another preset":   {preset.JPAuto, false, &replay.ResultStorage{MaxChars: 8000}, 8000},
		"of a profile, by hand":  {preset.Plimsoll, true, &replay.ResultStorage{MaxChars: 8000, KeepFull: true}, 8000},
		"of JP turned on itself": {preset.JP, false, &replay.ResultStorage{MaxChars: 8000}, 8000},
	} {
		own := replay.NamedPolicy{Name: "configured", Rules: preset.RulesOf(c.preset), IsCommand: c.byHand, ResultStorage: c.results}
		r := run(t, replay.Options{Window: 35_000, Policies: []preset.Name{"configured"}, ExtraPolicies: []replay.NamedPolicy{own}}, one)
		if got := 4 * (r.Totals["configured"].TokensPeak - 4000); got < c.peak || got > c.peak+300 {
			t.Errorf("%s: the largest request has %.0f characters, want %.0f", name, got, c.peak)
		}
	}
}

func TestPresetsWithoutAPolicyAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []preset.Name{"", "nonesuch"} {
		_, err := replay.Run(context.Background(), nil, replay.Options{Window: 1000, Policies: []preset.Name{name}})
		if err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLogsAreReplayedWithoutTheirOverlays(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	add := func(at time.Duration, bodies ...conversation.Body) {
		conversationtest.Must(t, l.Commit(l.Prepare(since.Add(at), bodies...)))
	}
	prompts := map[string]string{"first": text(40), "newest": text(400)}
	add(0, conversation.Instructions{System: "first"}, conversation.UserMessage{Text: text(8)})
	add(0, conversation.AssistantMessage{Text: "a", Reasoning: text(500)}, conversation.Usage{})
	add(0, conversation.Drop{Spans: []conversation.Span{{First: 2, Last: 3}}}, conversation.Instructions{System: "newest"})
	add(time.Hour, conversation.UserMessage{Text: text(8)}, conversation.AssistantMessage{Text: "b"})
	c := replay.Load(jsonl.FromLog(l.Events(), func(name string) (string, bool) { prompt, ok := prompts[name]; return prompt, ok }), "stored")
	r, err := replay.Run(context.Background(), []replay.Source{loaded(c)}, replay.Options{Window: 9000, Policies: []preset.Name{"raw"}})
	conversationtest.Must(t, err)
	f := r.Totals["raw"]
	checkNear(t, "tokens sent", f.TokensSent, 4102+4102+9/4.0)
	checkNear(t, "a cache of five minutes", f.Cost["anthropic-5m"], 1.25*f.TokensSent)
}

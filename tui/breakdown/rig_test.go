package breakdown_test

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
	"plimsoll/tui/breakdown"
	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

func usd(v float64) *float64 { return &v }

// reading is 61 % of 128k, with a draft on top.
func reading() meter.Reading {
	r := meter.Reading{
		Window: meter.Window{Tokens: 128_000, Source: meter.WindowServer},
		Used:   78_100, Estimated: true, AfterSend: 82_000, LoadLine: 108_800, HardLine: 121_600, Reserve: 16_000,
		CachedShare: 0.92, CostUSD: usd(0.42), KeptOut: 31_000,
	}
	copy(r.Segments[:], []int{4_000, 6_100, 3_000, 9_000, 16_000, 0, 8_000, 29_000, 3_000, 3_900})
	return r
}

// busy is a long conversation with compactions, hostile texts and wide characters.
func busy() breakdown.Content {
	off := 0.032
	return breakdown.Content{
		Breakdown: inspect.Breakdown{
			Reading: reading(),
			Forecast: planner.Forecast{
				Timing: planner.Timing{State: planner.TimingReady, AtTokens: 108_800, TokensLeft: 30_700, Turns: 4}, EvictTo: 6, SummaryTo: 6, After: 52_600,
				ColdLine: 73_000, ColdTo: 2, ColdAfter: 71_400, MayAskModel: true, Rule: "preset plimsoll",
			},
			Heaviest: []inspect.Item{
				{Event: 41, Turn: 7, Kind: projection.Results, Label: "run_command go test ./upload -count=10 -race -v", Tokens: 7_840, Original: 7_840, State: projection.StateVerbatim},
				{Kind: projection.Tools, Label: "definitions of 14 tools", Tokens: 6_100, Original: 6_100, State: projection.StateVerbatim},
				{Event: 52, Turn: 9, Kind: projection.Results, Label: "read_file upload/server.go", Tokens: 5_210, Original: 30_100, State: projection.StateCapped, Why: "cut on arrival to 30,000 characters"},
				{Kind: projection.System, Label: "system prompt", Tokens: 4_000, Original: 4_000, State: projection.StateVerbatim},
				{Event: 60, Turn: 10, Kind: projection.User, Label: "请修复上传测试，它在 CI 上偶尔失败，日志如下", Tokens: 3_900, Original: 3_900, State: projection.StateVerbatim},
				{Event: 3, Turn: 0, Kind: projection.Summary, Label: "summary of turns 0–6", Tokens: 3_000, Original: 61_500, State: projection.StateSummarised, Why: "turns 0–6 stand here as a summary"},
				{Event: 63, Turn: 10, Kind: projection.Assistant, Label: "The race is in \x1b]52;c;aGk=\x07\u202ethe port \U0001F468\u200d\U0001F469\u200d\U0001F467 that both tests take", Tokens: 2_400, Original: 2_400, State: projection.StateVerbatim},
				{Event: 64, Turn: 11, Kind: projection.Calls, Label: "modify_file upload/server.go", Tokens: 1_900, Original: 1_900, State: projection.StateVerbatim},
				{Event: 20, Turn: 4, Kind: projection.Stubs, Label: "run_command git log --stat", Tokens: 240, Original: 12_400, State: projection.StateMasked, Why: "old result, a stub since turn 9"},
			},
			Additions: []inspect.Addition{{Kind: "tools", Items: 3, Tokens: 900}, {Kind: "skills", Items: 1, Tokens: 2_100}, {Kind: "hooks", Items: 12, Tokens: 480}},
			Savings: []inspect.Saving{
				{Kind: "masks", Items: 12, Tokens: 41_200}, {Kind: "summaries", Items: 34, Tokens: 58_500}, {Kind: "caps", Items: 2, Tokens: 25_900},
				{Kind: "pointers", Items: 1, Tokens: -40},
			},
			Calibration:    conversation.Calibration{Factor: 1.08, Samples: 14},
			EstimateError:  &off,
			Costs:          inspect.Costs{Total: usd(0.4213), Summaries: usd(0.031), Saved: usd(1.1), ReplyRequests: 41, SummaryRequests: 2, Prompt: 3_120_000, Cached: 2_870_000, Output: 61_000},
			Cache:          inspect.CacheUse{Read: 2_870_000, Written: 240_000, Expired: 61_000},
			CacheRetention: promptcache.Retention{Lifetime: time.Hour, Reason: promptcache.RetentionByPauses, SavedTokens: 90_000, SavedUSD: usd(0.27)},
			Pins:           2,
		},
		Reading: reading(),
		ColdAt:  "14:32",
		Title:   "Fix flaky upload test \x1b[31m修复",
		Model:   "openai/gpt-5.6-luna",
		Priced:  "2026-10-01",
		Pinned:  map[uint64]bool{60: true},
	}
}

// fresh is an empty conversation with an unknown model.
func fresh() breakdown.Content {
	return breakdown.Content{
		Breakdown: inspect.Breakdown{Forecast: planner.Forecast{Timing: planner.Timing{State: planner.TimingUnknown}, SummaryTo: -1, EvictTo: -1, ColdTo: -1, Rule: "preset plimsoll"}},
		Reading:   meter.Reading{Used: 3_100, Estimated: true, AfterSend: 3_100, CachedShare: -1, Segments: [projection.Draft + 1]int{2_000, 1_100}},
		Title:     "New conversation", Model: "custom/llama", Cold: true, Paused: true, ReadOnly: true,
	}
}

// full is a conversation above the hard line.
func full() breakdown.Content {
	c := busy()
	c.Reading.Used, c.Reading.AfterSend, c.Reading.Estimated = 124_000, 131_000, false
	c.Reading.Segments[projection.Results], c.Reading.Segments[projection.Draft] = 74_900, 7_000
	c.Breakdown.Forecast = planner.Forecast{Timing: planner.Timing{State: planner.TimingNow, AtTokens: 108_800}, SummaryTo: -1, EvictTo: 7, ColdTo: -1, ColdLine: 73_000, After: 52_600, MayAskModel: true, Rule: "preset plimsoll"}
	return c
}

func open(c breakdown.Content, theme string, width, height int) *breakdown.Model {
	m := breakdown.New(new(breakdown.DefaultKeyMap()))
	m.SetStyles(tuitest.Styles(theme), pane.Patterns())
	m.SetSize(width, height)
	m.Show(c)
	return m
}

// lines returns the screen without colors; the end of each line is marked.
func lines(m *breakdown.Model) string { return tuitest.Fence(m.View()) }

// to moves the cursor down until its line holds a text.
func to(m *breakdown.Model, text string) bool {
	m.Update(tuitest.Key("home"))
	for range 100 {
		for l := range strings.SplitSeq(ansi.Strip(m.View()), "\n") {
			if strings.HasPrefix(l, "❯") && strings.Contains(l, text) {
				return true
			}
		}
		m.Update(tuitest.Key("down"))
	}
	return false
}

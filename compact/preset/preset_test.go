package preset_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/preset"
	"plimsoll/compact/preset/adachsoft"
	"plimsoll/conversation"
)

// own is what Plimsoll does by itself, written out, without tools.
func own() preset.Rules {
	summary := preset.SummaryRules{
		MaxTokens: 20_000, Mode: preset.ModeSeparate, Input: preset.InputAuto, Retries: 1, Timeout: time.Minute,
		When: preset.SummaryAuto,
	}
	return preset.Rules{Values: preset.Values{
		Preset: preset.Plimsoll, Enabled: true, DefaultProfile: "default", KeepLast: 3,
		TriggerRatio: 0.85, HardRatio: 0.95, ProtectedRatio: 0.25,
		Auto: preset.AutoRules{Enabled: true, Background: true},
		Planner: preset.PlannerRules{
			TargetRatio: 0.5, EnoughRatio: 0.65, TalkRatio: 0.3, StrideRatio: 0.2, GrowthRatio: 0.15, ResultRatio: 0.25,
			ProgressRatio: 0.1, ColdTokens: 2000, PayRequests: 10, Failures: 3, Bands: 6, BlockTokens: 8000, BlockRatio: 0.05,
			SummaryRatio: 0.02,
		},
		Mask: preset.MaskRules{
			Enabled: false, KeepTokens: 20_000, KeepResults: 3, FirstTurnTokens: 20_000, Stride: 20_000, Preview: 250, MinChars: 800,
		},
		Micro:   preset.MicroRules{KeepRecent: 10, MinBytes: 800},
		Dedupe:  adachsoft.Params{InputTrimBytes: 100, OutputTrimBytes: 100},
		Summary: summary,
	}, Profiles: map[string]preset.Profile{
		"default": {Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: true, Response: true},
		"heavy":   {Summarize: true, Summary: summary},
		"light":   {Reasoning: conversation.ReasoningStrip},
	},
	}
}

func TestPresetsHaveTheValuesOfTheirSources(t *testing.T) {
	t.Parallel()
	handmade := func(r *preset.Rules) { // RFD 064, with what RFD D17 says of its own section
		r.TriggerRatio = 0.75
		r.Auto = preset.AutoRules{MinTurns: 5, Profile: "default"}
		r.Mask.Enabled, r.Mask.Preview, r.Mask.MinChars = false, 0, 0
		r.Summary.Mode, r.Summary.Input = preset.ModeRawUnion, preset.InputRaw
	}
	changes := map[preset.Name]func(*preset.Rules){
		preset.Plimsoll: func(*preset.Rules) {},
		preset.JP:       handmade,
		preset.JPHeavy: func(r *preset.Rules) {
			handmade(r)
			r.DefaultProfile, r.Auto.Profile = "heavy", "heavy"
		},
		preset.JPAuto: func(r *preset.Rules) {
			handmade(r)
			r.Auto.Enabled = true
		},
		preset.Adachsoft: func(r *preset.Rules) {
			r.Dedupe.Enabled, r.Mask.Enabled, r.Auto.Background = true, false, false
		},
		preset.OneClaw: func(r *preset.Rules) {
			r.DefaultProfile, r.Mask.Enabled = "heavy", false
			r.Summary.Mode, r.Summary.Input = preset.ModeCumulative, preset.InputRaw
		},
		preset.JCLI: func(r *preset.Rules) {
			r.DefaultProfile, r.KeepLast, r.TokenThreshold = "heavy", 0, 204_800
			r.Micro.Enabled, r.Mask.Enabled, r.Auto.Background = true, false, false
			r.Summary.Mode, r.Summary.Input, r.Summary.Retries = preset.ModeCumulative, preset.InputRaw, 0
		},
		preset.Raw: func(r *preset.Rules) {
			r.Enabled, r.Mask.Enabled, r.Auto = false, false, preset.AutoRules{}
		},
		preset.Truncate: func(r *preset.Rules) {
			r.Mask.Enabled, r.Auto.Background = false, false
		},
	}
	for _, name := range preset.All() {
		want := own()
		changes[name](&want)
		want.Preset = name
		want.Profiles["heavy"] = preset.Profile{Summarize: true, Summary: want.Summary}
		got := preset.RulesOf(name)
		got.Tools = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPresetRulesAreNotShared(t *testing.T) {
	t.Parallel()
	for _, p := range preset.All() {
		spoiled := preset.RulesOf(p)
		spoiled.Profiles["light"] = preset.Profile{}
		spoiled.Tools["read_file"].Identifiers[0] = "spoiled"
		delete(spoiled.Tools, "modify_file")
		r := preset.RulesOf(p)
		_, kept := r.Tools["modify_file"]
		if !kept || r.Tools["read_file"].Identifiers[0] != "path" || r.Profiles["light"].Reasoning != conversation.ReasoningStrip {
			t.Errorf("%s changed with what an earlier caller did to it", p)
		}
	}
}

func TestPresetsOfS64ExemptNoTool(t *testing.T) {
	t.Parallel()
	for _, p := range preset.All() {
		exempt := false
		for _, rule := range preset.RulesOf(p).Tools {
			exempt = exempt || rule.Exempt
		}
		if s64 := p.Style() == conversation.StyleJP; exempt == s64 {
			t.Errorf("%s: tools exempt: %v", p, exempt)
		}
	}
}

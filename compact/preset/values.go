package preset

import (
	"time"

	"plimsoll/compact/preset/adachsoft"
	"plimsoll/conversation"
)

// The values of the presets. Rules:
//
//   - A preset starts from Plimsoll's values and replaces those that its published design defines. Other keys
//     keep Plimsoll's value, so that a layer that the user turns on has usable settings.
//   - Layers that a published design lacks, such as masks, are off.
//   - The values are complete and satisfy the checks of the configuration, such as a hard line above the load
//     line.

// SummaryMaxTokens is the default bound of a summary, in tokens.
const SummaryMaxTokens = 20_000

// TruncateShare is the target of truncate as a share of the load line: half of the window if the load line is at the
// default ratio.
const TruncateShare = 0.5 / DefaultTriggerRatio

// The names of the built-in profiles (JP's RFD 064).
const (
	ProfileDefault = "default" // reasoning and tool calls stripped
	ProfileHeavy   = "heavy"   // a summary
	ProfileLight   = "light"   // reasoning stripped
)

// RulesOf returns the complete rules of a preset; an unknown name gets Plimsoll's. Each call returns new maps and
// lists.
func RulesOf(p Name) Rules {
	r := plimsollRules()
	r.Preset = p
	switch p {
	case JP, JPHeavy, JPAuto:
		r.setJP(p)
	case Adachsoft:
		// Dedupe runs before every request; nothing else acts.
		r.Mask.Enabled, r.Auto.Background = false, false
		r.Dedupe.Enabled = true
	case OneClaw:
		// OneClaw has Plimsoll's load line. There it summarises all but the protected share; it never masks. A manual
		// compaction summarises too.
		r.DefaultProfile, r.Mask.Enabled = ProfileHeavy, false
		r.Summary.Mode, r.Summary.Input = ModeCumulative, InputRaw
	case JCLI:
		r.setJCLI()
	case Raw:
		r.Enabled, r.Auto.Enabled, r.Auto.Background, r.Mask.Enabled = false, false, false, false
	case Truncate:
		// Oldest units are dropped at the load line, without a model.
		r.Mask.Enabled, r.Auto.Background = false, false
	}
	r.Profiles = builtinProfiles(r.Summary)
	return r
}

// DefaultRules returns the rules for an empty configuration.
func DefaultRules() Rules { return RulesOf(Plimsoll) }

// plimsollRules returns Plimsoll's values, without the profiles.
func plimsollRules() Rules {
	return Rules{Values: Values{
		Enabled:        true,
		DefaultProfile: ProfileDefault,
		KeepLast:       3, // JP's RFD 064
		TriggerRatio:   DefaultTriggerRatio,
		HardRatio:      DefaultHardRatio,
		ProtectedRatio: DefaultProtectedRatio,
		Auto:           AutoRules{Enabled: true, Background: true},
		Planner: PlannerRules{
			TargetRatio: 0.5, EnoughRatio: 0.65, TalkRatio: 0.3, StrideRatio: 0.2,
			GrowthRatio: 0.15, ResultRatio: 0.25, ProgressRatio: 0.1, ColdTokens: 2000,
			PayRequests: 10, Failures: 3, Bands: 6, BlockTokens: 8000,
			BlockRatio: 0.05, SummaryRatio: 0.02,
		},
		Mask: MaskRules{
			Enabled: false, KeepTokens: 20_000, KeepResults: 3, FirstTurnTokens: 20_000,
			Stride: 20_000, Preview: 250, MinChars: 800,
		},
		Micro:  MicroRules{KeepRecent: 10, MinBytes: 800}, // J-CLI
		Dedupe: adachsoft.Params{InputTrimBytes: adachsoft.DefaultTrimBytes, OutputTrimBytes: adachsoft.DefaultTrimBytes},
		Summary: SummaryRules{
			MaxTokens: SummaryMaxTokens, Mode: ModeSeparate, Input: InputAuto, Retries: 1, Timeout: time.Minute,
			When: SummaryAuto,
		},
	}, Tools: DefaultTools()}
}

// setJP sets the values of JP. RFD 064 compacts by command. RFD D17 adds automatic compaction, which is off in the
// presets jp and jp-heavy until the user turns it on. Stubs have no preview, results of any size are stripped, and
// only hints exempt a tool.
func (r *Rules) setJP(p Name) {
	r.TriggerRatio = 0.75
	r.Auto = AutoRules{Enabled: p == JPAuto, MinTurns: 5, Profile: ProfileDefault}
	if p == JPHeavy {
		r.DefaultProfile, r.Auto.Profile = ProfileHeavy, ProfileHeavy
	}
	r.Mask.Enabled, r.Mask.Preview, r.Mask.MinChars = false, 0, 0
	r.Summary.Mode, r.Summary.Input = ModeRawUnion, InputRaw
	for name, rule := range r.Tools {
		rule.Exempt = false
		r.Tools[name] = rule
	}
}

// setJCLI sets the values of J-CLI. Before every request, placeholders replace old results. Above an absolute number of
// tokens everything is summarised, and the request waits for the summary. A failed summary request is not retried. A
// manual compaction makes the same summary.
func (r *Rules) setJCLI() {
	r.DefaultProfile, r.KeepLast = ProfileHeavy, 0
	r.TokenThreshold = 204_800 // for any window
	r.Auto.Background, r.Mask.Enabled = false, false
	r.Micro.Enabled = true
	r.Summary.Mode, r.Summary.Input = ModeCumulative, InputRaw
	r.Summary.MaxTokens, r.Summary.Retries = 20_000, 0
}

// builtinProfiles returns the built-in profiles (JP's RFD 064). The profile heavy summarises as s says.
func builtinProfiles(s SummaryRules) map[string]Profile {
	return map[string]Profile{
		ProfileDefault: {
			Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: true, Response: true,
		},
		ProfileHeavy: {Summarize: true, Summary: s},
		ProfileLight: {Reasoning: conversation.ReasoningStrip},
	}
}

package preset

import (
	"time"

	"plimsoll/compact/preset/adachsoft"
	"plimsoll/conversation"
)

// The values of the presets. Rules:
//
//   - A preset starts from Plimsoll's values and replaces those that its published design defines. Other keys
//     keep Plimsoll's value, so that a switch that the user turns on has usable settings.
//   - Layers that a published design lacks are off; masks are Plimsoll's own layer.
//   - The values are complete and satisfy the checks of the configuration, such as a hard line above the load
//     line.

// Values of the published designs.
const (
	s64KeepLast = 3 // S64: newest turns that a manual compaction leaves unchanged

	d17TriggerRatio = 0.75 // D17: of the window
	d17MinTurns     = 5    // D17: only in conversations with more turns than this

	oneRetries = 1 // ONE: a failed summary request is retried once

	jclKeepRecent     = 10        // JCL: newest results that stay
	jclMinBytes       = 800       // JCL: only larger results are replaced
	jclTokenThreshold = 256 * 800 // JCL: 204,800 tokens, for any window
	jclSummaryTokens  = 20_000    // JCL
)

// Plimsoll's own values; amounts are tokens.
const (
	maskKeepTokens   = 20_000
	maskKeepResults  = 3
	maskFirstTurn    = 20_000
	maskStride       = 20_000
	maskPreview      = 250 // code points
	maskMinChars     = 800 // code points
	SummaryMaxTokens = 20_000
	summaryTimeout   = time.Minute
)

// TruncateShare is the target of truncate as a share of the load line: half of the window if the load line is at the
// default ratio.
const TruncateShare = 0.5 / DefaultTriggerRatio

// The values of [PlannerRules]; amounts are tokens.
const (
	planTarget      = 0.5
	planEnough      = 0.65
	planTalk        = 0.3
	planStride      = 0.2
	planGrowth      = 0.15
	planResults     = 0.25
	planProgress    = 0.1
	planColdTokens  = 2000
	planPayRequests = 10
	planFailures    = 3
	planBands       = 6
	planBlockTokens = 8000
	planBlock       = 0.05
	planSummary     = 0.02
)

// The names of the built-in profiles (S64).
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
		r.setOneClaw()
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
		KeepLast:       s64KeepLast,
		TriggerRatio:   DefaultTriggerRatio,
		HardRatio:      DefaultHardRatio,
		ProtectedRatio: DefaultProtectedRatio,
		Auto:           AutoRules{Enabled: true, Background: true},
		Planner: PlannerRules{
			TargetRatio: planTarget, EnoughRatio: planEnough, TalkRatio: planTalk, StrideRatio: planStride,
			GrowthRatio: planGrowth, ResultRatio: planResults, ProgressRatio: planProgress, ColdTokens: planColdTokens,
			PayRequests: planPayRequests, Failures: planFailures, Bands: planBands, BlockTokens: planBlockTokens,
			BlockRatio: planBlock, SummaryRatio: planSummary,
		},
		Mask: MaskRules{
			Enabled: false, KeepTokens: maskKeepTokens, KeepResults: maskKeepResults, FirstTurnTokens: maskFirstTurn,
			Stride: maskStride, Preview: maskPreview, MinChars: maskMinChars,
		},
		Micro:  MicroRules{KeepRecent: jclKeepRecent, MinBytes: jclMinBytes},
		Dedupe: DedupeParams{InputTrimBytes: adachsoft.DefaultTrimBytes, OutputTrimBytes: adachsoft.DefaultTrimBytes},
		Summary: SummaryRules{
			MaxTokens: SummaryMaxTokens, Mode: ModeBands, Input: InputAuto, Retries: oneRetries, Timeout: summaryTimeout,
			When: SummaryAtLoadLine,
		},
	}, Tools: DefaultTools()}
}

// setJP sets the values of S64 and D17. S64 compacts by command. D17 adds automatic compaction, which is off in the
// presets jp and jp-heavy until the user turns it on. Stubs have no preview, results of any size are stripped, and
// only hints exempt a tool.
func (r *Rules) setJP(p Name) {
	r.TriggerRatio = d17TriggerRatio
	r.Auto = AutoRules{Enabled: p == JPAuto, MinTurns: d17MinTurns, Profile: ProfileDefault}
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

// setOneClaw sets the values of ONE: at the load line, which Plimsoll shares, a cumulative summary of all but the
// protected share and no masking. A manual compaction summarises too.
func (r *Rules) setOneClaw() {
	r.DefaultProfile = ProfileHeavy
	r.Mask.Enabled = false
	r.Summary.Mode, r.Summary.Input = ModeCumulative, InputRaw
}

// setJCLI sets the values of JCL: placeholders before every request, and above an absolute number of tokens a summary
// of everything, for which the request waits. A failed summary request is not retried. A manual compaction makes the
// same summary.
func (r *Rules) setJCLI() {
	r.DefaultProfile, r.KeepLast = ProfileHeavy, 0
	r.TokenThreshold = jclTokenThreshold
	r.Auto.Background, r.Mask.Enabled = false, false
	r.Micro.Enabled = true
	r.Summary.Mode, r.Summary.Input = ModeCumulative, InputRaw
	r.Summary.MaxTokens, r.Summary.Retries = jclSummaryTokens, 0
}

// builtinProfiles returns the built-in profiles (S64). heavy summarises by s.
func builtinProfiles(s SummaryRules) map[string]Profile {
	return map[string]Profile{
		ProfileDefault: {
			Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: true, Response: true,
		},
		ProfileHeavy: {Summarize: true, Summary: s},
		ProfileLight: {Reasoning: conversation.ReasoningStrip},
	}
}

package preset

import (
	"time"

	"plimsoll/compact/preset/adachsoft"
	"plimsoll/conversation"
)

// The values of the presets. Rules:
//
//   - A preset starts from Plimsoll's own values and puts those of its source in
//     their place. A key that a source does not know keeps Plimsoll's value, so
//     that a user who sets the switch beside it gets something sensible.
//   - Layers that a source does not have are off; Plimsoll's own are the masks.
//   - The values are complete and consistent: what the configuration demands of
//     a user (a hard line above the load line, a profile that exists) holds.

// Values of the sources.
const (
	s64KeepLast = 3 // S64: turns that a compaction by hand leaves alone

	d17TriggerRatio = 0.75 // D17: of the window
	d17MinTurns     = 5    // D17: only in conversations with more turns than this

	oneRetries = 1 // ONE: a failed call is made once more

	jclKeepRecent     = 10        // JCL: newest results that stay
	jclMinBytes       = 800       // JCL: larger results are replaced
	jclTokenThreshold = 256 * 800 // JCL: 204,800 tokens, whatever the window
	jclSummaryTokens  = 20_000    // JCL
)

// Plimsoll's own values, in tokens where they are amounts.
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

// TruncateShare is how far truncate goes down, as a share of the load line: to
// half of the window where a share of that is the load line.
const TruncateShare = 0.5 / DefaultTriggerRatio

// When Plimsoll's planner acts, and how far it goes. Tokens where they are
// amounts; what the ratios are of stands with [PlannerRules].
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

// RulesOf gives the complete rules of a preset; those of a name that is no
// preset are Plimsoll's own. Each call returns maps and lists of its own.
func RulesOf(p Name) Rules {
	r := plimsollRules()
	r.Preset = p
	switch p {
	case JP, JPHeavy, JPAuto:
		r.setJP(p)
	case Adachsoft:
		// The caller asks for it before every request; nothing else acts.
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

// DefaultRules gives the complete rules that hold when nothing is configured.
func DefaultRules() Rules { return RulesOf(Plimsoll) }

// plimsollRules is what holds when nothing is said, without the profiles.
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

// setJP sets what S64 and D17 say. Both are one system: S64 compacts by hand,
// and D17's section for automatic compaction is there, turned off, until
// somebody turns it on. Its stubs have no preview, it strips results of any
// size, and no tool is exempt but by its hint.
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

// setOneClaw sets what ONE says: at the load line, which is Plimsoll's too, a
// cumulative summary of all but the protected share, and nothing milder. By
// hand it summarises too.
func (r *Rules) setOneClaw() {
	r.DefaultProfile = ProfileHeavy
	r.Mask.Enabled = false
	r.Summary.Mode, r.Summary.Input = ModeCumulative, InputRaw
}

// setJCLI sets what JCL says: placeholders before every request, and above an
// absolute number of tokens a summary that replaces everything, while the
// request waits. A call that fails is not made again; by hand it is the same
// summary.
func (r *Rules) setJCLI() {
	r.DefaultProfile, r.KeepLast = ProfileHeavy, 0
	r.TokenThreshold = jclTokenThreshold
	r.Auto.Background, r.Mask.Enabled = false, false
	r.Micro.Enabled = true
	r.Summary.Mode, r.Summary.Input = ModeCumulative, InputRaw
	r.Summary.MaxTokens, r.Summary.Retries = jclSummaryTokens, 0
}

// builtinProfiles gives the profiles that exist without being written (S64).
// heavy summarises by the rules given.
func builtinProfiles(s SummaryRules) map[string]Profile {
	return map[string]Profile{
		ProfileDefault: {
			Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: true, Response: true,
		},
		ProfileHeavy: {Summarize: true, Summary: s},
		ProfileLight: {Reasoning: conversation.ReasoningStrip},
	}
}

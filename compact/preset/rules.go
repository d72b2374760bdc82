package preset

import (
	"maps"

	"plimsoll/compact/preset/adachsoft"
	"plimsoll/conversation"
)

// Rules is by what a conversation is compacted: the values of a preset, with
// what the user set in their place. It is a value; projecting never reads it,
// making overlays does.
type Rules struct {
	Preset         Name
	Enabled        bool // false: only recovery from an overflow acts automatically
	DefaultProfile string
	KeepLast       int     // newest turns that a compaction by hand leaves alone
	TriggerRatio   float64 // of the window: the load line
	HardRatio      float64 // of the window: the hard line
	ProtectedRatio float64 // of the window: newest tokens that a summary never covers
	TokenThreshold int     // absolute load line in tokens, 0 none

	Auto    AutoRules
	Evict   EvictRules
	Planner PlannerRules
	Mask    MaskRules
	Micro   MicroRules
	Dedupe  DedupeParams
	Summary SummaryRules

	Profiles map[string]Profile  // by name, the built-in ones included
	Tools    map[string]ToolRule // by name; tools without an entry have none
}

// Wording is the words of the rules' own overlays.
func (r Rules) Wording() *Wording { return WordingOf(r.Preset.Style()) }

// ActsByItself reports whether anything is done that nobody asked for, but the
// recovery from an overflow.
func (r Rules) ActsByItself() bool { return r.Enabled && r.Auto.Enabled }

// AutoRules is when compaction acts automatically (D17, ONE).
type AutoRules struct {
	Enabled    bool
	MinTurns   int    // only in conversations with more turns than this
	Profile    string // applied automatically, "" for what the preset does
	Background bool   // summaries are made beside the conversation
}

// PlannerRules is how far a pass goes and how rarely there is one.
type PlannerRules struct {
	TargetRatio   float64 // of the load line: what a pass goes down to
	EnoughRatio   float64 // of the load line: below it a summary has made room enough without masks
	TalkRatio     float64 // of what system prompt and tools leave below the load line: never goes further down
	StrideRatio   float64 // of the window: the largest stride
	GrowthRatio   float64 // of the window: the least growth between two passes
	ResultRatio   float64 // of the window: newest results that stay, and the current turn that does
	ProgressRatio float64 // of what is used: the least that a pass above the load line saves
	ColdTokens    int     // the least that masking saves while the cache is cold
	PayRequests   int     // within how many requests masking has to pay while it is warm
	Failures      int     // requests to a model in a row that come to nothing before none is made any more
	Bands         int     // summaries that stand beside each other
	BlockTokens   int     // all of them together
	BlockRatio    float64 // the same, of the window
	SummaryRatio  float64 // of the window: the longest summary asked for
}

// MaskRules is which old tool results become stubs. Amounts are tokens unless
// they say otherwise.
type MaskRules struct {
	Enabled         bool
	KeepTokens      int // newest results that stay, at most a quarter of the window
	KeepResults     int // newest results that stay, whatever their size
	FirstTurnTokens int // results of the first turn that stay
	Stride          int // least that must be reclaimable while the cache is warm
	Preview         int // code points shown in a stub from each end
	MinChars        int // shorter results stay
}

// MicroRules is J-CLI's first layer.
type MicroRules struct {
	Enabled    bool
	KeepRecent int // newest results that stay
	MinBytes   int // results of up to this many bytes stay
}

// SummaryRules is how a summary is asked for.
type SummaryRules struct {
	Model        string // provider/id, "" for the conversation's own
	Instructions string // in place of the built-in ones, "" for those
	MaxTokens    int
	Mode         SummaryMode
	Input        SummaryInput
	Retries      int
	TimeoutSecs  int
	Review       bool // the user reads a summary, and may change it, before it takes effect
	When         SummaryWhen
}

// SummaryWhen is when a model is asked for a summary.
type SummaryWhen string

// The times of summaries.
const (
	SummaryAtLoadLine SummaryWhen = "load-line" // of what a step at the load line evicts, and when the user asks
	SummaryByHand     SummaryWhen = "by-hand"   // only when the user asks, or the model with its tool
	SummaryNever      SummaryWhen = "never"
)

// SummaryMode is how summaries add up.
type SummaryMode string

// The modes of summaries.
const (
	ModeBands      SummaryMode = "bands"      // each covers turns of its own
	ModeCumulative SummaryMode = "cumulative" // the last one is summarised with what came after (ONE)
	ModeRawUnion   SummaryMode = "raw-union"  // everything again, from what was said (S64)
)

// SummaryInput is what the summariser reads.
type SummaryInput string

// The inputs of summaries, as rules and as recorded in an overlay.
const (
	InputAuto    SummaryInput = "auto"    // view while the provider's cache is warm, else raw
	InputRaw     SummaryInput = "raw"     // the events as they were said
	InputView    SummaryInput = "view"    // the request as last sent, and one for a summary
	InputMerged  SummaryInput = "merged"  // earlier summaries and what came after; recorded only
	InputExtract SummaryInput = "extract" // no model: sentences chosen by rule; recorded only
)

// Profile is a named set of policies for a compaction by hand (S64). With
// Summarize the other two do not matter.
type Profile struct {
	Reasoning conversation.ReasoningPolicy
	ToolCalls conversation.ToolCallPolicy
	Request   bool // strip reduces arguments
	Response  bool // strip reduces results
	Summarize bool
	Summary   SummaryRules // in force for this profile, complete; meaningful with Summarize
}

// ToolRule is what is known about a tool's calls (D17, ADA, JCL).
type ToolRule struct {
	Request     Keep     // of arguments
	Response    Keep     // of results
	Exempt      bool     // results are never masked by rules of their age
	Identifiers []string // arguments that tell calls apart
}

// Keep is a hint for one side of a tool's calls.
type Keep string

// The hints (D17).
const (
	KeepInherit Keep = "" // as the profile says
	KeepWhole   Keep = "keep"
	KeepStrip   Keep = "strip"
)

// DedupeParams is what the reduction of repeated calls works by (ADA).
type DedupeParams struct {
	Enabled              bool
	InputTrimBytes       int                 // argument fields over this many bytes are omitted
	OutputTrimBytes      int                 // result fields over this many bytes are omitted
	ExcludedTools        []string            // never touched
	ToolIdentifierFields map[string][]string // arguments that tell calls of a tool apart; never omitted
}

// RepeatParams is Dedupe with the identifiers of tools that it has no entry
// for taken from Tools.
func (r Rules) RepeatParams() adachsoft.Params {
	p := adachsoft.Params(r.Dedupe)
	p.ToolIdentifierFields = maps.Clone(p.ToolIdentifierFields)
	if p.ToolIdentifierFields == nil {
		p.ToolIdentifierFields = map[string][]string{}
	}
	for name, tool := range r.Tools {
		if _, set := p.ToolIdentifierFields[name]; !set && len(tool.Identifiers) > 0 {
			p.ToolIdentifierFields[name] = tool.Identifiers
		}
	}
	return p
}

// Rearm is how many tokens a request has to grow by after a compaction before
// another one may follow automatically, for a window of so many tokens, 0 unknown:
// one stride, and so that it is felt.
func (r Rules) Rearm(window int) int {
	return max(r.Stride(window), int(r.Planner.GrowthRatio*float64(window)))
}

// Stride is how many tokens have to come together before masking them is worth
// a break of the prefix, for a window of so many tokens, 0 unknown.
func (r Rules) Stride(window int) int {
	if window <= 0 {
		return r.Mask.Stride
	}
	return min(r.Mask.Stride, int(r.Planner.StrideRatio*float64(window)))
}

// Summarises reports whether rules ever ask for a summary automatically.
func (r Rules) Summarises() bool {
	if r.Summary.When != SummaryAtLoadLine {
		return false
	}
	if r.Auto.Profile != "" {
		return r.Profiles[r.Auto.Profile].Summarize
	}
	return r.Preset.Design().Acts != ActOnRepeats
}

// Asks reports whether rules ask a model for a summary without the user.
func (r Rules) Asks() bool {
	return r.Summary.When == SummaryAtLoadLine
}

// Evicts reports whether the rules evict, automatically and without a model.
func (r Rules) Evicts() bool {
	return r.Auto.Profile == "" && r.Preset.Design().Acts == ActEvict
}

// Waits reports whether rules do nothing themselves about a request that was
// refused: the ladder does.
func (r Rules) Waits() bool {
	switch r.Preset.Design().Acts {
	case ActSummariseAll, ActOnRepeats, ActDrop:
		return true
	}
	return r.Auto.Profile != ""
}

// ProtectedShare is how much of a window of so many tokens stays as it is: its newest
// tokens. A small window calls for less than the default.
func (r Rules) ProtectedShare(window int) float64 {
	if r.ProtectedRatio == DefaultProtectedRatio {
		return SharesOf(window).protected
	}
	return r.ProtectedRatio
}

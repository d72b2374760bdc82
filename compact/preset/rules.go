package preset

import (
	"maps"
	"time"

	"plimsoll/compact/preset/adachsoft"
	"plimsoll/conversation"
)

// Rules are the complete compaction settings: the values of a preset, overridden by the user's. Overlays are made by
// rules; projecting a log never reads them.
type Rules struct {
	Values
	Profiles map[string]Profile  // by name, the built-in ones included
	Tools    map[string]ToolRule // by name; other tools have no rule
}

// Values are the settings that a preset fills key by key: the section compaction of the configuration. Ratios are
// shares of the window in (0, 1].
type Values struct {
	Enabled        bool             `yaml:"enabled" title:"Automatic compaction" doc:"Every automatic part; without it only recovery from a refused request remains."`
	Preset         Name             `yaml:"preset" title:"Preset" enum:"plimsoll,jp,jp-heavy,jp-auto,adachsoft,oneclaw,jcli,raw,truncate" doc:"Rule set that fills the keys of this section that you do not set yourself."`
	DefaultProfile string           `yaml:"default_profile" title:"Profile of /compact" doc:"Profile used when a command names none."`
	KeepLast       int              `yaml:"keep_last" title:"Newest turns that /compact leaves alone" doc:"Newest turns left alone by a manual compaction."`
	TriggerRatio   float64          `yaml:"trigger_ratio" title:"Compacts at" check:"ratio" doc:"The load line: share of the window at which compaction acts. Under preset plimsoll the default lies nearer to hard_ratio in windows of less than 128k."`
	HardRatio      float64          `yaml:"hard_ratio" title:"Requests wait from" check:"ratio" doc:"The hard line: share of the window above which a request is held until there is room; above trigger_ratio."`
	ProtectedRatio float64          `yaml:"protected_ratio" title:"Newest part left alone" check:"ratio" doc:"Share of the window, counted from the newest message back, that is neither evicted nor summarized."`
	TokenThreshold int              `yaml:"token_threshold" title:"Compacts at, in tokens" doc:"Load line in tokens, if lower than trigger_ratio gives; 0 = none."`
	Auto           AutoRules        `yaml:"auto" title:"Auto-compaction"`
	Evict          EvictRules       `yaml:"evict" title:"What a compaction leaves"`
	Planner        PlannerRules     `yaml:"planner" title:"Limits of a compaction"`
	Mask           MaskRules        `yaml:"mask" title:"Old tool results"`
	Micro          MicroRules       `yaml:"micro" title:"Old tool results, preset jcli"`
	Dedupe         adachsoft.Params `yaml:"dedupe" title:"Repeated calls, preset adachsoft"`
	Summary        SummaryRules     `yaml:"summary" title:"Summaries"`
}

// Wording returns the texts of the preset's overlays.
func (r Rules) Wording() *Wording { return WordingOf(r.Preset.Style()) }

// ActsAutomatically reports whether compaction happens without a command, apart from recovery after a refused
// request.
func (r Rules) ActsAutomatically() bool { return r.Enabled && r.Auto.Enabled }

// AutoRules set when compaction acts automatically (JP's RFD D17, OneClaw).
type AutoRules struct {
	Enabled    bool   `yaml:"enabled" title:"Compacts without being asked" doc:"Compact at the load line without being asked."`
	MinTurns   int    `yaml:"min_turns" title:"Only with more turns than" doc:"Only in conversations with more turns than this."`
	Profile    string `yaml:"profile" title:"Profile it applies" doc:"Profile that automatic compaction applies; empty = what the preset does."`
	Background bool   `yaml:"background" title:"Writes summaries in the background" doc:"Write summaries in the background; otherwise the next request waits for them."`
}

// PlannerRules set how far a compaction reduces the view and how often compactions happen.
type PlannerRules struct {
	TargetRatio   float64 `yaml:"target_ratio" title:"If nothing else makes room, leaves" check:"ratio" doc:"Share of the load line down to which the oldest messages are left out when nothing else makes room."`
	EnoughRatio   float64 `yaml:"enough_ratio" title:"Above the hard line, stops at" check:"ratio" doc:"Share of the load line at which step-by-step compaction above the hard line stops."`
	TalkRatio     float64 `yaml:"talk_ratio" title:"Never aims below" check:"ratio" doc:"Share of what system prompt and tools leave below the load line; compaction never aims lower."`
	StrideRatio   float64 `yaml:"stride_ratio" title:"Masking need not save more than" check:"ratio" doc:"Largest stride, as a share of the window."`
	GrowthRatio   float64 `yaml:"growth_ratio" title:"Least growth between two compactions" check:"ratio" doc:"Least growth between two steps at the load line, as a share of the window; never less than a stride."`
	ResultRatio   float64 `yaml:"result_ratio" title:"Most of the window for kept results" check:"ratio" doc:"Share of the window that bounds mask.keep_tokens, and below which the results of the current turn stay."`
	ProgressRatio float64 `yaml:"progress_ratio" title:"Least that a step saves" check:"ratio" doc:"Least that a step has to save, as a share of what is used."`
	ColdTokens    int     `yaml:"cold_tokens" title:"Least that masking saves after a pause, in tokens" doc:"Least that masking has to save once the provider's cache has expired."`
	PayRequests   int     `yaml:"pay_requests" title:"Masking pays within, in requests" doc:"Number of requests within which masking has to pay while the provider's cache is warm."`
	Failures      int     `yaml:"failures" title:"Failed summaries before it stops asking" min:"1" doc:"Failed summary requests in a row after which none is made automatically until you act or the model changes."`
	Bands         int     `yaml:"bands" title:"Summaries before they are merged" min:"1" doc:"Number of summaries kept before they are merged into one."`
	BlockTokens   int     `yaml:"block_tokens" title:"Merges summaries above, in tokens" min:"1" doc:"Total length of the summaries above which they are merged into one."`
	BlockRatio    float64 `yaml:"block_ratio" title:"Merges summaries above" check:"ratio" doc:"The same, as a share of the window."`
	SummaryRatio  float64 `yaml:"summary_ratio" title:"Longest summary" check:"ratio" doc:"Longest summary asked for, as a share of the window."`
}

// MaskRules set which old tool results are masked by stubs. Amounts are tokens unless stated otherwise.
type MaskRules struct {
	Enabled         bool `yaml:"enabled" title:"Replaced by stubs" doc:"Replace old tool results by stubs that recall can open."`
	KeepTokens      int  `yaml:"keep_tokens" title:"Newest that stay, in tokens" doc:"Newest tokens of tool results that stay (at most a quarter of the window)."`
	KeepResults     int  `yaml:"keep_results" title:"Newest that stay, in number" doc:"Newest tool results that stay, whatever their size."`
	FirstTurnTokens int  `yaml:"first_turn_tokens" title:"Of the first turn stay, in tokens" doc:"Tokens of the first turn's results that stay."`
	Stride          int  `yaml:"stride" title:"Least that masking saves, in tokens" doc:"Tokens that must be reclaimable before results are masked while the provider's cache is warm."`
	Preview         int  `yaml:"preview" title:"Characters shown at each end" doc:"Characters shown in a stub from the start and from the end of the result."`
	MinChars        int  `yaml:"min_chars" title:"Shorter ones stay, in characters" doc:"Results of fewer characters are never masked."`
}

// MicroRules set J-CLI's first layer: old tool results become one-line placeholders.
type MicroRules struct {
	Enabled    bool `yaml:"enabled" title:"Replaced by one line each" doc:"Replace old tool results by a one-line placeholder before every request (J-CLI)."`
	KeepRecent int  `yaml:"keep_recent" title:"Newest that stay, in number" doc:"Newest tool results that stay."`
	MinBytes   int  `yaml:"min_bytes" title:"Shorter ones stay, in bytes" doc:"Results of up to this many bytes stay."`
}

// SummaryRules set how summaries are requested.
type SummaryRules struct {
	Model        string        `yaml:"model" title:"Model that writes them" doc:"Model that writes summaries, provider/id; empty = the conversation's model."`
	Instructions string        `yaml:"instructions" title:"Instructions" doc:"Instructions that replace the built-in ones; empty = built in."`
	MaxTokens    int           `yaml:"max_tokens" title:"Longest summary, in tokens" min:"1" doc:"Longest summary asked for, in tokens."`
	Mode         SummaryMode   `yaml:"mode" title:"How they add up" enum:"bands,cumulative,raw-union" doc:"bands = one summary per stretch of turns; cumulative = the old summary is summarized with the new turns; raw-union = everything again from the original."`
	Input        SummaryInput  `yaml:"input" title:"Written from" enum:"auto,raw,view" doc:"What the summary is written from: view = the request as last sent (cheap while cached), raw = the original events, auto = view while the cache is warm, else raw."`
	Retries      int           `yaml:"retries" title:"Retries after a failure" max:"10" doc:"Silent retries of a failed summary request."`
	Timeout      time.Duration `yaml:"timeout" title:"Time limit" min:"1" doc:"Limit for one summary, retries included."`
	Review       bool          `yaml:"review" title:"You review each one first" doc:"Show a summary for editing before it takes effect, in the chat."`
	When         SummaryWhen   `yaml:"when" title:"When a model is asked for one" enum:"auto,load-line,by-hand,never" doc:"When a model is asked for one: auto = as load-line with a model without a price, else only where it pays: in windows above 32k, and if the model has looked back so often in this conversation that a summary costs less; load-line = of what a step at the load line evicts, and when one is asked for; by-hand = only when you or the model ask for one; never = not at all, the note stands alone."`
}

// SummaryWhen sets when a model is asked for a summary.
type SummaryWhen string

// The times of summaries.
const (
	SummaryAuto       SummaryWhen = "auto"      // of what is evicted at the load line, where it pays, and on request
	SummaryAtLoadLine SummaryWhen = "load-line" // of what is evicted at the load line, and on request
	SummaryByHand     SummaryWhen = "by-hand"   // only on request of the user or of the model
	SummaryNever      SummaryWhen = "never"
)

// SummaryMode sets how a new summary relates to earlier ones.
type SummaryMode string

// The modes of summaries.
const (
	ModeSeparate   SummaryMode = "bands"      // each covers its own turns
	ModeCumulative SummaryMode = "cumulative" // the last summary and the turns since are summarised together (OneClaw)
	ModeRawUnion   SummaryMode = "raw-union"  // all original turns are summarised again (JP's RFD 064)
)

// SummaryInput sets the text from which a summary is written.
type SummaryInput string

// The inputs of summaries, as rules and as recorded in an overlay.
const (
	InputAuto    SummaryInput = "auto"    // view while the provider's cache is warm, else raw
	InputRaw     SummaryInput = "raw"     // the original events
	InputView    SummaryInput = "view"    // the last request, followed by the instruction to summarise it
	InputMerged  SummaryInput = "merged"  // earlier summaries and the turns since; only recorded, not configurable
	InputExtract SummaryInput = "extract" // sentences chosen by rule, without a model; only recorded, not configurable
)

// Profile is a named set of policies for a manual compaction (JP's RFD 064). With Summarize, Reasoning and ToolCalls have no
// effect.
type Profile struct {
	Reasoning conversation.ReasoningPolicy
	ToolCalls conversation.ToolCallPolicy
	Request   bool // ToolCallsStrip reduces arguments
	Response  bool // ToolCallsStrip reduces results
	Summarize bool
	Summary   SummaryRules // all summary settings of this profile; used only with Summarize
}

// ToolRule sets how the calls of one tool are compacted (JP's RFD D17, adachsoft, J-CLI).
type ToolRule struct {
	Request     Hint     // for arguments
	Response    Hint     // for results
	Exempt      bool     // results are never masked by age
	Identifiers []string // arguments that identify a call: calls with equal ones are repeats
}

// Hint overrides the profile for one side of a tool's calls.
type Hint string

// The hints (JP's RFD D17).
const (
	HintInherit Hint = "" // as the profile says
	HintKeep    Hint = "keep"
	HintStrip   Hint = "strip"
)

// ResolvedDedupe returns Dedupe, with identifiers from Tools for the tools that it does not list.
func (r Rules) ResolvedDedupe() adachsoft.Params {
	p := r.Dedupe
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

// MinGrowth returns by how many tokens a request must grow after a compaction before the next automatic one, for a
// window in tokens (0 unknown). It is never less than a stride.
func (r Rules) MinGrowth(window int) int {
	return max(r.Stride(window), int(r.Planner.GrowthRatio*float64(window)))
}

// Stride returns how many tokens masking must save to be worth a break of the cached prefix, for a window in tokens
// (0 unknown).
func (r Rules) Stride(window int) int {
	if window <= 0 {
		return r.Mask.Stride
	}
	return min(r.Mask.Stride, int(r.Planner.StrideRatio*float64(window)))
}

// SummarisesAutomatically reports whether the rules can produce a summary without the user's request.
func (r Rules) SummarisesAutomatically() bool {
	if !r.AsksModelAutomatically() {
		return false
	}
	if r.Auto.Profile != "" {
		return r.Profiles[r.Auto.Profile].Summarize
	}
	return r.Preset.Design().Action != ActOnRepeats
}

// AsksModelAutomatically reports whether the rules may ask a model for a summary without the user's request.
func (r Rules) AsksModelAutomatically() bool {
	return r.Summary.When == SummaryAtLoadLine || r.Summary.When == SummaryAuto
}

// EvictsAutomatically reports whether the rules evict messages automatically, which needs no model.
func (r Rules) EvictsAutomatically() bool {
	return r.Auto.Profile == "" && r.Preset.Design().Action == ActEvict
}

// LeavesRefusalToRecovery reports whether the design does nothing about a refused request, so that the agent recovers.
func (r Rules) LeavesRefusalToRecovery() bool {
	switch r.Preset.Design().Action {
	case ActSummariseAll, ActOnRepeats, ActDrop:
		return true
	}
	return r.Auto.Profile != ""
}

// ProtectedShare returns the share of a window (in tokens) whose newest messages stay unchanged. The default is
// smaller for small windows.
func (r Rules) ProtectedShare(window int) float64 {
	if r.ProtectedRatio == DefaultProtectedRatio {
		return SharesFor(window).protected
	}
	return r.ProtectedRatio
}

// ColdProtectedShare is ProtectedShare for an eviction because the cache is cold. A lower protected_ratio of the user's
// holds for it, too.
func (r Rules) ColdProtectedShare(window int) float64 {
	share := r.Evict.Resolve(window).ColdProtected
	if r.Evict.ColdProtected == 0 && r.ProtectedRatio != DefaultProtectedRatio {
		share = min(share, r.ProtectedRatio)
	}
	return share
}

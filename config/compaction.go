package config

import "time"

// Compaction is how and when the model's view of a conversation is reduced. A preset fills the keys below it; a key set
// explicitly wins over the preset ([LoadOptions.Preset] gives its values, [Loaded.Explicit] tells which keys were set).
// Ratios are shares of the context window in (0, 1].
type Compaction struct {
	Enabled        bool               `yaml:"enabled" doc:"false turns every automatic part off; only recovery from a refused request remains."`
	Preset         string             `yaml:"preset" enum:"plimsoll,jp,jp-heavy,jp-auto,adachsoft,oneclaw,jcli,raw,truncate" doc:"Rule set that fills the keys of this section that you do not set yourself."`
	DefaultProfile string             `yaml:"default_profile" doc:"Profile used when a command names none."`
	KeepLast       int                `yaml:"keep_last" doc:"Newest turns left alone by a manual compaction."`
	TriggerRatio   float64            `yaml:"trigger_ratio" check:"ratio" doc:"The load line: share of the window at which compaction acts. Under preset plimsoll the default lies nearer to hard_ratio in windows of less than 128k."`
	HardRatio      float64            `yaml:"hard_ratio" check:"ratio" doc:"The hard line: share of the window above which a request is held until there is room; above trigger_ratio."`
	ProtectedRatio float64            `yaml:"protected_ratio" check:"ratio" doc:"Share of the window, counted from the newest message back, that is neither evicted nor summarized."`
	TokenThreshold int                `yaml:"token_threshold" doc:"Load line in tokens, if lower than trigger_ratio gives; 0 = none."`
	Auto           Auto               `yaml:"auto"`
	Evict          Evict              `yaml:"evict"`
	Planner        Planner            `yaml:"planner"`
	Mask           Mask               `yaml:"mask"`
	Micro          Micro              `yaml:"micro"`
	Dedupe         Dedupe             `yaml:"dedupe"`
	Summary        Summary            `yaml:"summary"`
	Profiles       map[string]Profile `yaml:"profiles" name:"NAME" names:"word" doc:"Named sets of policies for manual compaction; default, heavy and light are built in and can be redefined."`
}

// Auto is compaction that starts automatically.
type Auto struct {
	Enabled    bool   `yaml:"enabled" doc:"Compact at the load line without being asked."`
	MinTurns   int    `yaml:"min_turns" doc:"Only in conversations with more turns than this."`
	Profile    string `yaml:"profile" doc:"Profile that automatic compaction applies; empty = what the preset does."`
	Background bool   `yaml:"background" doc:"Write summaries in the background; false makes the next request wait for them."`
}

// Evict is how far a step of preset plimsoll evicts the oldest units, and how long the note is that stands for them.
type Evict struct {
	Target Share `yaml:"target" doc:"Share of the window that a step at the load line leaves; below trigger_ratio. auto = as a window of its size calls for."`
	Cold   Share `yaml:"cold" doc:"Share of the window that a step leaves once the provider's cache has gone cold; below it there is no such step; below trigger_ratio. auto = as a window of its size calls for."`
	Index  Share `yaml:"index" doc:"Share of the window for the index of names in the note. auto = as a window of its size calls for."`
	Words  Share `yaml:"words" doc:"Share of the window for your own words in the note. auto = as a window of its size calls for."`
}

// Planner is how rarely automatic compaction acts, how masks pay, and how far it goes where eviction is not enough. Amounts
// are estimated tokens unless they say otherwise.
type Planner struct {
	TargetRatio   float64 `yaml:"target_ratio" check:"ratio" doc:"Share of the load line down to which the oldest messages are left out when nothing else makes room."`
	EnoughRatio   float64 `yaml:"enough_ratio" check:"ratio" doc:"Share of the load line at which step-by-step compaction above the hard line stops."`
	TalkRatio     float64 `yaml:"talk_ratio" check:"ratio" doc:"Share of what system prompt and tools leave below the load line; compaction never aims lower."`
	StrideRatio   float64 `yaml:"stride_ratio" check:"ratio" doc:"Largest stride, as a share of the window."`
	GrowthRatio   float64 `yaml:"growth_ratio" check:"ratio" doc:"Least growth between two steps at the load line, as a share of the window; never less than a stride."`
	ResultRatio   float64 `yaml:"result_ratio" check:"ratio" doc:"Share of the window that bounds mask.keep_tokens, and below which the results of the current turn stay."`
	ProgressRatio float64 `yaml:"progress_ratio" check:"ratio" doc:"Least that a step has to save, as a share of what is used."`
	ColdTokens    int     `yaml:"cold_tokens" doc:"Least that masking has to save once the provider's cache has expired."`
	PayRequests   int     `yaml:"pay_requests" doc:"Number of requests within which masking has to pay while the provider's cache is warm."`
	Failures      int     `yaml:"failures" min:"1" doc:"Failed summary requests in a row after which none is made automatically until you act or the model changes."`
	Bands         int     `yaml:"bands" min:"1" doc:"Number of summaries kept before they are merged into one."`
	BlockTokens   int     `yaml:"block_tokens" min:"1" doc:"Total length of the summaries above which they are merged into one."`
	BlockRatio    float64 `yaml:"block_ratio" check:"ratio" doc:"The same, as a share of the window."`
	SummaryRatio  float64 `yaml:"summary_ratio" check:"ratio" doc:"Longest summary asked for, as a share of the window."`
}

// Mask is the hiding of old tool results behind stubs. Amounts are estimated tokens unless they say otherwise.
type Mask struct {
	Enabled         bool `yaml:"enabled" doc:"Replace old tool results by stubs that recall can open."`
	KeepTokens      int  `yaml:"keep_tokens" doc:"Newest tokens of tool results that stay (at most a quarter of the window)."`
	KeepResults     int  `yaml:"keep_results" doc:"Newest tool results that stay, whatever their size."`
	FirstTurnTokens int  `yaml:"first_turn_tokens" doc:"Tokens of the first turn's results that stay."`
	Stride          int  `yaml:"stride" doc:"Tokens that must be reclaimable before results are masked while the provider's cache is warm."`
	Preview         int  `yaml:"preview" doc:"Characters shown in a stub from the start and from the end of the result."`
	MinChars        int  `yaml:"min_chars" doc:"Results of fewer characters are never masked."`
}

// Micro is J-CLI's first layer: before every request old results become a placeholder (JCL).
type Micro struct {
	Enabled    bool `yaml:"enabled" doc:"Replace old tool results by a one-line placeholder before every request (J-CLI)."`
	KeepRecent int  `yaml:"keep_recent" doc:"Newest tool results that stay."`
	MinBytes   int  `yaml:"min_bytes" doc:"Results of up to this many bytes stay."`
}

// Dedupe is the reduction of repeated tool calls to the newest of each kind (ADA).
type Dedupe struct {
	Enabled              bool                `yaml:"enabled" doc:"Omit large fields of all but the newest call of each kind (adachsoft)."`
	InputTrimBytes       int                 `yaml:"input_trim_bytes" doc:"Argument fields over this many bytes are omitted."`
	OutputTrimBytes      int                 `yaml:"output_trim_bytes" doc:"Result fields over this many bytes are omitted."`
	ExcludedTools        []string            `yaml:"excluded_tools" check:"text" doc:"Tools that are never reduced."`
	ToolIdentifierFields map[string][]string `yaml:"tool_identifier_fields" name:"TOOL" names:"text" check:"text" doc:"Argument fields that tell calls of a tool apart; never omitted themselves."`
}

// The words of [Summary.When], from the most requests to a model to none.
const (
	summaryAtLoadLine = "load-line"
	summaryByHand     = "by-hand"
	summaryNever      = "never"
)

// Summary is when and how the model is asked to summarise older turns.
type Summary struct {
	Model        string        `yaml:"model" doc:"Model that writes summaries, provider/id; empty = the conversation's model."`
	Instructions string        `yaml:"instructions" doc:"Instructions that replace the built-in ones; empty = built in."`
	MaxTokens    int           `yaml:"max_tokens" min:"1" doc:"Longest summary asked for, in tokens."`
	Mode         string        `yaml:"mode" enum:"bands,cumulative,raw-union" doc:"bands = one summary per stretch of turns; cumulative = the old summary is summarized with the new turns; raw-union = everything again from the original."`
	Input        string        `yaml:"input" enum:"auto,raw,view" doc:"What the summary is written from: view = the request as last sent (cheap while cached), raw = the original events, auto = view while the cache is warm, else raw."`
	Retries      int           `yaml:"retries" max:"10" doc:"Silent retries of a failed summary request."`
	Timeout      time.Duration `yaml:"timeout" min:"1" doc:"Limit for one summary, retries included."`
	Review       bool          `yaml:"review" doc:"Show a summary for editing before it takes effect, in the chat."`
	When         string        `yaml:"when" enum:"load-line,by-hand,never" doc:"When a model is asked for one: load-line = of what a step at the load line evicts, and when one is asked for; by-hand = only when you or the model ask for one; never = not at all, the note stands alone."`
}

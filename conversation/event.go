package conversation

import "time"

// Event is one durable entry of a conversation's log.
type Event struct {
	Seq  uint64    // position in the log, gapless from 1
	Turn int       // 0-based; a turn starts at a user message
	Time time.Time // when it was appended, UTC, millisecond precision
	Body Body      // the content; never nil
}

// Kind is the name of a body's type in stored logs. Kinds are never renamed.
type Kind string

// The kinds of events.
const (
	KindUser         Kind = "user"
	KindAssistant    Kind = "assistant"
	KindResult       Kind = "result"
	KindUsage        Kind = "usage"
	KindInstructions Kind = "instructions"
	KindModel        Kind = "model"
	KindConfig       Kind = "config"
	KindRenamed      Kind = "renamed"
	KindNotice       Kind = "notice"
	KindTurnFailed   Kind = "turn_failed"
	KindMCPServer    Kind = "mcp_server"
	KindToolsLoaded  Kind = "tools_loaded"
	KindSkillLoaded  Kind = "skill_loaded"
	KindHookRan      Kind = "hook_ran"
	KindCheckpoint   Kind = "checkpoint"
	KindRewound      Kind = "rewound"
	KindInstructed   Kind = "instructions_loaded"
	KindTaskStarted  Kind = "task_started"
	KindTaskEnded    Kind = "task_ended"
	KindJobStarted   Kind = "job_started"
	KindJobEnded     Kind = "job_ended"

	// Overlays: each one is a new revision (see [Kind.IsOverlay]).
	KindCap     Kind = "cap"
	KindMask    Kind = "mask"
	KindSummary Kind = "summary"
	KindDrop    Kind = "drop"
	KindRewind  Kind = "rewind"
	KindPin     Kind = "pin"
	KindUnpin   Kind = "unpin"
	KindRevert  Kind = "revert"

	KindAttempt Kind = "attempt"
)

// IsOverlay reports whether events of this kind change how earlier events are
// shown to the model.
func (k Kind) IsOverlay() bool {
	switch k {
	case KindCap, KindMask, KindSummary, KindDrop, KindRewind, KindPin, KindUnpin, KindRevert:
		return true
	}
	return false
}

// Reduces reports whether events of this kind make the view shorter.
func (k Kind) Reduces() bool {
	switch k {
	case KindCap, KindMask, KindSummary, KindDrop:
		return true
	}
	return false
}

// Body is the content of an event. Implementations are values and are not changed
// once they are part of a log.
type Body interface{ Kind() Kind }

// IsMessage reports whether the model is sent a body as a message: user messages, replies and tool results.
func IsMessage(b Body) bool {
	switch b.(type) {
	case UserMessage, AssistantMessage, ToolResult:
		return true
	}
	return false
}

// UserMessage is a message of the user.
type UserMessage struct {
	Text  string `json:"text"`
	Hooks int    `json:"hooks,omitempty"` // bytes at the end of Text that hooks or the program added
	// Images are sent before Text.
	Images []Image `json:"images,omitempty"`
	Size   Size    `json:"-"` // of Text and Images
}

// Typed is the text without what hooks added.
func (m UserMessage) Typed() string {
	return Clean(m.Text[:len(m.Text)-min(max(m.Hooks, 0), len(m.Text))])
}

// AssistantMessage is a reply of the model. A cancelled or failed reply, of which only
// a part arrived, is a reply too.
type AssistantMessage struct {
	Text      string     `json:"text,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	Calls     []ToolCall `json:"calls,omitempty"`
	Stop      StopReason `json:"stop"`
	Model     string     `json:"model,omitempty"` // provider/id that wrote it
	Error     string     `json:"error,omitempty"` // the failure, for Stop failed; why the model refused, for Stop filtered
	// Extras are provider fields that later requests must echo with the message
	// (reasoning_details of OpenRouter, thought signatures of Gemini), by their
	// name on the wire. This package does not interpret them.
	Extras map[string]RawJSON `json:"extras,omitempty"`

	Size          Size `json:"-"` // of Text
	ReasoningSize Size `json:"-"` // of Reasoning
}

// StopReason is the reason why a reply ended.
type StopReason string

// The reasons why a reply can end.
const (
	StopEnd         StopReason = "stop"        // the model completed the reply
	StopCalls       StopReason = "calls"       // the model called tools
	StopLength      StopReason = "length"      // token limit or full window
	StopFiltered    StopReason = "filtered"    // the provider withheld the rest
	StopCancelled   StopReason = "cancelled"   // the user stopped it
	StopFailed      StopReason = "failed"      // the transport or server failed
	StopInterrupted StopReason = "interrupted" // the program ended while the reply arrived
)

// IsComplete reports whether the model ended the reply itself.
func (s StopReason) IsComplete() bool {
	return s == StopEnd || s == StopCalls || s == StopLength || s == StopFiltered
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID        string  `json:"id"`              // unique within the conversation
	Name      string  `json:"name"`            // of the tool
	Arguments string  `json:"arguments"`       // always a JSON object
	Extra     RawJSON `json:"extra,omitempty"` // provider field to echo with the call
	Size      Size    `json:"-"`               // of Name and Arguments
}

// ToolResult answers one call.
type ToolResult struct {
	CallID string       `json:"call_id"`
	Tool   string       `json:"tool"`
	Status ResultStatus `json:"status"`
	// Text is the result as the model is shown it: at most the configured number of
	// characters, followed by the marker of FEAT-011 if the result was cut.
	Text string `json:"text"`
	// Total is the number of characters before the cut, 0 if nothing was cut.
	Total int `json:"total,omitempty"`
	// Blob is the storage key of the full text if Text was cut, "" otherwise.
	Blob string `json:"blob,omitempty"`
	// Repeats is the Seq of an earlier result with the same text, 0 without one or for a
	// short text. If the earlier one is shown in full, a view may show a pointer to it here.
	Repeats uint64 `json:"repeats,omitempty"`
	// Images are sent after Text.
	Images []Image `json:"images,omitempty"`
	// Detail is only shown to the user (a diff, an exit code line) and never sent.
	Detail string `json:"detail,omitempty"`
	// Ran is the command that the user made of the call's before it ran, "" if it ran as it was.
	Ran      string        `json:"ran,omitempty"`
	Duration time.Duration `json:"duration,omitempty"`
	Size     Size          `json:"-"` // of Text and Images
}

// ResultStatus is the outcome of a tool call.
type ResultStatus string

// The outcomes of tool calls.
const (
	ResultOK          ResultStatus = "ok"
	ResultError       ResultStatus = "error"
	ResultDenied      ResultStatus = "denied"
	ResultInterrupted ResultStatus = "interrupted"
)

// Usage is the token usage that a provider reported for one request, appended in the
// same transaction as the reply. Token counts are -1 where the provider reported
// none.
type Usage struct {
	Reply      uint64  `json:"reply"`         // Seq of the reply to the request, 0 without a reply
	Purpose    Purpose `json:"for,omitempty"` // what the request was for
	Revision   uint64  `json:"revision"`      // overlay revision the request was built under
	Model      string  `json:"model"`         // provider/id
	Prompt     int     `json:"prompt"`        // tokens sent, cached ones included
	Cached     int     `json:"cached"`        // of Prompt, read from the provider's cache
	CacheWrite int     `json:"cache_write"`
	// CacheWriteLong is how many tokens of CacheWrite have the longer of two cache lifetimes.
	CacheWriteLong int `json:"cache_write_long,omitempty"`
	// CacheTTL is the cache lifetime that the request asked for, 0 if it did not ask.
	CacheTTL    time.Duration `json:"cache_ttl,omitempty"`
	Completion  int           `json:"completion"`         // tokens generated, reasoning included
	Reasoning   int           `json:"reasoning"`          // of Completion
	CostUSD     *float64      `json:"cost_usd,omitempty"` // nil: unknown
	PriceSource string        `json:"priced,omitempty"`   // "reported" or the catalogue's date
	// Estimate is the uncalibrated estimate of Prompt made before sending, in
	// tokens. The calibration compares it with Prompt.
	Estimate float64 `json:"estimate"`
	// Images is the part of Estimate that is images, by the model's own rule. The calibration leaves it out.
	Images float64 `json:"images,omitempty"`
	// BodyHash is the SHA-256 of the request body as sent, in hex, to compare
	// with a rebuilt request.
	BodyHash string `json:"body_hash,omitempty"`
	// Through is the Seq of the newest event that the request was built from, 0
	// if it was not recorded.
	Through uint64 `json:"through,omitempty"`
	// MaxTokens is the request's limit on the reply, in tokens, 0 without one.
	MaxTokens int `json:"max_tokens,omitempty"`
	// WireForm is how the endpoint's client encoded the request, as that client writes
	// it. With Through and MaxTokens it gives the same request body again.
	WireForm string `json:"form,omitempty"`
	// Undercounted reports that Prompt is less than what was sent: the server cut the
	// prompt silently, or counted only the tokens that its cache did not have. The cost
	// is valid, but Prompt does not tell how full the window is.
	Undercounted bool `json:"short,omitempty"`
}

// Purpose is the purpose of a request.
type Purpose string

// The purposes of requests. Only requests for replies tell how full the window is.
const (
	PurposeReply   Purpose = ""        // to continue the conversation
	PurposeSummary Purpose = "summary" // to summarize a part of it
	PurposeTitle   Purpose = "title"   // to name it
	PurposeWarm    Purpose = "warm"    // to keep the provider's cache warm in a pause
	PurposeServer  Purpose = "server"  // to answer an MCP server
	PurposeTask    Purpose = "task"    // all requests of a task, added up
)

// HasPromptCount reports whether the provider reported the tokens of the prompt.
func (u Usage) HasPromptCount() bool { return u.Prompt > 0 }

// CountsWholePrompt reports whether Prompt counts all tokens that were sent.
func (u Usage) CountsWholePrompt() bool { return u.HasPromptCount() && !u.Undercounted }

// Instructions records the system prompt and the tools array of all later
// requests. The texts are blobs, named by their hash.
type Instructions struct {
	System     string `json:"system"` // blob of the system prompt
	Tools      string `json:"tools"`  // blob of the tools array, JSON; "" without tools
	SystemSize Size   `json:"system_size"`
	ToolsSize  Size   `json:"tools_size"`
}

// ModelChanged records the model of all later requests.
type ModelChanged struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Window   int    `json:"window,omitempty"`  // tokens, 0 unknown
	Source   string `json:"source,omitempty"`  // of Window: "catalogue", "server" and so on
	MaxOut   int    `json:"max_out,omitempty"` // largest reply in tokens, 0 unknown
	// BaseURL is the endpoint's URL, without user, password and query; "" if it was not
	// recorded, and for the demo model, whose address changes with each run.
	BaseURL string `json:"base_url,omitempty"`
	// Effort is the provider's name of the reasoning effort; "" leaves it to the model.
	Effort string `json:"effort,omitempty"`
	// OneTurn means that this model only finishes the current turn in place of the previous
	// model. The conversation then continues with the previous one.
	OneTurn bool `json:"one_turn,omitempty"`
}

// Name returns the model as the user writes it: provider/id.
func (m ModelChanged) Name() string {
	if m.Provider == "" {
		return m.Model
	}
	return m.Provider + "/" + m.Model
}

// ConfigChanged records settings overridden for this conversation, by dotted
// key with the value in YAML form.
type ConfigChanged struct {
	Set map[string]string `json:"set"`
}

// Renamed gives the conversation a title. By is "user" or "auto".
type Renamed struct {
	Title string `json:"title"`
	By    string `json:"by,omitempty"`
}

// Notice is a message of the program to the user that the log keeps: a
// retry that was needed, a limit that was learned.
type Notice struct {
	Level NoticeLevel `json:"level"`
	Text  string      `json:"text"`
	// ThinkingRefused reports that the server refused the model's earlier reasoning, and that later requests omit it.
	ThinkingRefused bool `json:"thinking_refused,omitempty"`
}

// NoticeLevel is the severity of a notice.
type NoticeLevel string

// The levels of notices.
const (
	NoticeInfo    NoticeLevel = "info"
	NoticeWarning NoticeLevel = "warning"
	NoticeError   NoticeLevel = "error"
)

// TurnFailed ends a failed turn with the error that the user was shown. It never changes the view.
type TurnFailed struct {
	Class   string `json:"class"`
	Message string `json:"message"`          // what happened, with the number of tries
	Hint    string `json:"hint,omitempty"`   // what to do
	Status  int    `json:"status,omitempty"` // HTTP status, 0 without one
	Tries   int    `json:"tries,omitempty"`
	// Duration is the time that all tries took, in milliseconds.
	Duration int64 `json:"duration_ms,omitempty"`
}

// MCPServer records that an MCP server started or ended. It never changes the view.
type MCPServer struct {
	Server  string `json:"server"`            // its name in the configuration
	State   string `json:"state"`             // "ready", "failed", "stopped" or "changed" (its list of tools)
	Version string `json:"version,omitempty"` // its own name and version, as it reports them
	Tools   int    `json:"tools,omitempty"`   // tools that it offers and the configuration allows
	Size    Size   `json:"size"`              // of their declarations
	Error   string `json:"error,omitempty"`
}

// ToolsLoaded records the tools whose declarations the model got as text, in the result before it.
type ToolsLoaded struct {
	Tools []LoadedTool `json:"tools"`
}

// LoadedTool is a tool whose declaration the model looked up.
type LoadedTool struct {
	Name string `json:"name"`
	Size Size   `json:"size"` // of its declaration
}

// SkillLoaded records the skill whose text the model got, in the result before it.
type SkillLoaded struct {
	Name string `json:"name"`
	Path string `json:"path"` // of its SKILL.md
	Hash string `json:"hash"` // SHA-256 of the file, in hex
	Size Size   `json:"size"` // of the text
}

// HookRan records a command of the user that ran at a moment of the conversation.
type HookRan struct {
	Moment   string `json:"moment"` // "before_tool", "message" and so on, as in the configuration
	Command  string `json:"command"`
	Duration int64  `json:"duration_ms"`
	Refused  bool   `json:"refused,omitempty"` // it refused the call, the message or the compaction
	Reason   string `json:"reason,omitempty"`  // why it refused, or how it failed
	Failed   bool   `json:"failed,omitempty"`
	Added    Size   `json:"added"` // of the text that it added to the view
	// Keep are texts that a compaction has to keep.
	Keep []string `json:"keep,omitempty"`
}

// InstructionsLoaded records a file of instructions whose text the model got with the result of a call.
type InstructionsLoaded struct {
	Path string `json:"path"` // relative to the workspace, with slashes
	Hash string `json:"hash"` // SHA-256 of the file, in hex
	Size Size   `json:"size"` // of the text
	Call string `json:"call"` // the call whose result has the text
}

// Unknown is a body of a kind that this build does not know. It is kept verbatim so
// that an older build never destroys the log of a newer one.
type Unknown struct {
	Name Kind
	Raw  RawJSON // the body's JSON value
}

// RawJSON is a JSON value kept as it was read. Encoding may change its white space,
// never its value.
type RawJSON []byte

// MarshalJSON returns the value, null when empty.
func (r RawJSON) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON keeps a copy of the value.
func (r *RawJSON) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0], b...)
	return nil
}

// The kinds of bodies. The kind of an Unknown body is the name under which it was stored.

func (UserMessage) Kind() Kind        { return KindUser }
func (AssistantMessage) Kind() Kind   { return KindAssistant }
func (ToolResult) Kind() Kind         { return KindResult }
func (Usage) Kind() Kind              { return KindUsage }
func (Instructions) Kind() Kind       { return KindInstructions }
func (ModelChanged) Kind() Kind       { return KindModel }
func (ConfigChanged) Kind() Kind      { return KindConfig }
func (Renamed) Kind() Kind            { return KindRenamed }
func (Notice) Kind() Kind             { return KindNotice }
func (TurnFailed) Kind() Kind         { return KindTurnFailed }
func (MCPServer) Kind() Kind          { return KindMCPServer }
func (ToolsLoaded) Kind() Kind        { return KindToolsLoaded }
func (SkillLoaded) Kind() Kind        { return KindSkillLoaded }
func (HookRan) Kind() Kind            { return KindHookRan }
func (Checkpoint) Kind() Kind         { return KindCheckpoint }
func (Rewound) Kind() Kind            { return KindRewound }
func (InstructionsLoaded) Kind() Kind { return KindInstructed }
func (JobStarted) Kind() Kind         { return KindJobStarted }
func (JobEnded) Kind() Kind           { return KindJobEnded }
func (u Unknown) Kind() Kind          { return u.Name }

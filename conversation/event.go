package conversation

import "time"

// Event is one durable entry of a conversation's log.
type Event struct {
	Seq  uint64    // position in the log, gapless from 1
	Turn int       // 0-based; a turn starts at a user message
	Time time.Time // when it was appended, UTC, millisecond precision
	Body Body      // what happened; never nil
}

// Kind names the type of a body in stored logs. Kinds are never renamed.
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

	// Overlays: they count into the revision (see [Kind.IsOverlay]).
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

// Reduces reports whether events of this kind make what the model is sent shorter.
func (k Kind) Reduces() bool {
	switch k {
	case KindCap, KindMask, KindSummary, KindDrop:
		return true
	}
	return false
}

// Body is what an event says. Implementations are values and are not changed
// once they are part of a log.
type Body interface{ Kind() Kind }

// UserMessage is something the user said.
type UserMessage struct {
	Text string `json:"text"`
	Size Size   `json:"-"` // of Text
}

// AssistantMessage is a reply, whole or not: a cancelled or failed reply is a
// reply too.
type AssistantMessage struct {
	Text      string     `json:"text,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	Calls     []ToolCall `json:"calls,omitempty"`
	Stop      StopReason `json:"stop"`
	Model     string     `json:"model,omitempty"` // provider/id it came from
	Error     string     `json:"error,omitempty"` // what went wrong, for Stop failed; why the model refused, for Stop filtered
	// Extras are provider fields that must be echoed with the message
	// (reasoning_details of OpenRouter, thought signatures of Gemini), by the
	// name they have on the wire. Never interpreted here.
	Extras map[string]RawJSON `json:"extras,omitempty"`

	Size          Size `json:"-"` // of Text
	ReasoningSize Size `json:"-"` // of Reasoning
}

// StopReason says why a reply ended.
type StopReason string

// The ways a reply can end.
const (
	StopEnd         StopReason = "stop"        // the model was done
	StopCalls       StopReason = "calls"       // it asked for tools
	StopLength      StopReason = "length"      // token limit or full window
	StopFiltered    StopReason = "filtered"    // the provider withheld the rest
	StopCancelled   StopReason = "cancelled"   // the user stopped it
	StopFailed      StopReason = "failed"      // the transport or server failed
	StopInterrupted StopReason = "interrupted" // the program ended in mid-reply
)

// IsComplete reports whether the model ended the reply itself.
func (s StopReason) IsComplete() bool {
	return s == StopEnd || s == StopCalls || s == StopLength || s == StopFiltered
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID        string  `json:"id"`              // unique within the conversation
	Name      string  `json:"name"`            // the tool's
	Arguments string  `json:"arguments"`       // always a JSON object
	Extra     RawJSON `json:"extra,omitempty"` // provider field to echo with the call
	Size      Size    `json:"-"`               // of Name and Arguments
}

// ToolResult answers one call.
type ToolResult struct {
	CallID string       `json:"call_id"`
	Tool   string       `json:"tool"`
	Status ResultStatus `json:"status"`
	// Text is what the model is shown: at most the configured number of
	// characters and, if cut, the marker of FEAT-011 behind them.
	Text string `json:"text"`
	// Total is the number of characters before the cut, 0 if nothing was cut.
	Total int `json:"total,omitempty"`
	// Blob names the full text in the store when Text was cut, "" otherwise.
	Blob string `json:"blob,omitempty"`
	// Repeats is the Seq of an earlier result with the same text, 0 if there is
	// none worth naming. Where that one is shown in full, this one may point to it.
	Repeats uint64 `json:"repeats,omitempty"`
	// Detail is for the eye only (a diff, an exit code line); never sent.
	Detail   string        `json:"detail,omitempty"`
	Duration time.Duration `json:"duration,omitempty"`
	Size     Size          `json:"-"` // of Text
}

// ResultStatus says how a call ended.
type ResultStatus string

// The ways a call can end.
const (
	ResultOK          ResultStatus = "ok"
	ResultError       ResultStatus = "error"
	ResultDenied      ResultStatus = "denied"
	ResultInterrupted ResultStatus = "interrupted"
)

// Usage is what a provider reported for one request, appended in the same
// transaction as the reply. Token counts are -1 where the provider said
// nothing.
type Usage struct {
	Reply      uint64  `json:"reply"`         // Seq of the assistant message it came with, 0 if none did
	Purpose    Purpose `json:"for,omitempty"` // what the request was for
	Revision   uint64  `json:"revision"`      // overlay revision the request was built under
	Model      string  `json:"model"`         // provider/id
	Prompt     int     `json:"prompt"`        // tokens sent, cached ones included
	Cached     int     `json:"cached"`        // of Prompt, read from the provider's cache
	CacheWrite int     `json:"cache_write"`
	// CacheWriteLong is how many of CacheWrite are kept for the longer of two times.
	CacheWriteLong int `json:"cache_write_long,omitempty"`
	// CacheTTL is how long the request asked the provider's cache to hold it, 0 if it did not ask.
	CacheTTL    time.Duration `json:"cache_ttl,omitempty"`
	Completion  int           `json:"completion"`         // tokens generated, reasoning included
	Reasoning   int           `json:"reasoning"`          // of Completion
	CostUSD     *float64      `json:"cost_usd,omitempty"` // nil: unknown
	PriceSource string        `json:"priced,omitempty"`   // "reported" or the catalogue's date
	// Estimate is the uncalibrated estimate of Prompt made before sending, in
	// tokens: what the calibration learns from.
	Estimate float64 `json:"estimate"`
	// BodyHash is the SHA-256 of the request body as sent, in hex, so that a
	// rebuilt request can be compared.
	BodyHash string `json:"body_hash,omitempty"`
	// Through is the Seq of the newest event that the request was made of, 0
	// where nobody wrote it down.
	Through uint64 `json:"through,omitempty"`
	// MaxTokens is the bound on the reply that the request carried, 0 none.
	MaxTokens int `json:"max_tokens,omitempty"`
	// WireForm is how the endpoint's client put the request into bytes, in its own
	// words: with Through and MaxTokens it makes the same bytes again.
	WireForm string `json:"form,omitempty"`
	// Undercounted says that Prompt is less than was sent: the server cut the prompt
	// silently, or counted only what its cache did not have. What was billed
	// stands; how full the window is must not be read from it.
	Undercounted bool `json:"short,omitempty"`
}

// Purpose is what a request was made for.
type Purpose string

// The purposes of requests.
const (
	PurposeReply   Purpose = ""        // the conversation itself
	PurposeSummary Purpose = "summary" // says nothing about how full the window is
	PurposeTitle   Purpose = "title"   // nor does this
)

// HasPromptCount reports whether the provider said how long the prompt was.
func (u Usage) HasPromptCount() bool { return u.Prompt > 0 }

// CountsWholePrompt reports whether it counted all of the prompt.
func (u Usage) CountsWholePrompt() bool { return u.HasPromptCount() && !u.Undercounted }

// Instructions records the system prompt and the tools array that requests
// carry from here on; the texts are blobs, named by their hash.
type Instructions struct {
	System     string `json:"system"` // blob of the system prompt
	Tools      string `json:"tools"`  // blob of the tools array, JSON; "" without tools
	SystemSize Size   `json:"system_size"`
	ToolsSize  Size   `json:"tools_size"`
}

// ModelChanged records the model that requests go to from here on.
type ModelChanged struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Window   int    `json:"window,omitempty"`  // tokens, 0 unknown
	Source   string `json:"source,omitempty"`  // where Window came from
	MaxOut   int    `json:"max_out,omitempty"` // largest reply in tokens, 0 unknown
	// BaseURL is where requests go, without user, password and query; "" if it was not
	// recorded, and for the demo model, whose address is another one in each run.
	BaseURL string `json:"base_url,omitempty"`
	// Effort is how much the model is to reason, in the provider's word; "" leaves it to the model.
	Effort string `json:"effort,omitempty"`
	// OneTurn says that the model takes the turn over for the one before, with which the
	// conversation goes on.
	OneTurn bool `json:"one_turn,omitempty"`
}

// Name is the model as the user writes it: provider/id.
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

// Notice is something the program told the user that is worth keeping: a
// retry that was needed, a limit that was learned.
type Notice struct {
	Level NoticeLevel `json:"level"`
	Text  string      `json:"text"`
	// ThinkingRefused says that the server refused what the model thought before, and that no request carries it any more.
	ThinkingRefused bool `json:"thinking_refused,omitempty"`
}

// NoticeLevel grades a notice.
type NoticeLevel string

// The levels of notices.
const (
	NoticeInfo    NoticeLevel = "info"
	NoticeWarning NoticeLevel = "warning"
	NoticeError   NoticeLevel = "error"
)

// TurnFailed ends a turn that failed, as the user was told it. It never changes what the model is sent.
type TurnFailed struct {
	Class   string `json:"class"`
	Message string `json:"message"`          // what happened, with how often it was tried
	Hint    string `json:"hint,omitempty"`   // what to do
	Status  int    `json:"status,omitempty"` // HTTP status, 0 without one
	Tries   int    `json:"tries,omitempty"`
	// Duration is how long all tries took, in milliseconds.
	Duration int64 `json:"duration_ms,omitempty"`
}

// Unknown is a body of a kind this build cannot interpret, kept verbatim so
// that an older build never destroys a newer log.
type Unknown struct {
	Name Kind
	Raw  RawJSON // the body's JSON value
}

// RawJSON is a JSON value kept as it was read. Its bytes may be re-spaced by
// encoding; its value is not changed.
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

// The kinds of bodies; that of an unknown one is the name it was stored under.

func (UserMessage) Kind() Kind      { return KindUser }
func (AssistantMessage) Kind() Kind { return KindAssistant }
func (ToolResult) Kind() Kind       { return KindResult }
func (Usage) Kind() Kind            { return KindUsage }
func (Instructions) Kind() Kind     { return KindInstructions }
func (ModelChanged) Kind() Kind     { return KindModel }
func (ConfigChanged) Kind() Kind    { return KindConfig }
func (Renamed) Kind() Kind          { return KindRenamed }
func (Notice) Kind() Kind           { return KindNotice }
func (TurnFailed) Kind() Kind       { return KindTurnFailed }
func (u Unknown) Kind() Kind        { return u.Name }

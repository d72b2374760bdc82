package conversation

import (
	"slices"
)

// An overlay is an event that changes how earlier events are shown to the model.
// It changes and removes none of them. A Revert undoes it, and a Revert of that
// Revert puts it in force again. Everything that could change later (configuration,
// hints of tools, texts of a model) is decided when the overlay is made and stored
// in it, so that a log always gives the same view.
//
// Overlays refer to events by Seq. If the log lacks some of them (in a shortened
// copy, for example), a mask applies to the events that the log has, and a summary
// does not apply at all.

// Origin records the compaction that made an overlay: its cause and its effect.
type Origin struct {
	Epoch   uint64 `json:"epoch"` // Seq of the first overlay of the same epoch
	Source  Source `json:"source"`
	Trigger string `json:"trigger,omitempty"` // what started the compaction, in a word or two: "command", "load line"
	Preset  string `json:"preset,omitempty"`
	Profile string `json:"profile,omitempty"` // for a compaction by profile
	Before  int    `json:"before,omitempty"`  // estimated tokens of a request before the compaction
	After   int    `json:"after,omitempty"`   // estimated tokens after it
	Why     string `json:"why,omitempty"`     // one line for the user
}

// Source is who or what requested a compaction.
type Source string

// The sources of compactions.
const (
	SourceManual   Source = "manual"   // the user
	SourceAuto     Source = "auto"     // the planner
	SourceTool     Source = "tool"     // the model, through the compact tool
	SourceRecovery Source = "recovery" // recovery after a request overflowed the window
)

// Span is a range of events by Seq, both ends included. It may include events that
// are never sent to the model.
type Span struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Style selects the texts that replace hidden events: each preset uses the texts
// of the design that it follows.
type Style string

// The styles. Package compact/preset has the texts of each.
const (
	StylePlimsoll  Style = "plimsoll"
	StyleJP        Style = "jp"
	StyleAdachsoft Style = "adachsoft"
	StyleOneClaw   Style = "oneclaw"
	StyleJCLI      Style = "jcli"
)

// Part is the part of an event that a mask hides.
type Part string

// The parts of events.
const (
	PartResult    Part = "result"    // the text of a tool result
	PartArguments Part = "arguments" // of one call of a reply
	PartReasoning Part = "reasoning" // of a reply
)

// Cap shortens results or arguments to their beginning and end.
type Cap struct {
	Origin `json:"made"`
	Items  []CapItem `json:"items"`
}

// CapItem is one shortened text and how much of it is shown, in code points.
type CapItem struct {
	Event uint64 `json:"event"`
	Call  string `json:"call,omitempty"` // ID of the call with the arguments to shorten; "" for the text of a result
	Head  int    `json:"head"`           // shown from the beginning
	Tail  int    `json:"tail"`           // shown from the end
}

// Mask shows stubs in place of parts of events.
type Mask struct {
	Origin  `json:"made"`
	Style   Style      `json:"style"`
	Version int        `json:"version"`           // of the stub's wording
	Preview int        `json:"preview,omitempty"` // code points shown from the start and from the end of a result
	Items   []MaskItem `json:"items"`
}

// MaskItem is one part that a mask hides.
type MaskItem struct {
	Event uint64 `json:"event"`
	Part  Part   `json:"part"`
	Call  string `json:"call,omitempty"` // for PartArguments: the call's id
	// Fields are the top-level fields that are omitted from arguments or from a
	// result that is a JSON object; nil hides the whole part (adachsoft).
	Fields []string `json:"fields,omitempty"`
	// Threshold is the size in bytes above which fields were omitted (adachsoft).
	Threshold int `json:"threshold,omitempty"`
}

// Summary replaces a range of events. With Text, that text replaces all of them;
// without Text, Policies decide for each kind of content what is shown (JP's RFD 064).
type Summary struct {
	Origin   `json:"made"`
	Style    Style  `json:"style"`
	Version  int    `json:"version"` // of the wording around the text
	Spans    []Span `json:"spans"`   // covered, ascending; cuts fall between units
	FromTurn int    `json:"from_turn"`
	ToTurn   int    `json:"to_turn"`

	Text       string   `json:"text,omitempty"`       // written by a model
	Appendix   string   `json:"appendix,omitempty"`   // added by the program
	Input      string   `json:"input,omitempty"`      // what the model read: raw, view, merged, extract
	Parents    []uint64 `json:"parents,omitempty"`    // summaries that were merged into it
	Depth      int      `json:"depth,omitempty"`      // levels of summaries between it and the original messages
	Model      string   `json:"model,omitempty"`      // provider/id that wrote it
	Focus      string   `json:"focus,omitempty"`      // what the user or the model asked to preserve
	Transcript string   `json:"transcript,omitempty"` // file with the replaced messages (J-CLI)
	// Duration is how long writing the summary took, in milliseconds, 0 if it was not
	// recorded.
	Duration int64 `json:"duration_ms,omitempty"`
	// Edited reports that the user changed the model's text before it took effect.
	Edited bool `json:"edited,omitempty"`

	Policies *Policies `json:"policies,omitempty"`
}

// Policies are the per-content-type policies of a compaction without a model (JP's RFD 064).
// An empty policy leaves its content type unchanged.
type Policies struct {
	Reasoning ReasoningPolicy `json:"reasoning,omitempty"`
	ToolCalls ToolCallPolicy  `json:"tool_calls,omitempty"`
	Request   bool            `json:"request,omitempty"`  // strip reduces arguments
	Response  bool            `json:"response,omitempty"` // strip reduces results
	// Tools are the policies of tools whose hints differ from Request and
	// Response, by tool name (JP's RFD D17).
	Tools    map[string]ToolPolicy `json:"tools,omitempty"`
	Preview  int                   `json:"preview,omitempty"`   // as in Mask
	MinChars int                   `json:"min_chars,omitempty"` // shorter results stay
}

// ForTool reports which sides of a tool's calls are stripped: the arguments, the result.
func (p *Policies) ForTool(tool string) (request, response bool) {
	if t, ok := p.Tools[tool]; ok {
		return t.Request, t.Response
	}
	return p.Request, p.Response
}

// ReasoningPolicy is how reasoning is shown.
type ReasoningPolicy string

// ReasoningStrip removes reasoning from the view.
const ReasoningStrip ReasoningPolicy = "strip"

// ToolCallPolicy is how tool calls and their results are shown.
type ToolCallPolicy string

// The policies for tool calls.
const (
	ToolCallsStrip ToolCallPolicy = "strip" // with stubs in place of arguments and results
	ToolCallsOmit  ToolCallPolicy = "omit"  // not at all
)

// ToolPolicy tells which sides of a tool's calls are stripped.
type ToolPolicy struct {
	Request  bool `json:"request,omitempty"`
	Response bool `json:"response,omitempty"`
}

// Drop removes the oldest messages from the view: the last resort before a request
// fails.
type Drop struct {
	Origin `json:"made"`
	Spans  []Span `json:"spans"`
}

// Rewind removes turns from the view: all messages of turn Turn and later ones that precede
// the rewind in the log.
type Rewind struct {
	Origin `json:"made"`
	Turn   int `json:"turn"`
	// Reply is the Seq of an incomplete reply to remove as well, because its request is repeated; 0 without one. Turn is
	// then a turn that has not begun.
	Reply uint64 `json:"reply,omitempty"`
}

// Removes reports whether the rewind removes the unit that begins with event seq in turn.
func (r Rewind) Removes(turn int, seq uint64) bool {
	return turn >= r.Turn || r.Reply != 0 && seq == r.Reply
}

// Pin shows events unchanged, whichever other overlays cover them.
type Pin struct {
	Origin `json:"made"`
	Events []uint64 `json:"events"`
}

// Unpin ends the pins of events.
type Unpin struct {
	Origin `json:"made"`
	Events []uint64 `json:"events"`
}

// Revert undoes an epoch or one overlay. Another Revert can undo it.
type Revert struct {
	Origin `json:"made"`
	Epoch  uint64 `json:"reverts_epoch,omitempty"` // to undo, 0 to undo the single overlay Event
	Event  uint64 `json:"reverts_event,omitempty"`
	Redoes uint64 `json:"redoes,omitempty"` // for a redo: the epoch that it puts in force again; 0 for an undo
}

// Attempt is a failed compaction. The compaction log shows it; it never changes
// the view.
type Attempt struct {
	Source  Source `json:"source"`
	Trigger string `json:"trigger,omitempty"`
	Preset  string `json:"preset,omitempty"`
	Profile string `json:"profile,omitempty"`
	Outcome string `json:"outcome"` // failed, cancelled, stale
	Why     string `json:"why"`
	Model   string `json:"model,omitempty"`
	Before  int    `json:"before,omitempty"` // estimated tokens of a request
	// Duration is how long the attempt took, in milliseconds.
	Duration int64 `json:"duration_ms,omitempty"`
	// Tokens counts the prompts and replies of its summary requests, and CostUSD is their price, nil if unknown.
	Tokens  int      `json:"tokens,omitempty"`
	CostUSD *float64 `json:"cost_usd,omitempty"`
	// RetryTokens is the request size at which a model is asked for a summary again, 0 for the next compaction. Paused means
	// that no model is asked automatically until the user acts.
	RetryTokens int  `json:"next,omitempty"`
	Paused      bool `json:"paused,omitempty"`
}

// The outcomes of failed compactions.
const (
	AttemptFailed    = "failed"
	AttemptCancelled = "cancelled"
	AttemptStale     = "stale"
)

// overlayBody is the body of an overlay: one with an origin.
type overlayBody interface {
	origin() Origin
	withOrigin(Origin) Body
}

// OriginOf returns the origin of an overlay; false for other bodies.
func OriginOf(b Body) (Origin, bool) {
	if o, ok := b.(overlayBody); ok {
		return o.origin(), true
	}
	return Origin{}, false
}

// WithOrigin returns a copy of an overlay with another origin; other
// bodies are returned unchanged.
func WithOrigin(b Body, origin Origin) Body {
	if o, ok := b.(overlayBody); ok {
		return o.withOrigin(origin)
	}
	return b
}

func (o Origin) origin() Origin { return o }

func (b Cap) withOrigin(o Origin) Body     { b.Origin = o; return b }
func (b Mask) withOrigin(o Origin) Body    { b.Origin = o; return b }
func (b Summary) withOrigin(o Origin) Body { b.Origin = o; return b }
func (b Drop) withOrigin(o Origin) Body    { b.Origin = o; return b }
func (b Rewind) withOrigin(o Origin) Body  { b.Origin = o; return b }
func (b Pin) withOrigin(o Origin) Body     { b.Origin = o; return b }
func (b Unpin) withOrigin(o Origin) Body   { b.Origin = o; return b }
func (b Revert) withOrigin(o Origin) Body  { b.Origin = o; return b }

// The kinds of overlays and of failed compactions.

func (Cap) Kind() Kind     { return KindCap }
func (Mask) Kind() Kind    { return KindMask }
func (Summary) Kind() Kind { return KindSummary }
func (Drop) Kind() Kind    { return KindDrop }
func (Rewind) Kind() Kind  { return KindRewind }
func (Pin) Kind() Kind     { return KindPin }
func (Unpin) Kind() Kind   { return KindUnpin }
func (Revert) Kind() Kind  { return KindRevert }
func (Attempt) Kind() Kind { return KindAttempt }

// EpochOf returns the epoch of an overlay, which is its own Seq if its origin has
// none; 0 for other events.
func EpochOf(e Event) uint64 {
	made, ok := OriginOf(e.Body)
	if ok && made.Epoch == 0 {
		return e.Seq
	}
	return made.Epoch
}

// OverlaysInForce returns the indices into events of the overlays in force, ascending:
// those that no later revert undoes, singly or with their epoch. A revert has an
// effect only while it is in force itself; reverts are not listed.
func OverlaysInForce(events []Event) []int {
	overlays, _ := inForce(events)
	return overlays
}

// RevertsInForce returns the indices into events of the reverts in force,
// ascending.
func RevertsInForce(events []Event) []int {
	_, reverts := inForce(events)
	return reverts
}

// inForce returns the indices of the overlays and of the reverts in force. It scans
// backward, because only later events can undo an overlay.
func inForce(events []Event) (overlays, reverts []int) {
	epochs, singles := map[uint64]bool{}, map[uint64]bool{}
	for i, e := range slices.Backward(events) {
		if !e.Body.Kind().IsOverlay() {
			continue
		}
		if _, ok := OriginOf(e.Body); !ok || singles[e.Seq] || epochs[EpochOf(e)] {
			continue
		}
		b, ok := e.Body.(Revert)
		if !ok {
			overlays = append(overlays, i)
			continue
		}
		reverts = append(reverts, i)
		if b.Epoch != 0 {
			epochs[b.Epoch] = true
		} else {
			singles[b.Event] = true
		}
	}
	slices.Reverse(overlays)
	slices.Reverse(reverts)
	return overlays, reverts
}

// RewoundBy returns, for each index into events, the Seq of the rewind in force that
// removed the event, 0 without one; nil if no rewind is in force. A rewind removes
// whole units by the turn in which they began, and only messages before the rewind.
func RewoundBy(events []Event) []uint64 {
	var rewinds []uint64
	var units []Unit
	for _, at := range OverlaysInForce(events) {
		b, ok := events[at].Body.(Rewind)
		if !ok {
			continue
		}
		if rewinds == nil {
			rewinds, units = make([]uint64, len(events)), Units(events)
		}
		for _, u := range units {
			if !b.Removes(u.Turn, events[u.Events[0]].Seq) {
				continue
			}
			for _, i := range u.Events {
				if i < at && rewinds[i] == 0 {
					rewinds[i] = events[at].Seq
				}
			}
		}
	}
	return rewinds
}

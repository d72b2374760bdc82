package conversation

import (
	"slices"
)

// An overlay is an event that says how earlier events are shown to the model.
// Nothing it speaks of is changed or removed; a Revert undoes it, and a
// Revert of that brings it into force again. Everything that could differ
// tomorrow (configuration, hints of tools, texts of a model) is decided when
// the overlay is made and stands in it, so that what a log means never changes.
//
// Overlays name events by Seq. One that names events which a log does not hold
// (of a copy that was cut, say) is applied where that says nothing wrong: masks
// to the events that are there, summaries not at all.

// Origin says how an overlay came about.
type Origin struct {
	Epoch   uint64 `json:"epoch"` // Seq of the first overlay of the pass it belongs to
	Source  Source `json:"source"`
	Trigger string `json:"trigger,omitempty"` // what set the pass off, in a word or two: "command", "load line"
	Preset  string `json:"preset,omitempty"`
	Profile string `json:"profile,omitempty"` // for a compaction by profile
	Before  int    `json:"before,omitempty"`  // estimated tokens of a request before the pass
	After   int    `json:"after,omitempty"`   // expected after it
	Why     string `json:"why,omitempty"`     // one line for the user
}

// Source is who wanted a compaction.
type Source string

// The sources of overlays.
const (
	SourceManual   Source = "manual"   // the user
	SourceAuto     Source = "auto"     // the planner
	SourceTool     Source = "tool"     // the model, through the compact tool
	SourceRecovery Source = "recovery" // an overflow
)

// Span is a run of events, both ends included. Events of a span that are not
// sent to the model do not matter.
type Span struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Contains reports whether an event is in the span.
func (s Span) Contains(seq uint64) bool { return s.First <= seq && seq <= s.Last }

// Style is a family of texts that stand where something is hidden: each preset
// has the words of its own source.
type Style string

// The styles. The words of each stand in package compact.
const (
	StylePlimsoll  Style = "plimsoll"
	StyleJP        Style = "jp"        // S64
	StyleAdachsoft Style = "adachsoft" // ADA
	StyleOneClaw   Style = "oneclaw"   // ONE
	StyleJCLI      Style = "jcli"      // JCL
)

// Part is what of an event a mask hides.
type Part string

// The parts of events.
const (
	PartResult    Part = "result"    // the text of a tool result
	PartArguments Part = "arguments" // of one call of a reply
	PartReasoning Part = "reasoning" // of a reply
)

// Cap shows only the ends of results or arguments.
type Cap struct {
	Origin `json:"made"`
	Items  []CapItem `json:"items"`
}

// CapItem says how much of one text is shown, in code points.
type CapItem struct {
	Event uint64 `json:"event"`
	Call  string `json:"call,omitempty"` // of a reply: whose arguments; "" for the text of a result
	Head  int    `json:"head"`
	Tail  int    `json:"tail"`
}

// Mask shows stubs in place of parts of events.
type Mask struct {
	Origin  `json:"made"`
	Style   Style      `json:"style"`
	Version int        `json:"version"`           // of the stub's grammar
	Preview int        `json:"preview,omitempty"` // code points shown from the start and from the end of a result
	Items   []MaskItem `json:"items"`
}

// MaskItem is one part that a mask hides.
type MaskItem struct {
	Event uint64 `json:"event"`
	Part  Part   `json:"part"`
	Call  string `json:"call,omitempty"` // for PartArguments: the call's id
	// Fields are the top-level fields that are omitted, of arguments or of a
	// result that is a JSON object; nil is all of it (ADA).
	Fields []string `json:"fields,omitempty"`
	// Threshold is the size in bytes above which Fields were chosen (ADA).
	Threshold int `json:"threshold,omitempty"`
}

// Summary shows a range of events in another way: with Text, as that text in
// place of everything; without, by Policies (S64).
type Summary struct {
	Origin   `json:"made"`
	Style    Style  `json:"style"`
	Version  int    `json:"version"` // of the words around it
	Spans    []Span `json:"spans"`   // covered, ascending; cuts fall between units
	FromTurn int    `json:"from_turn"`
	ToTurn   int    `json:"to_turn"`

	Text       string   `json:"text,omitempty"`       // what a model wrote
	Appendix   string   `json:"appendix,omitempty"`   // what the program added to it
	Input      string   `json:"input,omitempty"`      // what the model read: raw, view, merged, extract
	Parents    []uint64 `json:"parents,omitempty"`    // summaries that were merged into it
	Depth      int      `json:"depth,omitempty"`      // how many summaries lie between it and the original messages
	Model      string   `json:"model,omitempty"`      // provider/id that wrote it
	Focus      string   `json:"focus,omitempty"`      // what the user or the model asked to preserve
	Transcript string   `json:"transcript,omitempty"` // file that holds what was replaced (JCL)
	// Duration is how long it took to be written, in milliseconds, 0 where nobody
	// wrote it down.
	Duration int64 `json:"duration_ms,omitempty"`
	// Edited says that the user changed what the model wrote before it took effect.
	Edited bool `json:"edited,omitempty"`

	Policies *Policies `json:"policies,omitempty"`
}

// Policies is what S64 calls the per-content-type policies of a compaction that
// needs no model. An empty field has no opinion on its content type.
type Policies struct {
	Reasoning ReasoningPolicy `json:"reasoning,omitempty"`
	ToolCalls ToolCallPolicy  `json:"tool_calls,omitempty"`
	Request   bool            `json:"request,omitempty"`  // strip reduces arguments
	Response  bool            `json:"response,omitempty"` // strip reduces results
	// Tools are the decisions for tools whose hints differ from Request and
	// Response, by name (D17).
	Tools    map[string]ToolPolicy `json:"tools,omitempty"`
	Preview  int                   `json:"preview,omitempty"`   // as in Mask
	MinChars int                   `json:"min_chars,omitempty"` // shorter results stay
}

// ForTool is what is stripped of the calls of one tool.
func (p *Policies) ForTool(tool string) (request, response bool) {
	if t, ok := p.Tools[tool]; ok {
		return t.Request, t.Response
	}
	return p.Request, p.Response
}

// ReasoningPolicy says what happens to reasoning.
type ReasoningPolicy string

// ReasoningStrip leaves reasoning out.
const ReasoningStrip ReasoningPolicy = "strip"

// ToolCallPolicy says what happens to calls and results.
type ToolCallPolicy string

// The policies for tool calls.
const (
	ToolCallsStrip ToolCallPolicy = "strip"
	ToolCallsOmit  ToolCallPolicy = "omit"
)

// ToolPolicy says what of one tool's calls is stripped.
type ToolPolicy struct {
	Request  bool `json:"request,omitempty"`
	Response bool `json:"response,omitempty"`
}

// Drop leaves the oldest messages out (the last resort before a request is
// given up).
type Drop struct {
	Origin `json:"made"`
	Spans  []Span `json:"spans"`
}

// Rewind removes turns from the view: everything from turn Turn on that was logged before
// the rewind.
type Rewind struct {
	Origin `json:"made"`
	Turn   int `json:"turn"`
	// Reply is the Seq of a reply that broke off and goes as well, 0 for none: its request is made again. Turn is then
	// one that has not begun.
	Reply uint64 `json:"reply,omitempty"`
}

// Removes reports whether it removes what begins with an event of a turn.
func (r Rewind) Removes(turn int, seq uint64) bool {
	return turn >= r.Turn || r.Reply != 0 && seq == r.Reply
}

// Pin keeps events as they were said, whatever else covers them.
type Pin struct {
	Origin `json:"made"`
	Events []uint64 `json:"events"`
}

// Unpin ends the pins of events.
type Unpin struct {
	Origin `json:"made"`
	Events []uint64 `json:"events"`
}

// Revert undoes an epoch or one overlay. It can be reverted in turn.
type Revert struct {
	Origin `json:"made"`
	Epoch  uint64 `json:"reverts_epoch,omitempty"` // 0: Event is meant
	Event  uint64 `json:"reverts_event,omitempty"`
	Redoes uint64 `json:"redoes,omitempty"` // the epoch that is in force again by it, 0 if it undoes one
}

// Attempt is a failed compaction. It is for the log of compactions and never
// changes what the model is sent.
type Attempt struct {
	Source  Source `json:"source"`
	Trigger string `json:"trigger,omitempty"`
	Preset  string `json:"preset,omitempty"`
	Profile string `json:"profile,omitempty"`
	Outcome string `json:"outcome"` // failed, cancelled, stale
	Why     string `json:"why"`
	Model   string `json:"model,omitempty"`
	Before  int    `json:"before,omitempty"` // estimated tokens of a request
	// Duration is how long it took, in milliseconds.
	Duration int64 `json:"duration_ms,omitempty"`
	// Tokens is what the requests to the model took, prompts and replies, and CostUSD their price, nil if unknown.
	Tokens  int      `json:"tokens,omitempty"`
	CostUSD *float64 `json:"cost_usd,omitempty"`
	// RetryTokens is the size of a request from which on a model is asked again, 0 where the next step does; Paused says that none
	// is asked automatically until the user acts.
	RetryTokens int  `json:"next,omitempty"`
	Paused      bool `json:"paused,omitempty"`
}

// The outcomes of attempts.
const (
	AttemptFailed    = "failed"
	AttemptCancelled = "cancelled"
	AttemptStale     = "stale"
)

// overlayBody is a body that says how it came about.
type overlayBody interface {
	made() Origin
	with(Origin) Body
}

// OriginOf is how an overlay came about; false for other events.
func OriginOf(b Body) (Origin, bool) {
	if o, ok := b.(overlayBody); ok {
		return o.made(), true
	}
	return Origin{}, false
}

// WithOrigin is an overlay with another account of how it came about; other
// bodies are returned as they are.
func WithOrigin(b Body, m Origin) Body {
	if o, ok := b.(overlayBody); ok {
		return o.with(m)
	}
	return b
}

func (m Origin) made() Origin { return m }

func (b Cap) with(m Origin) Body     { b.Origin = m; return b }
func (b Mask) with(m Origin) Body    { b.Origin = m; return b }
func (b Summary) with(m Origin) Body { b.Origin = m; return b }
func (b Drop) with(m Origin) Body    { b.Origin = m; return b }
func (b Rewind) with(m Origin) Body  { b.Origin = m; return b }
func (b Pin) with(m Origin) Body     { b.Origin = m; return b }
func (b Unpin) with(m Origin) Body   { b.Origin = m; return b }
func (b Revert) with(m Origin) Body  { b.Origin = m; return b }

// The kinds of bodies that change what the model is sent, and of attempts to.

func (Cap) Kind() Kind     { return KindCap }
func (Mask) Kind() Kind    { return KindMask }
func (Summary) Kind() Kind { return KindSummary }
func (Drop) Kind() Kind    { return KindDrop }
func (Rewind) Kind() Kind  { return KindRewind }
func (Pin) Kind() Kind     { return KindPin }
func (Unpin) Kind() Kind   { return KindUnpin }
func (Revert) Kind() Kind  { return KindRevert }
func (Attempt) Kind() Kind { return KindAttempt }

// EpochOf is the epoch of an overlay: the one it was made in, or its own Seq
// where it says nothing. 0 for events that are no overlays.
func EpochOf(e Event) uint64 {
	made, ok := OriginOf(e.Body)
	if ok && made.Epoch == 0 {
		return e.Seq
	}
	return made.Epoch
}

// OverlaysInForce lists the overlays of a log that are in force, as indices into events,
// ascending: those that no later revert undoes, alone or with their epoch. A
// revert counts only while it is in force itself; reverts are not listed.
func OverlaysInForce(events []Event) []int {
	overlays, _ := inForce(events)
	return overlays
}

// RevertsInForce lists the reverts of a log that are in force, as indices into
// events, ascending.
func RevertsInForce(events []Event) []int {
	_, reverts := inForce(events)
	return reverts
}

// inForce finds what is in force, from the end: whether an overlay is depends only
// on what comes after it.
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

// RewoundBy tells by index which rewind in force took an event back, by its Seq,
// 0 for none; nil if there is no rewind in force. A unit goes with the turn it
// began in, and only messages before the rewind go.
func RewoundBy(events []Event) []uint64 {
	var gone []uint64
	var units []Unit
	for _, at := range OverlaysInForce(events) {
		b, ok := events[at].Body.(Rewind)
		if !ok {
			continue
		}
		if gone == nil {
			gone, units = make([]uint64, len(events)), Units(events)
		}
		for _, u := range units {
			if !b.Removes(u.Turn, events[u.Events[0]].Seq) {
				continue
			}
			for _, i := range u.Events {
				if i < at && gone[i] == 0 {
					gone[i] = events[at].Seq
				}
			}
		}
	}
	return gone
}

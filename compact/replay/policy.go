package replay

import (
	"time"

	"plimsoll/compact"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A policy decides what the next request contains. It may append overlays, as all presets do. Its input is that of a preset
// in the program: the log so far, its view, and the size of the request.

// PolicySetting describes the conversation and the prices for which a policy is made.
type PolicySetting struct {
	Window        int        // tokens
	Sheet         PriceSheet // the sheet by which this run is billed
	Steps         bool       // a sheet of the replay has a price step
	ByBreakpoints bool       // a sheet of the replay bills by breakpoints
	// Arguments lists the argument names of each tool's calls in the whole conversation, for rules that need them
	// declared in advance.
	Arguments map[string][]string
}

// Policy is used by one run, in one goroutine. All functions may be nil.
type Policy struct {
	// StoreResult returns the event under which a new tool result is stored; v is the view of the previous request. A
	// cut result has its original number of characters in Total. A result with a Blob can be recalled in full.
	StoreResult func(v projection.View, e conversation.Event) conversation.Event
	// Decide is called before every request and at the end of every turn.
	Decide func(PolicyInput) (Decision, error)
	// Transform changes the view before it is sent. Only a policy that no overlay can express needs it.
	Transform func(projection.View) projection.View
	// HasRecall says that the model can call recall for hidden events, by the ids that it sees.
	HasRecall bool
	// UsesPrices says that the decisions depend on prices. Such a policy is replayed once under each sheet.
	UsesPrices bool
}

// PolicyMaker makes a new policy for one run.
type PolicyMaker func(PolicySetting) Policy

// PolicyInput is the input of one decision.
type PolicyInput struct {
	Log   []conversation.Event // messages and overlays so far; read-only
	View  projection.View      // of Log
	Meter meter.Meter          // of the next request without a decision, with prompt and tools
	Used  float64              // tokens of that request
	Idle  time.Duration        // since the end of the previous reply, 0 at the end of a turn
	Now   time.Time            // zero if the record has no times

	TurnStart bool // the request is the first of its turn
	TurnEnd   bool // a turn has ended, and no request follows
	First     bool // no request was sent before

	Window int        // tokens
	Sheet  PriceSheet // the sheet by which this run is billed
}

// Decision is the result of [Policy.Decide].
type Decision struct {
	Overlays     []conversation.Body // one epoch, in order
	SummaryCalls []SummaryCall       // the requests for its summaries, which are billed
}

// With returns the input after the overlays are appended to the log. Without overlays it returns in unchanged.
func (in PolicyInput) With(bodies ...conversation.Body) PolicyInput {
	if len(bodies) == 0 {
		return in
	}
	in.Log = append(in.Log[:len(in.Log):len(in.Log)], conversation.NextEvents(in.Log, in.Now, bodies...)...)
	in.View = projection.Project(in.Log)
	in.Meter = in.Meter.WithView(in.View)
	in.Used = in.Meter.RequestEstimate()
	return in
}

// CutOnArrival returns a StoreResult function that cuts long results. With keepFull the full text is stored, and the cut
// result contains its recall id.
func CutOnArrival(limit conversation.ArrivalCap, keepFull bool) func(projection.View, conversation.Event) conversation.Event {
	return func(_ projection.View, e conversation.Event) conversation.Event {
		b, ok := e.Body.(conversation.ToolResult)
		if !ok || b.Total > 0 {
			return e
		}
		recall := ""
		if keepFull {
			recall = conversation.RecallID{First: e.Seq, Last: e.Seq}.String()
		}
		text, total := limit.Apply(b.Text, recall)
		if total == 0 {
			return e
		}
		b.Text, b.Total, b.Size = text, total, conversation.Measure(text)
		if keepFull {
			b.Blob = "full"
		}
		e.Body = b
		return e
	}
}

// StoreResults returns the StoreResult function of this program for a window in tokens. It cuts long results, stores their full
// text, and refers from a repeated result to the earlier one if that is shown in full. Use the function for one run only.
func StoreResults(window int) func(projection.View, conversation.Event) conversation.Event {
	return storeResults(CutOnArrival(compact.ArrivalCap(preset.DefaultRules().Preset, 0, window), true))
}

func storeResults(cut func(projection.View, conversation.Event) conversation.Event) func(projection.View, conversation.Event) conversation.Event {
	var repeats compact.Repeats
	return func(v projection.View, e conversation.Event) conversation.Event {
		e = cut(v, e)
		if b, ok := e.Body.(conversation.ToolResult); ok {
			if seq := repeats.Of(b); seq != 0 && v.ShowsInFull(seq, b.Text) {
				b.Repeats = seq
				e.Body = b
			}
			repeats.Note(e)
		}
		return e
	}
}

// tokens converts a number of code points to tokens.
func tokens(chars int) float64 { return float64(chars) / meter.CharsPerToken }

package replay

import (
	"time"

	"plimsoll/compact"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A policy decides what the next request carries. It may append overlays, which
// is what all presets do, and sees only what they would see: the log so far, the
// view of it, and how large the request is.

// PolicySetting is what a policy is made for: one conversation.
type PolicySetting struct {
	Window int        // tokens
	Sheet  PriceSheet // in force
	Steps  bool       // some sheet of the replay has a price step
	Marked bool       // some sheet of the replay bills by marks
	// Arguments lists the arguments that the conversation's tools are called with,
	// by tool: for rules that want them declared beforehand.
	Arguments map[string][]string
}

// Policy is asked in the course of one replay, by one goroutine. All functions
// may be nil.
type Policy struct {
	// StoreResult is how a result is stored when it arrives, while v is what was sent
	// last. A result that is cut has its number of characters in Total; one that
	// names a Blob can be had whole.
	StoreResult func(v projection.View, e conversation.Event) conversation.Event
	// Decide is asked before every request, and when a turn has ended.
	Decide func(PolicyInput) (Decision, error)
	// Transform is the view as this policy would send it, where it is not what the
	// overlays say.
	Transform func(projection.View) projection.View
	// HasRecall says that the model can ask for what is hidden, by the ids it sees.
	HasRecall bool
	// UsesPrices says that prices matter to the policy: it is replayed under each
	// sheet.
	UsesPrices bool
}

// PolicyMaker makes a policy.
type PolicyMaker func(PolicySetting) Policy

// PolicyInput is what a policy sees.
type PolicyInput struct {
	Log   []conversation.Event // what was said and the overlays so far; not to be changed
	View  projection.View      // of Log
	Meter meter.Meter          // of the request as it would be now, prompt and tools included
	Used  float64              // tokens of that request
	Idle  time.Duration        // since the reply before ended, 0 right after it
	Now   time.Time            // zero if the record has no times

	TurnStart bool // the request is the first of its turn
	TurnEnd   bool // no request is due: a turn has ended
	First     bool // no request was made yet

	Window int        // tokens
	Sheet  PriceSheet // in force
}

// Decision is what a policy does.
type Decision struct {
	Overlays     []conversation.Body // one epoch, in this order
	SummaryCalls []SummaryCall       // requests for summaries that it took
}

// Cold reports whether the provider's cache no longer holds what was sent.
func (l PolicyInput) Cold() bool { return l.First || !l.Sheet.isWarm(l.Idle) }

// With is the look with overlays behind the log, as they would be appended.
// Without any it is l.
func (l PolicyInput) With(bodies ...conversation.Body) PolicyInput {
	if len(bodies) == 0 {
		return l
	}
	l.Log = append(l.Log[:len(l.Log):len(l.Log)], conversation.NextEvents(l.Log, l.Now, bodies...)...)
	l.View = projection.Project(l.Log)
	l.Meter = l.Meter.WithView(l.View)
	l.Used = l.Meter.RequestEstimate()
	return l
}

// CutOnArrival cuts results as they are cut when they arrive. Where the full text is
// kept they name it.
func CutOnArrival(most conversation.ArrivalCap, keep bool) func(projection.View, conversation.Event) conversation.Event {
	return func(_ projection.View, e conversation.Event) conversation.Event {
		b, ok := e.Body.(conversation.ToolResult)
		if !ok || b.Total > 0 {
			return e
		}
		recall := ""
		if keep {
			recall = conversation.RecallID{First: e.Seq, Last: e.Seq}.String()
		}
		text, total := most.Apply(b.Text, recall)
		if total == 0 {
			return e
		}
		b.Text, b.Total, b.Size = text, total, conversation.Measure(text)
		if keep {
			b.Blob = "full"
		}
		e.Body = b
		return e
	}
}

// StoreResults is how this program stores results in a window of so many tokens: cut
// with the full text kept, and with the number of an earlier result that has the
// same text and is shown in full. It is made for one replay.
func StoreResults(window int) func(projection.View, conversation.Event) conversation.Event {
	return storeResults(CutOnArrival(compact.ArrivalCap(preset.DefaultRules().Preset, 0, window), true))
}

func storeResults(cut func(projection.View, conversation.Event) conversation.Event) func(projection.View, conversation.Event) conversation.Event {
	var known compact.Repeats
	return func(v projection.View, e conversation.Event) conversation.Event {
		e = cut(v, e)
		if b, ok := e.Body.(conversation.ToolResult); ok {
			if seq := known.Of(b); seq != 0 && v.ShowsInFull(seq, b.Text) {
				b.Repeats = seq
				e.Body = b
			}
			known.Note(e)
		}
		return e
	}
}

// tokens is so many code points in tokens.
func tokens(chars int) float64 { return float64(chars) / meter.CharsPerToken }

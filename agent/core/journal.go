package core

import (
	"context"
	"maps"
	"slices"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What happened goes to storage first, then to memory, then to the meter, then
// to whoever watches. A cancelled turn is written too, so storage never sees
// the turn's end. What could not be stored is not forgotten: it goes in front
// of whatever is stored next.

// Journal is the conversation as it is stored, as the model is sent it, and by which
// rules. The turn loop and the compactor share it.
type Journal struct {
	Options  Options
	Updates  *updates.Mailbox
	Log      *conversation.Log
	View     projection.View
	Meter    meter.Meter
	Settings Settings
	Rules    preset.Rules
	Pending  []conversation.Body // to be appended before whatever comes next
	InTurn   bool                // a turn runs
	Appended func([]conversation.Event)
	paused   uint64 // Seq of the report after which a pause was counted last
}

// Append stores bodies as one transaction, behind whatever is pending. When it
// fails nothing of it counts; the error is an *Error of class NotSaved.
func (j *Journal) Append(ctx context.Context, bodies ...conversation.Body) ([]conversation.Event, error) {
	return j.AppendAt(ctx, j.Options.Now(), bodies...)
}

// AppendAt is Append for what happened at a time.
func (j *Journal) AppendAt(ctx context.Context, when time.Time, bodies ...conversation.Body) ([]conversation.Event, error) {
	all := append(j.Pending[:len(j.Pending):len(j.Pending)], bodies...)
	if len(all) == 0 {
		return nil, nil
	}
	events := j.Log.Prepare(when, all...)
	if err := j.Options.Log.Append(context.WithoutCancel(ctx), events); err != nil {
		return nil, NotSaved(err)
	}
	if err := j.Log.Commit(events); err != nil {
		return nil, NotSaved(err) // Prepare numbered them; only a second owner could break this
	}
	j.Pending = nil
	j.Appended(events)
	return events, nil
}

// Keep is Append for what must not get lost: if it cannot be stored now, it
// waits for the next append.
func (j *Journal) Keep(ctx context.Context, bodies ...conversation.Body) ([]conversation.Event, error) {
	events, err := j.Append(ctx, bodies...)
	if err != nil {
		j.Pending = append(j.Pending, bodies...)
	}
	return events, err
}

// KeepForLater keeps something that the turn has no part in: at once while idle, with
// the turn's next append otherwise, and with the first message in a
// conversation without messages.
func (j *Journal) KeepForLater(ctx context.Context, bodies ...conversation.Body) {
	j.Pending = append(j.Pending, bodies...)
	if j.InTurn {
		return
	}
	if err := j.Flush(ctx); err != nil {
		j.Updates.Put(updates.Failed{Err: err})
	}
}

// Flush stores what is pending. Conversations without messages are not kept.
func (j *Journal) Flush(ctx context.Context) *llm.Error {
	if j.Log.Len() == 0 && !speaks(j.Pending) {
		return nil
	}
	_, err := j.Append(ctx)
	return llm.AsError(err)
}

// speaks reports whether someone says something in bodies.
func speaks(bodies []conversation.Body) bool {
	for _, b := range bodies {
		switch b.(type) {
		case conversation.UserMessage, conversation.AssistantMessage:
			return true
		}
	}
	return false
}

// NextSeq is the Seq of the first body of the next append. What is pending
// comes before it, now or later.
func (j *Journal) NextSeq() uint64 { return uint64(j.Log.Len() + len(j.Pending) + 1) }

// NotSaved is a failure to write as the user is told it.
func NotSaved(err error) *llm.Error {
	return &llm.Error{
		Class: llm.NotSaved, Message: "the conversation could not be saved: " + err.Error(),
		Hint: "check the disk and the data folder, then continue: unsaved messages are saved with your next one",
		Err:  err,
	}
}

// Refold takes settings that events change into account, and tells the meter which thinking goes back.
func (j *Journal) Refold(events []conversation.Event, revision uint64) {
	s, again := &j.Settings, revision != j.View.Revision
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			s.Instructions, again = b, true
		case conversation.ModelChanged:
			s.Changed = b
		case conversation.ConfigChanged:
			maps.Copy(s.Recorded, b.Set)
		case conversation.Notice:
			if b.ThinkingRefused {
				s.ThinksAfter, again = e.Seq, true
			}
		}
		s.changes(e)
	}
	if again {
		j.WeighThinking()
	}
}

// WeighThinking tells the meter which thinking goes back.
func (j *Journal) WeighThinking() {
	if t, ok := j.Settings.Thinking(j.View); ok {
		j.Meter = j.Meter.WithThinking(t)
	}
}

// Whether the provider's cache still holds what was sent last, as far as the log
// tells.

// Moment is when the planner looks, before a request.
func (j *Journal) Moment() planner.Moment {
	events := j.Log.Events()
	for i := len(events) - 1; i >= 0; i-- {
		switch events[i].Body.(type) {
		case conversation.AssistantMessage, conversation.ToolResult:
			return planner.MomentRequest
		case conversation.UserMessage:
			return planner.MomentTurn
		}
	}
	return planner.MomentTurn
}

// cold reports whether the provider's cache no longer holds what was sent last,
// or that nobody knows: too long ago, by another model, or with another prompt.
func (j *Journal) cold() bool { return j.ColdFor(j.Settings.Model) }

// ColdFor is cold for a request to a model.
func (j *Journal) ColdFor(m llm.Model) bool {
	idle, changed := j.SinceReply(m)
	return changed || m.NoCache || m.Sheet().Cold(idle)
}

// SinceReply is how long ago the newest reply was reported, and whether what was
// sent for it is no longer the beginning of a request to m.
func (j *Journal) SinceReply(m llm.Model) (idle time.Duration, changed bool) {
	at, changed := j.LastReply(m)
	if at.IsZero() {
		return 0, changed
	}
	return j.Options.Now().Sub(at), changed
}

// LastReply is when the newest reply of m was reported, that of another model where m
// never gave one, the zero time if nothing was sent with the prompt in force yet; and
// whether what was sent for it is no longer the beginning of a request to m: it went to
// another model, with another prompt, or never. What other models said in between stands
// behind what m was sent.
func (j *Journal) LastReply(m llm.Model) (at time.Time, changed bool) {
	last, changed := j.lastReport(m)
	return last.Time, changed
}

// lastReport is LastReply with the event that reported it.
func (j *Journal) lastReport(m llm.Model) (last conversation.Event, changed bool) {
	system, tools := j.Settings.PromptSizes()
	for _, e := range slices.Backward(j.Log.Events()) {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			return last, true // nothing was sent with it yet
		case conversation.Usage:
			if b.For != conversation.ForReply {
				continue
			}
			in := j.Settings.Instructions
			changed := in.SystemSize != system || !m.Caps.NoTools && in.ToolsSize != tools
			if b.Model == m.Name() {
				return e, changed
			}
			if last.Seq == 0 {
				last = e
			}
		}
	}
	return last, true
}

// Situation is what a compaction made now depends on.
func (j *Journal) Situation() edit.Inputs {
	return edit.Inputs{
		Meter: j.Meter, Now: j.Options.Now(), Cold: j.cold(), Caps: j.Settings.Model.Caps, Answering: j.InTurn,
	}
}

// InBackground reports whether summaries are written in the background.
func (j *Journal) InBackground() bool { return j.Rules.Auto.Background }

// CoversMessages reports whether all messages and results in asked are in covered.
func (j *Journal) CoversMessages(covered, asked []conversation.Span) bool {
	in, of := conversation.Disjoint(covered), conversation.Disjoint(asked)
	return !slices.ContainsFunc(j.Log.Events(), func(e conversation.Event) bool {
		switch e.Body.(type) {
		case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult:
			return of.Holds(e.Seq) && !in.Holds(e.Seq)
		}
		return false
	})
}

// Price is PriceOf for the model in use; nil and nil where its prices are not
// known.
func (j *Journal) Price(p edit.Preview) (now *float64, paysAfter *int) {
	if j.Options.Cost == nil {
		return nil, nil
	}
	known := true
	m := j.Settings.Model
	now, paysAfter = llm.PriceOf(p, func(t llm.Tokens) float64 {
		usd, _ := j.Options.Cost(m, m.Writing(t))
		if usd == nil {
			known = false
			return 0
		}
		return *usd
	})
	if !known {
		return nil, nil
	}
	return now, paysAfter
}

// Unrecorded is what the log does not record yet of what the next request
// carries. Blobs are stored first.
func (j *Journal) Unrecorded(ctx context.Context) ([]conversation.Body, error) {
	s, told := &j.Settings, j.renew()
	if s.Blobs == nil {
		blobs, err := j.storePrompt(ctx)
		if err != nil {
			return nil, err
		}
		s.Blobs = &blobs
	}
	bodies := told
	if *s.Blobs != s.Instructions {
		if s.Instructions == (conversation.Instructions{}) {
			bodies = append(bodies, s.leftOut()...)
		}
		bodies = append(bodies, *s.Blobs)
	}
	if c := s.ModelChanged(); c != s.Changed {
		bodies = append(bodies, c)
	}
	if set := s.NewOverrides(); len(set) > 0 {
		bodies = append(bodies, conversation.ConfigChanged{Set: set})
	}
	return bodies, nil
}

// RecordSettings appends what the log does not record yet of what the next request
// carries.
func (j *Journal) RecordSettings(ctx context.Context) error {
	bodies, err := j.Unrecorded(ctx)
	if err != nil {
		return NotSaved(err)
	}
	_, err = j.Append(ctx, bodies...)
	return err
}

// RecordOverrides appends the overrides that the log does not have.
func (j *Journal) RecordOverrides(ctx context.Context) error {
	set := j.Settings.NewOverrides()
	if len(set) == 0 {
		return nil
	}
	_, err := j.Append(ctx, conversation.ConfigChanged{Set: set})
	return err
}

func (j *Journal) storePrompt(ctx context.Context) (conversation.Instructions, error) {
	s := &j.Settings
	in := conversation.Instructions{SystemSize: conversation.Measure(s.System), ToolsSize: conversation.Measure(s.toolText)}
	for _, part := range []struct {
		text string
		name *string
	}{{s.System, &in.System}, {s.toolText, &in.Tools}} {
		if part.text == "" {
			continue
		}
		blob, err := j.Options.Log.PutBlob(context.WithoutCancel(ctx), part.text)
		if err != nil {
			return in, err
		}
		*part.name = blob
	}
	return in, nil
}

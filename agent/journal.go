package agent

import (
	"context"
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

// journal is the conversation as it is stored, as the model is sent it, and by which
// rules. The turn loop and the compactor share it.
type journal struct {
	opts     Options
	updates  *updates.Mailbox
	log      *conversation.Log
	view     projection.View
	meter    meter.Meter
	settings settings
	rules    preset.Rules
	pending  []conversation.Body // to be appended before whatever comes next
	inTurn   bool                // a turn runs
	appended func([]conversation.Event)
}

// append stores bodies as one transaction, behind whatever is pending. When it
// fails nothing of it counts; the error is an *Error of class NotSaved.
func (j *journal) append(ctx context.Context, bodies ...conversation.Body) ([]conversation.Event, error) {
	return j.appendAt(ctx, j.opts.Now(), bodies...)
}

// appendAt is append for what happened at a time.
func (j *journal) appendAt(ctx context.Context, when time.Time, bodies ...conversation.Body) ([]conversation.Event, error) {
	all := append(j.pending[:len(j.pending):len(j.pending)], bodies...)
	if len(all) == 0 {
		return nil, nil
	}
	events := j.log.Prepare(when, all...)
	if err := j.opts.Log.Append(context.WithoutCancel(ctx), events); err != nil {
		return nil, notSaved(err)
	}
	if err := j.log.Commit(events); err != nil {
		return nil, notSaved(err) // Prepare numbered them; only a second owner could break this
	}
	j.pending = nil
	j.appended(events)
	return events, nil
}

// keep is append for what must not get lost: if it cannot be stored now, it
// waits for the next append.
func (j *journal) keep(ctx context.Context, bodies ...conversation.Body) ([]conversation.Event, error) {
	events, err := j.append(ctx, bodies...)
	if err != nil {
		j.pending = append(j.pending, bodies...)
	}
	return events, err
}

// keepForLater keeps something that the turn has no part in: at once while idle, with
// the turn's next append otherwise, and with the first message in a
// conversation without messages.
func (j *journal) keepForLater(ctx context.Context, bodies ...conversation.Body) {
	j.pending = append(j.pending, bodies...)
	if j.inTurn {
		return
	}
	if err := j.flush(ctx); err != nil {
		j.updates.Put(updates.Failed{Err: err})
	}
}

// flush stores what is pending. Conversations without messages are not kept.
func (j *journal) flush(ctx context.Context) *llm.Error {
	if j.log.Len() == 0 && !speaks(j.pending) {
		return nil
	}
	_, err := j.append(ctx)
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

// nextSeq is the Seq of the first body of the next append. What is pending
// comes before it, now or later.
func (j *journal) nextSeq() uint64 { return uint64(j.log.Len() + len(j.pending) + 1) }

// notSaved is a failure to write as the user is told it.
func notSaved(err error) *llm.Error {
	return &llm.Error{
		Class: llm.NotSaved, Message: "the conversation could not be saved: " + err.Error(),
		Hint: "check the disk and the data folder, then go on: what is not saved yet is kept and saved with your next message",
		Err:  err,
	}
}

// Whether the provider's cache still holds what was sent last, as far as the log
// tells.

// moment is when the planner looks, before a request.
func (j *journal) moment() planner.Moment {
	events := j.log.Events()
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
func (j *journal) cold() bool { return j.coldFor(j.settings.model) }

// coldFor is cold for a request to a model.
func (j *journal) coldFor(m llm.Model) bool {
	idle, gone := j.sinceReply(m)
	return gone || m.NoCache || m.Sheet().Cold(idle)
}

// sinceReply is how long ago the newest reply was reported, and whether what was
// sent for it is no longer the beginning of a request to m.
func (j *journal) sinceReply(m llm.Model) (idle time.Duration, gone bool) {
	at, gone := j.lastReply(m)
	if at.IsZero() {
		return 0, gone
	}
	return j.opts.Now().Sub(at), gone
}

// lastReply is when the newest reply was reported, the zero time if nothing was sent
// with the prompt in force yet, and whether what was sent for it is no longer the
// beginning of a request to m: it went to another model, with another prompt, or
// never.
func (j *journal) lastReply(m llm.Model) (at time.Time, gone bool) {
	system, tools := j.settings.promptSizes()
	for _, e := range slices.Backward(j.log.Events()) {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			return at, true // nothing was sent with it yet
		case conversation.Usage:
			if b.For != conversation.ForReply {
				continue
			}
			in := j.settings.instructions
			changed := in.SystemSize != system || !m.Caps.NoTools && in.ToolsSize != tools
			return e.Time, changed || b.Model != m.Name()
		}
	}
	return at, true
}

// situation is what a compaction made now depends on.
func (j *journal) situation() edit.Inputs {
	return edit.Inputs{
		Meter: j.meter, Now: j.opts.Now(), Cold: j.cold(), Caps: j.settings.model.Caps, Answering: j.inTurn,
	}
}

// inBackground reports whether summaries are written in the background.
func (j *journal) inBackground() bool { return j.rules.Auto.Background }

// coversMessages reports whether all messages and results in asked are in covered.
func (j *journal) coversMessages(covered, asked []conversation.Span) bool {
	in, of := conversation.Disjoint(covered), conversation.Disjoint(asked)
	return !slices.ContainsFunc(j.log.Events(), func(e conversation.Event) bool {
		switch e.Body.(type) {
		case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult:
			return of.Holds(e.Seq) && !in.Holds(e.Seq)
		}
		return false
	})
}

// price is PriceOf for the model in use; nil and nil where its prices are not
// known.
func (j *journal) price(p edit.Preview) (now *float64, paysAfter *int) {
	if j.opts.Cost == nil {
		return nil, nil
	}
	known := true
	now, paysAfter = llm.PriceOf(p, func(t llm.Tokens) float64 {
		usd, _ := j.opts.Cost(j.settings.model, t)
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

// unrecorded is what the log does not record yet of what the next request
// carries. Blobs are stored first.
func (j *journal) unrecorded(ctx context.Context) ([]conversation.Body, error) {
	s := &j.settings
	if s.blobs == nil {
		blobs, err := j.storePrompt(ctx)
		if err != nil {
			return nil, err
		}
		s.blobs = &blobs
	}
	var bodies []conversation.Body
	if *s.blobs != s.instructions {
		if s.instructions == (conversation.Instructions{}) {
			bodies = append(bodies, s.leftOut()...)
		}
		bodies = append(bodies, *s.blobs)
	}
	if c := s.modelChanged(); c != s.changed {
		bodies = append(bodies, c)
	}
	if set := s.newOverrides(); len(set) > 0 {
		bodies = append(bodies, conversation.ConfigChanged{Set: set})
	}
	return bodies, nil
}

// recordSettings appends what the log does not record yet of what the next request
// carries.
func (j *journal) recordSettings(ctx context.Context) error {
	bodies, err := j.unrecorded(ctx)
	if err != nil {
		return notSaved(err)
	}
	_, err = j.append(ctx, bodies...)
	return err
}

// recordOverrides appends the overrides that the log does not have.
func (j *journal) recordOverrides(ctx context.Context) error {
	set := j.settings.newOverrides()
	if len(set) == 0 {
		return nil
	}
	_, err := j.append(ctx, conversation.ConfigChanged{Set: set})
	return err
}

func (j *journal) storePrompt(ctx context.Context) (conversation.Instructions, error) {
	s := &j.settings
	in := conversation.Instructions{SystemSize: conversation.Measure(s.system), ToolsSize: conversation.Measure(s.toolText)}
	for _, part := range []struct {
		text string
		name *string
	}{{s.system, &in.System}, {s.toolText, &in.Tools}} {
		if part.text == "" {
			continue
		}
		blob, err := j.opts.Log.PutBlob(context.WithoutCancel(ctx), part.text)
		if err != nil {
			return in, err
		}
		*part.name = blob
	}
	return in, nil
}

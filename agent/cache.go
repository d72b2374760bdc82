package agent

import (
	"slices"
	"time"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Whether the provider's cache still holds what was sent last, as far as the log
// tells.

// moment is when the planner looks, before a request.
func (j *journal) moment() compact.Moment {
	events := j.log.Events()
	for i := len(events) - 1; i >= 0; i-- {
		switch events[i].Body.(type) {
		case conversation.AssistantMessage, conversation.ToolResult:
			return compact.MomentRequest
		case conversation.UserMessage:
			return compact.MomentTurn
		}
	}
	return compact.MomentTurn
}

// cold reports whether the provider's cache no longer holds what was sent last,
// or that nobody knows: too long ago, by another model, or with another prompt.
func (j *journal) cold() bool { return j.coldFor(j.settings.model) }

// coldFor is cold for a request to a model.
func (j *journal) coldFor(m Model) bool {
	idle, gone := j.sinceReply(m)
	return gone || m.NoCache || m.Sheet().Cold(idle)
}

// sinceReply is how long ago the newest reply was reported, and whether what was
// sent for it is no longer the beginning of a request to m.
func (j *journal) sinceReply(m Model) (idle time.Duration, gone bool) {
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
func (j *journal) lastReply(m Model) (at time.Time, gone bool) {
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
func (j *journal) situation() compact.Situation {
	return compact.Situation{
		Meter: j.meter, Now: j.opts.Now(), Cold: j.cold(), Caps: j.settings.model.Caps, Answering: j.inTurn,
	}
}

// inBackground reports whether summaries are written beside the conversation.
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

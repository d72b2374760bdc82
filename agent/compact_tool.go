package agent

import (
	"context"
	"encoding/json"
	"errors"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// The model asks for a compaction with the tool compact (JCL). The tool only
// answers; the compaction is made before the next request, when the reply and
// its results are complete. Rules:
//
//   - At most one in a turn, and none before the conversation has grown since
//     the last one: a model that asks again and again is not paid for.
//   - It summarises what no summary covers yet: older turns first, and where
//     there are none the beginning of this one.
//   - Where the rules want no summaries the oldest units are evicted behind a note.
//   - Whatever comes of it, the turn goes on.

// asksToCompact is what calls that ran ask for, nil if there is none.
func asksToCompact(calls []*call) *compact.Wish {
	var asked *compact.Wish
	for _, c := range calls {
		if c.Name == conversation.ToolCompact && c.outcome.Status == conversation.ResultOK {
			asked = &compact.Wish{
				Focus: focusOf(c.Arguments), KeepLast: -1, Source: conversation.SourceTool, Trigger: "compact tool",
			}
		}
	}
	return asked
}

// focusOf is what the arguments of compact ask to preserve.
func focusOf(arguments string) string {
	var args struct {
		Focus any `json:"focus"`
	}
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return ""
	}
	text, _ := args.Focus.(string)
	return oneLine(text)
}

// handleCompactCall carries out what the model asked for.
func (c *compactor) handleCompactCall(ctx context.Context, t *turn) {
	if t.asked == nil || ctx.Err() != nil {
		return
	}
	w := *t.asked
	t.asked = nil
	if t.compacted {
		c.opts.Logger.Info("compaction", "outcome", "refused", "source", w.Source, "why", "asked again in the turn")
		return
	}
	t.compacted = true
	profile, e := c.planner.profileForModel()
	if e != nil {
		c.records.refuse(ctx, w, e)
		return
	}
	w.Profile = profile
	if j := c.job; j != nil && j.state.open() && w.Focus == "" {
		j.blocking = true // it comes to the same
		if j.joined == "" {
			j.joined = conversation.SourceTool
		}
		return
	}
	switch {
	case c.rules.Evicts() && c.rules.Summary.When == compact.SummaryNever:
		c.evictForModel(ctx, w)
	case !c.commitPrepared(ctx, w, nil):
		c.compact(ctx, c.planner.widen(w))
	}
	c.planner.rearm()
}

// profileForModel is the profile by which the model's request is carried out, or why it is
// not.
func (p *planner) profileForModel() (profile string, e *Error) {
	rules := p.rules
	profile, found := rules.Summarising()
	refuse := func(why, hint string) (string, *Error) {
		return "", &Error{Class: BadRequest, Message: "the model asked for a compaction, but " + why, Hint: hint}
	}
	switch {
	case !rules.Enabled:
		return refuse("compaction is turned off", "set compaction.enabled to true, or compact by hand")
	case !found:
		return refuse("no profile makes summaries", "give a profile the policy summary: {policy: summarize}")
	case p.meter.Reading().Used < p.rearmAt:
		return refuse("the conversation has hardly grown since the last one", nothingChanged)
	}
	return profile, nil
}

// widen is the model's request with a range that holds something, if one does.
func (p *planner) widen(w compact.Wish) compact.Wish {
	log, rules := p.log.Events(), p.rules
	if rules.Preset.Design().Additions && rules.Profiles[w.Profile].Summary.Mode == compact.ModeBands {
		if band := compact.NextBand(log); band > 0 {
			from := compact.AtTurn(band)
			w.From = &from
		}
	}
	// The turns that stay, then all but this one, then what is done of this one.
	for _, keep := range []int{-1, 1, 0} {
		tried := w
		tried.KeepLast = keep
		if _, err := compact.NewPass(log, rules, p.situation(), tried); !errors.Is(err, compact.ErrNoRange) {
			return tried
		}
	}
	return w
}

package compactor

import (
	"cmp"
	"errors"
	"fmt"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// scheduler asks the planner, by the rules and by the earlier compactions in the log. It changes nothing.
type scheduler struct {
	journal    *core.Journal
	cacheSaved func(llm.Model, conversation.Usage) *float64 // see [core.Options]
	isWriting  func() bool                                  // a summary is being written or reviewed

	history          planner.History // earlier compactions in the log
	paused           bool            // automatic summaries pause, and the watcher was told
	summaryStartedAt int             // tokens of the request when a summary was last started automatically; 0 after a compaction
	modelMayAskAt    int             // size of a request, in tokens, from which on the model may ask again
}

// check is the input of the planner. refused says that the server refused the request.
func (p *scheduler) check(moment planner.Moment, refused bool) planner.Check {
	m := p.journal.Model()
	idle, changed := p.journal.SinceReply(m)
	return planner.Check{
		Moment: moment, Log: p.journal.Events(), View: p.journal.View(), Meter: p.journal.Meter(), Idle: idle, CacheInvalid: changed,
		Refused: refused, Sheet: m.Sheet(), History: p.history, Prepares: !refused && p.mayPrepare(),
	}
}

// plan asks the planner, and logs its decision.
func (p *scheduler) plan(moment planner.Moment, refused bool) planner.Plan {
	check := p.check(moment, refused)
	plan := check.Plan(p.journal.Rules())
	r := p.journal.Reading()
	decision := plan.Trigger
	switch {
	case plan.Prepare:
		decision = "prepare"
	case !plan.Acts():
		decision = "nothing"
	}
	p.journal.Logger.Info("planner", "decision", decision, "moment", moment.String(), "used", r.Used, "estimated", r.Estimated,
		"window", r.Window.Tokens, "window_source", r.Window.Source, "load_line", r.LoadLine, "hard_line", r.HardLine,
		"refused", refused, "hold", plan.BlocksRequest, "masks", len(plan.Masks), "spans", len(plan.Spans), "gain", plan.Gain, "behind", plan.Rewritten,
		"idle", check.Idle, "cold", check.CacheInvalid || check.Sheet.Cold(check.Idle), "after_last", check.History.After, "after_undo", check.History.UndoneAt, "failures", check.History.Failures)
	return plan
}

// profileForModel is the profile for a compaction that the model requests, or the error why there is none.
func (p *scheduler) profileForModel() (profile string, e *llm.Error) {
	rules := p.journal.Rules()
	profile, found := rules.SummaryProfile()
	refuse := func(why, hint string) (string, *llm.Error) {
		return "", &llm.Error{Class: llm.BadRequest, Message: "the model asked for a compaction, but " + why, Hint: hint}
	}
	switch {
	case !rules.Enabled:
		return refuse("compaction is turned off", "set compaction.enabled to true, or compact by hand")
	case !found:
		return refuse("no profile makes summaries", "give a profile the policy summary: {policy: summarize}")
	case p.journal.Reading().Used < p.modelMayAskAt:
		return refuse("the conversation has hardly grown since the last compaction", nothingChanged)
	}
	return profile, nil
}

// chooseRange adds a range to the model's request, so that it has something to compact if possible.
func (p *scheduler) chooseRange(request edit.Request) edit.Request {
	log, rules := p.journal.Events(), p.journal.Rules()
	if rules.Preset.Design().OwnFeatures && rules.Profiles[request.Profile].Summary.Mode == preset.ModeSeparate {
		if band := edit.NextSummaryTurn(log); band > 0 {
			from := edit.AtTurn(band)
			request.From = &from
		}
	}
	// Keep as many turns as the rules say, then only the current one, then none.
	for _, keep := range []int{-1, 1, 0} {
		tried := request
		tried.KeepLast = keep
		if _, err := edit.NewProposal(log, rules, p.journal.CompactionInputs(), tried); !errors.Is(err, edit.ErrNoRange) {
			return tried
		}
	}
	return request
}

// Breakdown copies the input of the planner's next decision under these rules, and in window w if its size is known; while
// idle that is the start of a turn. The returned function computes the breakdown and reads nothing that the owner changes:
// any goroutine may call it.
func (c *Compactor) Breakdown(rules preset.Rules, w meter.Window) func() inspect.Breakdown {
	moment := planner.MomentTurn
	if c.journal.InTurn {
		moment = c.journal.Moment()
	}
	check, model, saved := c.schedule.check(moment, false), c.journal.Model(), c.schedule.cacheSaved
	check.Meter = check.Meter.WithRules(rules)
	if w.IsKnown() {
		check.Meter = check.Meter.WithWindow(w)
	}
	return func() inspect.Breakdown {
		b := inspect.NewBreakdown(rules, check, func(u conversation.Usage) *float64 {
			if saved == nil {
				return nil
			}
			return saved(model, u)
		})
		b.CacheRetention = model.CacheRetention(check.Log, float64(b.Reading.Used), planner.EvictionSizes(rules, check.Meter))
		return b
	}
}

// A server that refuses a request as too long often names its window, which is stored for later runs. The hint for
// the user is the mildest manual compaction that makes enough room.

// roomCommands are the compactions that a hint offers, the mildest first.
var roomCommands = []struct {
	profile, flags string
	keep           int
}{
	{"", "", -1},
	{"", " --keep-last 1", 1},
	{preset.ProfileHeavy, " --profile " + preset.ProfileHeavy + " --keep-last 1", 1},
}

// roomShare is the largest share of the refused request, or of a known window, that a hint may leave.
const roomShare = 0.9

// The hints where no compaction makes enough room, and where the first message does not fit.
const (
	newConversationHint = "start a new conversation, or choose a model with a larger window"
	firstMessageHint    = "send a shorter message, put the long text into a file and name that, or choose a model with a larger window"
)

// RoomHint is the hint after a request that does not fit. If prompt and tools alone are too long, no compaction
// helps.
func (c *Compactor) RoomHint(e *llm.Error) string {
	now := c.journal.CompactionInputs()
	now.TurnInProgress = false // when the user acts, the turn has ended
	r := c.journal.Reading()
	alone, limit := r.Segments[projection.System]+r.Segments[projection.Tools], cmp.Or(e.Window, r.Window.Tokens)
	if r.Segments[projection.Tools] > 0 && limit > 0 && float64(alone) >= roomShare*float64(limit) {
		return fmt.Sprintf("system prompt and tools alone have about %d tokens of %d: declare fewer tools (tools.NAME.enabled: false) in a new conversation, or give the model a larger window",
			alone, limit)
	}
	if c.journal.Turns() == 1 && len(c.journal.View().Messages) == 1 { // a new conversation would begin with the same message
		return firstMessageHint
	}
	share := roomShare
	if e.Window > 0 && e.Requested > e.Window {
		share *= float64(e.Window) / float64(e.Requested)
	}
	for _, room := range roomCommands {
		asked := edit.NewRequest()
		asked.Profile, asked.KeepLast = room.profile, room.keep
		proposal, err := edit.NewProposal(c.journal.Events(), c.journal.Rules(), now, asked)
		if p := proposal.Preview(); err == nil && p.After <= int(share*float64(p.Before)) {
			return "make room with /compact" + room.flags + " (outside the chat: plimsoll compact" + room.flags + "), " + newConversationHint
		}
	}
	return newConversationHint
}

// refreshHistory reads the earlier compactions from the log, and publishes whether automatic summaries pause.
func (p *scheduler) refreshHistory() {
	p.history = planner.HistoryOf(p.journal.Events())
	if paused := p.history.Exhausted(p.journal.Rules()); paused != p.paused {
		p.paused = paused
		p.journal.Publish(updates.SummariesPaused{Paused: paused})
	}
}

func (p *scheduler) mayPrepare() bool {
	return p.journal.Interactive && p.journal.Rules().Auto.Background && !p.isWriting() &&
		(p.summaryStartedAt == 0 || p.journal.Reading().Used >= p.summaryStartedAt+p.journal.Rules().MinGrowth(p.journal.Meter().Window().Tokens))
}

// delayModelRequests sets the request size from which on the model may ask for a compaction again.
func (p *scheduler) delayModelRequests() {
	p.modelMayAskAt = p.journal.Reading().Used + p.journal.Rules().MinGrowth(p.journal.Meter().Window().Tokens)
}

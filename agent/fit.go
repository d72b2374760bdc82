package agent

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Whether the next request can be sent as it is, by the meter, the window and the
// rules.

// unsure is how far above the window a request may seem to be as long as no
// report has said how the model counts.
const unsure = 1.25

// estimateSlack is the part of the window, one in so many, by which an estimate is
// off as often as not.
const estimateSlack = 64

// over reports whether the next request must not be sent as it is.
func (j *journal) over() bool {
	r := j.meter.Reading()
	return j.rules.ActsByItself() && r.HardLine > 0 && r.Used > r.HardLine
}

// fits reports whether the next request can be sent as it is. Where nothing is
// done by itself the server says so.
func (j *journal) fits() bool {
	r := j.meter.Reading()
	return !j.rules.ActsByItself() || !r.Window.Known() || r.Used <= j.mostSendable(r)
}

// tight reports whether the next request seems to fit by less than estimates are off
// by: then more room is made if that is possible, and it is sent if not.
func (j *journal) tight() bool {
	r := j.meter.Reading()
	return j.rules.ActsByItself() && r.Window.Known() && r.Estimated && j.meter.Calibration().Samples > 0 &&
		r.Used > r.Window.Tokens-r.Window.Tokens/estimateSlack
}

// sendable is why the next request cannot be sent, nil if it can.
func (j *journal) sendable() error {
	if j.fits() {
		return nil
	}
	return j.tooLong()
}

// cannotFit is why the next request cannot be sent whatever is left out of it: the
// newest message alone, with the prompt, is too long. Nil if it can.
func (j *journal) cannotFit() error {
	if j.fits() || j.newestFits() {
		return nil
	}
	return j.tooLong()
}

// newestFits reports whether the newest message of the user fits, with the prompt
// alone.
func (j *journal) newestFits() bool {
	r := j.meter.Reading()
	return j.newestMessage()+r.Segments[compact.System]+r.Segments[compact.Tools] <= j.mostSendable(r)
}

// mostSendable is how many tokens a request may seem to have.
func (j *journal) mostSendable(r compact.Reading) int {
	if j.meter.Calibration().Samples == 0 {
		return int(unsure * float64(r.Window.Tokens))
	}
	return r.Window.Tokens
}

// newestMessage is about how many tokens the newest message of the user has.
func (j *journal) newestMessage() int {
	for _, m := range slices.Backward(j.view.Messages) {
		if m.Role == compact.RoleUser && m.State == compact.StateVerbatim {
			return int(j.meter.Weigh(m.After()))
		}
	}
	return 0
}

// tooLong is a request that is not sent.
func (j *journal) tooLong() error {
	r, model := j.meter.Reading(), j.settings.model
	hint := "send a shorter message or fewer files: the long one stays in the conversation, and can be left out of the next request; "
	if j.newestFits() { // what must stay does not
		hint = "unpin what is pinned (/unpin), go back to an earlier message (/rewind), begin a new conversation, "
	}
	return &Error{
		Class: Overflow,
		Message: fmt.Sprintf("the request was not sent: it has about %d tokens, and the window of %s has %d (your newest message about %d, system prompt and tools %d)",
			r.Used, model.Name(), r.Window.Tokens, j.newestMessage(), r.Segments[compact.System]+r.Segments[compact.Tools]),
		Hint: hint + model.larger(),
	}
}

// larger says how a larger window is had. One that a server told may have changed.
func (m Model) larger() string {
	if told(m.Window) && m.BaseURL != "" { // otherwise there is no server
		return "or choose a model with a larger window (/model); if the server's is larger by now, say so with --window"
	}
	return "or choose a model with a larger window (/model)"
}

// oversized is why a message can never be sent, whatever is left out of the
// conversation: with the system prompt and the tools alone it is longer than the
// window. Nil if it can be, or nobody knows. It is measured as the gauge measures
// it; what is close goes through, as the server may count otherwise.
func (j *journal) oversized(text string) *Error {
	r := j.meter.Reading()
	if !r.Window.Known() {
		return nil
	}
	tokens := int(j.meter.Weigh(conversation.Measure(conversation.Clean(text))))
	fixed := r.Segments[compact.System] + r.Segments[compact.Tools]
	if tokens+fixed <= j.mostSendable(r) {
		return nil
	}
	return &Error{
		Class: Overflow,
		Message: fmt.Sprintf("the message was not sent: it has about %d tokens, and the window of %s has %d, of which system prompt and tools take %d",
			tokens, j.settings.model.Name(), r.Window.Tokens, fixed),
		Hint: "make it shorter, save it as a file and ask about parts of that, " + j.settings.model.larger(),
	}
}

// A server that refuses a request as too long often says how long its window
// is: that is learned for the next time. What the user is told to do is what
// helps here: of some compactions by hand the mildest that makes enough room, else
// the one that makes the most if nobody knows how much has to go, and none where
// none helps.

// overflowed learns from a server that refused a request as too long, and says
// what can be done.
func (k *windowKeeper) overflowed(ctx context.Context, r request, e *Error, hint string) error {
	told := *e
	told.Hint = hint
	if r.model.Name() != k.settings.model.Name() { // the user may have switched meanwhile
		return &told
	}
	counted := e.Requested
	if counted <= 0 {
		counted = e.Window // it has more than that
	}
	k.meter = k.meter.WithRefusal(counted)
	if f := k.meter.Calibration().Factor; f != k.settings.model.Calibration.Factor {
		k.settings.model.Calibration.Factor = f
		k.keepCalibration()
	}
	if e.Window > 0 && !k.learnWindow(ctx, e.Window) {
		if have := k.settings.model.Window; have.Tokens > e.Window {
			told.Hint += fmt.Sprintf("; the window is set to %d tokens (%s), but the server's is %d", have.Tokens, have.Source, e.Window)
		}
	}
	return &told
}

// blindShare is the share of a refused request that the next one has at most where
// nobody knows how much fits: it is the last try.
const blindShare = 0.6

// retryShorter makes a request shorter that the server did not take, and reports
// whether it is: first as above the hard line, then down the ladder.
func (a *Agent) retryShorter(ctx context.Context, r request) bool {
	share := compact.DefaultTriggerRatio
	if !a.settings.model.Window.Known() {
		share = blindShare
	}
	fits := func() bool { return a.meter.RequestEstimate() <= share*r.estimate && !a.over() }
	same := func() bool { return r.model.Name() == a.settings.model.Name() }
	a.compactor.makeShorter(ctx, same, fits)
	if !same() {
		return true // nothing is known of how much fits there
	}
	if ctx.Err() == nil && !fits() {
		a.compactor.applyLadder(ctx, compact.TriggerOverflow, true)
	}
	return a.meter.RequestEstimate() < r.estimate
}

// makeShorter makes a request shorter as the rules do: where they evict at once, also
// where nothing else is automatic, otherwise with a summary that it waits for.
func (c *compactor) makeShorter(ctx context.Context, same, fits func() bool) {
	if c.rules.Evicts() {
		if !fits() {
			c.applyPlan(ctx, c.planner.plan(c.moment(), true))
		}
		return
	}
	c.finishJob(ctx, same)
	if !c.rules.ActsByItself() || ctx.Err() != nil || fits() {
		return
	}
	plan := c.planner.plan(c.moment(), true)
	if len(plan.Spans) == 0 || !c.write(ctx, plan) {
		c.applyPlan(ctx, plan.Alone())
	}
	c.finishJob(ctx, same)
}

// lastJob ends the summary that is being written when no turn follows: where the
// load line was reached it is waited for, and put in force.
func (c *compactor) lastJob(ctx context.Context) {
	if j := c.job; j != nil && j.waitsForStep(c.rules) && !j.ended() {
		if r := c.meter.Reading(); r.Used <= r.LoadLine {
			c.drop(j, errNeedless)
		}
	}
	c.finishJob(ctx, func() bool { return true })
}

// finishJob waits until no summary is being written any more, whatever else is
// asked for meanwhile, or it is not needed.
func (c *compactor) finishJob(ctx context.Context, needed func() bool) {
	for c.job != nil && ctx.Err() == nil && needed() {
		c.await(ctx, needed)
		c.boundary(ctx)
	}
}

// rooms are compactions that make room, the mildest first, as they are typed.
var rooms = []struct {
	profile, flags string
	keep           int
}{
	{"", "", -1},
	{"", " --keep-last 1", 1},
	{compact.ProfileHeavy, " --profile " + compact.ProfileHeavy + " --keep-last 1", 1},
}

// roomShare is the share of a request that a compaction has to leave at most
// where nobody knows how much fits, and of the window where somebody does.
const roomShare = 0.9

// otherwise is what helps where no compaction makes enough room.
const otherwise = "begin a new conversation, or choose a model with a larger window"

// fitting is how long a request may be, in estimated tokens, after one of
// before tokens was refused.
func fitting(before int, e *Error) int {
	share := roomShare
	if e.Window > 0 && e.Requested > e.Window {
		share *= float64(e.Window) / float64(e.Requested)
	}
	return int(share * float64(before))
}

// roomHint says how to go on in a conversation that does not fit: by what helps
// here. A compaction that does not make it fit is not named, and where prompt and
// tools alone are too long no shorter conversation helps.
func (p *planner) roomHint(e *Error) string {
	now := p.situation()
	now.Answering = false // the turn is over when the user acts
	r := p.meter.Reading()
	alone, limit := r.Segments[compact.System]+r.Segments[compact.Tools], cmp.Or(e.Window, r.Window.Tokens)
	if r.Segments[compact.Tools] > 0 && limit > 0 && float64(alone) >= roomShare*float64(limit) {
		return fmt.Sprintf("system prompt and tools alone have about %d tokens of %d: declare fewer tools (tools.NAME.enabled: false) in a new conversation, or give the model a larger window",
			alone, limit)
	}
	flags, least := "", math.MaxInt
	for _, room := range rooms {
		wish := compact.NewWish()
		wish.Profile, wish.KeepLast = room.profile, room.keep
		pass, err := compact.NewPass(p.log.Events(), p.rules, now, wish)
		if err != nil {
			continue
		}
		p := pass.Preview()
		fits := p.After <= fitting(p.Before, e)
		if p.After < least && (fits || nameless(e) && p.After < p.Before) { // nobody knows how much has to go
			flags, least = room.flags, p.After
		}
		if fits {
			break
		}
	}
	if least == math.MaxInt {
		return otherwise
	}
	return "make room with /compact" + flags + " (outside the chat: plimsoll compact" + flags + "), " + otherwise
}

package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// Overhead is what a request carries besides the recorded system prompt and the
// messages, in tokens: system prompt and tools of the program that recorded it.
const Overhead = 4000

// run replays one conversation under one policy.
type run struct {
	c      *Conversation
	policy Policy
	set    Setting
	clock  func() time.Time // nil: time is not taken

	log    []conversation.Event
	origin []int32  // by place in the log: the message said, -1 for overlays
	seqs   []uint64 // by message said: its place in the log, from 1
	view   projection.View
	meter  meter.Meter

	sent    []projection.Message // the newest request
	asked   []sentRequest
	calls   []SummaryCall
	account *account      // by the sheet in force
	marked  bool          // some sheet bills by marks
	spent   time.Duration // on deciding and projecting
	peak    float64
	breaks  int
	rewrote float64 // tokens behind the common prefix of requests that broke it
	over    int     // requests above the window
	wrong   int     // violations

	score *score // nil: nothing is scored
}

func newRun(c *Conversation, p Policy, set Setting, rules preset.Rules) *run {
	m := meter.New(meter.Options{
		Window: meter.Window{Tokens: set.Window, Source: meter.WindowFlag}, PriceStep: set.Sheet.Step, Plain: true,
	}.With(rules))
	tools := conversation.Size{ASCII: Overhead * meter.CharsPerToken}
	return &run{c: c, policy: p, set: set, meter: m.WithPrompt(c.prompt, tools), view: projection.Project(nil), seqs: make([]uint64, len(c.said)),
		account: newAccount(set.Sheet), marked: set.Marked}
}

// all replays every request. The error is the policy's, or that of ctx.
func (r *run) all(ctx context.Context) error {
	next := 0
	for i, q := range r.c.requests {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.say(next, q.from)
		if err := r.request(i, q); err != nil {
			return fmt.Errorf("request %d of %s: %w", i+1, r.c.Name, err)
		}
		next = max(q.to, q.turnEnd)
		r.say(q.from, next)
		if q.turnEnd > 0 {
			if err := r.act(Look{TurnEnd: true}); err != nil {
				return fmt.Errorf("after request %d of %s: %w", i+1, r.c.Name, err)
			}
		}
	}
	return nil
}

// say appends messages of the record.
func (r *run) say(from, to int) {
	for i := from; i < to; i++ {
		s := &r.c.said[i]
		e := conversation.Event{Seq: uint64(len(r.log) + 1), Turn: s.turn, Time: s.at, Body: s.body}
		if r.policy.Arrive != nil {
			if _, ok := s.body.(conversation.ToolResult); ok {
				e = r.policy.Arrive(r.view, e)
			}
		}
		r.seqs[i] = e.Seq
		r.log = append(r.log, e)
		r.origin = append(r.origin, int32(i))
	}
}

// request has the policy decide and sends what it leaves.
func (r *run) request(i int, q request) error {
	began := r.now()
	if err := r.act(Look{Idle: q.idle, TurnStart: q.turnStart, First: i == 0}); err != nil {
		return err
	}
	view := r.shown()
	messages, err := projection.Harden(view, projection.Capabilities{})
	r.spent += r.now().Sub(began)
	if err != nil && !errors.Is(err, projection.ErrNothingToSend) { // that is a violation
		return err
	}
	common := r.common(messages)
	r.sent = messages
	r.take(common, q.idle)
	r.wrong += violations(view.Messages, messages, common.messages)
	if r.score != nil {
		r.score.request(r, i, messages, common.messages)
	}
	return nil
}

// act asks the policy at a moment and takes its overlays in.
func (r *run) act(look Look) error {
	r.view = r.view.Extend(r.log)
	if r.policy.Act == nil {
		return nil
	}
	look.Log, look.View = r.log[:len(r.log):len(r.log)], r.shown()
	look.Meter = r.meter.WithView(look.View)
	look.Used = look.Meter.RequestEstimate()
	look.Now = r.log[len(r.log)-1].Time // a reply was asked for by something
	look.Window, look.Sheet = r.set.Window, r.account.sheet
	act, err := r.policy.Act(look)
	if err != nil {
		return err
	}
	for _, c := range act.Calls {
		c.idle, c.first, c.after = look.Idle, look.First, len(r.asked)
		r.calls = append(r.calls, c)
	}
	if len(act.Overlays) == 0 {
		return nil
	}
	for _, e := range conversation.NextEvents(r.log, look.Now, act.Overlays...) {
		r.log = append(r.log, e)
		r.origin = append(r.origin, -1)
	}
	r.view = r.view.Extend(r.log)
	return nil
}

// shown is the view as it is sent.
func (r *run) shown() projection.View {
	if r.policy.Show == nil {
		return r.view
	}
	return r.policy.Show(r.view)
}

func (r *run) now() time.Time {
	if r.clock == nil {
		return time.Time{}
	}
	return r.clock()
}

// base is what every request carries in front of its messages, in tokens.
func (r *run) base() float64 { return Overhead + tokens(r.c.prompt.Chars()) }

// common is what a request has in common with the one before.
type common struct {
	messages int     // whole ones, from the first on
	tokens   float64 // 0 for the first request
	before   float64 // tokens of the request before, 0 without one
}

// common is what the messages of the next request have in common with those of the
// newest one.
func (r *run) common(messages []projection.Message) common {
	if len(r.asked) == 0 {
		return common{}
	}
	c := common{before: r.asked[len(r.asked)-1].tokens}
	n, sent := 0, r.sent
	for c.messages < min(len(messages), len(sent)) && same(&messages[c.messages], &sent[c.messages]) {
		n += chars(&messages[c.messages])
		c.messages++
	}
	if c.messages < min(len(messages), len(sent)) {
		n += inCommon(&messages[c.messages], &sent[c.messages])
	}
	c.tokens = r.base() + tokens(n)
	return c
}

// take adds the newest request to the sums.
func (r *run) take(c common, idle time.Duration) {
	said := 0
	for i := range r.sent {
		said += chars(&r.sent[i])
	}
	size := r.base() + tokens(said)
	q := sentRequest{tokens: size, prefix: c.tokens, idle: idle, common: c.messages}
	if r.marked {
		q.marks = promptcache.Points(r.sent, r.base(), func(m *projection.Message) float64 { return tokens(chars(m)) })
	}
	r.asked = append(r.asked, q)
	if r.account.sheet.Terms != nil {
		r.account.request(q)
	}
	r.peak = max(r.peak, size)
	if c.tokens < c.before {
		r.breaks++
		r.rewrote += c.before - c.tokens
	}
	if r.set.Window > 0 && size > float64(r.set.Window) {
		r.over++
	}
}

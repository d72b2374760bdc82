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
	set    PolicySetting
	clock  func() time.Time // nil: time is not taken

	log    []conversation.Event
	origin []int32  // by place in the log: the message said, -1 for overlays
	seqs   []uint64 // by message said: its place in the log, from 1
	view   projection.View
	meter  meter.Meter

	sent         []projection.Message // the newest request
	requests     []sentRequest
	calls        []SummaryCall
	account      *biller       // by the sheet in force
	marked       bool          // some sheet bills by marks
	decisionTime time.Duration // on deciding and projecting
	peak         float64
	breaks       int
	rewritten    float64 // tokens behind the common prefix of requests that broke it
	overflows    int     // requests above the window
	faults       int     // violations

	score *score // nil: nothing is scored
}

func newRun(c *Conversation, p Policy, set PolicySetting, rules preset.Rules) *run {
	m := meter.New(meter.Options{
		Window: meter.Window{Tokens: set.Window, Source: meter.WindowFlag}, PriceStep: set.Sheet.Step, CharsOnly: true,
	}.WithRules(rules))
	tools := conversation.Size{ASCII: Overhead * meter.CharsPerToken}
	return &run{c: c, policy: p, set: set, meter: m.WithPrompt(c.prompt, tools), view: projection.Project(nil), seqs: make([]uint64, len(c.messages)),
		account: newBiller(set.Sheet), marked: set.Marked}
}

// replayAll replays every request. The error is the policy's, or that of ctx.
func (r *run) replayAll(ctx context.Context) error {
	next := 0
	for i, q := range r.c.requests {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.appendMessages(next, q.from)
		if err := r.request(i, q); err != nil {
			return fmt.Errorf("request %d of %s: %w", i+1, r.c.Name, err)
		}
		next = max(q.to, q.turnEnd)
		r.appendMessages(q.from, next)
		if q.turnEnd > 0 {
			if err := r.askPolicy(PolicyInput{TurnEnd: true}); err != nil {
				return fmt.Errorf("after request %d of %s: %w", i+1, r.c.Name, err)
			}
		}
	}
	return nil
}

// appendMessages appends messages of the record.
func (r *run) appendMessages(from, to int) {
	for i := from; i < to; i++ {
		s := &r.c.messages[i]
		e := conversation.Event{Seq: uint64(len(r.log) + 1), Turn: s.turn, Time: s.at, Body: s.body}
		if r.policy.StoreResult != nil {
			if _, ok := s.body.(conversation.ToolResult); ok {
				e = r.policy.StoreResult(r.view, e)
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
	if err := r.askPolicy(PolicyInput{Idle: q.idle, TurnStart: q.turnStart, First: i == 0}); err != nil {
		return err
	}
	view := r.shownView()
	messages, err := projection.Harden(view, projection.Capabilities{})
	r.decisionTime += r.now().Sub(began)
	if err != nil && !errors.Is(err, projection.ErrNothingToSend) { // that is a violation
		return err
	}
	common := r.commonPrefix(messages)
	r.sent = messages
	r.recordRequest(common, q.idle)
	r.faults += countViolations(view.Messages, messages, common.messages)
	if r.score != nil {
		r.score.request(r, i, messages, common.messages)
	}
	return nil
}

// askPolicy asks the policy at a moment and takes its overlays in.
func (r *run) askPolicy(look PolicyInput) error {
	r.view = r.view.Extend(r.log)
	if r.policy.Decide == nil {
		return nil
	}
	look.Log, look.View = r.log[:len(r.log):len(r.log)], r.shownView()
	look.Meter = r.meter.WithView(look.View)
	look.Used = look.Meter.RequestEstimate()
	look.Now = r.log[len(r.log)-1].Time // a reply was asked for by something
	look.Window, look.Sheet = r.set.Window, r.account.sheet
	act, err := r.policy.Decide(look)
	if err != nil {
		return err
	}
	for _, c := range act.SummaryCalls {
		c.idle, c.first, c.after = look.Idle, look.First, len(r.requests)
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

// shownView is the view as it is sent.
func (r *run) shownView() projection.View {
	if r.policy.Transform == nil {
		return r.view
	}
	return r.policy.Transform(r.view)
}

func (r *run) now() time.Time {
	if r.clock == nil {
		return time.Time{}
	}
	return r.clock()
}

// baseTokens is what every request carries in front of its messages, in tokens.
func (r *run) baseTokens() float64 { return Overhead + tokens(r.c.prompt.Chars()) }

// sharedPrefix is what a request has in common with the one before.
type sharedPrefix struct {
	messages int     // whole ones, from the first on
	tokens   float64 // 0 for the first request
	before   float64 // tokens of the request before, 0 without one
}

// commonPrefix is what the messages of the next request have in common with those of the
// newest one.
func (r *run) commonPrefix(messages []projection.Message) sharedPrefix {
	if len(r.requests) == 0 {
		return sharedPrefix{}
	}
	c := sharedPrefix{before: r.requests[len(r.requests)-1].tokens}
	n, sent := 0, r.sent
	for c.messages < min(len(messages), len(sent)) && sameMessage(&messages[c.messages], &sent[c.messages]) {
		n += chars(&messages[c.messages])
		c.messages++
	}
	if c.messages < min(len(messages), len(sent)) {
		n += commonChars(&messages[c.messages], &sent[c.messages])
	}
	c.tokens = r.baseTokens() + tokens(n)
	return c
}

// recordRequest adds the newest request to the sums.
func (r *run) recordRequest(c sharedPrefix, idle time.Duration) {
	said := 0
	for i := range r.sent {
		said += chars(&r.sent[i])
	}
	size := r.baseTokens() + tokens(said)
	q := sentRequest{tokens: size, prefix: c.tokens, idle: idle, common: c.messages}
	if r.marked {
		q.marks = promptcache.RequestMarks(r.sent, r.baseTokens(), func(m *projection.Message) float64 { return tokens(chars(m)) })
	}
	r.requests = append(r.requests, q)
	if r.account.sheet.Terms != nil {
		r.account.request(q)
	}
	r.peak = max(r.peak, size)
	if c.tokens < c.before {
		r.breaks++
		r.rewritten += c.before - c.tokens
	}
	if r.set.Window > 0 && size > float64(r.set.Window) {
		r.overflows++
	}
}

package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// Overhead is the size of the parts of a request that the record lacks, in tokens: the tools and the program's own
// system prompt.
const Overhead = 4000

// run replays one conversation under one policy.
type run struct {
	c      *Conversation
	policy Policy
	set    PolicySetting
	clock  func() time.Time

	log    []conversation.Event
	origin []int32  // by index in the log: the index of the recorded message, -1 for overlays
	seqs   []uint64 // by recorded message: the number of its event
	view   projection.View
	meter  meter.Meter

	sent         []projection.Message // the messages of the newest request
	requests     []sentRequest
	calls        []SummaryCall
	biller       *biller       // under the sheet of set
	decisionTime time.Duration // for deciding and projecting
	peak         float64       // tokens of the largest request
	breaks       int
	rewritten    float64 // tokens of the previous requests after the common prefix, over all breaks
	overflows    int     // requests above the window
	overflowed   bool    // the newest request is one
	violations   int     // see countViolations

	score *score // nil: the run is only for costs
}

// replayAll replays every request. It returns the error of the policy or of ctx.
func (r *run) replayAll(ctx context.Context) error {
	next := 0
	for i, q := range r.c.requests {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.appendMessages(next, q.from)
		if err := r.replayRequest(i, q); err != nil {
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

// appendMessages appends recorded messages to the log; to is exclusive.
func (r *run) appendMessages(from, to int) {
	for i := from; i < to; i++ {
		m := &r.c.messages[i]
		e := conversation.Event{Seq: uint64(len(r.log) + 1), Turn: m.turn, Time: m.at, Body: m.body}
		if r.policy.StoreResult != nil {
			if _, ok := m.body.(conversation.ToolResult); ok {
				e = r.policy.StoreResult(r.view, e)
			}
		}
		r.seqs[i] = e.Seq
		r.log = append(r.log, e)
		r.origin = append(r.origin, int32(i))
	}
}

// replayRequest lets the policy decide and then sends the request of a recorded reply.
func (r *run) replayRequest(i int, q request) error {
	start := r.clock()
	if err := r.askPolicy(PolicyInput{Idle: q.idle, TurnStart: q.turnStart, First: i == 0}); err != nil {
		return err
	}
	view := r.shownView()
	messages, err := projection.Harden(view, projection.Capabilities{})
	r.decisionTime += r.clock().Sub(start)
	if err != nil && !errors.Is(err, projection.ErrNothingToSend) { // countViolations counts an empty request
		return err
	}
	common := r.commonPrefix(messages)
	r.sent = messages
	r.recordRequest(common, q.idle)
	r.violations += countViolations(view.Messages, messages, common.messages)
	if r.score != nil {
		r.score.scoreRequest(r, i, messages, common.messages)
	}
	return nil
}

// askPolicy calls the policy and appends its overlays. The caller sets the moment and the idle time of the input.
func (r *run) askPolicy(input PolicyInput) error {
	r.view = r.view.Extend(r.log)
	if r.policy.Decide == nil {
		return nil
	}
	input.Log, input.View = r.log[:len(r.log):len(r.log)], r.shownView()
	input.Meter = r.meter.WithView(input.View)
	input.Used = input.Meter.RequestEstimate()
	input.Now = r.log[len(r.log)-1].Time // every request follows a message
	input.Window, input.Sheet = r.set.Window, r.biller.sheet
	decision, err := r.policy.Decide(input)
	if err != nil {
		return err
	}
	for _, c := range decision.SummaryCalls {
		c.idle, c.first, c.after = input.Idle, input.First, len(r.requests)
		r.calls = append(r.calls, c)
	}
	if len(decision.Overlays) == 0 {
		return nil
	}
	for _, e := range conversation.NextEvents(r.log, input.Now, decision.Overlays...) {
		r.log = append(r.log, e)
		r.origin = append(r.origin, -1)
	}
	r.view = r.view.Extend(r.log)
	return nil
}

func (r *run) shownView() projection.View {
	if r.policy.Transform == nil {
		return r.view
	}
	return r.policy.Transform(r.view)
}

// baseTokens returns the tokens of a request before its messages.
func (r *run) baseTokens() float64 { return Overhead + tokens(r.c.prompt.Chars()) }

// sharedPrefix is the common prefix of a request and the previous one.
type sharedPrefix struct {
	messages int     // number of equal messages at the beginning
	tokens   float64 // 0 for the first request
	before   float64 // tokens of the previous request, 0 for the first request
}

// commonPrefix compares the messages of the next request with those of the newest one.
func (r *run) commonPrefix(messages []projection.Message) sharedPrefix {
	if len(r.requests) == 0 {
		return sharedPrefix{}
	}
	c := sharedPrefix{before: r.requests[len(r.requests)-1].tokens}
	n, sent := 0, r.sent
	for c.messages < min(len(messages), len(sent)) && messages[c.messages].SameContent(&sent[c.messages]) {
		n += chars(&messages[c.messages])
		c.messages++
	}
	if c.messages < min(len(messages), len(sent)) {
		n += commonChars(&messages[c.messages], &sent[c.messages])
	}
	c.tokens = r.baseTokens() + tokens(n)
	return c
}

// recordRequest adds the newest request, with its prefix c, to the sums.
func (r *run) recordRequest(c sharedPrefix, idle time.Duration) {
	messageChars := 0
	for i := range r.sent {
		messageChars += chars(&r.sent[i])
	}
	size := r.baseTokens() + tokens(messageChars)
	q := sentRequest{tokens: size, prefix: c.tokens, idle: idle, common: c.messages}
	if r.set.ByBreakpoints {
		q.breakpoints = promptcache.RequestBreakpoints(r.sent, r.baseTokens(), func(m *projection.Message) float64 { return tokens(chars(m)) })
	}
	r.requests = append(r.requests, q)
	if r.biller.sheet.Terms != nil {
		r.biller.request(q)
	}
	r.peak = max(r.peak, size)
	if c.tokens < c.before {
		r.breaks++
		r.rewritten += c.before - c.tokens
	}
	if r.overflowed = r.set.Window > 0 && size > float64(r.set.Window); r.overflowed {
		r.overflows++
	}
}

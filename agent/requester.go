package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// A request that failed for a reason that may pass is tried again, after a
// back-off or after what the server asks for. What had streamed is void for
// the eye then, but the longest of it is kept if every try fails.

// requester makes the requests of the conversation, and shows the replies as they
// arrive.
type requester struct {
	journal  *core.Journal
	display  *display
	inbox    *core.Inbox
	store    core.Log // keeps the reply so far
	retry    llm.Retry
	answered map[string]bool // models that gave a reply, by name
	noted    string          // the newest note on how a request is made
}

// ask makes a request, again and again where that may help.
func (q *requester) ask(ctx context.Context, r llm.Outgoing) answer {
	var ans answer
	empty := 0
	began := q.journal.Now()
	var since time.Time // when it began that the server starts, or its cache is full
	for try := 1; ; try++ {
		rep, err := q.stream(ctx, r)
		if rep.Arrived() {
			q.answered[r.To.Name()] = true
		}
		if err == nil && rep.Empty() {
			err = &llm.Error{Class: llm.Empty, Message: "the model gave no answer"}
		}
		ans.take(rep, err == nil)
		var failure *llm.Error
		if ans.err = err; !errors.As(err, &failure) {
			return ans
		}
		if failure.Class == llm.Empty {
			empty++
			failure = saidNothing(failure, empty)
		}
		failure = q.sharedCache(r, rep, failure)
		wait, again := q.retry.Wait(failure, try)
		if q.temporary(r, failure) {
			if since.IsZero() {
				since = q.journal.Now()
			}
			wait, again = q.retry.LongWait(try, q.journal.Now().Sub(since))
		}
		ans.down = ans.down || failure.Class == llm.Network || failure.Loading
		if !again {
			ans.err = q.givenUp(failure, try, began)
			return ans
		}
		q.journal.Logger().Info("the request is tried again", "class", failure.Class, "status", failure.Status, "try", try+1, "wait", wait)
		if rep.Arrived() {
			q.journal.Publish(updates.Discarded{})
		}
		q.display.status(updates.Status{Phase: updates.Retrying, Attempt: try + 1, Of: q.tries(r, failure), Wait: wait, Why: cmp.Or(failure.Lead, failure.Message), Class: failure.Class})
		if err := q.pause(ctx, wait); err != nil {
			ans.err = err
			return ans
		}
	}
}

// temporary reports whether a failure is over within a minute as a rule: the server
// loads its model, or answered before and is gone, as it may be started anew, or
// serves others from the cache that requests share.
func (q *requester) temporary(r llm.Outgoing, e *llm.Error) bool {
	return e.Loading || e.Shared || e.Down && q.answered[r.To.Name()]
}

// tries is how often a failed request is tried at most, 0 where the clock decides.
func (q *requester) tries(r llm.Outgoing, e *llm.Error) int {
	if q.temporary(r, e) {
		return 0
	}
	return q.retry.Tries
}

// givenUp is the failure as the user is told it after the last try.
func (q *requester) givenUp(e *llm.Error, try int, began time.Time) *llm.Error {
	shown, now := *e, q.journal.Now()
	shown.Tries, shown.Took = try, now.Sub(began)
	if e.Retryable() && e.RetryAfter > q.retry.MaxAfter {
		shown.Hint = fmt.Sprintf("the server asks to wait %s: try again at %s",
			e.RetryAfter.Round(time.Second), now.Add(e.RetryAfter).Format("15:04:05"))
	}
	return &shown
}

// pause waits, and drains the inbox meanwhile. The error is the cause of ctx's end.
func (q *requester) pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	_, _, err := core.Receive(ctx, q.inbox, t.C)
	return err
}

// sharedCache is the failure of a request as it is to be understood: one without
// numbers of a request that is smaller than the window is about a cache that is
// full, which is temporary.
func (q *requester) sharedCache(r llm.Outgoing, rep *llm.Reply, e *llm.Error) *llm.Error {
	if !llm.UnsizedOverflow(e) || !llm.Smaller(q.journal.Model(), q.journal.Meter().Calibration().Factor, r, rep) || r.To.Name() != q.journal.Model().Name() {
		return e
	}
	return llm.CacheFull(e)
}

// One goroutine reads the provider and hands pieces over; the owner adds them
// up, shows them, and goes on draining its inbox. Whatever arrived is part of the reply,
// also when the stream then broke or was stopped. When stream returns, the
// provider and the keeper of the partial reply have ended.

// piece is what a provider yields.
type piece struct {
	chunk llm.Chunk
	err   error
}

// stream makes one try at a request of the conversation: the reply is shown as
// it arrives, and kept apart from the log. The error is an *Error, or the cause of
// ctx's end; the reply has what arrived, and is never nil.
func (q *requester) stream(ctx context.Context, r llm.Outgoing) (*llm.Reply, error) {
	keeper := keepPartials(ctx, q.store, q.journal.Logger())
	defer keeper.stop()
	q.display.status(updates.Status{Phase: updates.Waiting})
	streamCtx, stop := context.WithCancel(ctx)
	defer stop()
	pieces := make(chan piece, 64)
	go read(streamCtx, r, pieces)

	rep := llm.NewReply()
	err := q.collect(ctx, pieces, func(c llm.Chunk) {
		q.show(rep, c)
		if c.Note != "" && c.Note != r.To.EffortNote && c.Note != q.noted {
			q.noted = c.Note
			q.journal.KeepForLater(ctx, conversation.Notice{Level: conversation.NoticeInfo, Text: c.Note})
		}
		if c.Text != "" || c.Reasoning != "" {
			keeper.offer(conversation.PartialReply{
				After: r.After, Model: r.To.Name(), Text: rep.Text.String(), Reasoning: rep.Reasoning.String(),
				Time: q.journal.Now(), Request: r.UsageWithoutCounts(rep),
			})
		}
	}, rep)
	stop()
	for {
		p, ok, _ := core.Receive(context.WithoutCancel(ctx), q.inbox, pieces) // ends when the reader does
		if !ok {
			break
		}
		if err != nil && p.err == nil {
			rep.Add(p.chunk)
		}
	}
	if cause := context.Cause(ctx); cause != nil && err != nil {
		return rep, cause
	}
	return rep, err
}

// read hands over what the provider yields until it ends or ctx does.
func read(ctx context.Context, r llm.Outgoing, out chan<- piece) {
	defer close(out)
	for c, err := range r.Provider.Stream(ctx, r.Request) {
		select {
		case out <- piece{c, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// collect adds pieces to a reply until the stream ends.
func (q *requester) collect(ctx context.Context, pieces <-chan piece, add func(llm.Chunk), rep *llm.Reply) error {
	for {
		p, ok, err := core.Receive(ctx, q.inbox, pieces)
		switch {
		case err != nil:
			return err
		case !ok && rep.Stop == "":
			return llm.TruncatedReply()
		case !ok:
			return nil
		case p.err != nil:
			return llm.AsError(p.err)
		}
		add(p.chunk)
	}
}

// show adds a piece to the reply and lets the watcher see it.
func (q *requester) show(rep *llm.Reply, c llm.Chunk) {
	quiet := !rep.Arrived()
	changed := rep.Add(c)
	if quiet && rep.Arrived() {
		q.display.status(updates.Status{Phase: updates.Streaming})
	}
	if quiet && !rep.Arrived() && c.Progress != nil {
		q.display.status(updates.Status{Phase: updates.Waiting, Progress: c.Progress})
	}
	if c.Text != "" || c.Reasoning != "" {
		q.journal.Publish(updates.Delta{Text: c.Text, Reasoning: c.Reasoning})
	}
	for _, i := range changed {
		call := rep.Calls[i]
		q.journal.Publish(updates.CallStreaming{Index: i, Name: call.Name, Chars: call.Chars})
	}
}

// answer is what came of a request, tries and all.
type answer struct {
	reply *llm.Reply   // to be kept, nil if nothing came
	spent []*llm.Reply // of the other tries, for what they cost
	err   error        // nil; an *Error; or the cause of ctx's end
	down  bool         // the server was gone in between
}

// saidNothing is the failure of the n-th empty reply to the same request. A
// second one is not followed by more: each is paid for.
func saidNothing(e *llm.Error, n int) *llm.Error {
	failure := *e
	failure.NoRetry = failure.NoRetry || n > 1
	if failure.Hint == "" {
		failure.Hint = "try again or rephrase"
	}
	return &failure
}

// take keeps a reply: the one that succeeded, otherwise the longest.
func (ans *answer) take(rep *llm.Reply, whole bool) {
	switch {
	case ans.reply == nil:
		ans.reply = rep
	case whole || rep.Bytes > ans.reply.Bytes:
		ans.spent = append(ans.spent, ans.reply)
		ans.reply = rep
	default:
		ans.spent = append(ans.spent, rep)
	}
}

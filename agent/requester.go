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

// A request that failed for a temporary reason is made again, after a back-off or after the time that the server
// asks for. What had streamed is discarded on screen; if every try fails, the longest reply is stored.

// requester makes the requests of the conversation, and shows the replies as they arrive.
type requester struct {
	journal  *core.Journal
	display  *display
	inbox    *core.Inbox
	store    core.Log // stores the partial reply
	retry    llm.Retry
	answered map[string]bool // models that replied in this run, by name
	noted    string          // the newest note of a provider about its requests
}

// ask makes a request, and repeats it where that may help.
func (q *requester) ask(ctx context.Context, r llm.Outgoing) answer {
	var ans answer
	empty := 0
	began := q.journal.Now()
	var since time.Time // when the first temporary failure happened
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

// temporary reports whether a failure usually ends within a minute: the server loads its model, restarts after it
// has answered before, or its shared cache is full.
func (q *requester) temporary(r llm.Outgoing, e *llm.Error) bool {
	return e.Loading || e.Shared || e.Down && q.answered[r.To.Name()]
}

// tries is the largest number of tries, 0 if a time limit decides.
func (q *requester) tries(r llm.Outgoing, e *llm.Error) int {
	if q.temporary(r, e) {
		return 0
	}
	return q.retry.Tries
}

// givenUp is the failure after the last try, in words for the user.
func (q *requester) givenUp(e *llm.Error, try int, began time.Time) *llm.Error {
	shown, now := *e, q.journal.Now()
	shown.Tries, shown.Took = try, now.Sub(began)
	if e.Retryable() && e.RetryAfter > q.retry.MaxAfter {
		shown.Hint = fmt.Sprintf("the server asks to wait %s: try again at %s",
			e.RetryAfter.Round(time.Second), now.Add(e.RetryAfter).Format("15:04:05"))
	}
	return &shown
}

// pause sleeps, and drains the inbox meanwhile. The error is the cause of ctx's end.
func (q *requester) pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	_, _, err := core.Receive(ctx, q.inbox, t.C)
	return err
}

// sharedCache replaces an overflow without sizes by a temporary failure, if the request is certainly smaller than
// the window: then a shared cache is full.
func (q *requester) sharedCache(r llm.Outgoing, rep *llm.Reply, e *llm.Error) *llm.Error {
	if !llm.UnsizedOverflow(e) || !llm.Smaller(q.journal.Model(), q.journal.Meter().Calibration().Factor, r, rep) || r.To.Name() != q.journal.Model().Name() {
		return e
	}
	return llm.CacheFull(e)
}

// One goroutine reads the provider and passes chunks on. The owner collects and shows them, and keeps draining its
// inbox. All that arrived is part of the reply, also if the stream breaks or is stopped. When stream returns, the
// provider and the keeper of the partial reply have ended.

// piece is a value that a provider yields.
type piece struct {
	chunk llm.Chunk
	err   error
}

// stream makes one try of a request. It shows the reply as it arrives, and stores it apart from the log. The error
// is an *Error, or the cause of ctx's end; the reply has what arrived, and is never nil.
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

// read passes on what the provider yields until the stream or ctx ends.
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

// show adds a chunk to the reply and publishes it.
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

// answer is the result of a request, with all its tries.
type answer struct {
	reply *llm.Reply   // to be stored
	spent []*llm.Reply // of the other tries, for their usage
	err   error        // nil; an *Error; or the cause of ctx's end
	down  bool         // the server was unreachable or loading in between
}

// saidNothing is the failure of the n-th empty reply to a request. After the second one there is no other try,
// because each costs money.
func saidNothing(e *llm.Error, n int) *llm.Error {
	failure := *e
	failure.NoRetry = failure.NoRetry || n > 1
	if failure.Hint == "" {
		failure.Hint = "try again or rephrase"
	}
	return &failure
}

// take adds a reply, and keeps the successful one, otherwise the longest.
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

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

// requester sends the requests of the conversation, and shows the replies as they arrive. A request that fails for a
// temporary reason is sent again, after a back-off or after the time that the server asks for. The text that had
// streamed is removed from the screen. If every try fails, the longest reply is stored.
type requester struct {
	journal        *core.Journal
	display        *display
	inbox          *core.Inbox
	store          core.Log // stores the partial reply
	retry          llm.Retry
	answeredModels map[string]bool // models that replied in this run, by name
	lastNote       string          // the newest note of a provider that the user was shown
}

// makeRequest sends a request, and repeats it after temporary failures.
func (q *requester) makeRequest(ctx context.Context, r llm.Outgoing) answer {
	var ans answer
	wasEmpty := false
	began := q.journal.Now()
	var startingSince time.Time // when the server was first seen starting or full
	for try := 1; ; try++ {
		rep, err := q.stream(ctx, r)
		if rep.Arrived() {
			q.answeredModels[r.To.Name()] = true
		}
		if err == nil && rep.Empty() {
			err = &llm.Error{Class: llm.Empty, Message: "the model gave no answer"}
		}
		ans.addTry(rep, err == nil)
		var failure *llm.Error
		if ans.err = err; !errors.As(err, &failure) {
			return ans
		}
		if failure.Class == llm.Empty {
			empty := *failure
			empty.NoRetry, empty.Hint = failure.NoRetry || wasEmpty, cmp.Or(failure.Hint, "try again or rephrase")
			failure, wasEmpty = &empty, true // a second empty reply ends the tries, because each try costs money
		}
		if m := q.journal.Model(); r.To.Name() == m.Name() {
			failure = llm.RecogniseFullCache(failure, m, q.journal.Meter().Calibration().Factor, r, rep)
		}
		wait, again := q.retry.Wait(failure, try)
		maxTries := q.retry.Tries
		// A server that loads its model, restarts after an answer or has a full shared cache usually takes no more than a minute.
		if failure.Loading || failure.SharedCacheFull || failure.NotListening && q.answeredModels[r.To.Name()] {
			if startingSince.IsZero() {
				startingSince = q.journal.Now()
			}
			wait = q.retry.BackOff(try)
			again = q.journal.Now().Sub(startingSince)+wait <= q.retry.MaxStarting
			maxTries = 0 // a time limit decides
		}
		ans.wasDown = ans.wasDown || failure.Class == llm.Network || failure.Loading
		if !again {
			ans.err = q.finalFailure(failure, try, began)
			return ans
		}
		q.journal.Logger.Info("the request is tried again", "class", failure.Class, "status", failure.Status, "try", try+1, "wait", wait)
		if rep.Arrived() {
			q.journal.Publish(updates.Discarded{})
		}
		q.display.status(updates.Status{Phase: updates.Retrying, Attempt: try + 1, MaxAttempts: maxTries, Wait: wait,
			Why: cmp.Or(failure.Lead, failure.Message), Class: failure.Class})
		if _, _, err := core.Receive(ctx, q.inbox, time.After(wait)); err != nil {
			ans.err = err
			return ans
		}
	}
}

// finalFailure returns the failure of the last try, with the number of tries and a hint for the user.
func (q *requester) finalFailure(e *llm.Error, try int, began time.Time) *llm.Error {
	shown, now := *e, q.journal.Now()
	shown.Tries, shown.Took = try, now.Sub(began)
	if e.Retryable() && e.RetryAfter > q.retry.MaxAfter {
		shown.Hint = fmt.Sprintf("the server asks to wait %s: try again at %s",
			e.RetryAfter.Round(time.Second), now.Add(e.RetryAfter).Format("15:04:05"))
	}
	return &shown
}

// piece is a value that a provider yields.
type piece struct {
	chunk llm.Chunk
	err   error
}

// stream makes one try of a request. Another goroutine reads the provider. This one shows the chunks, stores the
// partial reply apart from the log, and keeps reading its inbox. The reply is never nil; it has every chunk that
// arrived, even if the stream breaks or is stopped. The error is an *llm.Error, or the cause of ctx's end.
func (q *requester) stream(ctx context.Context, r llm.Outgoing) (*llm.Reply, error) {
	keeper := keepPartials(ctx, q.store, q.journal.Logger)
	defer keeper.stop()
	q.display.status(updates.Status{Phase: updates.Waiting})
	streamCtx, stop := context.WithCancel(ctx)
	defer stop()
	pieces := make(chan piece, 64)
	go passPieces(streamCtx, r, pieces)

	rep := llm.NewReply()
	err := q.collect(ctx, pieces, func(c llm.Chunk) {
		q.showChunk(rep, c)
		if c.Note != "" && c.Note != r.To.EffortNote && c.Note != q.lastNote {
			q.lastNote = c.Note
			q.journal.AppendWhenIdle(ctx, conversation.Notice{Level: conversation.NoticeInfo, Text: c.Note})
		}
		if c.Text != "" || c.Reasoning != "" {
			keeper.replacePartial(conversation.PartialReply{
				After: r.After, Model: r.To.Name(), Text: rep.Text.String(), Reasoning: rep.Reasoning.String(),
				Time: q.journal.Now(), Request: r.UsageWithoutCounts(rep),
			})
		}
	}, rep)
	stop()
	for {
		p, ok, _ := core.Receive(context.WithoutCancel(ctx), q.inbox, pieces) // ends when passPieces ends
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

// passPieces passes on what the provider yields until the stream or ctx ends.
func passPieces(ctx context.Context, r llm.Outgoing, out chan<- piece) {
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

func (q *requester) showChunk(rep *llm.Reply, c llm.Chunk) {
	wasEmpty := !rep.Arrived()
	changed := rep.Add(c)
	if wasEmpty && rep.Arrived() {
		q.display.status(updates.Status{Phase: updates.Streaming})
	}
	if wasEmpty && !rep.Arrived() && c.Progress != nil {
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
	reply      *llm.Reply   // the reply to store
	otherTries []*llm.Reply // replies of the other tries, for their usage
	err        error        // nil; an *llm.Error; or the cause of ctx's end
	wasDown    bool         // the server was unreachable or loading during a try
}

// addTry adds the reply of a try. The answer has the successful reply, or the longest if all tries failed.
func (ans *answer) addTry(rep *llm.Reply, succeeded bool) {
	switch {
	case ans.reply == nil:
		ans.reply = rep
	case succeeded || rep.Bytes > ans.reply.Bytes:
		ans.otherTries = append(ans.otherTries, ans.reply)
		ans.reply = rep
	default:
		ans.otherTries = append(ans.otherTries, rep)
	}
}

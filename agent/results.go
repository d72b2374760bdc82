package agent

import (
	"context"
	"slices"
	"unicode/utf8"

	"plimsoll/conversation"
)

// What the model is told in place of a result. The texts are part of logs and
// therefore of requests: changing one does not change what was said.
const (
	programEnded     = "interrupted: the program ended before this call had a result"
	stoppedBefore    = "interrupted: the turn was stopped before this call ran"
	stoppedDuring    = "interrupted: the call was stopped; it printed nothing"
	replyStopped     = "not run: the reply was stopped"
	replyFailed      = "not run: the reply broke off"
	replyTooLong     = "not run: the reply reached its token limit, so this call may be incomplete; use smaller steps"
	replyWithheld    = "not run: the provider withheld the rest of the reply"
	notSavedReply    = "not run: the reply could not be saved"
	invalidArguments = "error: the arguments are not a JSON object, so the call was not run; they are kept under \"_invalid\". Call again with valid JSON"
	noTools          = "error: there are no tools in this conversation"
	nobodyApproves   = "denied: this call needs the user's approval and no user is present; do without it or say what should be done"
	nobodyAnswers    = "no user is present to answer; decide yourself, or say what you need to know"
	refused          = "denied: this call is not allowed"
	denied           = "denied: the user did not allow this call"
	declined         = "the user did not answer"
)

// notRun says why the calls of a reply are not run, "" if they are.
func notRun(stop conversation.StopReason) string {
	switch stop {
	case conversation.StopEnd, conversation.StopCalls:
		return ""
	case conversation.StopLength:
		return replyTooLong
	case conversation.StopFiltered:
		return replyWithheld
	case conversation.StopCancelled, conversation.StopInterrupted:
		return replyStopped
	}
	return replyFailed
}

// interruptedResult answers a call that did not run to its end.
func interruptedResult(c conversation.ToolCall, why string) conversation.ToolResult {
	return conversation.ToolResult{CallID: c.ID, Tool: c.Name, Status: conversation.ResultInterrupted, Text: why}
}

// keepResults appends the results of done as one transaction. An error ends the
// turn, so rest is answered too then.
func (r *callRunner) keepResults(ctx context.Context, done, rest []*call) error {
	var bodies []conversation.Body
	var blobErr error
	for i, c := range done {
		result, err := r.result(ctx, c, r.nextSeq()+uint64(i))
		if err != nil {
			blobErr = err
		}
		bodies = append(bodies, result)
	}
	if blobErr != nil {
		bodies, rest = append(bodies, abandoned(rest)...), nil
	}
	if _, err := r.keep(ctx, bodies...); err != nil {
		r.pending = append(r.pending, abandoned(rest)...)
		return err
	}
	if blobErr != nil {
		return notSaved(blobErr)
	}
	return nil
}

// abandoned answers calls that are not run because the turn could not be saved.
func abandoned(calls []*call) []conversation.Body {
	var bodies []conversation.Body
	for _, c := range calls {
		bodies = append(bodies, interruptedResult(c.ToolCall, notSavedReply))
	}
	return bodies
}

// result is the outcome of a call as it is stored as an event: cut to what the
// model is shown, the full text in a blob. The error is that of the blob; the
// result then goes without.
func (r *callRunner) result(ctx context.Context, c *call, seq uint64) (conversation.ToolResult, error) {
	text := conversation.Clean(c.outcome.Text)
	result := conversation.ToolResult{
		CallID: c.ID, Tool: c.Name, Status: c.outcome.Status, Detail: c.outcome.Detail, Duration: c.took,
	}
	if result.Status == "" {
		result.Status = conversation.ResultOK
	}
	if text == "" && result.Status == conversation.ResultInterrupted {
		text = stoppedDuring
	}
	limits := r.opts.Results
	recall := ""
	if limits.KeepFull && slices.Contains(*r.display.declared.Load(), conversation.ToolRecall) {
		recall = conversation.RecallID{First: seq, Last: seq}.String()
	}
	result.Text, result.Total = r.display.arrival.Load().Apply(text, recall)
	result.Repeats = r.repeated(result)
	if result.Total == 0 || !limits.KeepFull {
		return result, nil
	}
	blob, err := r.opts.Log.PutBlob(context.WithoutCancel(ctx), prefix(text, limits.Ceiling))
	result.Blob = blob
	return result, err
}

// repeated is the Seq of an earlier result with the same text that the model
// sees in full, 0 if there is none or the rules say nothing of pointers.
func (r *callRunner) repeated(result conversation.ToolResult) uint64 {
	if !r.rules.Preset.Design().Additions {
		return 0
	}
	result.Size = conversation.Measure(result.Text)
	if seq := r.repeats.Of(result); seq != 0 && r.view.ShowsInFull(seq, result.Text) {
		return seq
	}
	return 0
}

// prefix is text up to n bytes, without half a character at its end.
func prefix(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// withReason adds what the user said to a text.
func withReason(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ". The user says: " + reason
}

// orElse is text, or other if there is none.
func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

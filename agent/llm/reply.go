package llm

import (
	"cmp"
	"context"
	"maps"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
)

// Reply collects the chunks of one reply.
type Reply struct {
	Text, Reasoning    strings.Builder
	Calls              []*CallPieces
	callByIndex        map[int]int // index on the wire -> index in Calls
	Stop               conversation.StopReason
	Refusal            string
	Paused             bool
	Usage              *Tokens
	Extras             map[string]conversation.RawJSON
	BodyHash, wireForm string
	Bytes              int // of text, reasoning and calls
}

// CallPieces collects the pieces of one tool call.
type CallPieces struct {
	ID, Name  string
	Arguments strings.Builder
	Chars     int // code points of arguments
	Extra     conversation.RawJSON
}

// NewReply returns an empty reply.
func NewReply() *Reply { return &Reply{callByIndex: map[int]int{}} }

// Add adds a chunk and returns the indexes of the calls that it changed.
func (r *Reply) Add(c Chunk) (changed []int) {
	r.Text.WriteString(c.Text)
	r.Reasoning.WriteString(c.Reasoning)
	r.Bytes += len(c.Text) + len(c.Reasoning)
	for _, d := range c.Calls {
		changed = append(changed, r.addCall(d))
	}
	if c.Stop != "" {
		r.Stop, r.Refusal, r.Paused = c.Stop, c.Refusal, c.Paused
	}
	if c.Usage != nil {
		u := *c.Usage
		r.Usage = &u
	}
	if c.BodyHash != "" {
		r.BodyHash, r.wireForm = c.BodyHash, c.WireForm
	}
	if len(c.Extras) > 0 {
		if r.Extras == nil {
			r.Extras = map[string]conversation.RawJSON{}
		}
		maps.Copy(r.Extras, c.Extras)
	}
	return changed
}

// callBytes is the size of a call without its arguments: a reply that never stops making calls is as endless as a
// text.
const callBytes = 4096

// addCall adds a piece of a call and returns the index of the call. Some servers give all parallel calls the index
// 0 and tell them apart by ID alone.
func (r *Reply) addCall(d CallDelta) int {
	i, ok := r.callByIndex[d.Index]
	if !ok || d.ID != "" && r.Calls[i].ID != "" && d.ID != r.Calls[i].ID {
		i = len(r.Calls)
		r.Calls = append(r.Calls, &CallPieces{})
		r.callByIndex[d.Index] = i
		r.Bytes += callBytes
	}
	call := r.Calls[i]
	call.ID, call.Name = cmp.Or(d.ID, call.ID), cmp.Or(d.Name, call.Name)
	if len(d.Extra) > 0 {
		call.Extra = d.Extra
	}
	call.Arguments.WriteString(d.Arguments)
	call.Chars += utf8.RuneCountInString(d.Arguments)
	r.Bytes += len(d.Arguments)
	return i
}

// Arrived reports whether the reply has text, reasoning or a call.
func (r *Reply) Arrived() bool { return r.Bytes > 0 || len(r.Calls) > 0 }

// Empty reports whether the model ended the reply without text and calls. A reply that was cut at its limit or
// withheld is not empty: asking again would not help.
func (r *Reply) Empty() bool {
	ended := r.Stop == conversation.StopEnd || r.Stop == conversation.StopCalls
	return ended && len(r.Calls) == 0 && strings.TrimSpace(r.Text.String()) == ""
}

// Outgoing is a request with what its usage event records later.
type Outgoing struct {
	Request
	Provider Provider
	To       Model // the model it is sent to
	Purpose  conversation.Purpose
	Estimate float64 // uncalibrated tokens of the prompt
	Images   float64 // part of Estimate that is images
	Revision uint64  // of the view that it was made from
	After    uint64  // Seq of the newest event in the view, 0 for a summary
}

// UsageWithoutCounts is the usage event of a request before the provider reported any tokens: enough to rebuild the
// request.
func (r Outgoing) UsageWithoutCounts(rep *Reply) conversation.Usage {
	u := conversation.Usage{
		Purpose: r.Purpose, Revision: r.Revision, Model: r.To.Name(),
		Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1, Estimate: r.Estimate,
		Images: r.Images, BodyHash: rep.BodyHash, Through: r.After, MaxTokens: r.MaxTokens, WireForm: rep.wireForm,
	}
	if r.To.TTL != TTLEndpoint { // the request asks for it
		u.CacheTTL = r.CacheTTL
	}
	return u
}

// Read makes a request and reads the reply to its end. The error is an *Error, or the cause of ctx's end. The reply
// is never nil: it has what arrived.
func (r Outgoing) Read(ctx context.Context) (*Reply, error) {
	rep := NewReply()
	for c, err := range r.Provider.Stream(ctx, r.Request) {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return rep, cause
			}
			return rep, AsError(err)
		}
		rep.Add(c)
	}
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return rep, cause
	case rep.Stop == "":
		return rep, TruncatedReply()
	}
	return rep, nil
}

// TruncatedReply is the error of a stream that ends without a stop reason.
func TruncatedReply() *Error {
	return &Error{Class: Truncated, Message: "the reply broke off without a stop reason"}
}

// EndlessReply is the error of a reply that is longer than any window.
func EndlessReply() *Error {
	return &Error{Class: Malformed, NoRetry: true, Message: "the reply was too long and was stopped",
		Hint: "the model may be repeating itself; ask again, or for less at once"}
}

package llm

import (
	"context"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"plimsoll/conversation"
)

// Reply adds up the pieces of one reply.
type Reply struct {
	Text, Reasoning strings.Builder
	Calls           []*CallPieces
	open            map[int]int // wire index -> place in calls
	Stop            conversation.StopReason
	Refusal         string
	Paused          bool
	Usage           *Tokens
	Extras          map[string]conversation.RawJSON
	BodyHash, form  string
	Bytes           int // of text, reasoning and calls
}

// CallPieces adds up one call.
type CallPieces struct {
	ID, Name  string
	Arguments strings.Builder
	Chars     int // code points of arguments
	Extra     conversation.RawJSON
}

func NewReply() *Reply { return &Reply{open: map[int]int{}} }

// Add adds a piece and returns the places of the calls that it changed.
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
		r.BodyHash, r.form = c.BodyHash, c.Form
	}
	if len(c.Extras) > 0 {
		if r.Extras == nil {
			r.Extras = map[string]conversation.RawJSON{}
		}
		maps.Copy(r.Extras, c.Extras)
	}
	return changed
}

// callBytes is what a call counts for beyond its arguments: calls that do not
// end are a reply that does not end.
const callBytes = 4096

// addCall adds a piece of a call. Servers exist that number all parallel calls
// 0 and tell them apart by id only.
func (r *Reply) addCall(d CallDelta) int {
	i, ok := r.open[d.Index]
	if !ok || d.ID != "" && r.Calls[i].ID != "" && d.ID != r.Calls[i].ID {
		i = len(r.Calls)
		r.Calls = append(r.Calls, &CallPieces{})
		r.open[d.Index] = i
		r.Bytes += callBytes
	}
	call := r.Calls[i]
	if d.ID != "" {
		call.ID = d.ID
	}
	if d.Name != "" {
		call.Name = d.Name
	}
	if len(d.Extra) > 0 {
		call.Extra = d.Extra
	}
	call.Arguments.WriteString(d.Arguments)
	call.Chars += utf8.RuneCountInString(d.Arguments)
	r.Bytes += len(d.Arguments)
	return i
}

// Arrived reports whether anything came that is worth keeping.
func (r *Reply) Arrived() bool { return r.Bytes > 0 || len(r.Calls) > 0 }

// Empty reports whether the model ended a reply without saying anything. One
// cut at its limit or withheld is not empty: asking again would not help.
func (r *Reply) Empty() bool {
	ended := r.Stop == conversation.StopEnd || r.Stop == conversation.StopCalls
	return ended && len(r.Calls) == 0 && strings.TrimSpace(r.Text.String()) == ""
}

// Outgoing is a request with what has to be known about it afterwards.
type Outgoing struct {
	Request
	Provider Provider
	To       Model
	Purpose  conversation.Purpose
	Estimate float64 // uncalibrated tokens of the prompt
	Revision uint64  // of the view it was made of
	After    uint64  // Seq of the newest event that the view was made of, 0 for a summary
}

// Unreported is what is known of a request before anything was counted for it,
// by what arrived of the reply: enough to make it again.
func (r Outgoing) Unreported(rep *Reply) conversation.Usage {
	return conversation.Usage{
		Purpose: r.Purpose, Revision: r.Revision, Model: r.To.Name(),
		Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1,
		Estimate: r.Estimate, BodyHash: rep.BodyHash, Through: r.After, MaxTokens: r.MaxTokens, WireForm: rep.form,
		CacheTTL: r.asksToKeep(),
	}
}

// asksToKeep is how long the request asks the provider's cache to hold it, 0 if it does not.
func (r Outgoing) asksToKeep() time.Duration {
	if r.To.TTL == TTLEndpoint {
		return 0
	}
	return r.CacheTTL
}

// Read makes a request and reads the reply to its end. The error is an *Error, or the cause of ctx's end; the reply has
// what arrived, and is never nil.
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
		return rep, BrokeOff()
	}
	return rep, nil
}

// BrokeOff is a stream that ends without a stop reason.
func BrokeOff() *Error {
	return &Error{Class: Truncated, Message: "the reply broke off without a stop reason"}
}

// Endless is a reply that is longer than any window.
func Endless() *Error {
	return &Error{Class: Malformed, NoRetry: true, Message: "the reply was too long and was stopped",
		Hint: "the model may be repeating itself; ask again, or for less at once"}
}

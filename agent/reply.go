package agent

import (
	"maps"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
)

// reply adds up the pieces of one reply.
type reply struct {
	text, reasoning strings.Builder
	calls           []*callPieces
	open            map[int]int // wire index -> place in calls
	stop            conversation.StopReason
	usage           *Tokens
	extras          map[string]conversation.RawJSON
	bodyHash, form  string
	bytes           int // of text, reasoning and calls
}

// callPieces adds up one call.
type callPieces struct {
	id, name  string
	arguments strings.Builder
	chars     int // code points of arguments
	extra     conversation.RawJSON
}

func newReply() *reply { return &reply{open: map[int]int{}} }

// add adds a piece and returns the places of the calls that it changed.
func (r *reply) add(c Chunk) (changed []int) {
	r.text.WriteString(c.Text)
	r.reasoning.WriteString(c.Reasoning)
	r.bytes += len(c.Text) + len(c.Reasoning)
	for _, d := range c.Calls {
		changed = append(changed, r.addCall(d))
	}
	if c.Stop != "" {
		r.stop = c.Stop
	}
	if c.Usage != nil {
		u := *c.Usage
		r.usage = &u
	}
	if c.BodyHash != "" {
		r.bodyHash, r.form = c.BodyHash, c.Form
	}
	if len(c.Extras) > 0 {
		if r.extras == nil {
			r.extras = map[string]conversation.RawJSON{}
		}
		maps.Copy(r.extras, c.Extras)
	}
	return changed
}

// callBytes is what a call counts for beyond its arguments: calls that do not
// end are a reply that does not end.
const callBytes = 256

// addCall adds a piece of a call. Servers exist that number all parallel calls
// 0 and tell them apart by id only.
func (r *reply) addCall(d CallDelta) int {
	i, ok := r.open[d.Index]
	if !ok || d.ID != "" && r.calls[i].id != "" && d.ID != r.calls[i].id {
		i = len(r.calls)
		r.calls = append(r.calls, &callPieces{})
		r.open[d.Index] = i
		r.bytes += callBytes
	}
	call := r.calls[i]
	if d.ID != "" {
		call.id = d.ID
	}
	if d.Name != "" {
		call.name = d.Name
	}
	if len(d.Extra) > 0 {
		call.extra = d.Extra
	}
	call.arguments.WriteString(d.Arguments)
	call.chars += utf8.RuneCountInString(d.Arguments)
	r.bytes += len(d.Arguments)
	return i
}

// arrived reports whether anything came that is worth keeping.
func (r *reply) arrived() bool { return r.bytes > 0 || len(r.calls) > 0 }

// empty reports whether the model ended a reply without saying anything. One
// cut at its limit or withheld is not empty: asking again would not help.
func (r *reply) empty() bool {
	ended := r.stop == conversation.StopEnd || r.stop == conversation.StopCalls
	return ended && len(r.calls) == 0 && strings.TrimSpace(r.text.String()) == ""
}

// request is a request with what has to be known about it afterwards.
type request struct {
	Request
	provider Provider
	model    Model
	purpose  conversation.Purpose
	estimate float64 // uncalibrated tokens of the prompt
	revision uint64  // of the view it was made of
	after    uint64  // Seq of the newest event that the view was made of, 0 for a summary
}

// unreported is what is known of a request before anything was counted for it,
// by what arrived of the reply: enough to make it again.
func (r request) unreported(rep *reply) conversation.Usage {
	return conversation.Usage{
		For: r.purpose, Revision: r.revision, Model: r.model.Name(),
		Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1,
		Estimate: r.estimate, BodyHash: rep.bodyHash, Through: r.after, MaxTokens: r.MaxTokens, Form: rep.form,
	}
}

// maxReply is how many bytes of one reply are taken. No window holds so much:
// what goes on after it does not end.
const maxReply = 16 << 20

// brokeOff is a stream that ends without a stop reason.
func brokeOff() *Error {
	return &Error{Class: Truncated, Message: "the reply broke off without a stop reason"}
}

// endless is a reply of more than maxReply bytes.
func endless() *Error {
	return &Error{Class: Malformed, Message: "the reply did not end and was cut", NoRetry: true}
}

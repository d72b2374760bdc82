package inspect

import (
	"time"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Past requests can be rebuilt from the log. Rules:
//
//   - A request is recorded by its usage event. Retries are separate requests with the same events.
//   - A request without recorded range includes all events before its reply, or before its usage event if no
//     reply was stored.

// SentRequest is one request that was sent, as the log records it.
type SentRequest struct {
	Number  int    // 1 is the first of the conversation
	Event   uint64 // Seq of its usage event
	Through uint64 // Seq of the newest event that it includes
	Turn    int
	Time    time.Time
	Usage   conversation.Usage
}

// RebuiltRequest is a past request, built again from the log.
type RebuiltRequest struct {
	SentRequest
	System   string                  // the system prompt, "" without one
	Tools    []conversation.ToolSpec // the declared tools
	Messages []projection.Message    // hardened, without the system prompt
	Body     []byte                  // as sent over the wire; nil if it cannot be built
	Hash     string                  // SHA-256 of Body, in hex
	// MatchesSent means that Body equals the sent body byte for byte. It is false without a recorded hash.
	MatchesSent bool
	Why         string // why Body is missing or differs from the sent one; "" if it matches
}

// SentRequests lists the requests for replies that a log records, oldest first.
func SentRequests(log []conversation.Event) []SentRequest {
	var list []SentRequest
	before := make([]uint64, len(log)+1) // by index: the newest earlier event, not counting requests without a reply; 0 for none
	for i, e := range log {
		before[i+1] = e.Seq
		u, ok := e.Body.(conversation.Usage)
		if !ok || u.Purpose != conversation.PurposeReply {
			continue
		}
		if u.Reply == 0 {
			before[i+1] = before[i]
		}
		if u.BodyHash == "" && !u.HasPromptCount() && u.Reply == 0 {
			continue
		}
		r := SentRequest{Number: len(list) + 1, Event: e.Seq, Through: u.Through, Turn: e.Turn, Time: e.Time, Usage: u}
		if r.Through == 0 || r.Through >= e.Seq {
			r.Through = before[i]
			if k := conversation.IndexOf(log, u.Reply); k >= 0 && k < i {
				r.Through = before[k]
			}
		}
		list = append(list, r)
	}
	return list
}

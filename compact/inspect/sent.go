package inspect

import (
	"time"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A request of the past can be made again: the log says of what it was made. Rules:
//
//   - A request is on record by what was reported about it. One that was tried
//     several times is that many requests, each made of the same events.
//   - Where the log does not say what it was made of, it was made of everything before
//     its reply, or before its record where no reply was kept.

// SentRequest is one request that was sent, as the log has it.
type SentRequest struct {
	Number  int    // 1 is the first of the conversation
	Event   uint64 // Seq of the usage that was recorded with it
	Reply   uint64 // Seq of its reply, 0 if none was kept
	Through uint64 // Seq of the newest event it was made of
	Turn    int
	Time    time.Time
	Usage   conversation.Usage
}

// RebuiltRequest is a request of the past, made again.
type RebuiltRequest struct {
	SentRequest
	System   string                  // the system prompt, "" for none
	Tools    []conversation.ToolSpec // that it declared
	Messages []projection.Message    // hardened, without the system prompt
	Body     []byte                  // as it goes over the wire; nil where that cannot be made
	Hash     string                  // SHA-256 of Body, in hex
	// MatchesSent says that Body is, byte for byte, what was sent. It is false without a
	// recorded hash.
	MatchesSent bool
	Why         string // why there is no Body, or why it is not what was sent; "" if it is
}

// SentRequests lists the requests for replies that a log records, oldest first.
func SentRequests(log []conversation.Event) []SentRequest {
	var list []SentRequest
	before := make([]uint64, len(log)+1) // by index: the newest event before it that is no try without a reply, 0 for none
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
		r := SentRequest{Number: len(list) + 1, Event: e.Seq, Reply: u.Reply, Through: u.Through, Turn: e.Turn, Time: e.Time, Usage: u}
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

package compact

import (
	"time"

	"plimsoll/conversation"
)

// A request of the past can be made again: the log says of what it was made.

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

// Rebuilt is a request of the past, made again.
type Rebuilt struct {
	SentRequest
	System   string                  // the system prompt, "" for none
	Tools    []conversation.ToolSpec // that it declared
	Messages []Message               // hardened, without the system prompt
	Body     []byte                  // as it goes over the wire; nil where that cannot be made
	Hash     string                  // SHA-256 of Body, in hex
	// Same says that Body is, byte for byte, what was sent. Without a recorded hash
	// nobody knows, and it is false.
	Same bool
	Why  string // why there is no Body, or why it is not what was sent; "" if it is
}

// Requests lists the requests for replies that a log records, oldest first.
func Requests(log []conversation.Event) []SentRequest { return nil }

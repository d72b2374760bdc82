package agenttest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Server is a provider that behaves as a server with a window does: it counts
// tokens in its own way, which is not the client's, refuses a prompt that is too
// long, checks what it is sent, and reports usage. Its fields are set before it is
// used; streams may run beside each other.
type Server struct {
	Window  int            // tokens of the largest prompt, 0 no bound
	Windows map[string]int // the same by model, where it is another one
	// Nameless refuses without a word about sizes.
	Nameless bool
	// Truncates leaves out the oldest messages of a prompt that is too long instead
	// of refusing it, and reports the rest.
	Truncates bool
	// Quiet reports no usage.
	Quiet bool
	// Answer is the reply to the n-th request for one, from 0, refused ones not
	// counted. Nil: "yes".
	Answer func(n int, r llm.Request) Reply
	// Summary is the reply to a request for a summary. Nil: [Healthy].
	Summary Summariser
	// Mark is asked when a request begins; what it says is noted. Nil: 0.
	Mark func() int

	mu       sync.Mutex // guards all below
	served   []Served
	answered int                  // requests for replies
	asked    int                  // requests for summaries
	before   []projection.Message // of the newest request for a reply
	tools    string               // that requests carry
	running  atomic.Int64
}

// Served is a request that a server got, and what it made of it.
type Served struct {
	Request llm.Request
	Purpose conversation.Purpose
	Mark    int
	Tokens  int      // of the prompt as it came
	Refused bool     // for its size
	left    int      // tokens of messages left out, for want of room
	Wrong   []string // what an endpoint would not accept, with the place
	// Shared is how many messages it begins with as the newest request for a reply
	// before it did, of which there were Before; 0 and 0 for the first one.
	Shared, Before int
}

// Served are the requests so far, in the order they began.
func (s *Server) Served() []Served {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.served)
}

// Running is the number of streams that have not ended.
func (s *Server) Running() int { return int(s.running.Load()) }

// Stream serves a request. A prompt that is too long fails with an llm.Error of
// class Overflow; when ctx ends the stream fails with one of class Cancelled.
func (s *Server) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s.running.Add(1)
		defer s.running.Add(-1)
		got, reply := s.begin(r)
		if got.Refused {
			yield(llm.Chunk{}, s.refusal(got))
			return
		}
		said := 0
		ended := reply.play(ctx, func(c llm.Chunk, err error) bool {
			said += chunkTokens(c)
			return yield(c, err)
		})
		if ended && !s.Quiet {
			yield(llm.Chunk{Usage: &llm.Tokens{
				Prompt: got.Tokens - got.left, Cached: -1, CacheWrite: -1, Completion: said, Reasoning: -1,
			}}, nil)
		}
	}
}

func (s *Server) window(model string) int {
	if n, other := s.Windows[model]; other {
		return n
	}
	return s.Window
}

// begin notes a request and finds what to reply.
func (s *Server) begin(r llm.Request) (Served, Reply) {
	mark := 0
	if s.Mark != nil {
		mark = s.Mark()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	got := Served{Request: r, Purpose: PurposeOf(r), Mark: mark, Tokens: count(r), Wrong: Inspect(r)}
	s.compare(&got)
	if window := s.window(r.Model); window > 0 && got.Tokens > window {
		got.Refused = !s.Truncates
		for i := 0; s.Truncates && got.Tokens-got.left > window && i < len(r.Messages)-1; i++ {
			got.left += tokensOf(&r.Messages[i])
		}
	}
	s.served = append(s.served, got)
	if got.Refused {
		return got, nil
	}
	var reply Reply
	switch {
	case got.Purpose == conversation.ForSummary && s.Summary == nil:
		reply = Healthy(s.asked, r)
	case got.Purpose == conversation.ForSummary:
		reply = s.Summary(s.asked, r)
	case s.Answer == nil:
		reply = Join(Say("yes"), Stop(conversation.StopEnd))
	default:
		reply = s.Answer(s.answered, r)
	}
	if got.Purpose == conversation.ForSummary {
		s.asked++
	} else {
		s.answered++
	}
	return got, reply
}

// compare notes what a request has in common with those before it, and whether
// its tools are the ones that others carried.
func (s *Server) compare(got *Served) {
	r := got.Request
	got.Before = len(s.before)
	for got.Shared < min(len(s.before), len(r.Messages)) && same(&s.before[got.Shared], &r.Messages[got.Shared]) {
		got.Shared++
	}
	tools := writeTools(r.Tools)
	switch {
	case s.tools == "" && len(r.Tools) > 0:
		s.tools = tools
	case len(r.Tools) > 0 && s.tools != tools, len(r.Tools) == 0 && s.tools != "" && got.Purpose == conversation.ForReply:
		got.Wrong = append(got.Wrong, "the tools are not those of the requests before it")
	}
	if got.Purpose == conversation.ForReply {
		s.before = r.Messages
	}
}

func (s *Server) refusal(got Served) *llm.Error {
	if s.Nameless {
		return &llm.Error{Class: llm.Overflow, Message: "the prompt is too long", Status: 400}
	}
	window := s.window(got.Request.Model)
	return &llm.Error{
		Class: llm.Overflow, Status: 400, Window: window, Requested: got.Tokens,
		Message: fmt.Sprintf("%d tokens are asked for, and the window has %d", got.Tokens, window),
	}
}

// PurposeOf is what a request asks for, as its last message tells.
func PurposeOf(r llm.Request) conversation.Purpose {
	if len(r.Messages) == 0 {
		return conversation.ForReply
	}
	wish := r.Messages[len(r.Messages)-1].Text
	if strings.HasPrefix(wish, "This is a request of the program") || strings.HasSuffix(wish, "Write the summary now, and nothing else.") ||
		strings.HasPrefix(wish, "Summarize this conversation") {
		return conversation.ForSummary
	}
	return conversation.ForReply
}

// Summariser is the reply to the n-th request for a summary, from 0, refused ones
// not counted.
type Summariser func(n int, r llm.Request) Reply

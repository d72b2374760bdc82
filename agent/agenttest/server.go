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

// Server is a fake provider with a context window. It counts tokens differently from the client, refuses a prompt
// that is too long, checks the requests, and reports usage. Set its fields before the first request; streams may
// run concurrently.
type Server struct {
	Window  int            // tokens of the largest prompt, 0 for no limit
	Windows map[string]int // windows of single models, in place of Window
	// OmitsSizes leaves the sizes out of refusals.
	OmitsSizes bool
	// Truncates drops the oldest messages of a prompt that is too long instead of
	// refusing it, and reports the usage of the rest.
	Truncates bool
	// OmitsUsage leaves usage out of the replies.
	OmitsUsage bool
	// Answer makes the n-th reply, counted from 0 without refused requests. Nil: the reply is "yes".
	Answer func(n int, r llm.Request) Reply
	// Summary makes the reply to a request for a summary. Nil: [Healthy].
	Summary Summariser
	// StoredEvents counts the events in the log when a request arrives. Nil: 0.
	StoredEvents func() int

	mu        sync.Mutex // guards the fields below, except running
	served    []Served
	replies   int                  // requests for replies that were not refused
	summaries int                  // requests for summaries that were not refused
	previous  []projection.Message // messages of the newest request for a reply
	tools     string               // that the first request with tools declared
	running   atomic.Int64
}

// Served is a request that a server received, and what the server did with it.
type Served struct {
	Request llm.Request
	Purpose conversation.Purpose
	After   int  // events in the log when it arrived
	Tokens  int  // of the whole prompt
	Refused bool // because the prompt was too long
	dropped int  // tokens of the messages that Truncates dropped
	// Problems are what an endpoint would refuse in it, with the place.
	Problems []string
	// Unchanged is how many leading messages equal those of the previous request for a reply, and Previous the number of
	// messages of that request; both are 0 for the first request.
	Unchanged, Previous int
}

// Served returns the requests so far, in the order they began.
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
		completion := 0
		ended := reply.play(ctx, func(c llm.Chunk, err error) bool {
			completion += chunkTokens(c)
			return yield(c, err)
		})
		if ended && !s.OmitsUsage {
			yield(llm.Chunk{Usage: &llm.Tokens{
				Prompt: got.Tokens - got.dropped, Cached: -1, CacheWrite: -1, Completion: completion, Reasoning: -1,
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

func (s *Server) begin(r llm.Request) (Served, Reply) {
	stored := 0
	if s.StoredEvents != nil {
		stored = s.StoredEvents()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	got := Served{Request: r, Purpose: PurposeOf(r), After: stored, Tokens: requestTokens(r), Problems: CheckRequest(r)}
	s.compare(&got)
	if window := s.window(r.Model); window > 0 && got.Tokens > window {
		got.Refused = !s.Truncates
		for i := 0; s.Truncates && got.Tokens-got.dropped > window && i < len(r.Messages)-1; i++ {
			got.dropped += messageTokenCount(&r.Messages[i])
		}
	}
	s.served = append(s.served, got)
	if got.Refused {
		return got, nil
	}
	var reply Reply
	switch {
	case got.Purpose == conversation.PurposeSummary && s.Summary == nil:
		reply = ReplyWithSummary(s.summaries, r)
	case got.Purpose == conversation.PurposeSummary:
		reply = s.Summary(s.summaries, r)
	case s.Answer == nil:
		reply = Join(StreamText("yes"), Stop(conversation.StopEnd))
	default:
		reply = s.Answer(s.replies, r)
	}
	if got.Purpose == conversation.PurposeSummary {
		s.summaries++
	} else {
		s.replies++
	}
	return got, reply
}

// compare counts the leading messages that a request shares with the previous one, and checks that its tools are
// those of earlier requests.
func (s *Server) compare(got *Served) {
	r := got.Request
	got.Previous = len(s.previous)
	for got.Unchanged < min(len(s.previous), len(r.Messages)) && sameMessage(&s.previous[got.Unchanged], &r.Messages[got.Unchanged]) {
		got.Unchanged++
	}
	tools := toolsText(r.Tools)
	switch {
	case s.tools == "" && len(r.Tools) > 0:
		s.tools = tools
	case len(r.Tools) > 0 && s.tools != tools, len(r.Tools) == 0 && s.tools != "" && got.Purpose == conversation.PurposeReply:
		got.Problems = append(got.Problems, "the tools are not those of the requests before it")
	}
	if got.Purpose == conversation.PurposeReply {
		s.previous = r.Messages
	}
}

func (s *Server) refusal(got Served) *llm.Error {
	if s.OmitsSizes {
		return &llm.Error{Class: llm.Overflow, Message: "the prompt is too long", Status: 400}
	}
	window := s.window(got.Request.Model)
	return &llm.Error{
		Class: llm.Overflow, Status: 400, Window: window, Requested: got.Tokens,
		Message: fmt.Sprintf("%d tokens are asked for, and the window has %d", got.Tokens, window),
	}
}

// PurposeOf reads from the last message whether a request asks for a reply or for a summary.
func PurposeOf(r llm.Request) conversation.Purpose {
	if len(r.Messages) == 0 {
		return conversation.PurposeReply
	}
	last := r.Messages[len(r.Messages)-1].Text
	if strings.HasPrefix(last, "This is a request of the program") || strings.HasSuffix(last, "Write the summary now, and nothing else.") ||
		strings.HasPrefix(last, "Summarize this conversation") {
		return conversation.PurposeSummary
	}
	return conversation.PurposeReply
}

// Summariser makes the reply to the n-th request for a summary, counted from 0 without refused requests.
type Summariser func(n int, r llm.Request) Reply

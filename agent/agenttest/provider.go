package agenttest

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Provider is a fake provider with a context window. It counts tokens differently from the client, refuses a prompt
// that is too long, checks the requests, and reports usage. Set its fields before the first request; streams may
// run concurrently. One of [NewProvider] follows a script instead.
type Provider struct {
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
	// Summary makes the reply to a request for a summary. Nil: [ReplyWithSummary].
	Summary Summariser
	// StoredEvents counts the events in the log when a request arrives. Nil: 0.
	StoredEvents func() int

	scripted  bool
	mu        sync.Mutex // guards the fields below, except running
	script    []Reply
	served    []Served
	replies   int                  // requests for replies that were not refused
	summaries int                  // requests for summaries that were not refused
	previous  []projection.Message // messages of the newest request for a reply
	tools     string               // that the first request with tools declared
	running   atomic.Int64
}

// NewProvider returns a provider that answers each request with the next reply of a script. It adds no usage. A request
// after the last reply fails with an llm.Error of class BadRequest.
func NewProvider(script ...Reply) *Provider {
	return &Provider{OmitsUsage: true, scripted: true, script: script}
}

// Add appends replies to the script.
func (p *Provider) Add(script ...Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script = append(p.script, script...)
}

// Served is a request that a provider received, and what it did with it.
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
func (p *Provider) Served() []Served { return copied(&p.mu, &p.served) }

// Requests returns the requests so far, in the order they began.
func (p *Provider) Requests() []llm.Request {
	var requests []llm.Request
	for _, served := range p.Served() {
		requests = append(requests, served.Request)
	}
	return requests
}

// Running is the number of streams that have not ended.
func (p *Provider) Running() int { return int(p.running.Load()) }

// Stream serves a request. A prompt that is too long fails with an llm.Error of
// class Overflow; when ctx ends the stream fails with one of class Cancelled.
func (p *Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		p.running.Add(1)
		defer p.running.Add(-1)
		got, reply := p.begin(r)
		if got.Refused {
			yield(llm.Chunk{}, p.refusal(got))
			return
		}
		completion := 0
		ended := reply.play(ctx, func(c llm.Chunk, err error) bool {
			completion += chunkTokens(c)
			return yield(c, err)
		})
		if ended && !p.OmitsUsage {
			yield(llm.Chunk{Usage: &llm.Tokens{
				Prompt: got.Tokens - got.dropped, Cached: -1, CacheWrite: -1, Completion: completion, Reasoning: -1,
			}}, nil)
		}
	}
}

func (p *Provider) window(model string) int {
	if n, other := p.Windows[model]; other {
		return n
	}
	return p.Window
}

func (p *Provider) begin(r llm.Request) (Served, Reply) {
	stored := 0
	if p.StoredEvents != nil {
		stored = p.StoredEvents()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	got := Served{Request: r, Purpose: PurposeOf(r), After: stored, Tokens: requestTokens(r), Problems: CheckRequest(r)}
	p.compare(&got)
	if window := p.window(r.Model); window > 0 && got.Tokens > window {
		got.Refused = !p.Truncates
		for i := 0; p.Truncates && got.Tokens-got.dropped > window && i < len(r.Messages)-1; i++ {
			got.dropped += messageTokenCount(&r.Messages[i])
		}
	}
	p.served = append(p.served, got)
	if got.Refused {
		return got, nil
	}
	reply := Join(StreamText("yes"), Stop(conversation.StopEnd))
	switch {
	case p.scripted && len(p.script) > 0:
		reply, p.script = p.script[0], p.script[1:]
	case p.scripted:
		reply = Fail(&llm.Error{Class: llm.BadRequest, Message: "the script has no reply left"})
	case got.Purpose == conversation.PurposeSummary && p.Summary == nil:
		reply = ReplyWithSummary(p.summaries, r)
	case got.Purpose == conversation.PurposeSummary:
		reply = p.Summary(p.summaries, r)
	case p.Answer != nil:
		reply = p.Answer(p.replies, r)
	}
	if got.Purpose == conversation.PurposeSummary {
		p.summaries++
	} else {
		p.replies++
	}
	return got, reply
}

// compare counts the leading messages that a request shares with the previous one, and checks that its tools are
// those of earlier requests.
func (p *Provider) compare(got *Served) {
	r := got.Request
	got.Previous = len(p.previous)
	for got.Unchanged < min(len(p.previous), len(r.Messages)) && sameMessage(&p.previous[got.Unchanged], &r.Messages[got.Unchanged]) {
		got.Unchanged++
	}
	tools := toolsText(r.Tools)
	switch {
	case p.tools == "" && len(r.Tools) > 0:
		p.tools = tools
	case len(r.Tools) > 0 && p.tools != tools, len(r.Tools) == 0 && p.tools != "" && got.Purpose == conversation.PurposeReply:
		got.Problems = append(got.Problems, "the tools are not those of the requests before it")
	}
	if got.Purpose == conversation.PurposeReply {
		p.previous = r.Messages
	}
}

func (p *Provider) refusal(got Served) *llm.Error {
	if p.OmitsSizes {
		return &llm.Error{Class: llm.Overflow, Message: "the prompt is too long", Status: 400}
	}
	window := p.window(got.Request.Model)
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
	if strings.HasPrefix(last, "This is a request of the program") ||
		strings.HasSuffix(last, "Write the summary now, and nothing else.") || strings.HasPrefix(last, "Summarize this conversation") {
		return conversation.PurposeSummary
	}
	return conversation.PurposeReply
}

// Summariser makes the reply to the n-th request for a summary, counted from 0 without refused requests.
type Summariser func(n int, r llm.Request) Reply

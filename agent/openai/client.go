package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"plimsoll/agent/anthropic"
	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
)

// Limits on what a server may do before it is given up.
const (
	defaultFirstByte = 5 * time.Minute // local servers read long prompts slowly
	defaultIdle      = 2 * time.Minute
	afterStop        = 10 * time.Second      // for each event behind the stop reason, usage and [DONE] as a rule
	afterDone        = 50 * time.Millisecond // for the end of the connection, all in all
	maxReply         = 4 << 20               // bytes of text, reasoning and calls in one reply
	maxStream        = 256 << 20             // bytes of the stream that carries it
)

// Client is an llm.Provider for one endpoint. It learns what the endpoint
// does not take, and is safe for concurrent use.
type Client struct {
	opts Options
	who  endpoint
	http *http.Client

	body      string // what is merged into each request, "" for nothing
	maxStream int    // bytes of the stream of a reply

	mu      sync.Mutex         // guards learned
	learned map[string]lessons // by model
}

// lessons is what an endpoint's answers taught about a model.
type lessons struct {
	noUsageOption bool // refuses stream_options
	otherLimit    bool // wants the other of max_tokens and max_completion_tokens
	responses     bool // wants the Responses API
	progress      bool // is a llama.cpp under another name
	noCacheKey    bool // refuses prompt_cache_key
	noMarks       bool // refuses cache breakpoints
	noRetention   bool // refuses to keep a prompt for a day
	noThinking    bool // refuses to be asked to think
	noEffort      bool // refuses an effort
	noEncrypted   bool // has no reasoning in encrypted form
	noItems       bool // refuses reasoning that goes back to it
	noSummary     bool // writes no summaries of reasoning
	noEcho        bool // refuses reasoning in messages
	noBinding     bool // refuses to be asked to drop thinking
	most          int  // tokens that it writes at most, 0 unless it said so
	listed        int  // the same by the server's list
}

// lessonsOfRefusals is how many lessons learn can draw, one from each refusal.
const lessonsOfRefusals = 14

// New returns a client of an endpoint. It does not connect.
func New(o Options) *Client {
	e := resolve(&o)
	c := &Client{opts: o, who: newEndpoint(o, e), maxStream: maxStream, learned: map[string]lessons{}}
	c.body = mergedBody(o.Body)
	c.http = c.opts.client()
	return c
}

// resolve fills what o leaves to the provider and returns its table entry.
func resolve(o *Options) Endpoint {
	e, ok := Known(o.Provider)
	if !ok {
		e, _ = Known("custom")
		e.KeyVars = nil
		if o.Provider != "" {
			e.Name, e.Label = o.Provider, o.Provider
		}
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	switch {
	case o.BaseURL == "":
		o.BaseURL = e.BaseURL
	case e.BaseURL != "" && o.BaseURL != e.BaseURL && !e.Local:
		// Another server under a known name (OPENAI_BASE_URL): what is special
		// about the provider's own server need not hold for it.
		e.Quirks = Quirks{NullContent: e.NullContent, Signatures: e.Signatures, Responses: e.Responses,
			EmptyOverflow: e.EmptyOverflow, CacheHeader: e.CacheHeader}
		if e.Wire == WireResponses {
			e.Wire = WireAuto // few others have it
		}
	}
	if o.Wire == WireAuto {
		o.Wire = e.Wire
	}
	if o.KeyVar == "" && len(e.KeyVars) > 0 {
		o.KeyVar = e.KeyVars[0]
	}
	if o.Transport == nil {
		o.Transport = sharedTransport()
	}
	if o.Renew != nil && o.renewed == nil {
		o.renewed = &renewed{next: o.Transport, key: o.Renew, own: o.Headers, messages: o.Wire == WireMessages, label: e.Label}
		o.Transport = o.renewed
	}
	o.FirstByte, o.Idle = cmp.Or(o.FirstByte, defaultFirstByte), cmp.Or(o.Idle, defaultIdle)
	return e
}

// Capabilities is what the endpoint wants of the messages of a request to a model.
func (c *Client) Capabilities(model string) projection.Capabilities {
	caps := c.who.Caps
	switch c.wire(model, lessons{}) {
	case WireChat:
		e := echoOf(c.who.Name, model)
		caps.EchoReasoning, caps.EchoLoop = e.as != "", e.loop
	case WireMessages:
		caps.KeepsReasoning = anthropic.KeepsThinking(model)
	case WireResponses: // older models are shown that of the turn that goes on alone
		major, minor := gpt(model)
		caps.KeepsReasoning = major > 5 || major == 5 && minor >= 6
	}
	return caps
}

// Thinking is [llm.Thinker]'s.
func (c *Client) Thinking(r llm.Request) (messages []int, bound bool) {
	f, route := c.form(r, c.lessons(r.Model)), routeOf(c.who, r.Model)
	if f.wire == WireMessages {
		return anthropic.Carried(r, f.messages, route), f.messages.Binds
	}
	for i, m := range r.Messages {
		if _, thinks := f.assistantItems(m, route); thinks && f.wire == WireResponses {
			messages = append(messages, i)
		}
	}
	return messages, false
}

// NoCaching reports whether the endpoint caches no prompts.
func (c *Client) NoCaching() bool { return c.who.NoCaching && c.opts.Wire != WireMessages }

// SetsLifetime reports whether requests to a model say how long the cache is to keep a prompt.
func (c *Client) SetsLifetime(model string) bool {
	return c.opts.Wire == WireMessages || c.wire(model, lessons{}) == WireChat && c.marks(model)
}

func (c *Client) marks(model string) bool {
	return c.who.Marks && strings.HasPrefix(strings.TrimPrefix(model, "~"), "anthropic/")
}

// BaseURL is the address requests go to, without a password.
func (c *Client) BaseURL() string {
	if u, err := url.Parse(c.opts.BaseURL); err == nil {
		return u.Redacted()
	}
	return c.opts.BaseURL
}

// Stream is llm.Provider's. A request that is refused for a parameter the
// endpoint does not know is sent again without it.
func (c *Client) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for range 1 + lessonsOfRefusals {
			again := c.attempt(ctx, r, yield)
			if !again {
				return
			}
		}
	}
}

// attempt sends a request once. It returns true if it failed for a reason that
// was learned from, before anything was yielded.
func (c *Client) attempt(parent context.Context, r llm.Request, yield func(llm.Chunk, error) bool) (again bool) {
	known := c.lessons(r.Model)
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	dog := newWatchdog(c.opts.FirstByte, c.opts.Idle, cancel)
	defer dog.stop()

	f := c.form(r, known)
	note := c.EffortNote(r.Model, r.Effort)
	out, err := c.outgoing(r, f)
	var resp *http.Response
	if err == nil {
		resp, err = c.post(ctx, out, dog)
	}
	if err != nil {
		failure := c.failure(parent, ctx, err)
		if c.learn(r.Model, known, failure) {
			return true
		}
		yield(llm.Chunk{}, failure)
		return false
	}
	// Closing fails only on a connection that is gone, which is what is wanted.
	defer func() { _ = resp.Body.Close() }()
	c.learnServer(r.Model, resp.Header.Get("Server"))
	if !yield(llm.Chunk{Waiting: true, BodyHash: out.hash(), Form: f.String(), Note: note}, nil) {
		return false
	}
	src := events{src: &watched{&gathered{ctx: ctx, src: resp.Body}, dog, c.maxStream}}
	reply := reading{client: c, parent: parent, ctx: ctx, events: src, dec: out.decoder, dog: dog, yield: yield}
	reply.run()
	return false
}

func (c *Client) wire(model string, known lessons) Wire {
	if c.opts.Wire != WireAuto {
		return c.opts.Wire
	}
	if known.responses || c.chatTools(model) == catalog.ChatToolsResponses {
		return WireResponses
	}
	return WireChat
}

// EffortNote says in what an effort differs from its word, "" where it does not.
func (c *Client) EffortNote(model, effort string) string {
	known := c.lessons(model)
	wire, tools := c.wire(model, known), c.chatTools(model)
	why := ""
	switch {
	case effort == "":
	case wire == WireMessages:
		return c.thinksAnyway(model, effort)
	case wire == WireChat && (tools == catalog.ChatToolsNoEffort || tools == catalog.ChatToolsEffortNone && effort != "none"):
		why = "takes none beside tools over chat completions; providers." + c.who.Name + ".wire: responses changes that"
	case known.noEffort:
		why = "was asked without, as the server refused it"
	case effort != "none" && !c.mayReason(model):
		why = "does not reason"
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("Effort %s has no effect: %s/%s %s.", effort, c.who.Name, model, why)
}

// mayReason reports whether a model reasons; one that nobody knows may.
func (c *Client) mayReason(model string) bool {
	e, ok := catalog.Lookup(c.who.Name, model)
	return !ok || e.Reasoning
}

// chatTools is what the endpoint's chat completions need for a model with tools.
func (c *Client) chatTools(model string) catalog.ChatTools {
	if !c.who.Responses {
		return catalog.ChatToolsPlain
	}
	e, ok := catalog.Lookup(c.who.Name, model)
	if !ok {
		return catalog.ChatToolsPlain
	}
	return e.ChatTools
}

func (c *Client) lessons(model string) lessons {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.learned[model]
}

// learn reports whether a refusal taught something that was not known when the
// request was made, so that the next request differs.
func (c *Client) learn(model string, known lessons, e *llm.Error) bool {
	var f *Fault
	if e.Class != llm.BadRequest && e.Class != llm.NotFound || !errors.As(e.Err, &f) {
		return false
	}
	now := known
	text := strings.ToLower(f.Param + " " + f.Message)
	switch {
	case strings.Contains(text, "v1/responses") && c.opts.Wire == WireAuto && c.who.Responses:
		now.responses = true
	case strings.Contains(text, "stream_options") || strings.Contains(text, "include_usage"):
		now.noUsageOption = true
	case strings.Contains(text, "max_tokens") && strings.Contains(text, "max_completion_tokens"),
		strings.Contains(text, "max_completion_tokens") && unknownParameter(text):
		now.otherLimit = true
	case strings.Contains(text, "prompt_cache_key") && unknownParameter(text):
		now.noCacheKey = true
	case strings.Contains(text, "cache_control") && c.opts.Wire != WireMessages:
		now.noMarks = true
	case strings.Contains(text, "prompt_cache_retention"):
		now.noRetention = true
	case strings.Contains(text, "reasoning.summary") || strings.Contains(text, "reasoning summaries"):
		now.noSummary = true // OpenAI summarizes for verified organizations only
	case strings.Contains(text, "reasoning.encrypted_content") || strings.Contains(text, "encrypted content is not supported"):
		now.noEncrypted = true
	case strings.Contains(text, "encrypted content") || strings.Contains(text, "encrypted_content"),
		strings.Contains(text, "without its required") || strings.Contains(text, "items are not persisted"):
		now.noItems = true // made with the key of another organization, as a rule
	case strings.Contains(text, "reasoning") && !strings.Contains(text, "effort") && unknownParameter(text) && c.opts.Wire != WireMessages:
		now.noEcho = true
	default:
		now.ofMessages(text)
	}
	if now == known {
		return false
	}
	c.note(model, func(l *lessons) { *l = now })
	return true
}

// unknownParameter reports whether a refusal is about a parameter the server
// does not have, rather than about its value.
func unknownParameter(text string) bool {
	for _, s := range []string{"unsupported", "not supported", "unknown", "unrecognized", "unexpected", "extra inputs", "not permitted"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// learnServer notes a llama.cpp that is talked to under another name.
func (c *Client) learnServer(model, server string) {
	if server != "llama.cpp" || c.who.Progress {
		return
	}
	c.note(model, func(l *lessons) { l.progress = true })
}

func (c *Client) note(model string, change func(*lessons)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.learned[model]
	change(&l)
	c.learned[model] = l
}

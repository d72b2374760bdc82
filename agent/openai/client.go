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
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Limits on a server's answer.
const (
	defaultFirstByte = 5 * time.Minute // local servers read long prompts slowly
	defaultIdle      = 2 * time.Minute
	afterStop        = 10 * time.Second      // for each event after the stop reason, usually usage and [DONE]
	afterDone        = 50 * time.Millisecond // in total, for the end of the connection after [DONE]
	maxReply         = 4 << 20               // bytes of text, reasoning and calls in one reply
	maxStream        = 256 << 20             // bytes of the stream of one reply
)

// Client is an llm.Provider for one endpoint. It omits parameters after a refusal. It is safe for concurrent use.
type Client struct {
	opts     Options
	endpoint endpoint
	http     *http.Client

	body      string // JSON that is merged into each request, "" for none
	maxStream int    // most bytes in the stream of a reply

	mu      sync.Mutex               // guards learned
	learned map[string]learnedQuirks // by model
}

// learnedQuirks holds what the client learned about one model from the endpoint's answers.
type learnedQuirks struct {
	noUsageOption        bool // refuses stream_options
	usesOtherLimit       bool // wants max_completion_tokens where the default is max_tokens, or the reverse
	needsResponses       bool // needs the Responses API
	isLlamaCpp           bool // is llama.cpp under another provider name: it can report progress
	noCacheKey           bool // refuses prompt_cache_key
	noBreakpoints        bool // refuses cache breakpoints
	noRetention          bool // refuses prompt_cache_retention, a cache of 24 hours
	noThinking           bool // refuses thinking parameters
	noEffort             bool // refuses reasoning effort
	noEncryptedReasoning bool // cannot return encrypted reasoning
	noReasoningItems     bool // refuses its own earlier reasoning items
	noReasoningSummary   bool // refuses to summarize reasoning
	noReasoningEcho      bool // refuses reasoning in messages
	noBlockBinding       bool // refuses the parameter that drops thinking whose context changed
	maxOutput            int  // largest reply in tokens, from a refusal; 0: unknown
	listedMaxOutput      int  // largest reply in tokens, from the server's model list; 0: unknown
}

// maxResends limits how often a request is sent again. Each refusal can reveal one more quirk.
const maxResends = 14

// New returns a client of an endpoint. It does not connect.
func New(o Options) *Client {
	e := resolve(&o)
	return &Client{
		opts: o, endpoint: newEndpoint(o, e), body: mergedBody(o.Body), maxStream: maxStream,
		learned: map[string]learnedQuirks{},
		// Redirects are not followed: they would turn a POST into a GET, and could send a key to another host.
		http: &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}
}

// resolve fills in the provider's defaults where o is empty, and returns the provider's entry.
func resolve(o *Options) Endpoint {
	e, ok := KnownProvider(o.Provider)
	if !ok {
		e, _ = KnownProvider("custom")
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
		// The user set another address for a known provider (OPENAI_BASE_URL). Its server may lack special features.
		e.Quirks = Quirks{NullContent: e.NullContent, Signatures: e.Signatures, Responses: e.Responses,
			EmptyOverflow: e.EmptyOverflow, CacheHeader: e.CacheHeader}
		if e.Wire == WireResponses {
			e.Wire = WireAuto // few other servers have the Responses API
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
	if o.Renew != nil && o.renewer == nil {
		o.renewer = &keyRenewer{next: o.Transport, key: o.Renew, own: o.Headers, messages: o.Wire == WireMessages, label: e.Label}
		o.Transport = o.renewer
	}
	o.FirstByte, o.Idle = cmp.Or(o.FirstByte, defaultFirstByte), cmp.Or(o.Idle, defaultIdle)
	return e
}

// Capabilities returns how messages to a model must be projected, such as whether reasoning is sent back.
func (c *Client) Capabilities(model string) projection.Capabilities {
	caps := c.endpoint.Caps
	caps.PDFs = c.endpoint.PDFs || c.opts.Wire == WireMessages && strings.Contains(model, "claude-")
	switch c.wire(model, learnedQuirks{}) {
	case WireChat:
		e := echoOf(c.endpoint.Name, model)
		caps.EchoReasoning, caps.EchoLoop = e.as != "", e.loop
	case WireMessages:
		caps.KeepsReasoning = anthropic.KeepsThinking(model)
	case WireResponses: // models before GPT-5.6 see only the reasoning of the current turn
		major, minor := gptVersion(model)
		caps.KeepsReasoning = major > 5 || major == 5 && minor >= 6
	}
	return caps
}

// ImageRule returns how a model bills images: on the Messages wire by their pixels.
func (c *Client) ImageRule(m llm.Model) meter.ImageRule {
	if c.opts.Wire == WireMessages || strings.Contains(m.ID, "claude-") {
		return meter.PixelRule
	}
	return m.Images
}

// Thinking implements [llm.Thinker]. It returns the indices of the messages whose thinking is sent. bound means that
// the endpoint rejects thinking once a message before it has changed.
func (c *Client) Thinking(r llm.Request) (messages []int, bound bool) {
	f, modelName := c.chooseWireForm(r, c.learnedQuirks(r.Model)), nameOf(c.endpoint, r.Model)
	if f.wire == WireMessages {
		return anthropic.MessagesWithThinking(r, f.messages, modelName), f.messages.BindsThinking
	}
	for i, m := range r.Messages {
		if _, thinks := f.assistantItems(m, modelName); thinks && f.wire == WireResponses {
			messages = append(messages, i)
		}
	}
	return messages, false
}

// NoCaching reports whether the endpoint caches no prompts.
func (c *Client) NoCaching() bool { return c.endpoint.NoCaching && c.opts.Wire != WireMessages }

// SetsLifetime reports whether requests to a model set the lifetime of the prompt cache.
func (c *Client) SetsLifetime(model string) bool {
	return c.opts.Wire == WireMessages || c.wire(model, learnedQuirks{}) == WireChat && c.usesBreakpoints(model)
}

// usesBreakpoints reports whether requests to a model have cache breakpoints on the chat completions wire.
func (c *Client) usesBreakpoints(model string) bool {
	return c.endpoint.Breakpoints && strings.HasPrefix(strings.TrimPrefix(model, "~"), "anthropic/")
}

// BaseURL returns the address that requests go to, with the password hidden.
func (c *Client) BaseURL() string {
	if u, err := url.Parse(c.opts.BaseURL); err == nil {
		return u.Redacted()
	}
	return c.opts.BaseURL
}

// Stream implements llm.Provider. If the endpoint refuses a request for a parameter that it does not accept, Stream
// sends the request again without it.
func (c *Client) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		r, err := r.WithImages(ctx)
		if err != nil {
			message := "An image could not be read: " + err.Error()
			yield(llm.Chunk{}, &llm.Error{Class: llm.BadRequest, Message: message, Err: err,
				Hint: "plimsoll doctor looks for damage"})
			return
		}
		for range 1 + maxResends {
			if !c.attempt(ctx, r, yield) {
				return
			}
		}
	}
}

// attempt sends a request once. again means that the endpoint refused it before any chunk was yielded, and that the
// refusal showed which parameter to change.
func (c *Client) attempt(parent context.Context, r llm.Request, yield func(llm.Chunk, error) bool) (again bool) {
	known := c.learnedQuirks(r.Model)
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	dog := &watchdog{timer: time.AfterFunc(c.opts.FirstByte, func() { cancel(errSilence) }), idle: c.opts.Idle}
	defer dog.timer.Stop()

	f := c.chooseWireForm(r, known)
	note := c.EffortNote(r.Model, r.Effort)
	out, err := c.buildRequest(r, f)
	var resp *http.Response
	if err == nil {
		resp, err = c.post(ctx, out, dog)
	}
	if err != nil {
		failure := c.failure(parent, ctx, err)
		if c.learnFromRefusal(r.Model, known, failure) {
			return true
		}
		yield(llm.Chunk{}, failure)
		return false
	}
	// An error here means only that the connection is broken already.
	defer func() { _ = resp.Body.Close() }()
	if resp.Header.Get("Server") == "llama.cpp" && !c.endpoint.Progress { // under another provider name
		c.updateQuirks(r.Model, func(l *learnedQuirks) { l.isLlamaCpp = true })
	}
	if !yield(llm.Chunk{Waiting: true, BodyHash: conversation.ContentHash(string(out.body)), WireForm: f.String(), Note: note}, nil) {
		return false
	}
	src := eventReader{src: &watchedBody{&batchedBody{ctx: ctx, src: resp.Body}, dog, c.maxStream}}
	reply := replyReader{client: c, parent: parent, ctx: ctx, events: src, dec: out.decoder, dog: dog, yield: yield}
	reply.run()
	return false
}

func (c *Client) wire(model string, known learnedQuirks) Wire {
	if c.opts.Wire != WireAuto {
		return c.opts.Wire
	}
	if known.needsResponses || c.toolQuirk(model) == catalog.ChatToolsResponses {
		return WireResponses
	}
	return WireChat
}

// EffortNote returns a sentence for the user on why a reasoning effort has no effect, "" if it has.
func (c *Client) EffortNote(model, effort string) string {
	known := c.learnedQuirks(model)
	wire, tools := c.wire(model, known), c.toolQuirk(model)
	why := ""
	switch {
	case effort == "":
	case wire == WireMessages:
		form := c.messagesForm(llm.Request{Model: model, Effort: effort}, known)
		if effort == anthropic.EffortNone && form.Thinking == anthropic.ThinkingAdaptive {
			return model + " always thinks: effort none makes it think as little as it can."
		}
	case wire == WireChat && (tools == catalog.ChatToolsNoEffort || tools == catalog.ChatToolsEffortNone && effort != "none"):
		why = "takes none beside tools over chat completions; providers." + c.endpoint.Name + ".wire: responses changes that"
	case known.noEffort:
		why = "was asked without, as the server refused it"
	case effort != "none" && !c.mayReason(model):
		why = "does not reason"
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("Effort %s has no effect: %s/%s %s.", effort, c.endpoint.Name, model, why)
}

// mayReason returns false only if the catalog lists the model as one that does not reason.
func (c *Client) mayReason(model string) bool {
	e, ok := catalog.Lookup(c.endpoint.Name, model)
	return !ok || e.Reasoning
}

// toolQuirk returns what chat completions with tools need for this model, such as no reasoning effort.
func (c *Client) toolQuirk(model string) catalog.ChatTools {
	if !c.endpoint.Responses {
		return catalog.ChatToolsPlain
	}
	e, _ := catalog.Lookup(c.endpoint.Name, model)
	return e.ChatTools
}

func (c *Client) learnedQuirks(model string) learnedQuirks {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.learned[model]
}

// learnFromRefusal records the quirk that a refusal shows, and reports whether it is new.
func (c *Client) learnFromRefusal(model string, known learnedQuirks, e *llm.Error) bool {
	var f *Fault
	if e.Class != llm.BadRequest && e.Class != llm.NotFound || !errors.As(e.Err, &f) {
		return false
	}
	now := known
	text := strings.ToLower(f.Param + " " + f.Message)
	switch {
	case strings.Contains(text, "v1/responses") && c.opts.Wire == WireAuto && c.endpoint.Responses:
		now.needsResponses = true
	case strings.Contains(text, "stream_options") || strings.Contains(text, "include_usage"):
		now.noUsageOption = true
	case strings.Contains(text, "max_tokens") && strings.Contains(text, "max_completion_tokens"),
		strings.Contains(text, "max_completion_tokens") && unknownParameter(text):
		now.usesOtherLimit = true
	case strings.Contains(text, "prompt_cache_key") && unknownParameter(text):
		now.noCacheKey = true
	case strings.Contains(text, "cache_control") && c.opts.Wire != WireMessages:
		now.noBreakpoints = true
	case strings.Contains(text, "prompt_cache_retention"):
		now.noRetention = true
	case strings.Contains(text, "reasoning.summary") || strings.Contains(text, "reasoning summaries"):
		now.noReasoningSummary = true // OpenAI summarizes for verified organizations only
	case strings.Contains(text, "reasoning.encrypted_content") || strings.Contains(text, "encrypted content is not supported"):
		now.noEncryptedReasoning = true
	case strings.Contains(text, "encrypted content") || strings.Contains(text, "encrypted_content"),
		strings.Contains(text, "without its required") || strings.Contains(text, "items are not persisted"):
		now.noReasoningItems = true // usually because they were made with the API key of another organization
	case strings.Contains(text, "reasoning") && !strings.Contains(text, "effort") && unknownParameter(text) && c.opts.Wire != WireMessages:
		now.noReasoningEcho = true
	default:
		now.learnFromReasoningRefusal(text)
	}
	if now == known {
		return false
	}
	c.updateQuirks(model, func(l *learnedQuirks) { *l = now })
	return true
}

// unknownParameter reports whether a refusal is about a parameter that the server does not know, not about its value.
func unknownParameter(text string) bool {
	return hasAny(text, "unsupported", "not supported", "unknown", "unrecognized", "unexpected", "extra inputs", "not permitted")
}

func (c *Client) updateQuirks(model string, change func(*learnedQuirks)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.learned[model]
	change(&l)
	c.learned[model] = l
}

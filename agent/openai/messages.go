package openai

import (
	"cmp"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"plimsoll/agent/anthropic"
	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
)

// The Messages wire. Package anthropic makes the bodies and decodes the replies; this package sends them.

const messagesVersion = "2023-06-01"

// betaHeader names the beta features that a request uses.
const betaHeader = "Anthropic-Beta"

// Entry returns the catalogue's entry for a model at this endpoint. On the Messages wire a Claude at any provider has
// Anthropic's entry.
func (c *Client) Entry(model string) (catalog.Entry, bool) {
	e, ok := catalog.Lookup(c.endpoint.Name, model)
	if !ok && c.opts.Wire == WireMessages && strings.Contains(model, "claude-") {
		return catalog.Lookup("anthropic", model)
	}
	return e, ok
}

// LearnMaxOutput records a model's largest reply by the server's list.
func (c *Client) LearnMaxOutput(model string, found Discovery) {
	if m, ok := found.FindModel(model); ok {
		c.updateQuirks(model, func(l *learnedQuirks) { l.listedMaxOutput = m.MaxOut })
	}
}

func (c *Client) messagesForm(r llm.Request, known learnedQuirks) anthropic.WireForm {
	e, _ := c.Entry(r.Model)
	m := anthropic.Model{MaxOutput: cmp.Or(known.maxOutput, known.listedMaxOutput, e.MaxOutput), CanThink: e.Reasoning && !known.noThinking}
	m.CanDropThinking = c.endpoint.DropsThinking && !known.noBlockBinding
	if known.noEffort {
		r.Effort = ""
	}
	return anthropic.NewWireForm(r, m)
}

const messagesPath = "/messages"

func (c *Client) messagesRequest(r llm.Request, f anthropic.WireForm) (outgoingRequest, error) {
	body, binding, err := anthropic.Body(r, f, nameOf(c.endpoint, r.Model))
	out := outgoingRequest{path: messagesPath, body: body, decoder: anthropic.NewDecoder(c.endpoint, r, nameOf(c.endpoint, r.Model), binding)}
	switch {
	case f.DropsThinking:
		out.headers = map[string]string{betaHeader: anthropic.BindingBeta}
	case f.Thinking == anthropic.ThinkingBudget && len(r.Tools) > 0 && anthropic.NeedsInterleavedHeader(r.Model):
		out.headers = map[string]string{betaHeader: "interleaved-thinking-2025-05-14"}
	}
	return out, err
}

func setMessagesHeaders(h http.Header, key string) {
	if key != "" {
		h.Set("X-Api-Key", key)
	}
	h.Set("Anthropic-Version", messagesVersion)
}

// maxTokensRefusal matches a refusal of max_tokens above the largest reply of the model.
var maxTokensRefusal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`max_tokens: \d+ > (\d+)`)
})

// refusesThinking reports whether a server refused thinking that was sent back: it is bound to another conversation, or
// its signature is not valid.
func refusesThinking(text string) bool {
	return hasAny(text, "bound to a different conversation", "invalid `signature` in `thinking` block")
}

func (l *learnedQuirks) learnFromReasoningRefusal(text string) {
	switch m := maxTokensRefusal().FindStringSubmatch(text); {
	case refusesThinking(text): // the thinking that was sent back is wrong, not a parameter
	case hasAny(text, "block_binding", anthropic.BindingBeta):
		l.noBlockBinding = true
	case m != nil:
		if n, err := strconv.Atoi(m[1]); err == nil {
			l.maxOutput = n
		}
	case strings.Contains(text, "thinking.type"): // the message also recommends effort, so this case comes first
		l.noThinking = true
	case strings.Contains(text, "effort"):
		l.noEffort = true
	case strings.Contains(text, "thinking") && (unknownParameter(text) || strings.Contains(text, "expected `thinking`")):
		// The second text asks for thinking in a reply that another model made.
		l.noThinking = true
	}
}

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

// The Messages wire: what package anthropic makes and reads, carried like everything else.

const messagesVersion = "2023-06-01"

// betaHeader names what of later versions a request uses.
const betaHeader = "Anthropic-Beta"

// Entry is what the catalogue knows of a model at the endpoint. A Claude under another name than Anthropic's speaks
// Anthropic's protocol.
func (c *Client) Entry(model string) (catalog.Entry, bool) {
	e, ok := catalog.Lookup(c.who.Name, model)
	if !ok && c.opts.Wire == WireMessages && strings.Contains(model, "claude-") {
		return catalog.Lookup("anthropic", model)
	}
	return e, ok
}

// Learn takes over how much the server's list says that a model writes.
func (c *Client) Learn(model string, found Found) {
	if m, ok := found.Listed(model); ok {
		c.note(model, func(l *lessons) { l.listed = m.MaxOut })
	}
}

// thinksAnyway says that a model thinks though it is asked not to, "" where it does not.
func (c *Client) thinksAnyway(model, effort string) string {
	f := c.messagesForm(llm.Request{Model: model, Effort: effort}, c.lessons(model))
	if effort != anthropic.EffortNone || f.Thinking != anthropic.ThinkingAdaptive {
		return ""
	}
	return model + " always thinks: effort none makes it think as little as it can."
}

func (c *Client) messagesForm(r llm.Request, known lessons) anthropic.Form {
	e, _ := c.Entry(r.Model)
	m := anthropic.Model{MaxOutput: cmp.Or(known.most, known.listed, e.MaxOutput), Reasons: e.Reasoning && !known.noThinking}
	m.Drops = c.who.Binding && !known.noBinding
	if known.noEffort {
		r.Effort = ""
	}
	return anthropic.NewForm(r, m)
}

const messagesPath = "/messages"

func (c *Client) messages(r llm.Request, f anthropic.Form) (outgoing, error) {
	body, past, err := anthropic.Body(r, f, routeOf(c.who, r.Model))
	out := outgoing{path: messagesPath, body: body, decoder: anthropic.NewDecoder(c.who, r, routeOf(c.who, r.Model), past)}
	switch {
	case f.Drops:
		out.headers = map[string]string{betaHeader: anthropic.BindingBeta}
	case f.Thinking == anthropic.ThinkingBudget && len(r.Tools) > 0 && anthropic.Interleaves(r.Model):
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

// mostTokens is how servers say that a bound of the reply is above what the model writes.
var mostTokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`max_tokens: \d+ > (\d+)`)
})

// refusesThinking reports a refusal of thinking that was sent back: it is bound to another conversation, or its signature
// is not one of the server's.
func refusesThinking(text string) bool {
	return hasAny(text, "bound to a different conversation", "invalid `signature` in `thinking` block")
}

// ofMessages learns from a refusal of what is asked of a model that reasons.
func (l *lessons) ofMessages(text string) {
	switch m := mostTokens().FindStringSubmatch(text); {
	case refusesThinking(text): // what was sent back is at fault, not what was asked
	case hasAny(text, "block_binding", anthropic.BindingBeta):
		l.noBinding = true
	case m != nil:
		if n, err := strconv.Atoi(m[1]); err == nil {
			l.most = n
		}
	case strings.Contains(text, "thinking.type"): // names an effort too, as the other way
		l.noThinking = true
	case strings.Contains(text, "effort"):
		l.noEffort = true
	case strings.Contains(text, "thinking") && (unknownParameter(text) || strings.Contains(text, "expected `thinking`")):
		// The latter wants thinking in a reply that came from another model.
		l.noThinking = true
	}
}

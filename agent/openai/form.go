package openai

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll/agent/anthropic"
	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// The form of a body holds every choice that the request itself does not determine: what the endpoint needs, and what
// was learned from its refusals. The same request and form make the same body. Rules:
//
//   - the form is decided before the body is made, and recorded with the reply as a line of words; the meaning of a
//     word never changes
//   - a word names what the body has, not a difference from a default, so that it holds when defaults change
//   - a recorded body is made again by the same code that makes new ones

// wireForm is the form of one body. conversation.Usage stores it as WireForm.
type wireForm struct {
	wire           Wire
	usage          bool   // asks for usage within the stream
	maxCompletion  bool   // the reply's limit is max_completion_tokens, not max_tokens
	progress       bool   // asks for progress through the prompt
	effortNone     bool   // asks the model not to reason
	nullContent    bool   // a message with calls and no text has content null
	signatures     bool   // calls of other models get a signature
	reasoning      bool   // reasoning goes back with its message
	reasoningLoop  bool   // reasoning goes back only after the newest user message
	blankReasoning bool   // a message with calls and no reasoning gets a blank one
	ownReasoning   bool   // reasoning goes back only to its own model, signed fields only with unchanged messages
	encrypted      bool   // asks for encrypted reasoning
	notStrict      bool   // tools state that their schemas are not strict
	echoItems      bool   // replies go back item by item, as they came
	summary        bool   // asks for summaries of reasoning
	breakpoints    bool   // has cache breakpoints, in the places that the Messages wire has
	cacheHour      bool   // cache breakpoints last an hour
	cacheDay       bool   // asks the cache to keep the prompt for a day
	cacheKey       string // prompt_cache_key, "" for none
	effort         string // reasoning effort, "" for none
	reasoningAs    string // the field or place for reasoning, "" for reasoning_content
	signedAfter    uint64 // signed and encrypted fields of replies up to this event are left out
	extraBody      string // JSON that is merged into the body, "" for none

	messages anthropic.WireForm // of a body on the Messages wire, which uses none of the fields above but body
}

// flags are the words of the form that are either present or not, in the order in which they are written.
func (f *wireForm) flags() []formFlag {
	return []formFlag{
		{"usage", &f.usage}, {"completion", &f.maxCompletion}, {"progress", &f.progress}, {"effort-none", &f.effortNone},
		{"null", &f.nullContent}, {"signatures", &f.signatures}, {"reasoning", &f.reasoning}, {"encrypted", &f.encrypted},
		{"strict", &f.notStrict}, {"items", &f.echoItems}, {"summary", &f.summary},
		{"reasoning-loop", &f.reasoningLoop}, {"reasoning-blank", &f.blankReasoning}, {"own", &f.ownReasoning},
		{"marks", &f.breakpoints}, {"marks-1h", &f.cacheHour}, {"cache-24h", &f.cacheDay},
	}
}

type formFlag struct {
	word string
	on   *bool
}

// String returns the form as it is recorded: the wire, then a word for each choice.
func (f wireForm) String() string {
	words := []string{string(f.wire)}
	if f.wire == WireMessages {
		words = append(words, f.messages.Words()...)
	}
	for _, x := range f.flags() {
		if *x.on {
			words = append(words, x.word)
		}
	}
	after := ""
	if f.signedAfter > 0 {
		after = strconv.FormatUint(f.signedAfter, 10)
	}
	for _, x := range [][2]string{{"key", f.cacheKey}, {"effort", f.effort}, {"reasoning-as", f.reasoningAs}, {"thinking-after", after}, {"body", f.extraBody}} {
		if x[1] != "" {
			words = append(words, x[0]+"="+url.QueryEscape(x[1]))
		}
	}
	return strings.Join(words, " ")
}

// parseWireForm reads a recorded form. It refuses an unknown word, which a later version wrote.
func parseWireForm(text string) (wireForm, error) {
	var f wireForm
	for _, word := range strings.Fields(text) {
		if !f.read(word) {
			return wireForm{}, fmt.Errorf("the form %q has the word %q, which this version does not know: a later one made the request", text, word)
		}
	}
	if f.wire == WireAuto {
		return wireForm{}, fmt.Errorf("the form %q does not say over which wire the request went", text)
	}
	return f, nil
}

// read applies a word, and reports whether it is known.
func (f *wireForm) read(word string) bool {
	name, value, _ := strings.Cut(word, "=")
	plain, err := url.QueryUnescape(value)
	switch {
	case name == "key":
		f.cacheKey = plain
		return err == nil
	case name == "body":
		f.extraBody = plain
		return err == nil && json.Valid([]byte(plain))
	case f.wire == WireMessages: // it has words of the same names
	case name == "effort":
		f.effort = plain
		return err == nil && plain != ""
	case name == "thinking-after":
		f.signedAfter, err = strconv.ParseUint(value, 10, 64)
		return err == nil
	case name == "reasoning-as":
		f.reasoningAs = value
		return slices.Contains([]string{"reasoning", asThink, asText}, value)
	}
	for _, x := range f.flags() {
		if x.word == word {
			*x.on = true
			return true
		}
	}
	if w := Wire(word); w == WireChat || w == WireResponses || w == WireMessages {
		f.wire = w
		return true
	}
	return f.wire == WireMessages && f.messages.ParseWord(word)
}

// chooseWireForm returns the form in which a request is sent now.
func (c *Client) chooseWireForm(r llm.Request, known learnedQuirks) wireForm {
	f := wireForm{wire: c.wire(r.Model, known)}
	f.extraBody = withSchema(c.body, f.wire, r.Schema)
	if f.wire == WireMessages {
		f.messages = c.messagesForm(r, known)
		return f
	}
	if f.signedAfter = r.ThinkingAfter; anthropic.BindsThinking(r.Model) {
		f.signedAfter = max(f.signedAfter, r.PrefixChanged)
	}
	if !known.noEffort {
		f.effort = r.Effort
	}
	if c.endpoint.CacheKey && !known.noCacheKey {
		f.cacheKey = r.Conversation
	}
	f.cacheDay = c.endpoint.DayRetention && !known.noRetention && r.CacheTTL >= dayTTL && keepsForADay(r.Model)
	if f.wire == WireResponses {
		reasons := c.mayReason(r.Model)
		f.encrypted, f.echoItems, f.notStrict = reasons && !known.noEncryptedReasoning, !known.noReasoningItems, true
		f.summary = reasons && !known.noReasoningSummary && f.effort != "none"
		return f
	}
	f.ownReasoning, f.usage = true, !known.noUsageOption
	f.maxCompletion = c.endpoint.MaxCompletion != known.usesOtherLimit // Ollama silently ignores the newer name
	f.progress = c.endpoint.Progress || known.isLlamaCpp
	f.effortNone = len(r.Tools) > 0 && c.toolQuirk(r.Model) == catalog.ChatToolsEffortNone
	if len(r.Tools) > 0 && c.toolQuirk(r.Model) != catalog.ChatToolsPlain {
		f.effort = "" // these models take tools only without one
	}
	f.breakpoints = c.usesBreakpoints(r.Model) && !known.noBreakpoints
	f.cacheHour = f.breakpoints && r.CacheTTL >= time.Hour
	f.nullContent, f.signatures = c.endpoint.NullContent, c.endpoint.Signatures
	if e := echoOf(c.endpoint.Name, r.Model); e.as != "" && !known.noReasoningEcho {
		f.reasoning, f.reasoningLoop, f.blankReasoning = true, e.loop, e.blank
		if e.as != thoughtField {
			f.reasoningAs = e.as
		}
	}
	return f
}

// dayTTL is the cache lifetime that OpenAI is asked for with prompt_cache_retention.
const dayTTL = 24 * time.Hour

// keepsForADay reports whether OpenAI can keep prompts of a model for a day: from gpt-4.1 on. For gpt-5.6 and later it
// decides the time itself.
func keepsForADay(model string) bool {
	major, minor := gptVersion(model)
	return major == 4 && minor >= 1 || major == 5 && minor < 6
}

// gptVersion returns the version of an OpenAI model, 0 for any other model.
func gptVersion(model string) (major, minor int) {
	if _, err := fmt.Sscanf(model, "gpt-%d.%d", &major, &minor); err != nil {
		minor = 0
		if _, err := fmt.Sscanf(model, "gpt-%d", &major); err != nil {
			return 0, 0
		}
	}
	return major, minor
}

// Body returns the body that Stream sent for a request in a recorded form, byte by byte; for the form "" the body that
// Stream would send now. It sends nothing. The error is an unknown word in the form, which a later version recorded, or
// a request that cannot be encoded.
func (c *Client) Body(r llm.Request, recorded string) ([]byte, error) {
	f := c.chooseWireForm(r, c.learnedQuirks(r.Model))
	if recorded != "" {
		var err error
		if f, err = parseWireForm(recorded); err != nil {
			return nil, err
		}
	}
	out, err := c.buildRequest(r, f)
	if err != nil {
		return nil, fmt.Errorf("making the body of a request to %s: %s", r.Model, c.endpoint.cleanText(err.Error()))
	}
	return out.body, nil
}

func (c *Client) buildRequest(r llm.Request, f wireForm) (outgoingRequest, error) {
	var out outgoingRequest
	var err error
	switch f.wire {
	case WireMessages:
		out, err = c.messagesRequest(r, f.messages)
	case WireResponses:
		out = outgoingRequest{path: "/responses", decoder: newResponseDecoder(c.endpoint, r)}
		out.body, err = json.Marshal(c.responsesBody(r, f))
	default:
		out = outgoingRequest{path: "/chat/completions", decoder: newChatDecoder(c.endpoint, r)}
		if c.endpoint.CacheHeader != "" && r.Conversation != "" {
			out.headers = map[string]string{c.endpoint.CacheHeader: r.Conversation}
		}
		out.body, err = c.chatBody(r, f)
	}
	if err == nil && f.extraBody != "" {
		out.body = mergeJSON(out.body, []byte(f.extraBody))
	}
	if err != nil {
		return outgoingRequest{}, fmt.Errorf("making the request: %w", err)
	}
	return out, nil
}

// mergedBody merges JSON objects into one, "" if it has no fields.
func mergedBody(objects []string) string {
	merged := json.RawMessage("{}")
	for _, o := range objects {
		merged = mergeJSON(merged, json.RawMessage(o)) // the configuration accepts only JSON objects
	}
	if text := strings.TrimSpace(string(merged)); text != "{}" {
		return text
	}
	return ""
}

// mergeJSON merges two values: objects field by field; any other value of above replaces the one below.
func mergeJSON(below, above json.RawMessage) json.RawMessage {
	var under, over map[string]json.RawMessage
	if json.Unmarshal(below, &under) != nil || json.Unmarshal(above, &over) != nil || under == nil || over == nil {
		return above
	}
	for name, value := range over {
		under[name] = mergeJSON(under[name], value)
	}
	merged, _ := conversation.EncodeJSON(under) // its values were decoded from JSON
	return merged
}

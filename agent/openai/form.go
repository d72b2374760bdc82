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

// A body is a function of the request and of its form: what the endpoint wants
// and what was learned from its refusals. Rules:
//
//   - a form is decided before anything of a body is made, and written down with
//     the reply as a line of words; a word once given keeps its meaning
//   - its words say what the body has, not how it differs from what is usual, so
//     that they hold when endpoints, addresses and tables are others
//   - a body is made again on the road that requests take, up to the network

type bodyForm struct {
	wire       Wire
	usage      bool // asks for usage within the stream
	completion bool // the reply's bound is named max_completion_tokens, not max_tokens
	progress   bool // asks for progress through the prompt
	effortNone bool // asks the model not to reason
	null       bool // calls without text have content null
	signatures bool // calls of other models get a signature
	reasoning  bool // reasoning goes back with its message
	loop       bool // only behind the newest message of the user
	blank      bool // calls without reasoning have a blank one
	own        bool // what a model thought goes back to it alone, its signed fields with a message that is what it was
	encrypted  bool // asks for reasoning in encrypted form
	strict     bool // tools say that their schemas are not strict ones
	items      bool // replies go back item by item, as they came
	summary    bool // asks for summaries of reasoning
	marks      bool // has cache breakpoints, as the Messages wire sets them
	hour       bool // they last an hour
	day        bool // asks the cache to keep the prompt for a day
	key        string
	effort     string // asked of the model, "" for none
	as         string // how reasoning goes back, "" for reasoning_content
	after      uint64 // signed and encrypted fields of replies up to this event stay behind
	body       string // JSON that is merged into the body, "" for none

	messages anthropic.Form // of a body for the Messages wire, which has none of the above
}

// flags are the words of a form that say yes or no, in the order they are
// written.
func (f *bodyForm) flags() []formFlag {
	return []formFlag{
		{"usage", &f.usage}, {"completion", &f.completion}, {"progress", &f.progress}, {"effort-none", &f.effortNone},
		{"null", &f.null}, {"signatures", &f.signatures}, {"reasoning", &f.reasoning}, {"encrypted", &f.encrypted},
		{"strict", &f.strict}, {"items", &f.items}, {"summary", &f.summary},
		{"reasoning-loop", &f.loop}, {"reasoning-blank", &f.blank}, {"own", &f.own},
		{"marks", &f.marks}, {"marks-1h", &f.hour}, {"cache-24h", &f.day},
	}
}

type formFlag struct {
	word string
	on   *bool
}

// String is the form as it is recorded: the wire, then what is so of the body.
func (f bodyForm) String() string {
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
	if f.after > 0 {
		after = strconv.FormatUint(f.after, 10)
	}
	for _, x := range [][2]string{{"key", f.key}, {"effort", f.effort}, {"reasoning-as", f.as}, {"thinking-after", after}, {"body", f.body}} {
		if x[1] != "" {
			words = append(words, x[0]+"="+url.QueryEscape(x[1]))
		}
	}
	return strings.Join(words, " ")
}

func parseForm(text string) (bodyForm, error) {
	var f bodyForm
	for _, word := range strings.Fields(text) {
		if !f.read(word) {
			return bodyForm{}, fmt.Errorf("the form %q has the word %q, which this version does not know: a later one made the request", text, word)
		}
	}
	if f.wire == WireAuto {
		return bodyForm{}, fmt.Errorf("the form %q does not say over which wire the request went", text)
	}
	return f, nil
}

func (f *bodyForm) read(word string) bool {
	name, value, _ := strings.Cut(word, "=")
	plain, err := url.QueryUnescape(value)
	switch {
	case name == "key":
		f.key = plain
		return err == nil
	case name == "body":
		f.body = plain
		return err == nil && json.Valid([]byte(plain))
	case f.wire == WireMessages: // which has words of the same names
	case name == "effort":
		f.effort = plain
		return err == nil && plain != ""
	case name == "thinking-after":
		f.after, err = strconv.ParseUint(value, 10, 64)
		return err == nil
	case name == "reasoning-as":
		f.as = value
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
	return f.wire == WireMessages && f.messages.Read(word)
}

func (c *Client) form(r llm.Request, known lessons) bodyForm {
	f := bodyForm{wire: c.wire(r.Model, known), body: c.body}
	if f.wire == WireMessages {
		f.messages = c.messagesForm(r, known)
		return f
	}
	if f.after = r.ThinkingAfter; anthropic.BindsThinking(r.Model) {
		f.after = max(f.after, r.PrefixChanged)
	}
	if !known.noEffort {
		f.effort = r.Effort
	}
	if c.who.CacheKey && !known.noCacheKey {
		f.key = r.Conversation
	}
	f.day = c.who.Retention && !known.noRetention && r.CacheTTL >= dayTTL && keepsForADay(r.Model)
	if f.wire == WireResponses {
		reasons := c.mayReason(r.Model)
		f.encrypted, f.items, f.strict = reasons && !known.noEncrypted, !known.noItems, true
		f.summary = reasons && !known.noSummary && f.effort != "none"
		return f
	}
	f.own, f.usage = true, !known.noUsageOption
	f.completion = c.who.MaxCompletion != known.otherLimit // Ollama ignores the newer name without a word
	f.progress = c.who.Progress || known.progress
	f.effortNone = len(r.Tools) > 0 && c.chatTools(r.Model) == catalog.ChatToolsEffortNone
	if len(r.Tools) > 0 && c.chatTools(r.Model) != catalog.ChatToolsPlain {
		f.effort = "" // these models take tools only without one
	}
	f.marks = c.marks(r.Model) && !known.noMarks
	f.hour = f.marks && r.CacheTTL >= time.Hour
	f.null, f.signatures = c.who.NullContent, c.who.Signatures
	if e := echoOf(c.who.Name, r.Model); e.as != "" && !known.noEcho {
		f.reasoning, f.loop, f.blank = true, e.loop, e.blank
		if e.as != thoughtField {
			f.as = e.as
		}
	}
	return f
}

// dayTTL is how long a prompt is kept that is asked to be kept for a day.
const dayTTL = 24 * time.Hour

// keepsForADay reports whether OpenAI keeps prompts of a model for a day: it does from gpt-4.1 on, and keeps those of
// gpt-5.6 and later for as long as it says itself.
func keepsForADay(model string) bool {
	major, minor := gpt(model)
	return major == 4 && minor >= 1 || major == 5 && minor < 6
}

// gpt is the version of a model of OpenAI, 0 for another one.
func gpt(model string) (major, minor int) {
	if _, err := fmt.Sscanf(model, "gpt-%d.%d", &major, &minor); err != nil {
		minor = 0
		if _, err := fmt.Sscanf(model, "gpt-%d", &major); err != nil {
			return 0, 0
		}
	}
	return major, minor
}

// Body is the body that Stream sends for a request in a form that it recorded, to
// the byte; "" is the form that Stream would choose now. Nothing is sent. The
// error is that of a form which a later version made, or of a request that has
// no body.
func (c *Client) Body(r llm.Request, recorded string) ([]byte, error) {
	f := c.form(r, c.lessons(r.Model))
	if recorded != "" {
		var err error
		if f, err = parseForm(recorded); err != nil {
			return nil, err
		}
	}
	out, err := c.outgoing(r, f)
	if err != nil {
		return nil, fmt.Errorf("making the body of a request to %s: %s", r.Model, c.who.tidy(err.Error()))
	}
	return out.body, nil
}

func (c *Client) outgoing(r llm.Request, f bodyForm) (outgoing, error) {
	var out outgoing
	var err error
	switch f.wire {
	case WireMessages:
		out, err = c.messages(r, f.messages)
	case WireResponses:
		out = outgoing{path: "/responses", decoder: newResponseDecoder(c.who, r)}
		out.body, err = json.Marshal(c.response(r, f))
	default:
		out = outgoing{path: "/chat/completions", decoder: newChatDecoder(c.who, r), headers: c.cacheHeader(r)}
		out.body, err = c.chat(r, f)
	}
	if err == nil && f.body != "" {
		out.body, err = mergeJSON(out.body, []byte(f.body))
	}
	if err != nil {
		return outgoing{}, fmt.Errorf("making the request: %w", err)
	}
	return out, nil
}

func mergedBody(objects []string) string {
	merged := json.RawMessage("{}")
	for _, o := range objects {
		if m, err := mergeJSON(merged, json.RawMessage(o)); err == nil { // the configuration has nothing else
			merged = m
		}
	}
	if text := strings.TrimSpace(string(merged)); text != "{}" {
		return text
	}
	return ""
}

// mergeJSON lays one value over another: objects field by field, whatever else as a whole.
func mergeJSON(below, above json.RawMessage) (json.RawMessage, error) {
	var under, over map[string]json.RawMessage
	if json.Unmarshal(below, &under) != nil || json.Unmarshal(above, &over) != nil || under == nil || over == nil {
		return above, nil
	}
	for name, value := range over {
		merged, err := mergeJSON(under[name], value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		under[name] = merged
	}
	return conversation.EncodeJSON(under)
}

package openai

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Servers report in words of their own that a request is larger than the window. The window and the size of the prompt
// are read from these messages. Numbers may have separators. The caller has excluded rate limits.

// overflowSentence matches the message of one server. The group "n" is the window, "m" the prompt, "parts" the sizes of
// the request's parts. Each is optional.
type overflowSentence struct {
	server string
	re     *regexp.Regexp
}

const num = `([\d,._]*\d)`

// sentence compiles a pattern, in which {N} is the window and {M} the prompt.
func sentence(server, pattern string) overflowSentence {
	pattern = strings.ReplaceAll(pattern, "{N}", "(?P<n>"+num+")")
	pattern = strings.ReplaceAll(pattern, "{M}", "(?P<m>"+num+")")
	return overflowSentence{server, regexp.MustCompile(`(?is)` + pattern)}
}

// overflowSentences are tried in order; the most informative ones come first. They are compiled at the first refusal,
// because most runs never meet one.
var overflowSentences = sync.OnceValue(func() []overflowSentence {
	return []overflowSentence{
		sentence("llama.cpp, Ollama", `request \({M} tokens\) exceeds the available context size \({N} tokens\)`),
		sentence("OpenAI, vLLM to 0.15, OpenRouter", `maximum context length is {N} tokens.*?{M} tokens \((?P<parts>\d[^()]* (?:in|of|for) [^()]*)\)`),
		sentence("vLLM, newer", `maximum context length is {N} tokens.*?prompt contains (?:at least )?{M}`),
		sentence("vLLM", `prompt \(length {M}\) is longer than the maximum model length of {N}`),
		sentence("vLLM from 0.16", `passed {M} input tokens and requested .*?context length is only {N}`),
		sentence("OpenAI, OpenRouter, vLLM", `maximum context length is {N} tokens?.*?(?:resulted in|requested about|requested|contains|has)\s+(?:at least )?{M}`),
		sentence("Anthropic", `prompt is too long: {M} tokens > {N}`),
		sentence("Anthropic", "input length and `?max_tokens`? exceed context limit: {M} \\+ .*?> {N}"),
		sentence("Gemini", `input token count \(?{M}\)? exceeds the maximum number of tokens allowed \(?{N}`),
		sentence("xAI", `maximum prompt length is {N} but the request contains {M}`),
		sentence("Together", `input \({M} tokens\) is longer than the model'?s context length \({N}`),
		sentence("Mistral", `prompt contains {M} tokens.*?too large for model with {N}`),
		sentence("Cerebras", `current length is {M} while limit is {N}`),
		sentence("Moonshot", `exceeded model token limit: {N} \(requested: {M}\)`),
		sentence("DashScope", `range of input length should be \[1, ?{N}\]`),
		sentence("TGI", "`inputs` tokens \\+ `max_new_tokens` must be <= {N}\\. Given: {M}"),
		sentence("TGI", "`inputs` tokens \\+ `max_new_tokens` must be <= {N}"),
		sentence("TGI", "`inputs` must have less than {N} tokens\\. Given: {M}"),
		sentence("SGLang", `maximum context length of {N} tokens.*?{M} tokens from the input`),
		sentence("SGLang", `input length \({M} tokens\) exceeds the maximum allowed length \({N}`),
		sentence("SGLang", `input \({M} tokens\).*?longer than the model'?s? (?:maximum )?context length \(?{N}`),
		sentence("LM Studio", `keep the first {M} tokens.*?context length of only {N}`),
		sentence("LM Studio", `n_keep: {M}\s*>=?\s*n_ctx: {N}`),
		sentence("LM Studio", `context length of only {N}`),
		sentence("OpenAI", `maximum context length (?:is|of) {N}`),
	}
})

var overflowWords = []string{
	"context_length_exceeded", "exceed_context_size", "model_context_window_exceeded", "string_above_max_length",
	"exceeds the context window", "exceeds the available context size", "context window exceeds limit",
	"context length exceeded", "exceeds maximum context length", "exceeds the maximum context length",
	"exceeded max context length", "longer than the model's context length", "prompt exceeds max length",
	"prompt is too long", "input is too long", "input token count exceeds", "too many input tokens",
	"tokens to keep from the initial prompt is greater than the context length",
	"reduce the length of the messages", "reduce the length of your prompt", "reduce your prompt",
	"request_too_large", "larger than the context window",
	"context size has been exceeded", "too big compared to kv size", // llama.cpp
	"longer than the context length currently available", // Ollama
	"max_tokens must be at least 1, got -",               // vLLM to 0.7: the rest of the window
}

// replyTooLong matches messages about a reply limit that is too large. That is no overflow, even if the message names
// the window, unless it also gives the size of the prompt.
var replyTooLong = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?is)max(?:_completion|_output)?_tokens\\b.{0,60}?" +
		"(?:too (?:large|high|big)|greater than|less than|at most|exceeds|> ?\\d|<= ?\\d)")
})

// overflow reports whether a fault is an overflow, with the window and the prompt in tokens, 0 if not reported.
func (f *Fault) overflow() (window, prompt int, ok bool) {
	if f.window > 0 {
		return f.window, f.prompt, true
	}
	for _, s := range overflowSentences() {
		m := s.re.FindStringSubmatch(f.Message)
		if m == nil {
			continue
		}
		for i, name := range s.re.SubexpNames() {
			switch name {
			case "n":
				window = tokenCount(m[i])
			case "m":
				prompt = tokenCount(m[i])
			case "parts":
				prompt = cmp.Or(promptTokens(m[i]), prompt)
			}
		}
		return window, prompt, prompt > 0 || !f.isAboutReplyLimit()
	}
	if f.isAboutReplyLimit() {
		return 0, 0, false
	}
	text := strings.ToLower(f.Code + " " + f.Type + " " + f.Message)
	return 0, 0, hasAny(text, overflowWords...) || f.Code == "1261" // Z.ai
}

func (f *Fault) isAboutReplyLimit() bool {
	return f.Code != "context_length_exceeded" && replyTooLong().MatchString(f.Message)
}

// partSize matches one part of a request with its size.
var partSize = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + num + ` (?:tokens )?(?:in|of|for|from) (?:the |your )?([a-z ]+)`)
})

// promptTokens adds up the parts of a request without the reply's. It is 0 if no part is named.
func promptTokens(parts string) int {
	sum := 0
	for _, m := range partSize().FindAllStringSubmatch(parts, -1) {
		if !hasAny(strings.ToLower(m[2]), "completion", "output", "reply", "response") {
			sum += tokenCount(m[1])
		}
	}
	return sum
}

// tokenCount reads digits with separators. It is 0 if they cannot be the size of a window.
func tokenCount(s string) int {
	n, err := strconv.Atoi(strings.NewReplacer(",", "", ".", "", "_", "").Replace(s))
	if err != nil || n < 1 || n > 1<<30 {
		return 0
	}
	return n
}

package openai

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// How servers say that a request is larger than the window, and where in the
// words the window and the size of the prompt stand. Numbers may have
// separators. Overflow is told apart from rate limits before these are asked.

// overflowForm is one server's sentence. Group "n" is the window, "m" the
// prompt, "parts" what the request is made of; a group that is missing is not said.
type overflowForm struct {
	server string
	re     *regexp.Regexp
}

const num = `([\d,._]*\d)`

func form(server, pattern string) overflowForm {
	pattern = strings.ReplaceAll(pattern, "{N}", "(?P<n>"+num+")")
	pattern = strings.ReplaceAll(pattern, "{M}", "(?P<m>"+num+")")
	return overflowForm{server, regexp.MustCompile(`(?is)` + pattern)}
}

// overflowForms is tried in order; the sentences that say most come first. Most
// runs of the program meet no refusal and never compile them.
var overflowForms = sync.OnceValue(func() []overflowForm {
	return []overflowForm{
		form("llama.cpp, Ollama", `request \({M} tokens\) exceeds the available context size \({N} tokens\)`),
		form("OpenAI, vLLM to 0.15, OpenRouter", `maximum context length is {N} tokens.*?{M} tokens \((?P<parts>\d[^()]* (?:in|of|for) [^()]*)\)`),
		form("vLLM, newer", `maximum context length is {N} tokens.*?prompt contains (?:at least )?{M}`),
		form("vLLM", `prompt \(length {M}\) is longer than the maximum model length of {N}`),
		form("vLLM from 0.16", `passed {M} input tokens and requested .*?context length is only {N}`),
		form("OpenAI, OpenRouter, vLLM", `maximum context length is {N} tokens?.*?(?:resulted in|requested about|requested|contains|has)\s+(?:at least )?{M}`),
		form("Anthropic", `prompt is too long: {M} tokens > {N}`),
		form("Anthropic", "input length and `?max_tokens`? exceed context limit: {M} \\+ .*?> {N}"),
		form("Gemini", `input token count \(?{M}\)? exceeds the maximum number of tokens allowed \(?{N}`),
		form("xAI", `maximum prompt length is {N} but the request contains {M}`),
		form("Together", `input \({M} tokens\) is longer than the model'?s context length \({N}`),
		form("Mistral", `prompt contains {M} tokens.*?too large for model with {N}`),
		form("Cerebras", `current length is {M} while limit is {N}`),
		form("Moonshot", `exceeded model token limit: {N} \(requested: {M}\)`),
		form("DashScope", `range of input length should be \[1, ?{N}\]`),
		form("TGI", "`inputs` tokens \\+ `max_new_tokens` must be <= {N}\\. Given: {M}"),
		form("TGI", "`inputs` tokens \\+ `max_new_tokens` must be <= {N}"),
		form("TGI", "`inputs` must have less than {N} tokens\\. Given: {M}"),
		form("SGLang", `maximum context length of {N} tokens.*?{M} tokens from the input`),
		form("SGLang", `input length \({M} tokens\) exceeds the maximum allowed length \({N}`),
		form("SGLang", `input \({M} tokens\).*?longer than the model'?s? (?:maximum )?context length \(?{N}`),
		form("LM Studio", `keep the first {M} tokens.*?context length of only {N}`),
		form("LM Studio", `n_keep: {M}\s*>=?\s*n_ctx: {N}`),
		form("LM Studio", `context length of only {N}`),
		form("OpenAI", `maximum context length (?:is|of) {N}`),
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
	"max_tokens must be at least 1, got -",               // vLLM to 0.7: what is left of the window
}

// replyTooLong is what servers say of a bound of the reply above what they take.
// That is no overflow, even if they name the window along with it, unless they
// count the prompt as well.
var replyTooLong = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?is)max(?:_completion|_output)?_tokens\\b.{0,60}?" +
		"(?:too (?:large|high|big)|greater than|less than|at most|exceeds|> ?\\d|<= ?\\d)")
})

// overflow reads a fault as an overflow: whether it is one, the window and the
// prompt in tokens, 0 where they are not said.
func (f *Fault) overflow() (window, prompt int, ok bool) {
	if f.window > 0 {
		return f.window, f.prompt, true
	}
	for _, form := range overflowForms() {
		m := form.re.FindStringSubmatch(f.Message)
		if m == nil {
			continue
		}
		for i, name := range form.re.SubexpNames() {
			switch name {
			case "n":
				window = number(m[i])
			case "m":
				prompt = number(m[i])
			case "parts":
				prompt = cmp.Or(promptOf(m[i]), prompt)
			}
		}
		return window, prompt, prompt > 0 || !f.boundsReply()
	}
	if f.boundsReply() {
		return 0, 0, false
	}
	text := strings.ToLower(f.Code + " " + f.Type + " " + f.Message)
	for _, w := range overflowWords {
		if strings.Contains(text, w) {
			return 0, 0, true
		}
	}
	return 0, 0, f.Code == "1261" // Z.ai
}

func (f *Fault) boundsReply() bool {
	return f.Code != "context_length_exceeded" && replyTooLong().MatchString(f.Message)
}

var share = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + num + ` (?:tokens )?(?:in|of|for|from) (?:the |your )?([a-z ]+)`)
})

// promptOf adds up the parts of a request that are sent: messages, tools and the
// like, but not the reply that was asked for. It is 0 where none is named.
func promptOf(parts string) int {
	sum := 0
	for _, m := range share().FindAllStringSubmatch(parts, -1) {
		if !hasAny(strings.ToLower(m[2]), "completion", "output", "reply", "response") {
			sum += number(m[1])
		}
	}
	return sum
}

// number reads digits with separators; what is no size of a window is 0.
func number(s string) int {
	n, err := strconv.Atoi(strings.NewReplacer(",", "", ".", "", "_", "").Replace(s))
	if err != nil || n < 1 || n > 1<<30 {
		return 0
	}
	return n
}

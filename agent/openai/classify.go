package openai

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"plimsoll/agent/llm"
)

// From what a server answers to a class, a message and a hint. The order
// matters: some quota errors come with the status of a rate limit, some
// requests that are too large for the rate tier speak of tokens like an
// overflow, and some overflows come as 413, 422 or 500.

// refused is the error of an answer with a status other than 2xx.
func (w endpoint) refused(status int, h http.Header, body []byte) *llm.Error {
	f := parseFault(body)
	e := w.classified(status, f)
	e.Status = status
	e.RetryAfter = retryAfter(h, f, time.Now())
	if said, retry := shouldRetry(h); said {
		e.NoRetry = !retry
	}
	if status >= 300 && status < 400 {
		w.explainRedirect(e, h)
	}
	w.finish(e, f)
	return e
}

// reported is the error that a server reports inside an answer of status 200.
func (w endpoint) reported(body []byte) *llm.Error {
	f := parseFault(body)
	status := f.status
	if status == 0 {
		status = http.StatusOK
	}
	e := w.classified(status, f)
	e.RetryAfter = retryAfter(http.Header{}, f, time.Now())
	w.finish(e, f)
	return e
}

// classified is the error without its words.
func (w endpoint) classified(status int, f *Fault) *llm.Error {
	e := &llm.Error{Class: w.class(status, f)}
	if e.Class == llm.Overflow {
		e.Window, e.Requested, _ = f.overflow()
	}
	if e.Class == llm.ServerFault && permanent(f) {
		e.NoRetry = true
	}
	e.Thinking = e.Class == llm.BadRequest && refusesThinking(strings.ToLower(f.Message))
	e.Loading = e.Class == llm.Overloaded && loading(f)
	return e
}

// class sorts a fault. It is total.
func (w endpoint) class(status int, f *Fault) llm.Class {
	text := strings.ToLower(f.Code + " " + f.Type + " " + f.Message)
	_, _, tooLong := f.overflow()
	switch {
	case outOfCredit(status, f, text):
		return llm.Quota
	case ofRateTier(status, text):
		return llm.TooLarge
	case tooLong && mayOverflow(status, text):
		return llm.Overflow
	case f.Message == "" && w.EmptyOverflow && status == http.StatusBadRequest:
		return llm.Overflow
	}
	if c, ok := classOfStatus(status, f, text); ok {
		return c
	}
	return classOfWords(text)
}

// ofRateTier reports a request that is larger than what the rate tier takes at
// once, which says nothing about the window.
func ofRateTier(status int, text string) bool {
	if status == http.StatusRequestEntityTooLarge {
		return hasAny(text, "tpm", "rate_limit", "tokens per min")
	}
	return strings.Contains(text, "request too large") && hasAny(text, "tpm", "tokens per min")
}

// mayOverflow reports whether words about length are to be taken as such. Who is
// told to come back, to pay or to show a key has not met the window.
func mayOverflow(status int, text string) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout, 529:
		return false
	}
	return !hasAny(text, "rate limit", "rate_limit", "ratelimit", "too many requests", "tokens per min", "overloaded")
}

// classOfStatus sorts by status where the status says enough.
func classOfStatus(status int, f *Fault, text string) (llm.Class, bool) {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return llm.Auth, true
	case http.StatusPaymentRequired:
		return llm.Quota, true
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return llm.NotFound, true
	case http.StatusRequestEntityTooLarge:
		return llm.Overflow, true
	case http.StatusTooManyRequests:
		if hasAny(text, "request too large") {
			return llm.TooLarge, true
		}
		return llm.RateLimited, true
	case http.StatusServiceUnavailable, 529:
		return llm.Overloaded, true
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return llm.ServerFault, true
	}
	switch {
	case status >= 500:
		if hasAny(text, "overloaded", "over capacity") {
			return llm.Overloaded, true
		}
		return llm.ServerFault, true
	case status >= 300:
		return classOfRefusal(f, text), true
	}
	return "", false
}

// classOfRefusal sorts a refusal of status 400 or the like.
func classOfRefusal(f *Fault, text string) llm.Class {
	switch {
	case hasAny(text, "api key not valid", "invalid api key", "incorrect api key", "invalid_api_key", "api_key_invalid"):
		return llm.Auth // Gemini and xAI say it with 400
	case f.Code == "model_not_found", strings.Contains(text, "model") &&
		hasAny(text, "does not exist", "not a valid model", "model not found", "model_not_found", "unknown model", "no such model"):
		return llm.NotFound
	}
	return llm.BadRequest
}

// classOfWords sorts a fault reported without a status.
func classOfWords(text string) llm.Class {
	switch {
	case hasAny(text, "rate limit", "rate_limit", "too many requests", "resource_exhausted"):
		return llm.RateLimited
	case hasAny(text, "overloaded", "over capacity", "over_capacity", "no capacity", "unavailable"):
		return llm.Overloaded
	case hasAny(text, "authentication", "invalid api key", "permission"):
		return llm.Auth
	case hasAny(text, "invalid_request", "bad request", "invalid_argument"):
		return llm.BadRequest
	}
	return llm.ServerFault
}

// outOfCredit tells a used-up quota from a rate limit. Gemini calls its rate
// limits a quota, too, but says when to come back.
func outOfCredit(status int, f *Fault, text string) bool {
	if f.retryIn != "" || status >= 500 {
		return false
	}
	return hasAny(text, "insufficient_quota", "insufficient quota", "insufficient balance", "insufficient_balance",
		"credit balance is too low", "exceeded your current quota", "billing_hard_limit", "billing_not_active",
		"out of credits", "insufficient credits", "requires more credits", "spending limit")
}

// loading reports a server that does not have its model in memory yet.
func loading(f *Fault) bool {
	return hasAny(strings.ToLower(f.Message), "loading model", "loading the model", "model is loading", "model is still loading", "still loading")
}

// permanent reports a server fault that the same request causes again:
// llama.cpp answers 500 to requests it cannot parse.
func permanent(f *Fault) bool {
	return hasAny(strings.ToLower(f.Message), "parse_error", "failed to parse tool call arguments", "failed to parse input",
		"failed to parse messages")
}

func hasAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// explainRedirect says where a server wants to be asked instead.
func (w endpoint) explainRedirect(e *llm.Error, h http.Header) {
	e.Class = llm.BadRequest
	e.Hint = "set base_url to the address that the server really has"
	if to := h.Get("Location"); to != "" {
		e.Hint = fmt.Sprintf("the server sends us to %s: set base_url to match", w.tidy(to))
	}
}

// finish gives an error its words and its cause, both without keys.
func (w endpoint) finish(e *llm.Error, f *Fault) {
	words := w.tidy(f.Message)
	e.Lead = w.lead(e, strings.ToLower(f.Message))
	e.Message = e.Lead
	if words != "" {
		e.Message += ": " + words
	} else if code := w.tidy(f.Code); code != "" {
		e.Message += ": " + code
	}
	if e.Hint == "" {
		e.Hint = w.hint(e, strings.ToLower(f.Message))
	}
	e.Err = &Fault{
		Message: shorten(oneLine(w.redact(f.Message)), 2000), Code: w.tidy(f.Code), Type: w.tidy(f.Type), Param: w.tidy(f.Param),
	}
}

// lead is the beginning of a message, before the server's own words: what happened, in the service's words for it.
func (w endpoint) lead(e *llm.Error, words string) string {
	of := func(what, prep string) string { // a server of the user's own needs no name
		if w.Name == "custom" {
			return what
		}
		return what + " " + prep + " " + w.Label
	}
	lead := of("Request refused", "by")
	switch e.Class {
	case llm.Auth:
		switch lead = of("Key refused", "by"); {
		case !w.hasKey && !hasAny(words, "incorrect", "invalid"):
			lead = of("Key needed", "by")
		case e.Status == http.StatusForbidden:
			lead = of("Not allowed with this key", "by")
		}
	case llm.Quota:
		lead = of("Out of credit", "at")
	case llm.NotFound:
		lead = of("No such model or address", "at")
	case llm.Overflow:
		lead = "Larger than the context window"
	case llm.TooLarge:
		lead = of("Larger than the rate limit takes at once", "at")
	case llm.RateLimited:
		lead = of("Rate limited", "by")
	case llm.Overloaded:
		if lead = of("No capacity", "at"); e.Loading {
			lead = of("The model still loads", "at")
		}
	case llm.ServerFault:
		lead = of("Server error", "at")
	}
	if e.Status >= 400 {
		lead += fmt.Sprintf(" (%d)", e.Status)
	}
	return lead
}

// hint is what the user can do, "" if nothing.
func (w endpoint) hint(e *llm.Error, words string) string {
	switch e.Class {
	case llm.Auth:
		if w.renewed != nil {
			return "run the program of key_command in a terminal to see what it says"
		}
		if w.keyVar == "" {
			return "set the key: name its environment variable in the configuration, under api_key_env"
		}
		if w.Local && !w.hasKey {
			return "set " + w.keyVar + " to the key that the server was started with"
		}
		if e.Status == http.StatusForbidden && w.hasKey {
			return "choose a model that the key has access to, or set " + w.keyVar + " to another key"
		}
		if w.Local {
			return "set " + w.keyVar + " to a valid key"
		}
		return "/connect, or `plimsoll connect " + w.Name + "`, stores another; or set " + w.keyVar
	case llm.Quota:
		return "add credit with the provider, or choose another model"
	case llm.NotFound:
		if w.Name == "ollama" && strings.Contains(words, "model") {
			return "`plimsoll models` lists the models there are, `ollama pull` gets others"
		}
		return "`plimsoll models` lists the models there are"
	case llm.TooLarge:
		return "send less at once; waiting does not help"
	case llm.Overloaded:
		if e.Loading {
			return "wait until the server has loaded the model, then try again"
		}
	case llm.BadRequest:
		if strings.Contains(words, "does not support tools") {
			return "choose a model that can use tools"
		}
	}
	return ""
}

package openai

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// A server's error becomes a class, a message and a hint. The order of the checks matters. Some quota errors have the
// status of a rate limit. Some requests above the rate limit's tokens per minute are refused in words like those of an
// overflow. Some overflows have status 413, 422 or 500.

// statusError returns the error for a status other than 2xx.
func (w endpoint) statusError(status int, h http.Header, body []byte) *llm.Error {
	f := parseFault(body)
	e := &llm.Error{Class: w.class(status, f), Status: status, RetryAfter: retryAfter(h, f, time.Now())}
	if to := h.Get("Location"); status < 400 && to != "" {
		e.Hint = "the server sends us to " + w.cleanText(to) + ": set base_url to match"
	}
	w.describe(e, f)
	if should := strings.ToLower(h.Get("X-Should-Retry")); should == "true" || should == "false" {
		e.NoRetry = should == "false"
	}
	return e
}

// ReportedError returns the error that a server reports inside an answer of status 200.
func (w endpoint) ReportedError(body []byte) *llm.Error {
	f := parseFault(body)
	e := &llm.Error{Class: w.class(cmp.Or(f.status, http.StatusOK), f), RetryAfter: retryAfter(http.Header{}, f, time.Now())}
	w.describe(e, f)
	return e
}

func (w endpoint) class(status int, f *Fault) llm.Class {
	text := strings.ToLower(f.Code + " " + f.Type + " " + f.Message)
	_, _, tooLong := f.overflow()
	switch {
	case isQuotaUsedUp(status, f, text):
		return llm.Quota
	case exceedsRateLimit(status, text):
		return llm.TooLarge
	case tooLong && mayOverflow(status, text):
		return llm.Overflow
	case f.Message == "" && w.EmptyOverflow && status == http.StatusBadRequest:
		return llm.Overflow
	}
	if c, ok := classOfStatus(status, f, text); ok {
		return c
	}
	return classOfMessage(text)
}

// exceedsRateLimit reports whether a single request is larger than the rate limit's tokens per minute.
func exceedsRateLimit(status int, text string) bool {
	if status == http.StatusRequestEntityTooLarge {
		return hasAny(text, "tpm", "rate_limit", "tokens per min")
	}
	return strings.Contains(text, "request too large") && hasAny(text, "tpm", "tokens per min")
}

// mayOverflow reports whether words about length can mean an overflow. An error about the rate, the payment or the key
// never is one.
func mayOverflow(status int, text string) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout, 529:
		return false
	}
	return !hasAny(text, "rate limit", "rate_limit", "ratelimit", "too many requests", "tokens per min", "overloaded")
}

// classOfStatus returns the class by the HTTP status, false if the status does not tell.
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

// classOfRefusal returns the class of a refusal with a 3xx or 4xx status that has no class of its own.
func classOfRefusal(f *Fault, text string) llm.Class {
	switch {
	case hasAny(text, "api key not valid", "invalid api key", "incorrect api key", "invalid_api_key", "api_key_invalid"):
		return llm.Auth // Gemini and xAI send status 400
	case f.Code == "model_not_found", strings.Contains(text, "model") &&
		hasAny(text, "does not exist", "not a valid model", "model not found", "model_not_found", "unknown model", "no such model"):
		return llm.NotFound
	}
	return llm.BadRequest
}

// classOfMessage returns the class by the message, for errors whose status does not tell it.
func classOfMessage(text string) llm.Class {
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

// isQuotaUsedUp reports whether a quota is used up. Gemini calls rate limits a quota too, but sends a retry delay.
func isQuotaUsedUp(status int, f *Fault, text string) bool {
	if f.retryIn != "" || status >= 500 {
		return false
	}
	return hasAny(text, "insufficient_quota", "insufficient quota", "insufficient balance", "insufficient_balance",
		"credit balance is too low", "exceeded your current quota", "billing_hard_limit", "billing_not_active",
		"out of credits", "insufficient credits", "requires more credits", "spending limit")
}

func hasAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// describe sets the fields that depend on the server's message. None contains a key.
func (w endpoint) describe(e *llm.Error, f *Fault) {
	words := strings.ToLower(f.Message)
	switch e.Class {
	case llm.Overflow:
		e.Window, e.Requested, _ = f.overflow()
	case llm.ServerFault: // llama.cpp answers 500 to requests it cannot parse
		e.NoRetry = hasAny(words, "parse_error", "failed to parse tool call arguments", "failed to parse input", "failed to parse messages")
	case llm.BadRequest:
		e.RefusesThinking = refusesThinking(words)
	case llm.Overloaded:
		e.Loading = hasAny(words, "loading model", "loading the model", "model is loading", "model is still loading", "still loading")
	}
	e.Lead = w.lead(e, words)
	e.Message = e.Lead
	if text := cmp.Or(w.cleanText(f.Message), w.cleanText(f.Code)); text != "" {
		e.Message += ": " + text
	}
	e.Hint = cmp.Or(e.Hint, w.hint(e))
	e.Err = &Fault{
		Message: conversation.OneLine(llm.OneLine(w.redact(f.Message)), 2000), Code: w.cleanText(f.Code), Type: w.cleanText(f.Type), Param: w.cleanText(f.Param),
	}
}

// leads are the first words of messages. The endpoint's name follows.
var leads = map[llm.Class]string{
	llm.Auth: "Key refused by", llm.Quota: "Out of credit at", llm.NotFound: "No such model or address at",
	llm.TooLarge: "Larger than the rate limit takes at once at", llm.RateLimited: "Rate limited by",
	llm.Overloaded: "No capacity at", llm.ServerFault: "Server error at", llm.BadRequest: "Request refused by",
}

// lead returns the first words of a message. The server's own words follow. The name of a custom server is left out.
func (w endpoint) lead(e *llm.Error, words string) string {
	lead := leads[e.Class]
	switch {
	case e.Class == llm.Auth && !w.hasKey && !hasAny(words, "incorrect", "invalid"):
		lead = "Key needed by"
	case e.Class == llm.Auth && e.Status == http.StatusForbidden:
		lead = "Not allowed with this key by"
	case e.Loading:
		lead = "The model still loads at"
	}
	switch at := strings.LastIndexByte(lead, ' '); {
	case e.Class == llm.Overflow:
		lead = "Larger than the context window"
	case w.Name == "custom":
		lead = lead[:at]
	default:
		lead += " " + w.Label
	}
	if e.Status >= 400 {
		lead += fmt.Sprintf(" (%d)", e.Status)
	}
	return lead
}

func (w endpoint) hint(e *llm.Error) string {
	switch e.Class {
	case llm.Auth:
		switch {
		case w.renewer != nil:
			return keyCommandHint
		case w.keyVar == "":
			return "set the key: name its environment variable in the configuration, under api_key_env"
		case w.Local:
			return "set " + w.keyVar + " to the key that the server was started with"
		}
		return "/connect, or `plimsoll connect " + w.Name + "`, stores another; or set " + w.keyVar
	case llm.Quota:
		return "add credit with the provider, or choose another model"
	case llm.NotFound:
		return "`plimsoll models` lists the models there are"
	case llm.TooLarge:
		return "send less at once; waiting does not help"
	case llm.Overloaded:
		if e.Loading {
			return "wait until the server has loaded the model, then try again"
		}
	}
	return ""
}

const keyCommandHint = "run the program of key_command in a terminal to see what it says"

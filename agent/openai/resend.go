package openai

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"plimsoll/agent/llm"
)

// A connection that waits for its next request can die unseen: llama.cpp
// announces keep-alive and closes after each streamed answer. A request that
// meets such a connection is sent again at once and silently. Rules:
//
//   - only on a connection that served before: one that is new and breaks says
//     something about the server
//   - only if not one byte of an answer came, and soon after the request was
//     written: what breaks later may have been at work on it, and a reply must not
//     be paid for twice unseen
//   - only while the caller wants it, and a few times at most: each try takes one
//     dead connection out of the pool

// maxResends is how many dead connections one request may meet.
const maxResends = 4

// deadWithin is how soon after a request a connection that was dead already breaks.
const deadWithin = 10 * time.Second

// resender is a RoundTripper that sends again what met a dead connection.
type resender struct {
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (s resender) RoundTrip(req *http.Request) (*http.Response, error) {
	for resends := 0; ; resends++ {
		var dead, answered atomic.Bool
		var written atomic.Int64 // when, in nanoseconds since began; 0 until then
		began := time.Now()
		trace := &httptrace.ClientTrace{
			GotConn:              func(c httptrace.GotConnInfo) { dead.Store(c.Reused) },
			GotFirstResponseByte: func() { answered.Store(true) },
			WroteRequest: func(i httptrace.WroteRequestInfo) {
				if i.Err == nil {
					written.Store(max(1, int64(time.Since(began))))
				}
			},
		}
		resp, err := s.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
		late := written.Load() > 0 && time.Since(began)-time.Duration(written.Load()) > deadWithin
		if err == nil || late || !dead.Load() || answered.Load() || resends == maxResends || req.Context().Err() != nil {
			return resp, err
		}
		if req.Body == nil {
			continue
		}
		if req.GetBody == nil {
			return resp, err
		}
		body, again := req.GetBody()
		if again != nil {
			return resp, err // the first failure says more
		}
		next := *req // a RoundTripper leaves the caller's request as it is
		next.Body = body
		req = &next
	}
}

// renewed is a RoundTripper that sends keys which are good for a while, and a request that meets an old one once more. The
// Messages API gets the key in both of its headers: clouds want another one than Anthropic.
type renewed struct {
	next     http.RoundTripper
	key      func(ctx context.Context, stale string) (string, error)
	own      map[string]string // headers of the user's own: one that holds a key wins
	messages bool
	label    string

	mu   sync.Mutex
	seen []string // keys that were sent lately, which no error repeats
}

// mostKeys is how many of the keys that were sent errors are searched for.
const mostKeys = 4

// list is the keys that were sent lately. A nil renewed has none.
func (k *renewed) list() []string {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.seen)
}

// get is a key that is not the stale one, noted as sent.
func (k *renewed) get(ctx context.Context, stale string) (string, error) {
	key, err := k.key(ctx, stale)
	if cause := causeOf(ctx); err != nil && cause != nil {
		return "", cause
	}
	if err != nil {
		return "", &llm.Error{Class: llm.Auth, Message: "there is no key for " + k.label + ": " + err.Error(),
			Hint: "run the program of key_command in a terminal to see what it says", NoRetry: true}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !slices.Contains(k.seen, key) {
		k.seen = append(k.seen, key)[max(0, len(k.seen)+1-mostKeys):]
	}
	return key, nil
}

// RoundTrip implements http.RoundTripper.
func (k *renewed) RoundTrip(req *http.Request) (*http.Response, error) {
	stale := ""
	for {
		key, err := k.get(req.Context(), stale)
		if err != nil {
			return nil, err
		}
		out := req.Clone(req.Context())
		out.Header.Set("Authorization", "Bearer "+key)
		if k.messages {
			out.Header.Set("X-Api-Key", key)
		}
		for name, value := range k.own { // the others are set
			if name = http.CanonicalHeaderKey(name); name == "Authorization" || name == "X-Api-Key" {
				out.Header.Set(name, value)
			}
		}
		if stale != "" && req.GetBody != nil {
			if out.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
		resp, err := k.next.RoundTrip(out)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || stale != "" || req.Body != nil && req.GetBody == nil {
			return resp, err
		}
		stale = key
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorBody)) // only the connection is worth it
		_ = resp.Body.Close()
	}
}

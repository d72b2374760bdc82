package openai

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"

	"plimsoll/agent/llm"
)

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

func (k *renewed) list() []string {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.seen)
}

func (k *renewed) get(ctx context.Context, stale string) (string, error) {
	key, err := k.key(ctx, stale)
	if cause := causeOf(ctx); err != nil && cause != nil {
		return "", cause
	}
	if err != nil {
		return "", &llm.Error{Class: llm.Auth, Message: "there is no key for " + k.label + ": " + err.Error(),
			Hint: keyCommandHint, NoRetry: true}
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
	var again io.ReadCloser
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
		if again != nil {
			out.Body = again
		}
		resp, err := k.next.RoundTrip(out)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || stale != "" {
			return resp, err
		}
		if req.Body != nil {
			if req.GetBody == nil {
				return resp, nil
			}
			if again, err = req.GetBody(); err != nil {
				return resp, nil // the refusal says more
			}
		}
		stale = key
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorBody)) // only the connection is worth it
		_ = resp.Body.Close()
	}
}

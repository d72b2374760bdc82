package openai

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"

	"plimsoll/agent/llm"
)

// keyRenewer is a RoundTripper for keys that expire: it sends the current key, and if that is refused, it sends the request
// once more with a new key. On the Messages wire it sets both key headers: some clouds read another one than Anthropic.
type keyRenewer struct {
	next     http.RoundTripper
	key      func(ctx context.Context, stale string) (string, error)
	own      map[string]string // the user's own headers: a key header among them wins
	messages bool
	label    string

	mu   sync.Mutex
	sent []string // keys sent lately, which are hidden in errors
}

// maxSentKeys is how many of the sent keys are hidden in errors.
const maxSentKeys = 4

// sentKeys returns the keys to hide. It accepts a nil receiver.
func (k *keyRenewer) sentKeys() []string {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.sent)
}

// newKey returns a key other than stale, and remembers it.
func (k *keyRenewer) newKey(ctx context.Context, stale string) (string, error) {
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
	if !slices.Contains(k.sent, key) {
		k.sent = append(k.sent, key)[max(0, len(k.sent)+1-maxSentKeys):]
	}
	return key, nil
}

// RoundTrip implements http.RoundTripper.
func (k *keyRenewer) RoundTrip(req *http.Request) (*http.Response, error) {
	stale := ""
	var again io.ReadCloser
	for {
		key, err := k.newKey(req.Context(), stale)
		if err != nil {
			return nil, err
		}
		out := req.Clone(req.Context())
		out.Header.Set("Authorization", "Bearer "+key)
		if k.messages {
			out.Header.Set("X-Api-Key", key)
		}
		for name, value := range k.own { // the user's other headers are already set
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
				return resp, nil // the server's refusal is more informative
			}
		}
		stale = key
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorBody)) // lets the connection be used again
		_ = resp.Body.Close()
	}
}

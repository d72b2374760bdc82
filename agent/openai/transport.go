package openai

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// The shim stands between the library and the network. On the way out it
// completes the body with what the library's types cannot say and hashes it;
// on the way in it turns every status but 2xx into an *llm.Error, and the
// body into normalised frames. Redirects are not followed: they would turn a
// POST into a GET and could carry a key elsewhere.

const (
	maxErrorBody  = 64 << 10
	errorBodyTime = 10 * time.Second // how long a server may take to say what is wrong
)

// exchangeKey is the context key of the *exchange of a request.
type exchangeKey struct{}

// exchange is what the client and the shim tell each other about one request.
type exchange struct {
	patch  patch
	body   string // JSON to merge into the body, "" for none
	dog    *watchdog
	hash   string // SHA-256 of the body as sent, in hex
	server string // the Server header of the answer

	capture bool   // the body is wanted, and nothing is to be sent
	made    []byte // the body, with capture
}

// shim is the RoundTripper under the library.
type shim struct {
	next    http.RoundTripper
	who     endpoint
	headers map[string]string
}

// RoundTrip implements http.RoundTripper.
func (s *shim) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, fmt.Errorf("a request to %s without an exchange", s.who.host)
	}
	out, err := s.outgoing(req, x)
	if err != nil {
		return nil, err
	}
	resp, err := s.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	x.server = resp.Header.Get("Server")
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, s.refusal(resp, x.dog)
	}
	resp.Body = &closer{Reader: newFrames(&watched{src: &gathered{ctx: out.Context(), src: resp.Body}, dog: x.dog}), Closer: resp.Body}
	return resp, nil
}

// outgoing is the request with its body completed and all headers set. The error
// is errCaptured where no more than the body is wanted.
func (s *shim) outgoing(req *http.Request, x *exchange) (*http.Request, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	if err := req.Body.Close(); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	if body, err = x.patch.apply(body); err != nil {
		return nil, fmt.Errorf("completing the request: %w", err)
	}
	if x.body != "" {
		if body, err = mergeJSON(body, []byte(x.body)); err != nil {
			return nil, fmt.Errorf("completing the request: %w", err)
		}
	}
	if body, err = x.patch.fill(body); err != nil {
		return nil, fmt.Errorf("completing the request: %w", err)
	}
	x.patch.items = nil // which are as large as the body
	if x.capture {
		x.made = body
		return nil, errCaptured
	}
	sum := sha256.Sum256(body)
	x.hash = hex.EncodeToString(sum[:])

	out := req.Clone(req.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.ContentLength = int64(len(body))
	setHeaders(out.Header, s.headers)
	for k, v := range x.patch.headers {
		out.Header.Set(k, v)
	}
	return out, nil
}

// setHeaders adds what every request carries; the user's own headers win, and add to what is asked for of the Messages API.
func setHeaders(h http.Header, own map[string]string) {
	h.Set("User-Agent", "plimsoll")
	h.Set("X-Title", "Plimsoll") // OpenRouter shows it as the program's name
	for k, v := range own {
		if used := h.Get(betaHeader); used != "" && http.CanonicalHeaderKey(k) == betaHeader {
			v += "," + used
		}
		h.Set(k, v)
	}
}

// refusal reads what a server says is wrong. The body counts as far as it came.
func (s *shim) refusal(resp *http.Response, dog *watchdog) error {
	dog.end(errorBodyTime)
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	// The connection is of no further use whether it closes well or not.
	_ = resp.Body.Close()
	return s.who.refused(resp.StatusCode, resp.Header, body)
}

// closer reads frames and closes the connection.
type closer struct {
	io.Reader
	io.Closer
}

// sharedTransport is the transport of all clients that bring none, so that
// they share connections.
var sharedTransport = sync.OnceValue(func() http.RoundTripper {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           16,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    15 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		// A connection that died in a machine's sleep looks alive until then.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
	}
})

// causeOf returns the cause for which ctx ended, nil if it has not.
func causeOf(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

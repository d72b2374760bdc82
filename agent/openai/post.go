package openai

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// A request is sent and its answer read here. Redirects are not followed: they would turn a POST into a GET and could carry
// a key elsewhere.

func (o Options) client() *http.Client {
	return &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

const (
	maxErrorBody  = 64 << 10
	errorBodyTime = 10 * time.Second // how long a server may take to say what is wrong
)

type outgoing struct {
	path    string // behind the endpoint's address
	body    []byte
	headers map[string]string
	decoder decoder
}

func (o outgoing) hash() string {
	sum := sha256.Sum256(o.body)
	return hex.EncodeToString(sum[:])
}

// post sends a request and returns its answer when that begins. Any status but 2xx is an *llm.Error.
func (c *Client) post(ctx context.Context, out outgoing, dog *watchdog) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.opts.BaseURL+out.path, bytes.NewReader(out.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if out.path == messagesPath {
		setMessagesHeaders(req.Header, c.opts.Key)
	} else if c.opts.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.Key)
	}
	if beta := out.headers[betaHeader]; beta != "" {
		req.Header.Set(betaHeader, beta)
	}
	setHeaders(req.Header, c.opts.Headers)
	for k, v := range out.headers {
		if k != betaHeader { // to which the user's own are added
			req.Header.Set(k, v)
		}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		dog.end(errorBodyTime)
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // it counts as far as it came
		// The connection is of no further use whether it closes well or not.
		_ = resp.Body.Close()
		return nil, c.who.refused(resp.StatusCode, resp.Header, body)
	}
	return resp, nil
}

// setHeaders adds what every request carries; the user's own headers win, and add to what is asked for of the Messages API.
func setHeaders(h http.Header, own map[string]string) {
	// It is not sent. It lets the transport send a request again that meets a connection which died while it waited for the
	// next one: llama.cpp announces keep-alive and closes after each streamed answer.
	h["Idempotency-Key"] = nil
	h.Set("User-Agent", "plimsoll")
	h.Set("X-Title", "Plimsoll") // OpenRouter shows it as the program's name
	for k, v := range own {
		if used := h.Get(betaHeader); used != "" && http.CanonicalHeaderKey(k) == betaHeader {
			v += "," + used
		}
		h.Set(k, v)
	}
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

func causeOf(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

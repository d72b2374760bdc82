package openai

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	maxErrorBody  = 64 << 10
	errorBodyTime = 10 * time.Second // for the body of an error
)

// outgoingRequest is an HTTP request, and the decoder for its answer.
type outgoingRequest struct {
	path    string // appended to the base URL
	body    []byte
	headers map[string]string
	decoder decoder
}

// post sends a request and returns once its answer begins. A status other than 2xx is an *llm.Error.
func (c *Client) post(ctx context.Context, out outgoingRequest, dog *watchdog) (*http.Response, error) {
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
	for k, v := range out.headers {
		req.Header.Set(k, v)
	}
	setHeaders(req.Header, c.opts.Headers)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		dog.end(errorBodyTime)
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // a partial body still has some of the message
		_ = resp.Body.Close()                                          // the connection is not used again
		return nil, c.endpoint.statusError(resp.StatusCode, resp.Header, body)
	}
	return resp, nil
}

// setHeaders sets the headers of every request. The user's own headers win; their beta header adds to ours.
func setHeaders(h http.Header, own map[string]string) {
	// net/http does not send this key. It makes the transport send a request again if an idle connection turns out to
	// be closed: llama.cpp announces keep-alive and closes after each streamed answer.
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

// sharedTransport is the transport of all clients without their own, so that they share connections.
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
		// A connection that broke while the machine slept is found by these pings.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
	}
})

// causeOf returns why a context ended, nil if it has not.
func causeOf(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

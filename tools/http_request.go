package tools

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/web"
)

// http_request sends one request and returns status, some headers and the body as text. It sends no cookies and no API keys of
// the user, and uses no proxy. It follows at most five redirects and checks each address like the first. It follows a redirect
// to another host only if a request there would need no approval, never with a method that changes something, and without
// headers that could carry credentials.

const (
	requestSeconds    = 30
	requestMaxSeconds = 300
)

var methods = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

func (b *Box) httpRequest() tool {
	return tool{
		name: "http_request",
		about: "Send an HTTP request and return the status, headers and body. HTML comes as Markdown (raw: true for the source); " +
			"binary bodies are not shown. Private and local addresses are refused. At most 5 MiB are read; a long result is cut; " +
			"recall gives the rest.",
		brief:    "Send an HTTP request.",
		optional: true,
		access:   permission.AccessRequest,
		params: []params.Param{
			{Name: "url", Kind: params.Text, Required: true, About: "http or https address"},
			{Name: "method", Kind: params.Text, Choices: methods, About: "default GET"},
			{Name: "headers", Kind: params.Map, About: "request headers"},
			{Name: "body", Kind: params.Text, About: "request body"},
			{Name: "timeout", Kind: params.Int, Min: 1, Max: requestMaxSeconds, About: "seconds, default 30"},
			{Name: "raw", Kind: params.Bool, About: "the source of HTML instead of Markdown"},
		},
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			req, err := b.planRequest(args)
			return permission.OfRequest(req), err
		},
		run: b.runHTTPRequest,
	}
}

// planRequest makes the request of a call. It checks everything that can be checked without a connection.
func (b *Box) planRequest(args params.Values) (*permission.Request, error) {
	u, err := url.Parse(strings.TrimSpace(args.Text("url")))
	if err != nil {
		return nil, errors.New("that is no valid address; write it as https://example.com/path")
	}
	u.Host = web.Host(u.Scheme, u.Host)
	if err := b.client.Check(u); err != nil {
		return nil, err
	}
	for name := range args.TextMap("headers") {
		if canonical := http.CanonicalHeaderKey(name); slices.Contains(hopHeaders, canonical) {
			return nil, fmt.Errorf("the header %s cannot be set", canonical)
		}
	}
	method := cmp.Or(args.Text("method"), http.MethodGet)
	if args.Text("body") != "" && (method == http.MethodGet || method == http.MethodHead) {
		return nil, fmt.Errorf("a %s request has no body; use POST, PUT or PATCH", method)
	}
	return &permission.Request{Method: method, URL: u, Headers: args.TextMap("headers"), Body: args.Text("body")}, nil
}

// hopHeaders are the headers of the connection (hop-by-hop); the model cannot set them.
var hopHeaders = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Keep-Alive",
	"Proxy-Authorization", "Proxy-Connection", "Accept-Encoding"}

func (b *Box) runHTTPRequest(ctx context.Context, args params.Values, _ func(string)) (result, error) {
	plan, err := b.planRequest(args)
	if err != nil {
		return result{}, err
	}
	limit := time.Duration(args.Int("timeout", requestSeconds)) * time.Second
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(bounded, plan.Method, plan.URL.String(), bytes.NewReader([]byte(args.Text("body"))))
	if err != nil {
		return result{}, errors.New("that is no valid request; check the address")
	}
	req.Header.Set("User-Agent", "plimsoll")
	req.Header.Set("Accept", "text/html, text/markdown, text/plain, application/json, */*;q=0.5")
	for name, value := range args.TextMap("headers") {
		req.Header.Set(name, value)
	}
	got, err := b.client.Fetch(req, args.Bool("raw"), b.mayFollow)
	if errors.Is(bounded.Err(), context.DeadlineExceeded) && err != nil {
		err = fmt.Errorf("no answer within %s", limit)
	}
	if err != nil {
		return result{}, fmt.Errorf("%s %s: %w", plan.Method, plan.URL.Redacted(), err)
	}
	r := result{text: got.Text, detail: got.Detail}
	if got.Failed {
		r.status = conversation.ResultError
	}
	return r, nil
}

// mayFollow refuses a redirect that a deny rule covers, or that leads to another host and would need approval as a request.
func (b *Box) mayFollow(to *http.Request, otherHost bool) error {
	next, at := &permission.Request{Method: to.Method, URL: to.URL}, to.URL.Redacted()
	if b.Refuses(permission.OfRequest(next)) {
		return fmt.Errorf("redirect to %s: denied by the user's configuration", at)
	}
	if !otherHost {
		return nil
	}
	if !next.ReadOnly() {
		return fmt.Errorf("redirect to another host (%s) is not followed with %s; send the request there if that is right", at, to.Method)
	}
	if need, _ := b.Policy.Need(permission.OfRequest(next)); need != conversation.NeedNothing {
		return fmt.Errorf("redirect to another host (%s) is not followed unasked; send the request there if that is right", at)
	}
	return nil
}

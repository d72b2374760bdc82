package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/words"
)

// http_request sends one request and returns status, some headers and the body
// as text. There are no cookies, no proxies and no keys of the user's. At most
// five redirects are followed, each judged like the first address: to another
// host only where a request would run unasked. Headers that could carry
// credentials are not taken there, and requests that change something do not
// follow.

const (
	requestSeconds    = 30
	requestMaxSeconds = 300
	maxBody           = 5 << 20 // bytes of a response that are read
	maxRedirects      = 5
	connectTimeout    = 15 * time.Second
	maxHeaderBytes    = 64 << 10
)

var methods = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

func (b *Box) httpRequest() tool {
	return tool{
		name: "http_request",
		about: "Send an HTTP request and return the status, headers and body. HTML comes as Markdown (raw: true for the source); binary bodies are " +
			"not shown. Private and local addresses are refused. At most 5 MiB are read; a long result is cut; recall gives the rest.",
		params: []params.Param{
			{Name: "url", Kind: params.Text, Required: true, About: "http or https address"},
			{Name: "method", Kind: params.Text, Choices: methods, About: "default GET"},
			{Name: "headers", Kind: params.Map, About: "request headers"},
			{Name: "body", Kind: params.Text, About: "request body"},
			{Name: "timeout", Kind: params.Whole, Min: 1, Max: requestMaxSeconds, About: "seconds, default 30"},
			{Name: "raw", Kind: params.Flag, About: "the source of HTML instead of Markdown"},
		},
		touch: func(_ context.Context, args params.Values) (touch, error) {
			req, err := b.planRequest(args)
			return touchRequest(req), err
		},
		run: b.runHTTPRequest,
	}
}

func touchRequest(req *webRequest) touch {
	if req == nil {
		return touch{}
	}
	return touch{
		tool: "http_request", access: accessRequest, request: req, title: req.method + " " + req.url.Redacted(),
	}
}

// beyond reports whether a request holds more than its title shows.
func (r *webRequest) beyond(title string) bool {
	return r.body != "" || len(r.headers) > 0 || !strings.HasSuffix(title, r.url.Redacted())
}

// text is all of a request, for the eye.
func (r *webRequest) text() string {
	var b strings.Builder
	b.WriteString(r.method + " " + r.url.Redacted() + "\n")
	for _, name := range slices.Sorted(maps.Keys(r.headers)) {
		b.WriteString(name + ": " + r.headers[name] + "\n")
	}
	if r.body != "" {
		b.WriteString("\n" + r.body)
	}
	return b.String()
}

// planRequest checks everything that can be checked without a connection.
func (b *Box) planRequest(args params.Values) (*webRequest, error) {
	u, err := url.Parse(strings.TrimSpace(args.Text("url")))
	if err != nil {
		return nil, errors.New("that is no valid address; write it as https://example.com/path")
	}
	u.Host = asSent(u.Scheme, u.Host)
	if err := b.addresses.checkURL(u); err != nil {
		return nil, err
	}
	for name, value := range args.TextMap("headers") {
		if err := checkHeader(name, value); err != nil {
			return nil, err
		}
	}
	method := args.Text("method")
	if method == "" {
		method = http.MethodGet
	}
	if args.Text("body") != "" && (method == http.MethodGet || method == http.MethodHead) {
		return nil, fmt.Errorf("a %s request has no body; use POST, PUT or PATCH", method)
	}
	return &webRequest{method: method, url: u, headers: args.TextMap("headers"), body: args.Text("body")}, nil
}

// hopHeaders belong to the connection and are not the model's to set.
var hopHeaders = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Keep-Alive",
	"Proxy-Authorization", "Proxy-Connection", "Accept-Encoding"}

func checkHeader(name, value string) error {
	canonical := http.CanonicalHeaderKey(name)
	if slices.Contains(hopHeaders, canonical) {
		return fmt.Errorf("the header %s cannot be set", canonical)
	}
	valid := name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("()<>@,;:\\\"/[]?={}", r) })
	if !valid || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("the header %q is not valid; names have no blanks, values no line ends", name)
	}
	return nil
}

func (b *Box) runHTTPRequest(ctx context.Context, args params.Values, _ func(string)) (result, error) {
	plan, err := b.planRequest(args)
	if err != nil {
		return result{}, err
	}
	limit := time.Duration(args.Whole("timeout", requestSeconds)) * time.Second
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(bounded, plan.method, plan.url.String(), bytes.NewReader([]byte(args.Text("body"))))
	if err != nil {
		return result{}, errors.New("that is no valid request; check the address")
	}
	req.Header.Set("User-Agent", "plimsoll")
	req.Header.Set("Accept", "text/html, text/markdown, text/plain, application/json, */*;q=0.5")
	for name, value := range args.TextMap("headers") {
		req.Header.Set(name, value)
	}
	client := *b.client
	client.CheckRedirect = b.checkRedirect
	resp, err := client.Do(req)
	if err != nil {
		return result{}, requestError(plan, err, bounded, limit)
	}
	defer func() { _ = resp.Body.Close() }() // what matters was read
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil && len(body) == 0 {
		return result{}, requestError(plan, err, bounded, limit)
	}
	return describe(resp, body, err, args.Flag("raw")), nil
}

// requestError says what went wrong, without passwords in addresses.
func requestError(plan *webRequest, err error, bounded context.Context, limit time.Duration) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var op *net.OpError
	if errors.Is(err, errRefusedAddress) && errors.As(err, &op) {
		err = op.Err
	}
	if errors.Is(bounded.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", limit)
	}
	return fmt.Errorf("%s %s: %w", plan.method, plan.url.Redacted(), err)
}

// newClient makes a client whose every connection is judged.
func newClient(resolver *net.Resolver, a *addresses) *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy: nil, // a proxy would connect where the judgement does not reach
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return a.dialer(resolver, host).DialContext(ctx, network, address)
		},
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    connectTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		// A connection is not used twice: a kept one would skip the judgement.
		DisableKeepAlives: true,
	}}
}

// harmlessHeaders may follow a redirect to another host.
var harmlessHeaders = []string{"Accept", "Accept-Language", "User-Agent", "Content-Type", "Cache-Control", "If-Modified-Since", "If-None-Match", "Range"}

// checkRedirect judges a redirect like a first address.
func (b *Box) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("stopped after %d redirects", maxRedirects)
	}
	req.URL.Host = asSent(req.URL.Scheme, req.URL.Host)
	if err := b.addresses.checkURL(req.URL); err != nil {
		return fmt.Errorf("redirect to %s: %w", req.URL.Redacted(), err)
	}
	next := &webRequest{method: req.Method, url: req.URL}
	if b.permissions.refuses(touchRequest(next)) {
		return fmt.Errorf("redirect to %s: denied by the user's configuration", req.URL.Redacted())
	}
	req.Header.Del("Referer") // may hold what was secret in an address
	other := false
	for _, earlier := range via {
		other = other || !sameOrigin(earlier.URL, req.URL)
	}
	if !other {
		return nil
	}
	if !next.readOnly() {
		return fmt.Errorf("redirect to another host (%s) is not followed with %s; send the request there if that is right", req.URL.Redacted(), req.Method)
	}
	if need, _ := b.permissions.judge(touchRequest(next)); need != conversation.NeedNothing {
		return fmt.Errorf("redirect to another host (%s) is not followed unasked; send the request there if that is right", req.URL.Redacted())
	}
	for name := range req.Header {
		if !slices.Contains(harmlessHeaders, name) {
			req.Header.Del(name)
		}
	}
	return nil
}

// sameOrigin reports whether credentials for a may be sent to b: the same host
// and port, and not from https to http. From http to https on the usual ports is
// the same host.
func sameOrigin(a, b *url.URL) bool {
	if !strings.EqualFold(a.Hostname(), b.Hostname()) {
		return false
	}
	if a.Scheme == "http" && b.Scheme == "https" && port(a) == "80" && port(b) == "443" {
		return true
	}
	return a.Scheme == b.Scheme && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// describe is a response as text.
func describe(resp *http.Response, body []byte, broken error, raw bool) result {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s\n", resp.Proto, resp.Status)
	if at := resp.Request.URL.Redacted(); resp.Request.Response != nil {
		fmt.Fprintf(&out, "Final address: %s\n", at)
	}
	for _, name := range []string{"Content-Type", "Last-Modified", "ETag", "Location", "Retry-After", "Allow", "Link"} {
		if v := resp.Header.Get(name); v != "" {
			fmt.Fprintf(&out, "%s: %s\n", name, words.Line(v, 500))
		}
	}
	out.WriteString("\n")
	cut := len(body) > maxBody
	body = body[:min(len(body), maxBody)]
	out.WriteString(bodyText(resp, body, cut, raw))
	switch {
	case cut:
		out.WriteString("\n[only the first 5 MiB were read]")
	case broken != nil:
		out.WriteString("\n[the connection broke before the end]")
	}
	status := conversation.ResultOK
	if resp.StatusCode >= 400 {
		status = conversation.ResultError
	}
	return result{text: out.String(), detail: resp.Status + ", " + words.Bytes(int64(len(body))), status: status}
}

// Package web fetches pages from public addresses and converts them to text.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Client sends HTTP requests and checks the address of every connection.
type Client struct {
	addresses *addresses
	resolver  *net.Resolver
	http      *http.Client
}

const (
	maxRedirects   = 5
	maxHeaderBytes = 64 << 10
)

// New makes a client. private lists hosts, addresses and networks that it may reach
// although they are not public; a nil resolver is that of the system.
func New(private []string, resolver *net.Resolver) (*Client, error) {
	a, err := newAddresses(private)
	if err != nil {
		return nil, err
	}
	c := &Client{addresses: a, resolver: resolver}
	c.http = &http.Client{Transport: &http.Transport{
		Proxy:                  nil, // a proxy would make connections that are not checked
		DialContext:            c.Dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    connectTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		// Connections are not reused: a reused one would skip the check.
		DisableKeepAlives: true,
	}}
	return c, nil
}

// Dial connects to HOST:PORT. It resolves the name once, and connects to none but a checked address, or a configured host.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := &net.Dialer{Timeout: connectTimeout, Resolver: c.resolver}
	if !c.addresses.host(host) {
		d.Control = c.addresses.control
	}
	conn, err := d.DialContext(ctx, network, address)
	return conn, plainError(err)
}

// Check returns an error if a URL can be refused without a connection.
func (c *Client) Check(u *url.URL) error { return c.addresses.checkURL(u) }

// Fetch sends a request. follow may refuse a redirect; other is true if it leads to
// another host than an earlier request. With raw, HTML is not made into Markdown.
func (c *Client) Fetch(req *http.Request, raw bool, follow func(to *http.Request, other bool) error) (Answer, error) {
	client := *c.http
	client.CheckRedirect = func(to *http.Request, via []*http.Request) error { return c.checkRedirect(to, via, follow) }
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, plainError(err)
	}
	defer func() { _ = resp.Body.Close() }() // the body was read
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil && len(body) == 0 {
		return Answer{}, plainError(err)
	}
	return describe(resp, body, err, raw), nil
}

// plainError removes the URL from an error, because it may contain a password.
func plainError(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var op *net.OpError
	if errors.Is(err, errRefusedAddress) && errors.As(err, &op) {
		err = op.Err
	}
	return err
}

// harmlessHeaders are also sent to another host after a redirect.
var harmlessHeaders = []string{"Accept", "Accept-Language", "User-Agent", "Content-Type", "Cache-Control", "If-Modified-Since", "If-None-Match", "Range"}

func (c *Client) checkRedirect(to *http.Request, via []*http.Request, follow func(to *http.Request, other bool) error) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("stopped after %d redirects", maxRedirects)
	}
	to.URL.Host = Host(to.URL.Scheme, to.URL.Host)
	if err := c.Check(to.URL); err != nil {
		return fmt.Errorf("redirect to %s: %w", to.URL.Redacted(), err)
	}
	other := slices.ContainsFunc(via, func(earlier *http.Request) bool { return !sameOrigin(earlier.URL, to.URL) })
	if err := follow(to, other); err != nil {
		return err
	}
	to.Header.Del("Referer") // may contain a secret of the earlier address
	if !other {
		return nil
	}
	for name := range to.Header {
		if !slices.Contains(harmlessHeaders, name) {
			to.Header.Del(name)
		}
	}
	return nil
}

// sameOrigin reports whether credentials for a may be sent to b: scheme, host and
// port are equal, or b is the same host with https instead of http on the default
// ports.
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
	return cmp.Or(u.Port(), strings.TrimPrefix(usualPorts[u.Scheme], ":"))
}

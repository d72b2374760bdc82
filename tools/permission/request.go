package permission

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"plimsoll/tools/web"
)

// Request is where a request goes, and what it takes along.
type Request struct {
	Method  string
	URL     *url.URL
	Headers map[string]string
	Body    string
}

func (r *Request) ReadOnly() bool {
	return r.Method == "GET" || r.Method == "HEAD" || r.Method == "OPTIONS"
}

// HasMoreThan reports whether a request has a body, headers or a longer address than its title shows.
func (r *Request) HasMoreThan(title string) bool {
	return r.Body != "" || len(r.Headers) > 0 || !strings.HasSuffix(title, r.URL.Redacted())
}

// Text is all of a request, for the eye.
func (r *Request) Text() string {
	var b strings.Builder
	b.WriteString(r.Method + " " + r.URL.Redacted() + "\n")
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		b.WriteString(name + ": " + r.Headers[name] + "\n")
	}
	if r.Body != "" {
		b.WriteString("\n" + r.Body)
	}
	return b.String()
}

// decoded is the request with nothing in its path encoded that need not be.
func (r *Request) decoded() *Request {
	plain := *r.URL
	plain.RawPath = ""
	return &Request{Method: r.Method, URL: &plain}
}

// requestPath is the path and query as sent, with dots in the path resolved, encoded dots, too.
func requestPath(u *url.URL) string {
	escaped := u.EscapedPath()
	if slices.Contains(strings.Split(u.Path, "/"), "..") {
		escaped = (&url.URL{Path: u.Path}).EscapedPath()
	}
	clean := path.Clean("/" + escaped)
	if strings.HasSuffix(escaped, "/") && clean != "/" {
		clean += "/"
	}
	if u.RawQuery != "" {
		clean += "?" + u.RawQuery
	}
	return clean
}

// urlPattern is a pattern for requests.
type urlPattern struct {
	method, scheme, host, path string
}

func parseURLPattern(text string) (urlPattern, error) {
	bad := fmt.Errorf("%q is no pattern for requests; write it as https://example.com/* or GET https://example.com/*", text)
	p := urlPattern{path: "*"}
	if method, rest, ok := strings.Cut(text, " "); ok {
		p.method, text = strings.ToUpper(method), strings.TrimSpace(rest)
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme != "http" && scheme != "https" && scheme != "*" {
		return urlPattern{}, bad
	}
	host, tail, hasPath := strings.Cut(rest, "/")
	if host == "" || strings.ContainsAny(host, "@?#\\") {
		return urlPattern{}, bad
	}
	if hasPath {
		p.path = "/" + tail
	}
	p.scheme, p.host = scheme, web.Host(scheme, host)
	return p, nil
}

func (p urlPattern) matches(r *Request) bool {
	method := p.method == "" || p.method == r.Method || p.method == "GET" && r.ReadOnly()
	scheme := p.scheme == "*" || p.scheme == r.URL.Scheme
	return method && scheme && matchHost(p.host, r.URL.Host) && matchStar(p.path, requestPath(r.URL))
}

// matchHost compares label by label, so that * never crosses a dot.
func matchHost(pattern, host string) bool {
	return slices.EqualFunc(strings.Split(pattern, "."), strings.Split(host, "."), matchStar)
}

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

// Request is an HTTP request that the model wants to send.
type Request struct {
	Method  string
	URL     *url.URL
	Headers map[string]string
	Body    string
}

// ReadOnly reports whether the method changes nothing on the server.
func (r *Request) ReadOnly() bool {
	return r.Method == "GET" || r.Method == "HEAD" || r.Method == "OPTIONS"
}

// HasMoreThan reports whether a request has a body, headers or a longer address than its title shows.
func (r *Request) HasMoreThan(title string) bool {
	return r.Body != "" || len(r.Headers) > 0 || !strings.HasSuffix(title, r.URL.Redacted())
}

// Text returns the whole request for display, without the password of its address.
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

// decoded returns the request without needless percent-encoding in its path.
func (r *Request) decoded() *Request {
	plain := *r.URL
	plain.RawPath = ""
	return &Request{Method: r.Method, URL: &plain}
}

// requestPath returns the path and query as sent, with ".." resolved, also when it is encoded.
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

// matchHost compares host names label by label, so that * does not match a dot.
func matchHost(pattern, host string) bool {
	return slices.EqualFunc(strings.Split(pattern, "."), strings.Split(host, "."), matchStar)
}

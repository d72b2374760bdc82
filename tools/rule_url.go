package tools

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

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
	p.scheme, p.host = scheme, asSent(scheme, host)
	return p, nil
}

// usualPorts are those that an address need not name.
var usualPorts = map[string]string{"http": ":80", "https": ":443"}

// asSent is a host as requests go to it: in lower case, in ASCII, without a final dot, without the usual port. One that
// has no such form stays as it is, and so leads nowhere.
func asSent(scheme, host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ":")
	if ports, ok := usualPorts[scheme]; ok {
		host = strings.TrimSuffix(host, ports)
	}
	name, port := host, ""
	if at := strings.LastIndexByte(host, ':'); at >= 0 && !strings.HasSuffix(host, "]") {
		name, port = host[:at], host[at:]
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		if ascii, err := idna.Lookup.ToASCII(name); err == nil {
			name = ascii
		}
	}
	return strings.TrimSuffix(name, ".") + port
}

func (p urlPattern) matches(r *webRequest) bool {
	switch {
	case p.method != "" && p.method != r.method && (p.method != "GET" || !r.readOnly()):
		return false
	case p.scheme != "*" && p.scheme != r.url.Scheme:
		return false
	}
	return matchHost(p.host, r.url.Host) && matchStar(p.path, requestPath(r.url))
}

// matchHost compares label by label, so that * never crosses a dot.
func matchHost(pattern, host string) bool {
	ps, hs := strings.Split(pattern, "."), strings.Split(host, ".")
	if len(ps) != len(hs) {
		return false
	}
	for i := range ps {
		if !matchStar(ps[i], hs[i]) {
			return false
		}
	}
	return true
}

// decoded is the request with nothing in its path encoded that need not be.
func (r *webRequest) decoded() *webRequest {
	plain := *r.url
	plain.RawPath = ""
	return &webRequest{method: r.method, url: &plain}
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

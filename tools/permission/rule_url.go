package permission

import (
	"fmt"
	"strings"

	"plimsoll/tools/web"
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
	p.scheme, p.host = scheme, web.Host(scheme, host)
	return p, nil
}

func (p urlPattern) matches(r *Request) bool {
	switch {
	case p.method != "" && p.method != r.Method && (p.method != "GET" || !r.ReadOnly()):
		return false
	case p.scheme != "*" && p.scheme != r.URL.Scheme:
		return false
	}
	return matchHost(p.host, r.URL.Host) && matchStar(p.path, requestPath(r.URL))
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

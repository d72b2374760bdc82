package openai

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// endpoint is the server at the other end: what errors call it, and what they must not repeat of it.
type endpoint struct {
	Endpoint
	host    string // host:port, for errors about reaching it
	address string // base_url without user, password and query
	keyVar  string // the variable that errors about the key name, "" if none is known
	hasKey  bool
	secrets []string // what must not appear in any error, longest first
	keys    []string // those of them of which no piece may appear either
	renewed *renewed // shared by all copies
}

// shortestSecret keeps dummy keys like "x" from tearing holes into messages.
const shortestSecret = 4

// credential are names of headers whose values are keys; others hold addresses and
// words, pieces of which stand in any text.
var credential = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)auth|key|token|secret|cookie|credential|pass`)
})

func (w *endpoint) addKey(key string) {
	if len(key) >= shortestPiece {
		w.keys = append(w.keys, key)
	}
}

func newEndpoint(o Options, e Endpoint) endpoint {
	w := endpoint{Endpoint: e, keyVar: o.KeyVar, hasKey: o.Key != "" || o.Renew != nil, renewed: o.renewed}
	secrets := []string{o.Key}
	w.addKey(o.Key)
	for name, v := range o.Headers {
		bare := strings.TrimPrefix(v, "Bearer ")
		secrets = append(secrets, v, bare)
		if credential().MatchString(name) {
			w.addKey(bare)
		}
	}
	if u, err := url.Parse(o.BaseURL); err == nil {
		w.host, w.address = u.Host, (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
		if p, ok := u.User.Password(); ok {
			secrets = append(secrets, p)
			w.addKey(p)
		}
		for _, values := range u.Query() {
			secrets = append(secrets, values...)
		}
	}
	for _, s := range secrets {
		if len(s) >= shortestSecret && !slices.Contains(w.secrets, s) {
			w.secrets = append(w.secrets, s)
		}
	}
	slices.SortFunc(w.secrets, func(a, b string) int { return len(b) - len(a) })
	return w
}

// What servers write is shown to the user: without keys, without control
// characters, on one line, and short.

const maxWords = 300

func (w endpoint) tidy(text string) string {
	return conversation.OneLine(llm.OneLine(w.redact(text)), maxWords)
}

// redact takes keys and secret header values out of a text, and pieces of keys:
// servers repeat the beginning or the end of one that they refuse.
func (w endpoint) redact(text string) string {
	for _, s := range w.secrets {
		text = strings.ReplaceAll(text, s, hiddenKey)
	}
	for _, s := range append(w.renewed.list(), w.keys...) {
		text = hidePieces(text, s)
	}
	return text
}

const hiddenKey = "[key]"

// shortestPiece is how many characters tell a piece of a key from an ordinary word.
const shortestPiece = 8

func hidePieces(text, secret string) string {
	var b strings.Builder
	done := 0
	for i := 0; i+shortestPiece <= len(text); {
		n := shortestPiece
		if !strings.Contains(secret, text[i:i+n]) {
			i++
			continue
		}
		for i+n < len(text) && strings.Contains(secret, text[i:i+n+1]) {
			n++
		}
		b.WriteString(text[done:i] + hiddenKey)
		i += n
		done = i
	}
	return b.String() + text[done:]
}

var pageTitle = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
})

func pageText(page string) string {
	if m := pageTitle().FindStringSubmatch(page); m != nil {
		return html.UnescapeString(m[1])
	}
	return "a web page"
}

// Options say which endpoint a Client talks to.
type Options struct {
	// Provider is a known name, or any other for an endpoint of the user's own.
	Provider string
	BaseURL  string // up to and without /chat/completions; "" is the provider's own
	Key      string // "" sends none
	// KeyVar is the environment variable that errors about the key name; "" is
	// the provider's first.
	KeyVar  string
	Headers map[string]string // further headers for every request; values count as secret
	Wire    Wire
	// Body is JSON objects that are merged into the body of every request, each over the one before.
	Body []string
	// Renew gives a key that is not the stale one, in place of Key; nil for none.
	Renew func(ctx context.Context, stale string) (string, error)
	// Transport carries the requests, nil for a shared one with sensible limits.
	Transport http.RoundTripper
	// FirstByte bounds the wait for the first byte of an answer, Idle the
	// silence after it; 0 means 5 and 2 minutes.
	FirstByte, Idle time.Duration
	// Answer bounds each question of Discover; 0 means a second. CheckKey, for which
	// somebody waits, has ten.
	Answer time.Duration

	renewed *renewed
}

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

// endpoint is the server of a client: how errors name it, and which secrets they must not contain.
type endpoint struct {
	Endpoint
	host    string // host:port, for errors about reaching it
	address string // base URL without user, password and query
	keyVar  string // the environment variable that errors about the key name, "" if unknown
	hasKey  bool
	secrets []string    // texts that no error may contain, longest first
	keys    []string    // secrets of which no error may contain even a piece
	renewer *keyRenewer // shared by all copies
}

// shortestSecret protects messages from dummy keys like "x", which would match everywhere.
const shortestSecret = 4

// credential matches the names of headers whose values are keys. Other values are addresses and words, whose pieces can
// occur in any text.
var credential = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)auth|key|token|secret|cookie|credential|pass`)
})

// addKey adds a secret of which no piece may appear, if it is long enough.
func (w *endpoint) addKey(key string) {
	if len(key) >= shortestPiece {
		w.keys = append(w.keys, key)
	}
}

func newEndpoint(o Options, e Endpoint) endpoint {
	w := endpoint{Endpoint: e, keyVar: o.KeyVar, hasKey: o.Key != "" || o.Renew != nil, renewer: o.renewer}
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

const maxWords = 300 // characters

// cleanText prepares a server's text for the user: without keys and control characters, on one line, and short.
func (w endpoint) cleanText(text string) string {
	return conversation.OneLine(llm.OneLine(w.redact(text)), maxWords)
}

// redact replaces keys, secret header values and pieces of keys: servers quote the beginning or the end of a refused key.
func (w endpoint) redact(text string) string {
	for _, s := range w.secrets {
		text = strings.ReplaceAll(text, s, hiddenKey)
	}
	for _, s := range append(w.renewer.sentKeys(), w.keys...) {
		text = hidePieces(text, s)
	}
	return text
}

const hiddenKey = "[key]"

// shortestPiece is how many characters distinguish a piece of a key from an ordinary word.
const shortestPiece = 8

// hidePieces replaces all pieces of a secret that are at least shortestPiece long.
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

// pageText returns the title of an HTML page.
func pageText(page string) string {
	if m := pageTitle().FindStringSubmatch(page); m != nil {
		return html.UnescapeString(m[1])
	}
	return "a web page"
}

// Options configure a Client.
type Options struct {
	// Provider is a known name, or any other name for the user's own endpoint.
	Provider string
	BaseURL  string // the address up to but without /chat/completions; "" is the provider's own
	Key      string // "" sends none
	// KeyVar is the environment variable that errors about the key name; "" is the provider's first.
	KeyVar  string
	Headers map[string]string // further headers for every request; values count as secret
	Wire    Wire
	// Body is JSON objects that are merged into the body of every request, in this order.
	Body []string
	// Renew returns a key to use in place of Key; stale is the one that was refused, or "". nil: Key is used.
	Renew func(ctx context.Context, stale string) (string, error)
	// Transport sends the requests; nil is a shared one with sensible limits.
	Transport http.RoundTripper
	// FirstByte limits the wait for the first byte of an answer, Idle the silence after it; 0 means 5 and 2 minutes.
	FirstByte, Idle time.Duration
	// Answer limits each request of Discover; 0 means a second. CheckKey has ten.
	Answer time.Duration

	renewer *keyRenewer
}

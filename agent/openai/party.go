package openai

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// party is the endpoint at the other end, as errors speak of it.
type party struct {
	Endpoint
	host    string // host:port, for errors about reaching it
	keyVar  string // the variable that errors about the key name, "" if none is known
	hasKey  bool
	secrets []string // what must not appear in any error, longest first
	keys    []string // those of them of which no piece may appear either
}

// shortestSecret keeps dummy keys like "x" from tearing holes into messages.
const shortestSecret = 4

// credential are names of headers whose values are keys; others hold addresses and
// words, pieces of which stand in any text.
var credential = regexp.MustCompile(`(?i)auth|key|token|secret|cookie|credential|pass`)

func (w *party) addKey(key string) {
	if len(key) >= shortestPiece {
		w.keys = append(w.keys, key)
	}
}

func newParty(o Options, e Endpoint) party {
	w := party{Endpoint: e, keyVar: o.KeyVar, hasKey: o.Key != ""}
	secrets := []string{o.Key}
	w.addKey(o.Key)
	for name, v := range o.Headers {
		bare := strings.TrimPrefix(v, "Bearer ")
		secrets = append(secrets, v, bare)
		if credential.MatchString(name) {
			w.addKey(bare)
		}
	}
	if u, err := url.Parse(o.BaseURL); err == nil {
		w.host = u.Host
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

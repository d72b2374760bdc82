package openai

import (
	"net/url"
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
}

// shortestSecret keeps dummy keys like "x" from tearing holes into messages.
const shortestSecret = 4

func newParty(o Options, e Endpoint) party {
	w := party{Endpoint: e, keyVar: o.KeyVar, hasKey: o.Key != ""}
	secrets := []string{o.Key}
	for _, v := range o.Headers {
		secrets = append(secrets, v, strings.TrimPrefix(v, "Bearer "))
	}
	if u, err := url.Parse(o.BaseURL); err == nil {
		w.host = u.Host
		if p, ok := u.User.Password(); ok {
			secrets = append(secrets, p)
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

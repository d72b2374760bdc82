package setup

import (
	"maps"
	"net/textproto"
	"regexp"
	"sync"
)

// Anthropic's models of 2025 hold 200,000 tokens, and a million where a request has a header that asks for it ("Context
// windows", 1M token context window). It is sent where the configuration says that the window is larger.

const (
	betaHeader  = "Anthropic-Beta"
	longContext = "context-1m-2025-08-07"
	usualWindow = 200_000
)

var wantsLongContext = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^claude-(4-sonnet|sonnet-4)(-[05]|-5-\d{8}|-\d{8})?$`)
})

// withBetas are the headers of requests to a model whose window the user says.
func withBetas(headers map[string]string, provider, model string, window int) map[string]string {
	if provider != "anthropic" || window <= usualWindow || !wantsLongContext().MatchString(model) {
		return headers
	}
	out := map[string]string{betaHeader: longContext}
	for name, value := range maps.All(headers) {
		if textproto.CanonicalMIMEHeaderKey(name) == betaHeader {
			value += "," + longContext
			name = betaHeader
		}
		out[name] = value
	}
	return out
}

// window is how many tokens the user says that the model of a choice holds, 0 if the user does not say.
func (p *Providers) window(c Choice) int {
	said, _ := p.Settings.Told().Window(c.Address(), c.Model)
	return max(said, p.OwnModel(c).ContextWindow, p.Settings.Cfg().Context.Window, p.Settings.Flags.Window)
}

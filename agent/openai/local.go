package openai

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Looking for servers on this machine: all at once, 300 ms in all. A server
// counts if it lists a model that is fit for chat, or says by its own questions
// what it is; other programs like these ports, too.

const localTime = 300 * time.Millisecond

// Server is a server that answered.
type Server struct {
	Provider string
	BaseURL  string
	Model    string // the first it lists that is fit for chat, "" if it has none
}

// NoModels is what is wrong with a server that has no model, and what to do.
func (s Server) NoModels() (what, hint string) {
	e, _ := Known(s.Provider)
	what, hint = cmp.Or(e.Label, s.Provider)+" runs, but has no models", "give it one, then try again"
	if s.Provider == "ollama" {
		hint = "get one: ollama pull qwen3:4b"
	}
	return what, hint
}

// LocalBases is where servers are looked for: provider and base URL, in the
// order of preference. OLLAMA_HOST moves Ollama.
func LocalBases(getenv func(string) string) []Server {
	var out []Server
	for _, e := range endpoints {
		if !e.Local || e.BaseURL == "" {
			continue
		}
		base := e.BaseURL
		if e.Name == "ollama" {
			base = ollamaBase(getenv("OLLAMA_HOST"), base)
		}
		out = append(out, Server{Provider: e.Name, BaseURL: base})
	}
	return out
}

// OllamaBase is where OLLAMA_HOST puts Ollama, "" if it does not.
func OllamaBase(getenv func(string) string) string { return ollamaBase(getenv("OLLAMA_HOST"), "") }

// ollamaBase is where OLLAMA_HOST puts the server. It says what to listen on,
// so "every address" means this machine.
func ollamaBase(host, fallback string) string {
	host = strings.TrimSpace(host)
	if host == "" {
		return fallback
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return fallback
	}
	name, port := u.Hostname(), u.Port()
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	if port == "" {
		port = "11434"
	}
	return u.Scheme + "://" + net.JoinHostPort(name, port) + strings.TrimSuffix(u.Path, "/") + "/v1"
}

// Local asks which of the servers answer and have a model, within 300 ms. The
// answers keep the order of bases; a server that says it is another kind is named
// so. A nil transport is the shared one.
func Local(ctx context.Context, bases []Server, transport http.RoundTripper) []Server {
	all := Answering(ctx, bases, transport)
	return slices.DeleteFunc(all, func(s Server) bool { return s.Model == "" })
}

// Answering is like Local, with the servers that have no model.
func Answering(ctx context.Context, bases []Server, transport http.RoundTripper) []Server {
	ctx, cancel := context.WithTimeout(ctx, localTime)
	defer cancel()
	found := make([]Server, len(bases))
	var all sync.WaitGroup
	for i, b := range bases {
		all.Go(func() {
			found[i] = probeLocal(ctx, b, transport)
		})
	}
	all.Wait()
	return slices.DeleteFunc(found, func(s Server) bool { return s.Provider == "" })
}

// probeLocal fills in the model. The provider is "" if no fit server answers.
func probeLocal(ctx context.Context, b Server, transport http.RoundTripper) Server {
	o := Options{Provider: b.Provider, BaseURL: b.BaseURL, Transport: transport}
	found, named, err := discover(ctx, o, "")
	if err != nil {
		return Server{} // no server is the usual case
	}
	m, ok := found.First()
	if !ok && !named {
		return Server{}
	}
	b.Model = m.ID
	if _, known := Known(found.Server); known {
		b.Provider = found.Server
	}
	return b
}

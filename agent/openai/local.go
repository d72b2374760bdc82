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

// The search for servers on this machine asks all addresses at once, within 300 ms. A server counts if it lists a chat
// model, or if its own interface names its software: other programs use these ports, too.

const localTime = 300 * time.Millisecond

// Server is a local server that answered.
type Server struct {
	Provider string
	BaseURL  string
	Model    string // the first chat model that it lists, "" if it has none
}

// NoModels returns an error message and a hint for a server without models.
func (s Server) NoModels() (what, hint string) {
	e, _ := KnownProvider(s.Provider)
	what, hint = cmp.Or(e.Label, s.Provider)+" runs, but has no models", "give it one, then try again"
	if s.Provider == "ollama" {
		hint = "get one: ollama pull qwen3:4b"
	}
	return what, hint
}

// LocalCandidates returns the providers and base URLs to search, in the order of preference. OLLAMA_HOST changes Ollama's.
func LocalCandidates(getenv func(string) string) []Server {
	var out []Server
	for _, e := range endpoints {
		if !e.Local || e.BaseURL == "" {
			continue
		}
		s := Server{Provider: e.Name, BaseURL: e.BaseURL}
		if e.Name == "ollama" {
			s.BaseURL = cmp.Or(OllamaBase(getenv), e.BaseURL)
		}
		out = append(out, s)
	}
	return out
}

// OllamaBase returns the base URL that OLLAMA_HOST gives Ollama, "" if it is not set to an address. The variable holds
// the address to listen on, so "every address" means this machine.
func OllamaBase(getenv func(string) string) string {
	host := strings.TrimSpace(getenv("OLLAMA_HOST"))
	if host == "" {
		return ""
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	name, port := u.Hostname(), u.Port()
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	port = cmp.Or(port, "11434")
	return u.Scheme + "://" + net.JoinHostPort(name, port) + strings.TrimSuffix(u.Path, "/") + "/v1"
}

// LocalWithModels returns the servers that answer within 300 ms and have a model, in the order of bases. A server that names
// other software gets the provider of that software. A nil transport is the shared one.
func LocalWithModels(ctx context.Context, bases []Server, transport http.RoundTripper) []Server {
	all := LocalServers(ctx, bases, transport)
	return slices.DeleteFunc(all, func(s Server) bool { return s.Model == "" })
}

// LocalServers is like LocalWithModels, and includes the servers without a model.
func LocalServers(ctx context.Context, bases []Server, transport http.RoundTripper) []Server {
	ctx, cancel := context.WithTimeout(ctx, localTime)
	defer cancel()
	found := make([]Server, len(bases))
	var all sync.WaitGroup
	for i, b := range bases {
		all.Go(func() { found[i] = probeLocal(ctx, b, transport) })
	}
	all.Wait()
	return slices.DeleteFunc(found, func(s Server) bool { return s.Provider == "" })
}

// probeLocal returns a server with its model. Its provider is "" if no usable server answers.
func probeLocal(ctx context.Context, b Server, transport http.RoundTripper) Server {
	found, err := Discover(ctx, Options{Provider: b.Provider, BaseURL: b.BaseURL, Transport: transport}, "")
	if err != nil {
		return Server{} // no server is the usual case
	}
	m, ok := found.FirstChatModel()
	if !ok && !found.named {
		return Server{}
	}
	b.Model = m.ID
	if _, known := KnownProvider(found.Server); known {
		b.Provider = found.Server
	}
	return b
}

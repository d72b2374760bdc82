package openai

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Looking for servers on this machine: all at once, 300 ms in all. A server
// counts if it lists a model that is fit for chat; other programs like these
// ports, too.

// localTime is how long servers on this machine have to answer.
const localTime = 300 * time.Millisecond

// Server is a server that answered.
type Server struct {
	Provider string
	BaseURL  string
	Model    string // the first it lists that is fit for chat
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

// Local asks which of the servers answer, within 300 ms. The answers keep the
// order of bases; a server that says it is another kind is named so. A nil
// transport is the shared one.
func Local(ctx context.Context, bases []Server, transport http.RoundTripper) []Server {
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
	var out []Server
	for _, s := range found {
		if s.Model != "" {
			out = append(out, s)
		}
	}
	return out
}

// probeLocal fills in the model, which stays "" if no fit server answers.
func probeLocal(ctx context.Context, b Server, transport http.RoundTripper) Server {
	o := Options{Provider: b.Provider, BaseURL: b.BaseURL, Transport: transport}
	found, err := Discover(ctx, o, "")
	if err != nil {
		return b // no server is the usual case
	}
	if m, ok := found.First(); ok {
		b.Model = m.ID
	}
	if _, known := Known(found.Server); known {
		b.Provider = found.Server
	}
	return b
}

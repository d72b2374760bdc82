package setup

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"plimsoll/agent/openai"
	"plimsoll/cli/console"
)

// Where a conversation is sent. A place is an address without what is secret in
// it. Rules:
//
//   - a server on this machine or in the user's own network is local, the demo
//     model too; everything else is hosted
//   - two addresses are one place if they differ in spelling only

// Address is where the requests of a choice go, "" if nobody said.
func (c Choice) Address() string {
	if c.BaseURL != "" {
		return recordedURL(c.BaseURL)
	}
	e, _ := openai.KnownProvider(c.Provider) // of another one nothing is known
	return e.BaseURL
}

// recordedURL is an address without user, password, query and fragment, so that
// it can be recorded.
func recordedURL(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}).String()
}

// HostOf is the host of an address as the user reads it.
func HostOf(base string) string {
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		return u.Host
	}
	return "an address that cannot be read" // and may hold a password
}

// SamePlace reports whether two addresses lead to the same place.
func SameEndpoint(a, b string) bool { return canonicalURL(a) == canonicalURL(b) }

// spelled is an address in one spelling: the names of this machine are one.
func canonicalURL(base string) string {
	u, err := url.Parse(recordedURL(base))
	if err != nil {
		return base
	}
	name, port := strings.ToLower(u.Hostname()), u.Port()
	if addr, err := netip.ParseAddr(name); name == "localhost" || err == nil && addr.IsLoopback() {
		name = "localhost"
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(name, port) + u.Path
}

// Loopback reports whether an address is on this machine.
func IsLoopback(base string) bool {
	u, err := url.Parse(canonicalURL(base))
	return err == nil && u.Hostname() == "localhost"
}

// sharedNetwork is the range that providers of private networks give out.
var sharedNetwork = netip.MustParsePrefix("100.64.0.0/10")

// Local reports whether an address is on this machine or in the user's own
// network. One that nobody can read is not.
func IsLocal(base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return false
	}
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if addr, err := netip.ParseAddr(name); err == nil {
		addr = addr.Unmap()
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() || sharedNetwork.Contains(addr)
	}
	return !strings.Contains(name, ".") || strings.HasSuffix(name, ".localhost") ||
		strings.HasSuffix(name, ".local") || strings.HasSuffix(name, ".internal") || strings.HasSuffix(name, ".lan")
}

// CheckBaseURL reports an address that no request can be sent to. The address
// is not repeated, because it may hold a password.
func CheckBaseURL(name, base string) error {
	u, err := url.Parse(base)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return nil
	}
	return console.AsUsage(console.WithHint(fmt.Errorf("%s is not an http or https address", name), "write it as http://localhost:8080/v1"))
}

// ShownURL is a server's address without a password.
func ShownURL(s openai.Server) string {
	return openai.New(openai.Options{Provider: s.Provider, BaseURL: s.BaseURL}).BaseURL()
}

// Name is a choice as the user writes it.
func (c Choice) Name() string {
	switch {
	case c.IsDemo():
		return ProviderDemo
	case c.Model == "":
		return c.Provider
	}
	return c.Provider + "/" + c.Model
}

// Place is where the requests of a choice go, as the user reads it.
func (c Choice) DisplayAddress() string {
	switch at := c.Address(); {
	case c.IsDemo():
		return "the built-in demo model on this machine"
	case IsLocal(at):
		return HostOf(at) + " (your own network)"
	default:
		return HostOf(at)
	}
}

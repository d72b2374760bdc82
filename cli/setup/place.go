package setup

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"plimsoll/agent/openai"
	"plimsoll/cli/console"
)

// Addresses of endpoints. They are recorded and shown without secrets. Rules:
//
//   - the demo model and servers on this machine or in the user's own network are local; all others are hosted
//   - addresses that differ only in spelling are the same endpoint

// Address is the URL that requests of a choice go to, "" if it is unknown.
func (c Choice) Address() string {
	if c.BaseURL != "" {
		return withoutSecrets(c.BaseURL)
	}
	e, _ := openai.KnownProvider(c.Provider) // the zero value has no URL
	return e.BaseURL
}

// withoutSecrets is an address without user, password, query and fragment, which can be secret.
func withoutSecrets(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}).String()
}

// HostOf is the host of an address, for the user.
func HostOf(base string) string {
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		return u.Host
	}
	return "an address that cannot be read" // it may hold a password, so it is not shown
}

// SameEndpoint reports whether two addresses are the same endpoint.
func SameEndpoint(a, b string) bool { return canonicalURL(a) == canonicalURL(b) }

// canonicalURL is an address in one spelling; all names of this machine become localhost.
func canonicalURL(base string) string {
	u, err := url.Parse(withoutSecrets(base))
	if err != nil {
		return base
	}
	name, port := strings.ToLower(u.Hostname()), u.Port()
	if addr, err := netip.ParseAddr(name); name == "localhost" || err == nil && addr.IsLoopback() {
		name = "localhost"
	}
	port = cmp.Or(port, map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(name, port) + u.Path
}

// IsLoopback reports whether an address is on this machine.
func IsLoopback(base string) bool {
	u, err := url.Parse(canonicalURL(base))
	return err == nil && u.Hostname() == "localhost"
}

// sharedNetwork is the address range of carriers and private overlay networks (RFC 6598).
var sharedNetwork = netip.MustParsePrefix("100.64.0.0/10")

// IsLocal reports whether an address is on this machine or in the user's own network. An invalid address is not.
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

// CheckBaseURL returns an error for an address that is not http or https. The error does not repeat the address, which may
// hold a password.
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

// Name is the model's name as the user writes it.
func (c Choice) Name() string {
	switch {
	case c.IsDemo():
		return ProviderDemo
	case c.Model == "":
		return c.Provider
	}
	return c.Provider + "/" + c.Model
}

// DisplayAddress is where the requests of a choice go, for the user.
func (c Choice) DisplayAddress() string {
	switch at := c.Address(); {
	case c.IsDemo():
		return "the built-in demo model on this machine"
	case IsLocal(at):
		host, where := HostOf(at), "your network"
		if strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "localhost") || strings.HasPrefix(host, "[::1]") {
			where = "this machine"
		}
		return host + " (" + where + ")"
	default:
		return HostOf(at)
	}
}

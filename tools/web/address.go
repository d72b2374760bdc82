package web

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/idna"
)

// This file decides which addresses tools and commands may connect to. It checks the
// address of every socket after DNS and before the connection, so that a name
// that resolves differently the second time, a redirect, or a number in another
// notation is checked too. It refuses all addresses that are not public: loopback,
// private, link-local (cloud metadata), shared (CGNAT), multicast, reserved,
// documentation, and IPv6 forms that contain an IPv4 address (mapped, NAT64, 6to4,
// Teredo). Configured hosts and networks are exceptions.

var errRefusedAddress = errors.New("private, loopback and otherwise special addresses are not reached " +
	"(permissions.private_addresses in the configuration lists exceptions)")

const (
	connectTimeout = 15 * time.Second
	maxName        = 253 // bytes
)

// special are networks that are not public (IANA special-purpose registries), and
// 168.63.129.16, an internal service address of Azure.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
	"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
)

// globalIPv6 holds all public IPv6 addresses; NAT64, unique local, link-local,
// multicast, loopback and mapped addresses are outside.
var globalIPv6 = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		out[i] = netip.MustParsePrefix(t)
	}
	return out
}

func public(a netip.Addr) bool {
	if a.Zone() != "" || a.Is6() && !globalIPv6.Contains(a) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}

// addresses holds the hosts and networks that the user configured as exceptions.
type addresses struct {
	hosts    []string // lower case, without a final dot
	networks []netip.Prefix
}

func newAddresses(texts []string) (*addresses, error) {
	a := &addresses{}
	for _, text := range texts {
		text = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(text), "."))
		bare := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
		if p, err := netip.ParsePrefix(text); err == nil {
			a.networks = append(a.networks, p.Masked())
			continue
		}
		if ip, err := netip.ParseAddr(bare); err == nil {
			ip = ip.Unmap().WithZone("")
			a.networks = append(a.networks, netip.PrefixFrom(ip, ip.BitLen()))
			continue
		}
		if text == "" || strings.ContainsAny(text, "/:@*? ") || numericHost(text) {
			return nil, fmt.Errorf("permissions.private_addresses: %q is no host name, address or network (such as localhost, 192.168.1.7, 10.0.0.0/8)", text)
		}
		a.hosts = append(a.hosts, text)
	}
	return a, nil
}

func (a *addresses) host(name string) bool {
	return slices.Contains(a.hosts, strings.ToLower(strings.TrimSuffix(name, ".")))
}

func (a *addresses) check(ip netip.Addr) error {
	plain := ip.Unmap()
	if slices.ContainsFunc(a.networks, func(p netip.Prefix) bool { return p.Contains(plain.WithZone("")) }) {
		return nil
	}
	if ip.Is4In6() || !public(plain) {
		return fmt.Errorf("%s: %w", ip, errRefusedAddress)
	}
	return nil
}

// control checks the address of a socket before it is connected; see net.Dialer.Control.
func (a *addresses) control(network, address string, _ syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return fmt.Errorf("%s %s: %w", network, address, errRefusedAddress)
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s: %w", address, errRefusedAddress)
	}
	return a.check(at.Addr())
}

// checkURL makes the checks that need no connection: the scheme, a missing host, and
// literal IP addresses. It refuses numbers in other notations (2130706433, 0x7f.1,
// 127.1), because systems disagree on their meaning.
func (a *addresses) checkURL(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("only http and https addresses can be fetched, not %q", u.Scheme)
	}
	host := u.Hostname()
	if host == "" {
		return fmt.Errorf("%q names no host", u.Redacted())
	}
	if a.host(host) {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return a.check(ip)
	}
	if numericHost(host) {
		return fmt.Errorf("%s is no host name; write an IP address as four numbers with dots", host)
	}
	return nil
}

// numericHost reports whether a host is an IPv4 address in some notation: its last
// label is a number (the rule of the WHATWG URL standard).
func numericHost(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return false
	}
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// IsHost reports whether text is the name of a host in lower case and ASCII, or an IPv4 address in some notation.
func IsHost(text string) bool {
	return text != "" && text[0] != '.' && len(text) <= maxName && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" && !strings.Contains(text, "..")
}

var usualPorts = map[string]string{"http": ":80", "https": ":443"}

// Host normalises a host with an optional port: lower case, ASCII (punycode), without a final dot and the default port.
// A name that IDNA rejects keeps its letters, and then does not resolve.
func Host(scheme, host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ":")
	if ports, ok := usualPorts[scheme]; ok {
		host = strings.TrimSuffix(host, ports)
	}
	name, port := host, ""
	if at := strings.LastIndexByte(host, ':'); at >= 0 && !strings.HasSuffix(host, "]") {
		name, port = host[:at], host[at:]
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		if ascii, err := idna.Lookup.ToASCII(name); err == nil {
			name = ascii
		}
	}
	return strings.TrimSuffix(name, ".") + port
}

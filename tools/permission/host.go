package permission

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"plimsoll/tools/web"
)

// A rule for the network names a host, or with *. all hosts below a name, and may name a port: network(*.example.org:8443).
// Without a port it allows 80 and 443, and denies all. A rule that allows a host also allows http_request to read from it.

// Network is the name of the network in rules.
const Network = "network"

// hostPattern is what a rule for the network covers. A name begins with a dot if it stands for all names below.
type hostPattern struct{ name, port string }

// OfHost describes a connection of a command to a host, whose name is in lower case and ASCII.
func OfHost(host, port string) Effect {
	return Effect{Tool: Network, access: AccessNetwork, host: hostPattern{host, port}, Title: net.JoinHostPort(host, port)}
}

// ParseHost parses HOST or HOST:PORT, as in a rule for the network.
func ParseHost(text string) (hostPattern, error) {
	p := hostPattern{name: strings.Trim(text, "[]")}
	if host, port, err := net.SplitHostPort(text); err == nil {
		p = hostPattern{host, port}
	}
	_, badPort := strconv.ParseUint(cmp.Or(p.port, "0"), 10, 16)
	name, below := strings.CutPrefix(web.Host("", p.name), "*.")
	if ip, err := netip.ParseAddr(name); err == nil {
		name = ip.String()
	} else if !web.IsHost(name) || badPort != nil {
		return p, fmt.Errorf("%q is no host; write it as example.org, *.example.org or example.org:8443", text)
	}
	if p.name = name; below {
		p.name = "." + name
	}
	return p, nil
}

// covers reports whether a pattern covers a host; withoutPort tells whether one without a port does.
func (p hostPattern) covers(host hostPattern, withoutPort bool) bool {
	below := strings.HasPrefix(p.name, ".") && strings.HasSuffix(host.name, p.name)
	return (below || p.name == host.name) && (p.port == host.port || p.port == "" && withoutPort)
}

// usual reports whether the port is one that rules allow without naming it.
func (p hostPattern) usual() bool { return p.port == "80" || p.port == "443" }

// pattern is the pattern that covers the host.
func (p hostPattern) pattern() string {
	if p.usual() && !strings.Contains(p.name, ":") {
		return p.name
	}
	return net.JoinHostPort(p.name, p.port)
}

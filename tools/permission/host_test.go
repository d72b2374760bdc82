package permission

import "testing"

func TestRulesForTheNetworkCoverHosts(t *testing.T) {
	t.Parallel()
	network := []Tool{{Network, AccessNetwork}}
	for _, c := range []struct {
		rule, host, port string
		allows, denies   bool
	}{
		{"network", "example.org", "22", true, true},
		{"network(example.org)", "example.org", "443", true, true},
		{"network(example.org)", "example.org", "80", true, true},
		{"network(example.org)", "example.org", "22", false, true},
		{"network(example.org:22)", "example.org", "22", true, true},
		{"network(example.org:22)", "example.org", "443", false, false},
		{"network(Example.ORG.)", "example.org", "443", true, true},
		{"network(example.org)", "a.example.org", "443", false, false},
		{"network(*.example.org)", "a.b.example.org", "443", true, true},
		{"network(*.example.org)", "example.org", "443", false, false},
		{"network(*.example.org)", "badexample.org", "443", false, false},
		{"network(*.example.org:8443)", "a.example.org", "8443", true, true},
		{"network(bücher.example)", "xn--bcher-kva.example", "443", true, true},
		{"network([2606:4700:0::1111]:443)", "2606:4700::1111", "443", true, true},
		{"network(2606:4700::1111)", "2606:4700::1111", "443", true, true},
	} {
		r, err := parseRule(c.rule, network)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		effect := OfHost(c.host, c.port)
		if r.allows(effect) != c.allows || (r.denies(effect) == yes) != c.denies {
			t.Errorf("%s allows %s:%s: %t, denies: %v", c.rule, c.host, c.port, r.allows(effect), r.denies(effect))
		}
		if exact := exactRules(effect)[0]; !exact.allows(effect) || exact.check() != nil {
			t.Errorf("%s does not cover %s", exact, effect.Title)
		}
	}
}

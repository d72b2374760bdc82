package web

import (
	"net/netip"
	"testing"
)

func TestOnlyPublicAddressesAreReached(t *testing.T) {
	t.Parallel()
	a, err := newAddresses([]string{"10.1.0.0/16", "localhost", "fd00::1", "[::1]"})
	if err != nil {
		t.Fatal(err)
	}
	for _, refused := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.1.2.3", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.192", "192.168.1.1", "198.18.0.1", "203.0.113.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "168.63.129.16",
		"::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1",
		"64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "100::1",
	} {
		if a.check(netip.MustParseAddr(refused)) == nil {
			t.Errorf("%s is reached", refused)
		}
	}
	for _, reached := range []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2001:4860:4860::8888", "10.1.2.3", "fd00::1", "::1"} {
		if err := a.check(netip.MustParseAddr(reached)); err != nil {
			t.Errorf("%s is refused: %v", reached, err)
		}
	}
	if !a.host("LocalHost.") || a.host("localhost.evil.com") {
		t.Error("hosts are not compared whole")
	}
}

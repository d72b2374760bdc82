package config

import (
	"slices"
	"strings"
	"testing"
)

func TestWorkspaceKeysExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, o := range Options() {
		known[o.Key] = true
	}
	for key := range allowed {
		if !known[key] {
			t.Errorf("%s is no key", key)
		}
	}
	for key := range effects {
		below := slices.ContainsFunc(Options(), func(o Option) bool { return o.Key == key || strings.HasPrefix(o.Key, key+".") })
		if key != "" && !below {
			t.Errorf("%s is no key", key)
		}
	}
}

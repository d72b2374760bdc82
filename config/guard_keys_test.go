package config

import "testing"

func TestWhatAWorkspaceMaySetExists(t *testing.T) {
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
	for key := range concerns {
		if key != "" && !known[key] && !(&guard{}).leads(key) && key != "providers" && key != "compaction.profiles" && key != "ui.keys" {
			t.Errorf("%s is no key", key)
		}
	}
}

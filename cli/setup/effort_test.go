package setup

import "testing"

func TestAnEffortMayFollowTheName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		name, effort string
		fails        bool
	}{
		"":                        {},
		"anthropic/claude-opus-5": {name: "anthropic/claude-opus-5"},
		"claude-opus-5 high":      {name: "claude-opus-5", effort: "high"},
		"max":                     {effort: "max"},
		"auto":                    {},
		"claude-opus-5 auto":      {name: "claude-opus-5"},
		"claude-opus-5 plenty":    {fails: true},
	} {
		name, effort, err := SplitEffort(text)
		if name != want.name || effort != want.effort || (err != nil) != want.fails {
			t.Errorf("%q: %q %q %v", text, name, effort, err)
		}
	}
}

package preset_test

import (
	"testing"

	"plimsoll/compact/preset"
)

func TestEveryPresetHasADesignWhoseStyleHasWords(t *testing.T) {
	t.Parallel()
	unknown := preset.WordingOf("of a later version")
	seen := map[preset.Name]bool{}
	for _, p := range preset.All() {
		d := p.Design()
		if seen[p] || d == preset.Name("no preset").Design() {
			t.Errorf("%s has no row of its own", p)
		}
		seen[p] = true
		if preset.WordingOf(d.Style) == unknown || preset.WordingOf(d.PolicyStyle) == unknown {
			t.Errorf("%s: its overlays have no words", p)
		}
	}
}

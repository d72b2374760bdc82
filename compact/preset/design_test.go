package preset_test

import (
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
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

// A log may name what only a later version knows.
func TestUnknownPresetsAndStylesAreThoseOfPlimsollWithoutItsAdditions(t *testing.T) {
	t.Parallel()
	d := preset.Name("no preset").Design()
	if d.Style != conversation.StylePlimsoll || d.Acts != preset.ActEvict || d.Additions {
		t.Errorf("%+v", d)
	}
	w := preset.WordingOf("of a later version")
	if w.Notes || w.Exact || w.Stub != nil || w.Arguments != nil || w.Block != nil || w.Prompt != "" {
		t.Errorf("%+v", w)
	}
}

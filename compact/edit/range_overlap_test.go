package edit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/edit"
)

func TestExtendedRangesAreTheSmallestThatCutNoSummary(t *testing.T) {
	t.Parallel()
	const turns = 14
	partial := func(r, e edit.Range) bool {
		common, onlyR, onlyE := false, false, false
		for turn := range turns {
			inR, inE := r.From <= turn && turn <= r.To, e.From <= turn && turn <= e.To
			common, onlyR, onlyE = common || inR && inE, onlyR || inR && !inE, onlyE || inE && !inR
		}
		return common && onlyR && onlyE
	}
	anyPartial := func(r edit.Range, existing []edit.Range) bool {
		for _, e := range existing {
			if partial(r, e) {
				return true
			}
		}
		return false
	}
	ranges := rapid.Custom(func(t *rapid.T) edit.Range {
		from := rapid.IntRange(0, turns-1).Draw(t, "from")
		return edit.Range{From: from, To: min(turns-1, from+rapid.IntRange(0, 5).Draw(t, "length"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		r, existing := ranges.Draw(t, "range"), rapid.SliceOfN(ranges, 0, 6).Draw(t, "existing")
		want := edit.Range{From: 0, To: turns - 1}
		for from := 0; from <= r.From; from++ {
			for to := r.To; to < turns; to++ {
				try := edit.Range{From: from, To: to}
				if to-from < want.To-want.From && !anyPartial(try, existing) {
					want = try
				}
			}
		}
		if d := cmp.Diff(want, edit.ExtendOver(r, existing)); d != "" {
			t.Fatalf("%v over %v (-smallest +got):\n%s", r, existing, d)
		}
	})
}

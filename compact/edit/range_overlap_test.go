package edit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/edit"
)

// TestRFD064OverlapRule: [X, Y] and an existing [A, B] that intersect without
// one containing the other become [min(X, A), max(Y, B)], repeatedly.
func TestRFD064OverlapRule(t *testing.T) {
	t.Parallel()
	rr := func(ends ...int) (out []edit.Range) {
		for i := 0; i < len(ends); i += 2 {
			out = append(out, edit.Range{From: ends[i], To: ends[i+1]})
		}
		return out
	}
	for name, row := range map[string]struct {
		r        edit.Range
		existing []edit.Range
		want     edit.Range
	}{
		"no summary":                   {edit.Range{From: 3, To: 7}, nil, edit.Range{From: 3, To: 7}},
		"before it":                    {edit.Range{From: 3, To: 7}, rr(0, 2), edit.Range{From: 3, To: 7}},
		"after it":                     {edit.Range{From: 3, To: 7}, rr(8, 9), edit.Range{From: 3, To: 7}},
		"contained":                    {edit.Range{From: 3, To: 7}, rr(4, 6), edit.Range{From: 3, To: 7}},
		"the same":                     {edit.Range{From: 3, To: 7}, rr(3, 7), edit.Range{From: 3, To: 7}},
		"contained, common start":      {edit.Range{From: 3, To: 7}, rr(3, 5), edit.Range{From: 3, To: 7}},
		"containing":                   {edit.Range{From: 3, To: 7}, rr(0, 9), edit.Range{From: 3, To: 7}},
		"containing, common end":       {edit.Range{From: 3, To: 7}, rr(0, 7), edit.Range{From: 3, To: 7}},
		"over the start":               {edit.Range{From: 3, To: 7}, rr(0, 4), edit.Range{From: 0, To: 7}},
		"over the end":                 {edit.Range{From: 3, To: 7}, rr(6, 9), edit.Range{From: 3, To: 9}},
		"one turn in common":           {edit.Range{From: 3, To: 7}, rr(7, 9), edit.Range{From: 3, To: 9}},
		"over both ends":               {edit.Range{From: 3, To: 7}, rr(0, 3, 7, 9), edit.Range{From: 0, To: 9}},
		"a chain":                      {edit.Range{From: 8, To: 9}, rr(0, 2, 2, 4, 4, 6, 6, 8), edit.Range{From: 0, To: 9}},
		"a chain, the other way round": {edit.Range{From: 8, To: 9}, rr(6, 8, 4, 6, 2, 4, 0, 2), edit.Range{From: 0, To: 9}},
		"grown out of a container":     {edit.Range{From: 3, To: 4}, rr(2, 5, 4, 8), edit.Range{From: 2, To: 8}},
		"reversed ones do not matter":  {edit.Range{From: 3, To: 7}, rr(9, 5, 5, 1, 5, 4, 9, 2), edit.Range{From: 3, To: 7}},
	} {
		if got := edit.ExtendOver(row.r, row.existing); got != row.want {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}

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

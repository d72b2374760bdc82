package compact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact"
)

// TestRFD064OverlapRule: [X, Y] and an existing [A, B] that intersect without
// one containing the other become [min(X, A), max(Y, B)], repeatedly.
func TestRFD064OverlapRule(t *testing.T) {
	t.Parallel()
	rr := func(ends ...int) (out []compact.Range) {
		for i := 0; i < len(ends); i += 2 {
			out = append(out, compact.Range{From: ends[i], To: ends[i+1]})
		}
		return out
	}
	for name, row := range map[string]struct {
		r        compact.Range
		existing []compact.Range
		want     compact.Range
	}{
		"no summary":                   {compact.Range{From: 3, To: 7}, nil, compact.Range{From: 3, To: 7}},
		"before it":                    {compact.Range{From: 3, To: 7}, rr(0, 2), compact.Range{From: 3, To: 7}},
		"after it":                     {compact.Range{From: 3, To: 7}, rr(8, 9), compact.Range{From: 3, To: 7}},
		"contained":                    {compact.Range{From: 3, To: 7}, rr(4, 6), compact.Range{From: 3, To: 7}},
		"the same":                     {compact.Range{From: 3, To: 7}, rr(3, 7), compact.Range{From: 3, To: 7}},
		"contained, common start":      {compact.Range{From: 3, To: 7}, rr(3, 5), compact.Range{From: 3, To: 7}},
		"containing":                   {compact.Range{From: 3, To: 7}, rr(0, 9), compact.Range{From: 3, To: 7}},
		"containing, common end":       {compact.Range{From: 3, To: 7}, rr(0, 7), compact.Range{From: 3, To: 7}},
		"over the start":               {compact.Range{From: 3, To: 7}, rr(0, 4), compact.Range{From: 0, To: 7}},
		"over the end":                 {compact.Range{From: 3, To: 7}, rr(6, 9), compact.Range{From: 3, To: 9}},
		"one turn in common":           {compact.Range{From: 3, To: 7}, rr(7, 9), compact.Range{From: 3, To: 9}},
		"over both ends":               {compact.Range{From: 3, To: 7}, rr(0, 3, 7, 9), compact.Range{From: 0, To: 9}},
		"a chain":                      {compact.Range{From: 8, To: 9}, rr(0, 2, 2, 4, 4, 6, 6, 8), compact.Range{From: 0, To: 9}},
		"a chain, the other way round": {compact.Range{From: 8, To: 9}, rr(6, 8, 4, 6, 2, 4, 0, 2), compact.Range{From: 0, To: 9}},
		"grown out of a container":     {compact.Range{From: 3, To: 4}, rr(2, 5, 4, 8), compact.Range{From: 2, To: 8}},
		"reversed ones do not matter":  {compact.Range{From: 3, To: 7}, rr(9, 5, 5, 1, 5, 4, 9, 2), compact.Range{From: 3, To: 7}},
	} {
		if got := compact.ExtendOver(row.r, row.existing); got != row.want {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}

func TestExtendedRangesAreTheSmallestThatCutNoSummary(t *testing.T) {
	t.Parallel()
	const turns = 14
	partial := func(r, e compact.Range) bool {
		common, onlyR, onlyE := false, false, false
		for turn := range turns {
			inR, inE := r.From <= turn && turn <= r.To, e.From <= turn && turn <= e.To
			common, onlyR, onlyE = common || inR && inE, onlyR || inR && !inE, onlyE || inE && !inR
		}
		return common && onlyR && onlyE
	}
	anyPartial := func(r compact.Range, existing []compact.Range) bool {
		for _, e := range existing {
			if partial(r, e) {
				return true
			}
		}
		return false
	}
	ranges := rapid.Custom(func(t *rapid.T) compact.Range {
		from := rapid.IntRange(0, turns-1).Draw(t, "from")
		return compact.Range{From: from, To: min(turns-1, from+rapid.IntRange(0, 5).Draw(t, "length"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		r, existing := ranges.Draw(t, "range"), rapid.SliceOfN(ranges, 0, 6).Draw(t, "existing")
		want := compact.Range{From: 0, To: turns - 1}
		for from := 0; from <= r.From; from++ {
			for to := r.To; to < turns; to++ {
				try := compact.Range{From: from, To: to}
				if to-from < want.To-want.From && !anyPartial(try, existing) {
					want = try
				}
			}
		}
		if d := cmp.Diff(want, compact.ExtendOver(r, existing)); d != "" {
			t.Fatalf("%v over %v (-smallest +got):\n%s", r, existing, d)
		}
	})
}

package replay

import (
	"slices"

	"plimsoll/compact/preset"
)

// What a policy cost, looking back included, and which needs stayed in view. A name that only an index shows counts as
// in view and not as in place: it tells that something existed, not its content, and so it is looked up.

// RetainedNeeds measures which of the recorded model's needs the requests contained, and what looking up the rest costs.
type RetainedNeeds struct {
	RecallAll     Ratio `json:"recall_all"`
	RecallTool    Ratio `json:"recall_tool"`
	RecallInPlace Ratio `json:"recall_in_place"` // RecallTool without the names that only an index shows
	EditAnchors   Ratio `json:"edit_anchors"`
	WriteLines    Ratio `json:"write_lines"`
	Content       Ratio `json:"content"`     // edit anchors and written lines together
	Recoverable   Ratio `json:"recoverable"` // 1 where nothing is lost
	Instructions  Ratio `json:"instructions"`
	SilentLosses  Ratio `json:"silent_losses"` // share of demands, decisions, last errors and open points that is out of view
	Served        Ratio `json:"served"`        // share of replies with all needs in place, mean over conversations

	Lookups                int                `json:"lookups"`
	LookupTokens           float64            `json:"lookup_tokens"`  // tokens that lookups return
	CostWithDebt           map[string]float64 `json:"cost_with_debt"` // of requests and lookups, by sheet
	CostWithDebtRatio      map[string]Ratio   `json:"cost_with_debt_ratio"`
	CostWithDebtVsTruncate map[string]Ratio   `json:"cost_with_debt_vs_truncate"`
	Medians                Medians            `json:"medians"`
}

// Medians are figures of the conversation in the middle, so that no long one decides alone.
type Medians struct {
	CostWithDebtVsTruncate map[string]Ratio `json:"cost_with_debt_vs_truncate"`
	RecallTool             Ratio            `json:"recall_tool"`
	EditAnchors            Ratio            `json:"edit_anchors"`
	SilentLosses           Ratio            `json:"silent_losses"`
	Served                 Ratio            `json:"served"`
}

// kept sums the tallies of all files.
func (p pool) kept() RetainedNeeds {
	k := RetainedNeeds{Recoverable: 1, CostWithDebt: map[string]float64{}, CostWithDebtRatio: map[string]Ratio{},
		CostWithDebtVsTruncate: map[string]Ratio{}, Medians: Medians{CostWithDebtVsTruncate: map[string]Ratio{}}}
	var all tally
	var served, names, edits, silent []Ratio
	sum := 0.0
	for _, file := range p.files {
		t := file.sums[p.policy].needs
		all.plus(t)
		served, names = append(served, t.served.ratio()), append(names, t.toolReferences.ratio())
		edits, silent = append(edits, t.anchors.ratio()), append(silent, t.silent.missing())
		sum += float64(t.served.ratio())
	}
	content := all.anchors
	content.plus(all.written)
	k.RecallAll, k.RecallTool, k.RecallInPlace = all.references.ratio(), all.toolReferences.ratio(), all.toolInPlace.ratio()
	k.EditAnchors, k.WriteLines, k.Content = all.anchors.ratio(), all.written.ratio(), content.ratio()
	k.Instructions, k.SilentLosses, k.Served = all.instructions.ratio(), all.silent.missing(), ratio(sum, float64(len(p.files)))
	if all.recoverable.total > 0 {
		k.Recoverable = all.recoverable.ratio()
	}
	k.Lookups = len(all.lookups)
	for _, l := range all.lookups {
		k.LookupTokens += l.returned
	}
	for _, sheet := range p.sheets {
		p.fillDebt(&k, sheet)
	}
	k.Medians.Served, k.Medians.RecallTool, k.Medians.EditAnchors, k.Medians.SilentLosses = median(served), median(names), median(edits), median(silent)
	return k
}

// fillDebt sets the costs with lookups under a sheet.
func (p pool) fillDebt(k *RetainedNeeds, sheet PriceSheet) {
	var own, raw, cut float64
	var each []Ratio
	for _, file := range p.files {
		with := func(policy preset.Name) float64 {
			s := file.sums[policy]
			return s.Cost[sheet.Name] + sheet.lookupCost(s.needs.lookups)
		}
		a, b, c := with(p.policy), with(baselineRaw), with(baselineTruncate)
		own, raw, cut, each = own+a, raw+b, cut+c, append(each, ratio(a, c))
	}
	k.CostWithDebt[sheet.Name], k.CostWithDebtRatio[sheet.Name], k.CostWithDebtVsTruncate[sheet.Name] = own, ratio(own, raw), ratio(own, cut)
	k.Medians.CostWithDebtVsTruncate[sheet.Name] = median(each)
}

// median returns the middle of the known ratios, the lower of two.
func median(all []Ratio) Ratio {
	all = slices.DeleteFunc(slices.Clone(all), func(r Ratio) bool { return !r.IsKnown() })
	if len(all) == 0 {
		return NoRatio()
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}

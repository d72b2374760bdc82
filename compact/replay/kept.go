package replay

import "plimsoll/compact/preset"

// What was kept in view, and what the rest would have cost. The same figures are
// told without the indexes of names: that a name stands in an index says that
// there was something, and not what.

// RetainedNeeds is what of the recorded model's needs stood in the requests, and what it
// would take to look up the rest.
type RetainedNeeds struct {
	RecallAll   Ratio `json:"recall_all"`
	RecallTool  Ratio `json:"recall_tool"`
	EditAnchors Ratio `json:"edit_anchors"`
	WriteLines  Ratio `json:"write_lines"`
	Content     Ratio `json:"content"`     // edit anchors and written lines together
	Recoverable Ratio `json:"recoverable"` // 1 where nothing is lost

	RecallDebt             float64            `json:"recall_debt"` // tokens that recall would have to bring back at least
	Lookups                int                `json:"lookups"`
	LookupsPerRequest      Ratio              `json:"lookups_per_request"`
	LookupTokens           float64            `json:"lookup_tokens"`  // that lookups give back
	CostWithDebt           map[string]float64 `json:"cost_with_debt"` // and of lookups, by sheet
	CostWithDebtRatio      map[string]Ratio   `json:"cost_with_debt_ratio"`
	CostWithDebtVsTruncate map[string]Ratio   `json:"cost_with_debt_vs_truncate"`
}

// kept pools what was needed, counted in one of the ways.
func (p pool) kept(requests int, counted func(sums) tally) RetainedNeeds {
	k := RetainedNeeds{Recoverable: 1, CostWithDebt: map[string]float64{}, CostWithDebtRatio: map[string]Ratio{}, CostWithDebtVsTruncate: map[string]Ratio{}}
	var all tally
	for _, one := range p.files {
		all.plus(counted(one.sums[p.policy]))
	}
	content := all.anchors
	content.plus(all.written)
	k.RecallAll, k.RecallTool, k.EditAnchors = all.all.ratio(), all.tool.ratio(), all.anchors.ratio()
	k.WriteLines, k.Content, k.RecallDebt = all.written.ratio(), content.ratio(), all.debt
	if all.recoverable.of > 0 {
		k.Recoverable = all.recoverable.ratio()
	}
	k.Lookups, k.LookupsPerRequest = len(all.lookups), ratio(float64(len(all.lookups)), float64(requests))
	for _, l := range all.lookups {
		k.LookupTokens += l.returned
	}
	for _, sheet := range p.sheets {
		with := func(policy preset.Name) float64 {
			sum := 0.0
			for _, one := range p.files {
				s := one.sums[policy]
				sum += s.cost[sheet.Name] + sheet.lookupCost(counted(s).lookups)
			}
			return sum
		}
		cost := with(p.policy)
		k.CostWithDebt[sheet.Name] = cost
		k.CostWithDebtRatio[sheet.Name] = ratio(cost, with(baselineRaw))
		k.CostWithDebtVsTruncate[sheet.Name] = ratio(cost, with(baselineTruncate))
	}
	return k
}

package replay

import "plimsoll/compact/preset"

// The needs that stayed in view, and the cost of looking up the rest. All figures exist a second time without the
// indexes of names, because a name in an index shows that something existed, not its content.

// RetainedNeeds measures which of the recorded model's needs the requests contained, and what looking up the rest
// would cost.
type RetainedNeeds struct {
	RecallAll   Ratio `json:"recall_all"`
	RecallTool  Ratio `json:"recall_tool"`
	EditAnchors Ratio `json:"edit_anchors"`
	WriteLines  Ratio `json:"write_lines"`
	Content     Ratio `json:"content"`     // edit anchors and written lines together
	Recoverable Ratio `json:"recoverable"` // 1 where nothing is lost

	RecallDebt             float64            `json:"recall_debt"` // least tokens that recall would have to return
	Lookups                int                `json:"lookups"`
	LookupsPerRequest      Ratio              `json:"lookups_per_request"`
	LookupTokens           float64            `json:"lookup_tokens"`  // tokens that lookups return
	CostWithDebt           map[string]float64 `json:"cost_with_debt"` // of requests and lookups, by sheet
	CostWithDebtRatio      map[string]Ratio   `json:"cost_with_debt_ratio"`
	CostWithDebtVsTruncate map[string]Ratio   `json:"cost_with_debt_vs_truncate"`
}

// kept sums the tallies of all files; counted selects one of the two tallies.
func (p pool) kept(requests int, counted func(sums) tally) RetainedNeeds {
	k := RetainedNeeds{Recoverable: 1, CostWithDebt: map[string]float64{}, CostWithDebtRatio: map[string]Ratio{}, CostWithDebtVsTruncate: map[string]Ratio{}}
	var all tally
	for _, file := range p.files {
		all.plus(counted(file.sums[p.policy]))
	}
	content := all.anchors
	content.plus(all.written)
	k.RecallAll, k.RecallTool, k.EditAnchors = all.references.ratio(), all.toolReferences.ratio(), all.anchors.ratio()
	k.WriteLines, k.Content, k.RecallDebt = all.written.ratio(), content.ratio(), all.debt
	if all.recoverable.total > 0 {
		k.Recoverable = all.recoverable.ratio()
	}
	k.Lookups, k.LookupsPerRequest = len(all.lookups), ratio(float64(len(all.lookups)), float64(requests))
	for _, l := range all.lookups {
		k.LookupTokens += l.returned
	}
	for _, sheet := range p.sheets {
		with := func(policy preset.Name) float64 {
			sum := 0.0
			for _, file := range p.files {
				s := file.sums[policy]
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

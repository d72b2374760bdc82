package jsonl

import "plimsoll/conversation"

// usageOf is what a line says of its request, nil if it says nothing.
func usageOf(w *wireUsage) *conversation.Usage {
	u := conversation.Usage{
		Model: w.Model.v, Revision: uint64(max(0, w.Revision.n)), Priced: w.Priced.v, BodyHash: w.BodyHash.v, Short: w.Short.v,
		Prompt: w.Prompt.value(), Cached: w.PromptDetails.v.Cached.value(), CacheWrite: w.PromptDetails.v.CacheWrite.value(),
		Completion: w.Completion.value(), Reasoning: w.ReplyDetails.v.Reasoning.value(),
	}
	if f := w.Estimate.v; f > 0 && f < maxCount {
		u.Estimate = f
	}
	if f := w.Cost.v; f != nil && *f >= 0 && *f < maxCount {
		u.CostUSD = f
		u.Priced = either(u.Priced, "reported")
	}
	if u.Prompt < 0 && u.Completion < 0 && u.CostUSD == nil && u.Estimate == 0 {
		return nil
	}
	return &u
}

// usageLine is what a line says of its request.
func usageLine(u *conversation.Usage) loose[wireUsage] {
	if u == nil {
		return loose[wireUsage]{}
	}
	w := wireUsage{
		Prompt: counted(u.Prompt), Completion: counted(u.Completion), Revision: positive(int(u.Revision)),
		PromptDetails: loose[promptDetails]{promptDetails{counted(u.Cached), counted(u.CacheWrite)}},
		ReplyDetails:  loose[replyDetails]{replyDetails{counted(u.Reasoning)}}, Cost: loose[*float64]{u.CostUSD},
		Model: text(u.Model), Priced: text(u.Priced), BodyHash: text(u.BodyHash), Short: loose[bool]{u.Short},
	}
	if u.Prompt >= 0 && u.Completion >= 0 {
		w.Total = counted(u.Prompt + u.Completion)
	}
	if u.Estimate > 0 {
		w.Estimate.v = u.Estimate
	}
	return loose[wireUsage]{w}
}

// text is a text of a line.
func text(s string) loose[string] { return loose[string]{s} }

package jsonl

import (
	"encoding/json"

	"plimsoll/conversation"
)

// usageOf is what a line says of its request, nil if it says nothing.
func usageOf(raw json.RawMessage) *conversation.Usage {
	var w wireUsage
	var p promptDetails
	var r replyDetails
	if len(raw) == 0 || json.Unmarshal(raw, &w) != nil {
		return nil
	}
	// Details of a wrong type are as if they were not there.
	_ = json.Unmarshal(w.PromptDetails, &p)
	_ = json.Unmarshal(w.ReplyDetails, &r)
	u := conversation.Usage{
		Model: looseText(w.Model), Revision: uint64(max(0, looseCount(w.Revision))), Priced: looseText(w.Priced), BodyHash: looseText(w.BodyHash),
		Prompt: looseCount(w.Prompt), Cached: looseCount(p.Cached), CacheWrite: looseCount(p.CacheWrite),
		Completion: looseCount(w.Completion), Reasoning: looseCount(r.Reasoning),
	}
	if f, ok := looseNumber(w.Estimate); ok && f > 0 && f < maxCount {
		u.Estimate = f
	}
	if f, ok := looseNumber(w.Cost); ok && f >= 0 && f < maxCount {
		u.CostUSD = &f
		u.Priced = either(u.Priced, "reported")
	}
	u.Short = string(w.Short) == "true"
	if u.Prompt < 0 && u.Completion < 0 && u.CostUSD == nil && u.Estimate == 0 {
		return nil
	}
	return &u
}

// usageLine is what a line says of its request.
func usageLine(u *conversation.Usage) json.RawMessage {
	if u == nil {
		return nil
	}
	w := wireUsage{
		Prompt: rawCount(u.Prompt), Completion: rawCount(u.Completion), Model: rawText(u.Model), Priced: rawText(u.Priced), BodyHash: rawText(u.BodyHash),
		PromptDetails: rawValue(promptDetails{rawCount(u.Cached), rawCount(u.CacheWrite)}), ReplyDetails: rawValue(replyDetails{rawCount(u.Reasoning)}),
	}
	if u.Prompt >= 0 && u.Completion >= 0 {
		w.Total = rawCount(u.Prompt + u.Completion)
	}
	if u.Revision > 0 {
		w.Revision = rawValue(u.Revision)
	}
	if u.Estimate > 0 {
		w.Estimate = rawValue(u.Estimate)
	}
	if u.CostUSD != nil {
		w.Cost = rawValue(*u.CostUSD)
	}
	if u.Short {
		w.Short = rawValue(true)
	}
	return rawValue(w)
}

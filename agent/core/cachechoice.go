package core

import (
	"plimsoll/agent/llm"
	"plimsoll/compact/promptcache"
)

// How long the provider's cache keeps the prompt is chosen only while the cache holds nothing of the conversation:
// then the whole prompt is written anyway. In between the choice stays, because with another lifetime the cache has
// to be written again.

// ChooseTTL records the pause between the newest reply and the next request, and chooses how long the provider
// keeps the prompt, where requests may set that and the user did not.
func (j *Journal) ChooseTTL() {
	m := &j.settings.Model
	last, changed := j.lastReport(*m)
	idle := j.now().Sub(last.Time)
	terms := m.CacheTerms()
	if m.TTL == llm.TTLChosen && (changed || m.Sheet().Cold(idle)) {
		o := llm.CacheChoiceInput(*m, j.log.Events())
		o.Prompt = j.meter.RequestEstimate()
		m.CacheTTL = terms.ChooseLifetime(o).Lifetime
	}
	if c := &m.Calibration; m.TTL != llm.TTLEndpoint && !changed && last.Seq != j.countedPause { // a retried request counts once
		j.countedPause = last.Seq
		r := promptcache.PauseCounts{Requests: c.Requests, Pauses: c.Pauses, LongPauses: c.LongPauses}.Add(terms, idle)
		c.Requests, c.Pauses, c.LongPauses = r.Requests, r.Pauses, r.LongPauses
	}
}

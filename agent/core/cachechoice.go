package core

import (
	"plimsoll/agent/llm"
	"plimsoll/compact/promptcache"
)

// How long the provider's cache is to keep a prompt is chosen where it holds nothing of the conversation, because the
// whole prompt is written then, whatever is chosen. In between the choice stands: what the cache keeps for one time would
// have to be written again for another one.

// ChooseTTL takes down how long after the reply before it the next request is made, and chooses how long the provider
// is to keep it, where requests say so and the user leaves it open.
func (j *Journal) ChooseTTL() {
	m := &j.settings.Model
	last, changed := j.lastReport(*m)
	idle := j.now().Sub(last.Time)
	terms := m.CacheTerms()
	if m.TTL == llm.TTLChosen && (changed || m.Sheet().Cold(idle)) {
		o := llm.CacheOutlook(*m, j.log.Events())
		o.Prompt = j.meter.RequestEstimate()
		m.CacheTTL = terms.Choose(o).Lives
	}
	if c := &m.Calibration; m.TTL != llm.TTLEndpoint && !changed && last.Seq != j.paused { // a request that is made again counts once
		j.paused = last.Seq
		r := promptcache.Rhythm{Requests: c.Requests, Pauses: c.Pauses, Absences: c.LongPauses}.Add(terms, idle)
		c.Requests, c.Pauses, c.LongPauses = r.Requests, r.Pauses, r.Absences
	}
}

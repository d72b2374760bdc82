package agent

import (
	"context"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Looking at the context changes nothing and costs no request. The answer is made
// wherever the owner of the conversation obeys, also while a reply streams.

// Inspect answers with Inspected. Of several calls that wait the newest is
// answered.
func (a *Agent) Inspect() {
	n := a.inspections.Add(1)
	a.inbox.put(func(context.Context) {
		if n == a.inspections.Load() { // otherwise a newer one is behind it
			a.updates.Put(Inspected{Account: a.account()})
		}
	})
}

// account is the conversation's context as the planner finds it now. While idle
// what it will look at next is a turn that begins.
func (a *Agent) account() compact.Account {
	moment := compact.MomentTurn
	if a.turn != nil {
		moment = a.moment()
	}
	return compact.NewAccount(a.compaction.rules, a.check(moment, false), func(u conversation.Usage) *float64 {
		if a.opts.CacheSaved == nil {
			return nil
		}
		return a.opts.CacheSaved(a.settings.model, u)
	})
}

// Preview works a wish out on what was said so far and answers with Previewed.
// It changes nothing.
func (a *Agent) Preview(w compact.Wish) {
	a.inbox.put(func(context.Context) {
		told := Previewed{Wish: w, Now: a.meter.Reading()}
		pass, err := compact.NewPass(a.log.Events(), a.compaction.rules, a.situation(), w)
		if err != nil {
			told.Err = unmade(err)
		} else {
			told.Preview, told.Then = pass.Preview(), pass.Then()
			told.CostNow, told.PaysAfter = a.price(told.Preview)
		}
		a.updates.Put(told)
	})
}

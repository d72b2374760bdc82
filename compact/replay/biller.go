package replay

import (
	"time"

	"plimsoll/compact/promptcache"
)

// biller computes the cost of a conversation under one price sheet, request after request.
type biller struct {
	sheet   PriceSheet // Write and Lifetime follow the chosen cache lifetime
	cache   promptcache.Cache
	outlook promptcache.ChoiceInput
	lives   []time.Duration // cache lifetime of each request
	cost    float64         // tokens at the base price
}

func newBiller(s PriceSheet) *biller { return &biller{sheet: s} }

// request adds the cost of a request.
func (a *biller) request(q sentRequest) {
	a.choose(q)
	if a.sheet.Marked {
		a.cost += a.sheet.cachedCost(q.tokens, a.cache.Send(q.marks, q.common, q.idle, a.sheet.Lifetime))
	} else {
		a.cost += a.sheet.requestCost(q)
	}
	a.lives = append(a.lives, a.sheet.Lifetime)
}

// choose selects the cache lifetime, if the sheet offers a choice and the cache holds nothing of the conversation.
func (a *biller) choose(q sentRequest) {
	t := a.sheet.Terms
	if t == nil {
		return
	}
	o := &a.outlook
	cold := o.Requests == 0 || a.cache.Cold(q.idle)
	if o.Requests > 0 {
		o.Conversation = o.Conversation.Add(*t, q.idle)
	}
	if o.Prompt = q.tokens; cold {
		offer := t.OptionFor(t.ChooseLifetime(*o).Lifetime)
		a.sheet.Write, a.sheet.Lifetime = offer.WritePrice, offer.Lifetime
	} else {
		o.Written += q.tokens - q.prefix
		o.CachedRequests++
	}
	o.Requests++
}

// call adds the cost of a summary request.
func (a *biller) call(c SummaryCall) {
	s := a.sheet
	if c.after > 0 {
		s.Lifetime = a.lives[c.after-1]
	}
	price := 1.0
	if c.View && !c.first && s.isWarm(c.idle) {
		price = s.Read
	}
	a.cost += s.withPriceStep(c.Input, c.Input*price) + c.Output*s.Output
}

package replay

import (
	"time"

	"plimsoll/compact/promptcache"
)

// biller computes the cost of a conversation under one price sheet, request after request.
type biller struct {
	sheet     PriceSheet // Write and Lifetime follow the chosen cache lifetime
	cache     promptcache.Cache
	choice    promptcache.ChoiceInput
	lifetimes []time.Duration // cache lifetime of each request
	cost      float64         // tokens at the base price
}

func newBiller(s PriceSheet, evictions promptcache.EvictionSizes) *biller {
	return &biller{sheet: s, choice: promptcache.ChoiceInput{Evictions: evictions}}
}

// request adds the cost of a request.
func (b *biller) request(q sentRequest) {
	b.choose(q)
	if b.sheet.ByBreakpoints {
		b.cost += b.sheet.cachedCost(q.tokens, b.cache.Send(q.breakpoints, q.common, q.idle, b.sheet.Lifetime))
	} else {
		b.cost += b.sheet.requestCost(q)
	}
	b.lifetimes = append(b.lifetimes, b.sheet.Lifetime)
}

// choose selects the cache lifetime, if the sheet offers a choice and the cache holds nothing of the conversation.
func (b *biller) choose(q sentRequest) {
	t := b.sheet.Terms
	if t == nil {
		return
	}
	o := &b.choice
	cold := o.Requests == 0 || b.cache.Cold(q.idle)
	if o.Requests > 0 {
		o.Conversation = o.Conversation.Add(*t, q.idle)
	}
	if o.Prompt = q.tokens; cold {
		offer := t.OptionFor(t.ChooseLifetime(*o).Lifetime)
		b.sheet.Write, b.sheet.Lifetime = offer.WritePrice, offer.Lifetime
	} else {
		o.Written += q.tokens - q.prefix
		o.CachedRequests++
	}
	o.Requests++
}

// call adds the cost of a summary request.
func (b *biller) call(c SummaryCall) {
	s := b.sheet
	if c.after > 0 {
		s.Lifetime = b.lifetimes[c.after-1]
	}
	price := 1.0
	if c.View && !c.first && s.isWarm(c.idle) {
		price = s.Read
	}
	b.cost += s.withPriceStep(c.Input, c.Input*price) + c.Output*s.Output
}

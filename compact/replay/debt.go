package replay

// What is lost has to be looked up, which costs requests. The model is simple, and
// counts every request by itself:
//
//   - Of the messages that hold what a reply needed and its request did not show,
//     those are looked up that hold the most of it, of several the smallest, until
//     all is there. One lookup brings one of them back, at most as much as recall
//     gives at a time.
//   - A lookup is one more request, right behind the one that lacks something: it
//     carries that one, from the provider's cache, and the call and what it gives
//     back, as new input; and the call is output.
//   - What was looked up for one reply is not there for the next one, and is not
//     carried on: the first makes the debt higher than it would be, the second lower.

const (
	lookupCallTokens = 50 // of the call that looks something up

	// What recall gives at a time, in tokens: as many, but no larger part of what is
	// free, and not less than a little.
	maxLookupTokens = 8000
	lookupShare     = 10
	minLookupTokens = 125
)

// lookups are the lookups that bring messages back behind the newest request.
func (r *run) lookups(owed []int32) []lookup {
	var out []lookup
	size := r.requests[len(r.requests)-1].tokens
	for _, m := range owed {
		most := float64(maxLookupTokens)
		if r.set.Window > 0 {
			most = max(minLookupTokens, min(most, (float64(r.set.Window)-size)/lookupShare))
		}
		one := lookup{request: size, returned: min(most, tokens(r.c.messages[m].chars))}
		out = append(out, one)
		size += lookupCallTokens + one.returned
	}
	return out
}

// lookupCost is the cost of lookups, in tokens at the base price.
func (s PriceSheet) lookupCost(lookups []lookup) float64 {
	sum := 0.0
	for _, l := range lookups {
		sum += s.requestCost(sentRequest{tokens: l.request + lookupCallTokens + l.returned, prefix: l.request}) + lookupCallTokens*s.Output
	}
	return sum
}

// lookupMessages is the messages that hold facts, all of them together.
func (s *score) lookupMessages(r *run, lost []int32, before int) []int32 {
	missing := map[int32]bool{}
	holds := map[int32][]int32{} // by message: the facts
	for _, f := range lost {
		if missing[f] {
			continue
		}
		missing[f] = true
		for _, h := range s.holders(f, before) {
			holds[h] = append(holds[h], f)
		}
	}
	var out []int32
	for len(missing) > 0 {
		best, most := int32(-1), 0
		for h, facts := range holds {
			n := 0
			for _, f := range facts {
				if missing[f] {
					n++
				}
			}
			if n == 0 || n < most || n == most && !isBetterLookup(r.c, h, best) {
				continue
			}
			best, most = h, n
		}
		if best < 0 {
			break // held by the prompt alone, which is always there
		}
		for _, f := range holds[best] {
			delete(missing, f)
		}
		out = append(out, best)
	}
	return out
}

// isBetterLookup reports whether one message is to be preferred to another.
func isBetterLookup(c *Conversation, a, b int32) bool {
	if b < 0 {
		return true
	}
	if x, y := c.messages[a].chars, c.messages[b].chars; x != y {
		return x < y
	}
	return a < b
}

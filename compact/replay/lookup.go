package replay

import "cmp"

// Facts that a request lacks are looked up with recall, which costs requests. The model is simple and treats each
// request separately:
//
//   - For the needs of a reply that its request does not show, messages that hold them are looked up until all
//     are found: first the message that holds the most, of equals the smallest. One lookup returns one
//     message, cut to recall's limit.
//   - A lookup is an extra request directly after the original one. It carries that request from the
//     provider's cache, plus the call and its result as new input; the call is output.
//   - A lookup result is not available to later replies, which makes the cost too high, and not carried in later
//     requests, which makes the cost too low.

const (
	lookupCallTokens = 50 // of the recall call

	// Limits of one recall result, in tokens: at most maxLookupTokens and at most one part in lookupShare of the free
	// window, but not less than minLookupTokens.
	maxLookupTokens = 8000
	lookupShare     = 10
	minLookupTokens = 125
)

// lookups returns the lookups of messages, sent after the newest request.
func (r *run) lookups(messages []int32) []lookup {
	var out []lookup
	size := r.requests[len(r.requests)-1].tokens
	for _, m := range messages {
		limit := float64(maxLookupTokens)
		if r.set.Window > 0 {
			limit = max(minLookupTokens, min(limit, (float64(r.set.Window)-size)/lookupShare))
		}
		one := lookup{request: size, returned: min(limit, tokens(r.c.messages[m].chars))}
		out = append(out, one)
		size += lookupCallTokens + one.returned
	}
	return out
}

// lookupCost returns the cost of lookups, in tokens at the base price.
func (s PriceSheet) lookupCost(lookups []lookup) float64 {
	sum := 0.0
	for _, l := range lookups {
		sum += s.requestCost(sentRequest{tokens: l.request + lookupCallTokens + l.returned, prefix: l.request}) + lookupCallTokens*s.Output
	}
	return sum
}

// lookupMessages returns messages that together hold the lost facts. before is the index of the reply: later ones do not count.
func (s *score) lookupMessages(r *run, lost []int32, before int) []int32 {
	missing := map[int32]bool{}
	contained := map[int32][]int32{} // by message: the lost facts in it
	for _, f := range lost {
		if missing[f] {
			continue
		}
		missing[f] = true
		for _, m := range s.messagesWith(f, before) {
			contained[m] = append(contained[m], f)
		}
	}
	var out []int32
	for len(missing) > 0 {
		best, most := int32(-1), 0
		for m, facts := range contained {
			n := 0
			for _, f := range facts {
				if missing[f] {
					n++
				}
			}
			if n > 0 && (best < 0 || cmp.Or(n-most, r.c.messages[best].chars-r.c.messages[m].chars, int(best-m)) > 0) {
				best, most = m, n // the smaller message is preferred, then the earlier one
			}
		}
		if best < 0 {
			break // only the system prompt holds the rest, and it is always sent
		}
		for _, f := range contained[best] {
			delete(missing, f)
		}
		out = append(out, best)
	}
	return out
}

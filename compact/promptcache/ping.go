package promptcache

import (
	"math"
	"time"
)

const pingReply = 5 // price of a token of reply, in tokens at the input price

// PingSaves returns how much a ping is expected to save, in tokens at the input price; below 0 it costs more. A ping is the
// newest request, sent again for one token of reply: reading the cache renews its lifetime. idle is the length of the pause so
// far, kept the lifetime that the cache was written with, and left the time until it expires. The lengths of pauses are assumed
// to follow a power law through the counted shares.
func (t Terms) PingSaves(in ChoiceInput, kept LifetimeOption, idle, left time.Duration) float64 {
	pauses, longPauses := pauseShares(in.User, in.Conversation)
	const ends = 1.0 / minRequestsAhead // conversations that end are not counted; ends adds one for every minRequestsAhead requests
	power := math.Log((pauses+longPauses+ends)/(longPauses+ends)) / math.Log(float64(t.Long.Lifetime)/float64(t.Short.Lifetime))
	lasts := func(d time.Duration) float64 { return math.Pow(float64(idle)/float64(d), power) }
	saved := 0.0
	read := in.Prompt * t.ReadPrice // price of reading the whole prompt from the cache
	if in.Prompt >= MinPromptTokens {
		cold := in.Evictions.atCold(in.Prompt)
		write := cold * kept.WritePrice                                                          // after expiry the program evicts, and writes the rest
		later := (in.Prompt - cold) * t.ReadPrice * min(1/(pauses+longPauses), minRequestsAhead) // then the requests until the next pause read less
		saved = write - read - later
	}
	return (lasts(idle+left)-lasts(idle+kept.Lifetime))*saved - read - pingReply
}

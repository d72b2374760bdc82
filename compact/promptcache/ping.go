package promptcache

import (
	"math"
	"time"
)

// pingReply is the price of a token of reply, in tokens at the input price.
const pingReply = 5

// PingSaves returns how much a ping is expected to save, in tokens at the input price; below 0 it costs more. A ping is the
// newest request, sent again for one token of reply: reading the cache renews its lifetime. The pause has lasted for idle, and
// the cache, written by option kept, expires when left has passed. The lengths of pauses are assumed to follow a power law
// through the counted shares. Pauses without a return are not counted, so that one is added for each conversation.
func (t Terms) PingSaves(o ChoiceInput, kept LifetimeOption, idle, left time.Duration) float64 {
	pauses, longPauses := pauseShares(o.User, o.Conversation)
	const ends = 1.0 / minRequestsAhead
	power := math.Log((pauses+longPauses+ends)/(longPauses+ends)) / math.Log(float64(t.Long.Lifetime)/float64(t.Short.Lifetime))
	lasts := func(d time.Duration) float64 { return math.Pow(float64(idle)/float64(d), power) }
	saved := 0.0
	if o.Prompt >= MinPromptTokens { // with a cold cache the program evicts, and the requests until the next pause read less
		cold := o.Steps.atCold(o.Prompt)
		saved = cold*kept.WritePrice - o.Prompt*t.ReadPrice - (o.Prompt-cold)*t.ReadPrice*min(1/(pauses+longPauses), minRequestsAhead)
	}
	return (lasts(idle+left)-lasts(idle+kept.Lifetime))*saved - o.Prompt*t.ReadPrice - pingReply
}

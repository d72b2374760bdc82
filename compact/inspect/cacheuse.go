package inspect

import (
	"time"

	"plimsoll/conversation"
)

// CacheUse counts the provider's cache reads and writes, in tokens over all requests for replies.
type CacheUse struct {
	Read    int // read from the cache
	Written int // written to the cache, if the provider reports it
	// Expired tokens were cached once and sent again at the full price, because the cache expired in a pause.
	Expired int
}

// CacheUseOf sums the cache use over a log. lives is the cache lifetime of requests that did not ask for one.
func CacheUseOf(log []conversation.Event, lives time.Duration) CacheUse {
	var use CacheUse
	var asked, answered time.Time // when the newest request was triggered, and when the previous one was answered
	var before conversation.Usage
	for i := range log {
		switch b := log[i].Body.(type) {
		case conversation.UserMessage, conversation.ToolResult:
			asked = log[i].Time
		case conversation.Usage:
			if b.Purpose != conversation.PurposeReply || !b.HasPromptCount() {
				continue
			}
			use.Read += max(0, b.Cached)
			use.Written += max(0, b.CacheWrite)
			kept := lives
			if before.CacheTTL > 0 {
				kept = before.CacheTTL
			}
			if before.Model == b.Model && b.Cached >= 0 && asked.Sub(answered) > kept {
				use.Expired += max(0, min(before.Prompt, b.Prompt)-b.Cached)
			}
			before, answered = b, log[i].Time
		}
	}
	return use
}

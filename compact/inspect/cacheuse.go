package inspect

import (
	"time"

	"plimsoll/conversation"
)

// CacheUse is what a provider's cache was good for, in tokens of all requests for replies.
type CacheUse struct {
	Read    int // served from it
	Written int // written to it, as far as the provider says
	// Expired were in it once, and had to be sent again at the full price because it had let go of them in a pause.
	Expired int
}

// CacheUseOf adds up a log. lives is how long the cache keeps what no request asked to keep.
func CacheUseOf(log []conversation.Event, lives time.Duration) CacheUse {
	var use CacheUse
	var asked, answered time.Time // when the newest request was triggered, and the one before it answered
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

package inspect_test

import (
	"testing"
	"time"

	"plimsoll/compact/inspect"
	"plimsoll/conversation"
)

func TestWhatTheCacheWasGoodFor(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	var log []conversation.Event
	add := func(after time.Duration, b conversation.Body) {
		now = now.Add(after)
		log = append(log, conversation.Event{Seq: uint64(len(log) + 1), Time: now, Body: b})
	}
	turn := func(pause time.Duration, u conversation.Usage) {
		add(pause, conversation.UserMessage{Text: "hi"})
		add(10*time.Minute, u) // a long reply is no pause
	}
	turn(0, conversation.Usage{Model: "m", Prompt: 1000, Cached: 0, CacheWrite: 900})
	turn(minute, conversation.Usage{Model: "m", Prompt: 1200, Cached: 900, CacheWrite: 300})
	add(0, conversation.Usage{Model: "m", Purpose: conversation.PurposeSummary, Prompt: 5000, Cached: 5000})
	turn(6*minute, conversation.Usage{Model: "m", Prompt: 1500, Cached: 100, CacheWrite: 1400, CacheTTL: time.Hour})
	turn(50*minute, conversation.Usage{Model: "m", Prompt: 1600, Cached: 1500, CacheWrite: 100, CacheTTL: time.Hour})
	turn(90*minute, conversation.Usage{Model: "other", Prompt: 1700, Cached: 0, CacheWrite: 0})
	turn(0, conversation.Usage{Model: "other", Prompt: -1, Cached: -1, CacheWrite: -1})
	want := inspect.CacheUse{Read: 900 + 100 + 1500, Written: 900 + 300 + 1400 + 100, Expired: 1200 - 100}
	if got := inspect.CacheUseOf(log, 5*minute); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

package promptcache

import (
	"slices"
	"time"

	"plimsoll/compact/projection"
)

// LookbackBlocks is the largest distance, in content blocks, at which the provider finds an older mark before a new one.
const LookbackBlocks = 20

// MinPromptTokens is the smallest prompt that the provider caches, in tokens.
const MinPromptTokens = 1024

// Mark is the position of a cache mark in a request: the messages, content blocks and tokens before it.
type Mark struct {
	Messages, Blocks int
	Tokens           float64
}

// RequestMarks returns the marks of a request. front is the tokens of system prompt and tools; tokens measures a message.
func RequestMarks(messages []projection.Message, front float64, tokens func(*projection.Message) float64) []Mark {
	at := Mark{Tokens: front}
	points := []Mark{at}
	next := 0
	for _, last := range MarkIndexes(messages) {
		for ; next <= last; next++ {
			m := &messages[next]
			at.Messages++
			at.Tokens += tokens(m)
			at.Blocks += len(m.Calls)
			if m.Text != "" || len(m.Calls) == 0 {
				at.Blocks++
			}
		}
		points = append(points, at)
	}
	return points
}

// Cache simulates the cache entries of one conversation at the provider. The zero value is an empty cache.
type Cache struct {
	now     time.Duration // since the first request
	entries []cacheEntry
}

type cacheEntry struct {
	mark     Mark
	lifetime time.Duration
	used     time.Duration // time of the last write or read
}

// Send simulates a request with these marks, sent idle after the previous one. The first common messages of both are the
// same. It returns the tokens read from the cache. Entries that the request writes have the lifetime lives.
func (c *Cache) Send(points []Mark, common int, idle, lives time.Duration) (hit float64) {
	c.now += idle
	c.entries = slices.DeleteFunc(c.entries, func(e cacheEntry) bool { return c.now-e.used > e.lifetime || e.mark.Messages > common })
	found := Mark{}
	for _, e := range c.entries {
		if e.mark.Tokens > found.Tokens && reachable(points, e.mark) {
			found = e.mark
		}
	}
	for _, p := range points {
		i := slices.IndexFunc(c.entries, func(e cacheEntry) bool { return e.mark.Messages == p.Messages })
		switch {
		case p.Tokens < MinPromptTokens:
		case i >= 0:
			c.entries[i].used = c.now
		default:
			c.entries = append(c.entries, cacheEntry{mark: p, lifetime: lives, used: c.now})
		}
	}
	for i := range c.entries {
		if c.entries[i].mark == found {
			c.entries[i].used = c.now
		}
	}
	return found.Tokens
}

func reachable(points []Mark, old Mark) bool {
	return slices.ContainsFunc(points, func(p Mark) bool { return p.Messages >= old.Messages && p.Blocks-old.Blocks <= LookbackBlocks })
}

// Cold reports whether every cache entry has expired when idle time has passed since the newest request.
func (c *Cache) Cold(idle time.Duration) bool {
	return !slices.ContainsFunc(c.entries, func(e cacheEntry) bool { return c.now+idle-e.used <= e.lifetime })
}

package promptcache

import (
	"slices"
	"time"

	"plimsoll/compact/projection"
)

// LookbackBlocks is how many blocks of content before a mark an older one is looked for.
const LookbackBlocks = 20

// MinPromptTokens is the smallest prompt that is cached, in tokens.
const MinPromptTokens = 1024

// Mark is where a request has a mark: behind so many of its messages, blocks of content and tokens.
type Mark struct {
	Messages, Blocks int
	Tokens           float64
}

// RequestMarks are the marks of a request whose prompt and tools have so many tokens, by how many tokens a message has.
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

// Cache is what a provider's cache holds of one conversation. The zero value holds nothing.
type Cache struct {
	now     time.Duration // since it began
	entries []cacheEntry
}

type cacheEntry struct {
	mark     Mark
	lifetime time.Duration
	used     time.Duration // when it was written or read last
}

// Send is a request with these marks, that long after the one before, which it has so many whole messages in common
// with. It returns how many tokens the cache serves. What the request writes is kept for lives.
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

// Cold reports whether a request that long after the newest one would find nothing.
func (c *Cache) Cold(idle time.Duration) bool {
	return !slices.ContainsFunc(c.entries, func(e cacheEntry) bool { return c.now+idle-e.used <= e.lifetime })
}

package promptcache

import (
	"slices"
	"time"

	"plimsoll/compact/projection"
)

// LookbackBlocks is the largest distance, in content blocks, at which the provider finds an older breakpoint before a new one.
const LookbackBlocks = 20

// MinPromptTokens is the smallest prompt that the provider caches, in tokens.
const MinPromptTokens = 1024

// Breakpoint is a position in a request up to which the provider caches it: the messages, content blocks and tokens before it.
type Breakpoint struct {
	Messages, Blocks int
	Tokens           float64
}

// RequestBreakpoints returns the breakpoints of a request. front is the tokens of prompt and tools; tokens measures a message.
func RequestBreakpoints(messages []projection.Message, front float64, tokens func(*projection.Message) float64) []Breakpoint {
	at := Breakpoint{Tokens: front}
	points := []Breakpoint{at}
	next := 0
	for _, last := range BreakpointIndexes(messages) {
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
	breakpoint Breakpoint
	lifetime   time.Duration
	used       time.Duration // time of the last write or read
}

// Send simulates a request with these breakpoints, sent idle after the previous one. The first common messages of both are the
// same. It returns the tokens read from the cache. Entries that the request writes have the lifetime lives.
func (c *Cache) Send(points []Breakpoint, common int, idle, lives time.Duration) (hit float64) {
	c.now += idle
	c.entries = slices.DeleteFunc(c.entries, func(e cacheEntry) bool { return c.now-e.used > e.lifetime || e.breakpoint.Messages > common })
	found := Breakpoint{}
	for _, e := range c.entries {
		if e.breakpoint.Tokens > found.Tokens && reachable(points, e.breakpoint) {
			found = e.breakpoint
		}
	}
	for _, p := range points {
		i := slices.IndexFunc(c.entries, func(e cacheEntry) bool { return e.breakpoint.Messages == p.Messages })
		switch {
		case p.Tokens < MinPromptTokens:
		case i >= 0:
			c.entries[i].used = c.now
		default:
			c.entries = append(c.entries, cacheEntry{breakpoint: p, lifetime: lives, used: c.now})
		}
	}
	for i := range c.entries {
		if c.entries[i].breakpoint == found {
			c.entries[i].used = c.now
		}
	}
	return found.Tokens
}

func reachable(points []Breakpoint, old Breakpoint) bool {
	return slices.ContainsFunc(points, func(p Breakpoint) bool { return p.Messages >= old.Messages && p.Blocks-old.Blocks <= LookbackBlocks })
}

// Cold reports whether every cache entry has expired when idle time has passed since the newest request.
func (c *Cache) Cold(idle time.Duration) bool {
	return !slices.ContainsFunc(c.entries, func(e cacheEntry) bool { return c.now+idle-e.used <= e.lifetime })
}

package demo

import (
	"time"
	"unicode/utf8"
)

// tokenBytes is the size of a token: at most four bytes of whole characters. That is about an English token of a real
// model, and one character of Chinese or Japanese.
const tokenBytes = 4

func pieces(text string) []string {
	var out []string
	for text != "" {
		n := 0
		for n < len(text) {
			_, size := utf8.DecodeRuneInString(text[n:])
			if n > 0 && n+size > tokenBytes {
				break
			}
			n += size
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

func countTokens(text string) int { return len(pieces(text)) }

const (
	cacheBlock    = 64              // tokens: a match has whole blocks only
	cacheLife     = 5 * time.Minute // since a prefix was last used
	cacheCapacity = 16              // prefixes kept
)

// prefixCache imitates a provider's prompt cache. It is not safe for concurrent use.
type prefixCache struct {
	entries []*cachedPrefix // oldest first
}

// cachedPrefix is a prompt with its reply.
type cachedPrefix struct {
	text string
	used time.Time
}

// match returns how many tokens of a prompt are cached: the longest common prefix with an entry that has not expired, in
// whole blocks. The last token is never cached, because the model has to read it to answer.
func (c *prefixCache) match(prompt string, now time.Time) int {
	best, from := 0, &cachedPrefix{}
	for _, e := range c.entries {
		if n := commonPrefix(e.text, prompt); n > best && now.Sub(e.used) <= cacheLife {
			best, from = n, e
		}
	}
	from.used = now
	return min(countTokens(prompt[:best]), countTokens(prompt)-1) / cacheBlock * cacheBlock
}

func (c *prefixCache) store(text string, now time.Time) {
	c.entries = append(c.entries[max(0, len(c.entries)-cacheCapacity+1):], &cachedPrefix{text, now})
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

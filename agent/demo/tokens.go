package demo

import (
	"strings"
	"time"
	"unicode/utf8"
)

// A token is at most four bytes of whole characters: about what English takes
// with real models, and one character of Chinese or Japanese.
const tokenBytes = 4

// nextPiece is the length in bytes of the token that text begins with, 0 only
// for "".
func nextPiece(text string) int {
	n := 0
	for n < len(text) {
		_, size := utf8.DecodeRuneInString(text[n:])
		if n > 0 && n+size > tokenBytes {
			break
		}
		n += size
	}
	return n
}

// pieces cuts text into its tokens; together they are the text.
func pieces(text string) []string {
	var out []string
	for text != "" {
		n := nextPiece(text)
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// countTokens is the number of tokens of text.
func countTokens(text string) int {
	n := 0
	for text != "" {
		text = text[nextPiece(text):]
		n++
	}
	return n
}

// prompt is a request as the model reads it. Marks between messages are bytes
// that no text can contain.
func (r *request) prompt() string {
	var b strings.Builder
	b.Write(r.Tools)
	for _, m := range r.Messages {
		b.WriteString("\xff" + m.Role + "\n" + m.Reasoning + m.Content.Text)
		for _, c := range m.Calls {
			writeCall(&b, c.Function.Name, c.Function.Arguments)
		}
	}
	b.WriteString("\xffassistant\n")
	return b.String()
}

// writeCall writes a call as both a reply and the history hold it.
func writeCall(b *strings.Builder, name, arguments string) {
	b.WriteString("\xff" + name + "\xff" + arguments)
}

const (
	cacheBlock    = 64              // tokens: prefixes match in whole blocks
	cacheLife     = 5 * time.Minute // since a prefix was last used
	cacheCapacity = 16              // prefixes kept
)

// prefixCache remembers what the model has read, as a provider's prompt cache
// does. Not safe for concurrent use.
type prefixCache struct {
	entries []*cachedPrefix // oldest first
}

type cachedPrefix struct {
	text string
	used time.Time
}

// match is how many tokens of a prompt are cached: the longest common prefix
// with an entry that has not expired, in whole blocks, and never the whole
// prompt, because its last token has to be read to answer it.
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

// store remembers a text in place of an entry that it begins with, or of the
// oldest.
func (c *prefixCache) store(text string, now time.Time) {
	kept := c.entries[max(0, len(c.entries)-cacheCapacity+1):]
	c.entries = nil
	for _, e := range kept {
		if !strings.HasPrefix(text, e.text) {
			c.entries = append(c.entries, e)
		}
	}
	c.entries = append(c.entries, &cachedPrefix{text, now})
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

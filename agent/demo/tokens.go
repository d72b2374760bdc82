package demo

import (
	"hash/maphash"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The tokenizer is a rule, not a model's, and averages four characters a token
// in English:
//
//   - letters: pieces of up to 6 in Latin script, of up to 3 in others
//   - Han, Hiragana, Katakana and Hangul: one token a character
//   - digits: pieces of up to 3
//   - other ASCII signs: runs of up to 3 together; any other sign alone
//   - one space joins the letters, digits or signs after it; further white
//     space is one token for up to 8 equal characters
//
// A message costs 4 tokens beside its text, a call 3, the opening of the reply
// 3. The tools are counted as the JSON they were sent as.

// class is what a rune is to the tokenizer.
type class int

const (
	space class = iota
	latin
	letter
	ideograph
	digit
	sign
	other
)

// longest is the most runes of a class in one token.
var longest = [...]int{space: 8, latin: 6, letter: 3, ideograph: 1, digit: 3, sign: 3, other: 1}

func classOf(r rune) class {
	switch {
	case r == ' ', r == '\n', r == '\t', r == '\r':
		return space
	case r >= '0' && r <= '9':
		return digit
	case r < utf8.RuneSelf && !unicode.IsLetter(r):
		return sign
	case r < utf8.RuneSelf, unicode.Is(unicode.Latin, r):
		return latin
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return ideograph
	case unicode.IsLetter(r), unicode.IsMark(r):
		return letter
	case unicode.IsDigit(r):
		return digit
	}
	return other
}

// nextPiece returns the length in bytes of the token that text starts with,
// 0 only for "".
func nextPiece(text string) int {
	first, n := utf8.DecodeRuneInString(text)
	kind, count := classOf(first), 1
	if first == ' ' && n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if c := classOf(r); c != space {
			kind, first, n = c, r, n+size
		}
	}
	for n < len(text) && count < longest[kind] {
		r, size := utf8.DecodeRuneInString(text[n:])
		if classOf(r) != kind || kind == space && r != first {
			break
		}
		n, count = n+size, count+1
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

// countTokens returns the number of tokens of text.
func countTokens(text string) int {
	n := 0
	for text != "" {
		text = text[nextPiece(text):]
		n++
	}
	return n
}

// prompt is a request as the model reads it: one number per token, equal for
// equal tokens.
type prompt struct {
	seed   maphash.Seed
	tokens []uint64
}

func (p *prompt) text(s string) {
	for s != "" {
		n := nextPiece(s)
		p.tokens = append(p.tokens, maphash.String(p.seed, s[:n]))
		s = s[n:]
	}
}

// marks appends control tokens, which no text can contain.
func (p *prompt) marks(names ...string) {
	for _, name := range names {
		p.tokens = append(p.tokens, maphash.String(p.seed, "\x00"+name))
	}
}

func (p *prompt) open(role string) { p.marks("start", role, "newline") }

// calls appends tool calls, as both a reply and the history hold them.
func (p *prompt) calls(calls []wireCall) {
	for _, c := range calls {
		p.marks("call")
		p.text(c.Function.Name)
		p.marks("arguments")
		p.text(c.Function.Arguments)
		p.marks("call end")
	}
}

// tokenize reads a request: system and other messages with the tools after the
// first, then the opening of the reply.
func tokenize(seed maphash.Seed, r *request) prompt {
	p := prompt{seed: seed}
	tools := string(r.toolsJSON)
	for i, m := range r.Messages {
		instructions := m.Role == "system" || m.Role == "developer"
		if tools != "" && (i > 0 || !instructions) {
			p.marks("tools")
			p.text(tools)
			tools = ""
		}
		p.open(m.Role)
		p.text(m.Reasoning)
		p.text(m.Content.Text)
		p.calls(m.Calls)
		p.marks("end")
	}
	if tools != "" {
		p.marks("tools")
		p.text(tools)
	}
	p.open("assistant")
	return p
}

const (
	cacheBlock    = 64              // tokens: prefixes match in whole blocks
	cacheLife     = 5 * time.Minute // since a prefix was last used
	cacheCapacity = 16              // prefixes kept
)

// prefixCache remembers what the model has read, as a provider's prompt cache
// does. Not safe for concurrent use.
type prefixCache struct {
	entries []cachedPrefix // least recently used first
}

type cachedPrefix struct {
	key    string // the client's routing key, "" if it sent none
	tokens []uint64
	used   time.Time
}

// match returns how many tokens of p are cached under key: the longest common
// prefix with an entry that has not expired, in whole blocks, and never the
// whole of p, because the last token has to be read to answer it.
func (c *prefixCache) match(key string, p []uint64, now time.Time) int {
	c.entries = slices.DeleteFunc(c.entries, func(e cachedPrefix) bool { return now.Sub(e.used) > cacheLife })
	best, at := 0, -1
	for i, e := range c.entries {
		if e.key != key {
			continue
		}
		if n := commonPrefix(e.tokens, p); n > best {
			best, at = n, i
		}
	}
	best = min(best, len(p)-1) / cacheBlock * cacheBlock
	if best <= 0 {
		return 0
	}
	c.entries[at].used = now
	return best
}

// store remembers tokens under key. An entry that is a prefix of them is
// replaced.
func (c *prefixCache) store(key string, tokens []uint64, now time.Time) {
	c.entries = slices.DeleteFunc(c.entries, func(e cachedPrefix) bool {
		return e.key == key && len(e.tokens) <= len(tokens) && commonPrefix(e.tokens, tokens) == len(e.tokens)
	})
	c.entries = append(c.entries, cachedPrefix{key: key, tokens: tokens, used: now})
	if len(c.entries) > cacheCapacity {
		c.entries = slices.Delete(c.entries, 0, 1)
	}
}

func commonPrefix(a, b []uint64) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// wordsFor estimates how many English words n tokens are.
func wordsFor(n int) int { return n * 100 / 135 }

// fewer cuts text after n tokens.
func fewer(text string, n int) string {
	rest := text
	for ; n > 0 && rest != ""; n-- {
		rest = rest[nextPiece(rest):]
	}
	return strings.TrimSuffix(text, rest)
}

package permission

import "strings"

// A pattern is text in which * matches any characters, also none, and a backslash makes the
// next character literal.

// verdict is the result of matching a rule with a call that may not be fully known.
type verdict int

const (
	no verdict = iota
	maybe
	yes
)

func when(b bool) verdict {
	if b {
		return yes
	}
	return no
}

// matchStar reports whether a pattern matches all of text. On a mismatch it goes back to
// the last * and lets that match one character more.
func matchStar(pattern, text string) bool {
	star, mark := -1, 0
	p, t := 0, 0
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, t
			p++
			continue
		}
		if n := literalAt(pattern, p); n > 0 && pattern[p+n-1] == text[t] {
			p += n
			t++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, t = star+1, mark
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// literalAt returns the length of the literal at p: 2 if it is escaped, 0 at the end.
func literalAt(pattern string, p int) int {
	switch {
	case p >= len(pattern):
		return 0
	case pattern[p] == '\\' && p+1 < len(pattern):
		return 2
	}
	return 1
}

var starEscapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`)

func escapeStar(text string) string { return starEscapes.Replace(text) }

var globEscapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

func escapeGlob(path string) string { return globEscapes.Replace(path) }

// wildcard reports whether a pattern contains a * that is not escaped.
func wildcard(pattern string) bool { return unescaped(pattern, "*") }

// unescaped reports whether a pattern contains one of chars without a backslash before it.
func unescaped(pattern, chars string) bool {
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' {
			i++
		} else if strings.IndexByte(chars, pattern[i]) >= 0 {
			return true
		}
	}
	return false
}

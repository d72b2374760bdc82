package markdown

import (
	"bytes"
	"strings"
)

// Thousands of *, [ or nested > in one paragraph cost the parser quadratic time. The guard runs before the parser: within
// lines without a blank line between them, delimiters beyond a number that no normal text reaches are replaced, byte for
// byte, by control characters, which sanitised text cannot contain. They are restored when the text is shown, so that
// they are only text. The guard reads each byte once, so the result does not depend on how the text is split into deltas.

const (
	maxDelimiters = 4096 // per run of lines
	maxBullets    = 8192 // * at the beginning of a line, per run of lines
	maxQuotes     = 64   // > per line
)

// guarded lists the delimiters; the one at index i is replaced by the byte i+1.
const guarded = "*_[~>"

type guard struct {
	delimiters int  // so far in this run of lines
	bullets    int  // so far in this run of lines
	quotes     int  // so far on this line
	hasText    bool // this line has characters other than spaces
}

// pass appends text to dst, with excess delimiters replaced.
func (g *guard) pass(dst []byte, text string) []byte {
	for i := range len(text) {
		dst = append(dst, g.byte(text[i]))
	}
	return dst
}

func (g *guard) byte(b byte) byte {
	switch b {
	case '\n':
		if !g.hasText {
			g.delimiters, g.bullets = 0, 0
		}
		g.quotes, g.hasText = 0, false
		return b
	case ' ', '\t':
		return b
	case '>':
		g.hasText = true
		if g.quotes++; g.quotes > maxQuotes {
			return 5
		}
		return b
	case '*', '_', '[', '~':
		first := !g.hasText
		g.hasText = true
		if first && b == '*' {
			if g.bullets++; g.bullets <= maxBullets {
				return b
			}
		}
		if g.delimiters++; g.delimiters > maxDelimiters {
			return byte(strings.IndexByte(guarded, b)) + 1
		}
		return b
	}
	g.hasText = true
	return b
}

// unguard restores the delimiters that the guard replaced.
func unguard(b []byte) []byte {
	i := bytes.IndexAny(b, "\x01\x02\x03\x04\x05")
	if i < 0 {
		return b
	}
	b = bytes.Clone(b)
	for ; i < len(b); i++ {
		if c := int(b[i]); c > 0 && c <= len(guarded) {
			b[i] = guarded[c-1]
		}
	}
	return b
}

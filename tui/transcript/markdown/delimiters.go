package markdown

import (
	"bytes"
	"strings"
)

// Thousands of *, [ or nested > in one paragraph cost the parser quadratic time. The limiter runs before the parser: within
// lines without a blank line between them, delimiters beyond a number that no normal text reaches are replaced, byte for
// byte, by control characters, which sanitised text cannot contain. They are restored when the text is shown, so that
// they are only text. The limiter reads each byte once, so the result does not depend on how the text is split into deltas.

const (
	maxDelimiters = 4096 // per run of lines
	maxBullets    = 8192 // * at the beginning of a line, per run of lines
	maxQuotes     = 64   // > per line
)

// limited lists the delimiters; the one at index i is replaced by the byte i+1.
const limited = "*_[~>"

// delimiterLimiter counts the delimiters of a text that arrives in pieces, and replaces those beyond the limits.
type delimiterLimiter struct {
	delimiters int  // so far in this run of lines
	bullets    int  // so far in this run of lines
	quotes     int  // so far on this line
	hasText    bool // this line has characters other than spaces
}

// appendTo appends text to dst, with excess delimiters replaced.
func (l *delimiterLimiter) appendTo(dst []byte, text string) []byte {
	for i := range len(text) {
		dst = append(dst, l.limit(text[i]))
	}
	return dst
}

func (l *delimiterLimiter) limit(b byte) byte {
	switch b {
	case '\n':
		if !l.hasText {
			l.delimiters, l.bullets = 0, 0
		}
		l.quotes, l.hasText = 0, false
		return b
	case ' ', '\t':
		return b
	case '>':
		l.hasText = true
		if l.quotes++; l.quotes > maxQuotes {
			return 5
		}
		return b
	case '*', '_', '[', '~':
		first := !l.hasText
		l.hasText = true
		if first && b == '*' {
			if l.bullets++; l.bullets <= maxBullets {
				return b
			}
		}
		if l.delimiters++; l.delimiters > maxDelimiters {
			return byte(strings.IndexByte(limited, b)) + 1
		}
		return b
	}
	l.hasText = true
	return b
}

// restoreDelimiters restores the delimiters that the limiter replaced.
func restoreDelimiters(b []byte) []byte {
	i := bytes.IndexAny(b, "\x01\x02\x03\x04\x05")
	if i < 0 {
		return b
	}
	b = bytes.Clone(b)
	for ; i < len(b); i++ {
		if c := int(b[i]); c > 0 && c <= len(limited) {
			b[i] = limited[c-1]
		}
	}
	return b
}

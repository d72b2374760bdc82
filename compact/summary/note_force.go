package summary

import "strings"

// Which sentences of the user bind is told by single words. Every sentence of a long
// conversation may be looked at when a note is written, so it is done in one pass.

// force is how much a sentence binds.
type force int

const (
	noForce force = iota
	prefers       // prefer, use, should, instead, make sure, keep, avoid, no longer; code
	demands       // must, never, always, only, do not; quotes, addresses and numbers
)

// forceOf is how much a sentence binds.
func forceOf(s string) force {
	most := noForce
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			return demands
		case c == '`':
			most = prefers
			i++
		case isWordByte(c):
			n := 1
			for i+n < len(s) && isWordByte(s[i+n]) {
				n++
			}
			if how := wordForce(s[i:i+n], s[i+n:]); how == demands {
				return demands
			} else if how > most {
				most = how
			}
			i += n
		default:
			i++
		}
	}
	return most
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// wordForce is how much a word binds, before the rest of its sentence.
func wordForce(word, rest string) force {
	const longest = len("instead")
	if strings.Trim(word, "0123456789") == "" {
		return demands
	}
	if len(word) > longest {
		return noForce
	}
	follows := func(next string) bool {
		return len(rest) >= len(next) && strings.EqualFold(rest[:len(next)], next) && (len(rest) == len(next) || !isWordByte(rest[len(next)]))
	}
	binds := noForce
	switch strings.ToLower(word) {
	case "must", "never", "always", "only":
		binds = demands
	case "don":
		if follows("'t") || follows("’t") {
			binds = demands
		}
	case "do":
		if follows(" not") {
			binds = demands
		}
	case "http", "https":
		if strings.HasPrefix(rest, "://") {
			binds = demands
		}
	case "prefer", "use", "should", "instead", "keep", "avoid":
		binds = prefers
	case "make":
		if follows(" sure") {
			binds = prefers
		}
	case "no":
		if follows(" longer") {
			binds = prefers
		}
	}
	return binds
}

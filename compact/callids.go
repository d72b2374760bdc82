package compact

import (
	"crypto/sha256"
	"math/big"
	"strconv"
)

// callIDs gives calls the ids they have in one request: unique, and of the
// form the endpoint takes. The same view always gives the same ids.
type callIDs struct {
	form CallIDForm
	used map[string]bool
}

func newCallIDs(form CallIDForm) *callIDs {
	return &callIDs{form: form, used: map[string]bool{}}
}

// maxCallID is the longest id OpenAI and Anthropic take.
const maxCallID = 64

// next returns the id for a call that the log knows as id.
func (c *callIDs) next(id string) string {
	out := id
	for n := 0; c.used[out] || !c.valid(out); n++ {
		out = shortID(id + "#" + strconv.Itoa(n))
	}
	c.used[out] = true
	return out
}

func (c *callIDs) valid(id string) bool {
	if c.form == CallIDMistral {
		return len(id) == 9 && onlyIDChars(id, false)
	}
	return id != "" && len(id) <= maxCallID && onlyIDChars(id, true)
}

func onlyIDChars(id string, punct bool) bool {
	for i := range len(id) {
		switch b := id[i]; {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9':
		case punct && (b == '_' || b == '-'):
		default:
			return false
		}
	}
	return true
}

// shortID is nine base-62 characters made from text: a form every endpoint
// takes (Mistral: exactly 9 of [A-Za-z0-9]).
func shortID(text string) string {
	const digits = "000000000"
	sum := sha256.Sum256([]byte(text))
	s := digits + new(big.Int).SetBytes(sum[:8]).Text(62)
	return s[len(s)-len(digits):]
}

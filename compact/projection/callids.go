package projection

import (
	"crypto/sha256"
	"math/big"
	"strconv"
)

// callIDs gives calls the ids they have in one request: unique, and of the
// form the endpoint takes. The same view always gives the same ids.
type callIDs struct {
	form  CallIDForm
	used  map[string]bool
	tried map[string]int // substitutes made for an id: servers exist that give every call the same one
}

func newCallIDs(form CallIDForm) *callIDs {
	return &callIDs{form: form, used: map[string]bool{}, tried: map[string]int{}}
}

// MaxCallID is the longest id, and name of a tool, OpenAI and Anthropic take.
const MaxCallID = 64

func (c *callIDs) next(id string) string {
	out := id
	for c.used[out] || !c.valid(out) {
		out = shortID(id + "#" + strconv.Itoa(c.tried[id]))
		c.tried[id]++
	}
	c.used[out] = true
	return out
}

func (c *callIDs) valid(id string) bool {
	if c.form == CallIDMistral {
		return len(id) == 9 && onlyIDChars(id, false)
	}
	return id != "" && len(id) <= MaxCallID && onlyIDChars(id, true)
}

func onlyIDChars(id string, punct bool) bool {
	for i := range len(id) {
		if !idChar(id[i], punct) {
			return false
		}
	}
	return true
}

func idChar(b byte, punct bool) bool {
	switch {
	case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9':
		return true
	}
	return punct && (b == '_' || b == '-')
}

// ToolName is the name of a call as every endpoint takes it: at most 64 of
// [A-Za-z0-9_-]. Models call tools that do not exist by names such as
// multi_tool_use.parallel, and a request whose history holds one is refused.
func ToolName(name string) string {
	if name != "" && len(name) <= MaxCallID && onlyIDChars(name, true) {
		return name
	}
	out := []byte(name[:min(len(name), MaxCallID)])
	for i, b := range out {
		if !idChar(b, true) {
			out[i] = '_'
		}
	}
	if len(out) == 0 {
		return "unnamed"
	}
	return string(out)
}

// shortID is nine base-62 characters made from text: a form every endpoint
// takes (Mistral: exactly 9 of [A-Za-z0-9]).
func shortID(text string) string {
	const digits = "000000000"
	sum := sha256.Sum256([]byte(text))
	s := digits + new(big.Int).SetBytes(sum[:8]).Text(62)
	return s[len(s)-len(digits):]
}

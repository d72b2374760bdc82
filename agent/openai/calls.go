package openai

import (
	"crypto/rand"
	"encoding/json"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// Tool calls as they stream. Servers differ in how they say which call a piece
// belongs to:
//
//   - with an index (OpenAI, llama.cpp); a new id and a name under an index
//     that is taken is another call, a new id alone is noise
//   - without one: a known id continues its call, a new id or a name begins
//     one, arguments alone continue the last
//   - whole calls in one piece (Ollama, Gemini); ids may be repeated or missing
//
// A call is announced with its id and its whole name when its arguments begin,
// because some servers send names in pieces. Calls are announced in order: where
// one has no name yet, those behind it wait, at most until the reply ends.

// Limits that no real reply reaches.
const (
	maxCalls = 512
	maxName  = 256
)

// assembler gives the calls of one reply their own indices and ids.
type assembler struct {
	calls   []*call
	taken   map[string]bool // ids of this conversation that must not come again
	newID   func() string
	tooMany bool // more than maxCalls came
}

type call struct {
	index     int // the server's, -1 without one
	id        string
	serverID  string
	name      string
	args      []byte
	extra     conversation.RawJSON
	announced bool
	yielded   int // bytes of args that were yielded
}

func newAssembler(taken map[string]bool) *assembler {
	return &assembler{taken: taken, newID: randomID}
}

func (a *assembler) add(pieces []callDelta) []llm.CallDelta {
	var out []llm.CallDelta
	for _, p := range pieces {
		i := a.find(p)
		c := a.calls[i]
		c.addName(string(p.Function.Name))
		c.args = append(c.args, p.Function.Arguments...)
		if len(p.Extra) > 0 && string(p.Extra) != "null" {
			c.extra = p.Extra
		}
		if len(c.args) > 0 && c.name != "" && a.isNext(i) {
			if d, ok := c.yield(i); ok {
				out = append(out, d)
			}
		}
	}
	return out
}

func (a *assembler) isNext(i int) bool { return i == 0 || a.calls[i-1].announced }

func (a *assembler) rest() []llm.CallDelta {
	var out []llm.CallDelta
	for i, c := range a.calls {
		if d, ok := c.yield(i); ok {
			out = append(out, d)
		}
	}
	return out
}

// whole reports whether there are calls and the arguments of each are
// complete.
func (a *assembler) whole() bool {
	for _, c := range a.calls {
		if c.name == "" || len(c.args) > 0 && !json.Valid(c.args) {
			return false
		}
	}
	return len(a.calls) > 0
}

func (a *assembler) find(p callDelta) int {
	id, name := string(p.ID), p.Function.Name
	last := len(a.calls) - 1
	if p.Index != nil {
		for i := last; i >= 0; i-- {
			c := a.calls[i]
			if c.index != *p.Index {
				continue
			}
			if id != "" && c.serverID != "" && id != c.serverID && name != "" {
				break
			}
			return i
		}
		return a.begin(*p.Index, id)
	}
	if id != "" {
		for i := last; i >= 0; i-- {
			if a.calls[i].serverID == id {
				return i
			}
		}
		return a.begin(-1, id)
	}
	if last < 0 || name != "" {
		return a.begin(-1, "")
	}
	return last
}

// begin makes a call with an id that is unique in the conversation.
func (a *assembler) begin(index int, serverID string) int {
	if len(a.calls) >= maxCalls {
		a.tooMany = true
		return maxCalls - 1
	}
	id := serverID
	for id == "" || a.taken[id] {
		id = a.newID()
	}
	a.taken[id] = true
	a.calls = append(a.calls, &call{index: index, id: id, serverID: serverID})
	return len(a.calls) - 1
}

// addName appends a piece of the name; a name repeated, or coming behind
// arguments, adds nothing.
func (c *call) addName(piece string) {
	if piece == "" || piece == c.name || len(c.name) > maxName || c.announced || len(c.args) > 0 && c.name != "" {
		return
	}
	c.name += piece
}

func (c *call) yield(i int) (llm.CallDelta, bool) {
	d := llm.CallDelta{Index: i, Arguments: string(c.args[c.yielded:]), Extra: c.extra}
	if !c.announced {
		d.ID, d.Name = c.id, c.name
	} else if d.Arguments == "" && len(d.Extra) == 0 {
		return d, false
	}
	c.announced, c.yielded, c.extra = true, len(c.args), nil
	return d, true
}

// randomID is a call id for a server that gives none: nine letters and digits,
// the only form every provider takes.
func randomID() string { return rand.Text()[:9] }

package openai

import (
	"crypto/rand"
	"encoding/json"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// Streamed tool calls. Servers differ in how they mark the call that a piece belongs to:
//
//   - with an index (OpenAI, llama.cpp); a new id together with a name under a used index
//     begins another call, a new id alone is ignored
//   - without an index: a known id continues its call, a new id or a name begins a call,
//     arguments alone continue the last call
//   - whole calls in one piece (Ollama, Gemini); ids may repeat or be missing
//
// A call is yielded with its id and its whole name once its arguments begin, because some servers send names in pieces.
// Calls are yielded in order: a call without a name delays the calls after it, at most until the reply ends.

// Limits that no real reply reaches.
const (
	maxCalls = 512
	maxName  = 256
)

// assembler joins pieces into the tool calls of one reply, and gives each call its own index and id.
type assembler struct {
	calls   []*call
	usedIDs map[string]bool // ids that are already used in this conversation
	tooMany bool            // the server sent more than maxCalls
}

type call struct {
	index     int // the server's, -1 if it sends none
	id        string
	serverID  string
	name      string
	args      []byte
	extra     conversation.RawJSON // the provider's own fields, which go back with the call
	announced bool
	yielded   int // bytes of args already yielded
}

func newAssembler(usedIDs map[string]bool) *assembler {
	return &assembler{usedIDs: usedIDs}
}

// add takes new pieces, and returns what can be yielded of the calls.
func (a *assembler) add(pieces []callDelta) []llm.CallDelta {
	var out []llm.CallDelta
	for _, p := range pieces {
		i := a.findOrBegin(p)
		c := a.calls[i]
		c.addName(string(p.Function.Name))
		c.args = append(c.args, p.Function.Arguments...)
		if isSet(p.Extra) {
			c.extra = p.Extra
		}
		isNext := i == 0 || a.calls[i-1].announced
		if len(c.args) > 0 && c.name != "" && isNext {
			if d, ok := c.yield(i); ok {
				out = append(out, d)
			}
		}
	}
	return out
}

// flush returns all that was not yielded yet. It is called when the reply ends.
func (a *assembler) flush() []llm.CallDelta {
	var out []llm.CallDelta
	for i, c := range a.calls {
		if d, ok := c.yield(i); ok {
			out = append(out, d)
		}
	}
	return out
}

// areComplete reports whether there are calls, each with a name and complete arguments.
func (a *assembler) areComplete() bool {
	for _, c := range a.calls {
		if c.name == "" || len(c.args) > 0 && !json.Valid(c.args) {
			return false
		}
	}
	return len(a.calls) > 0
}

// findOrBegin returns the number of the call that a piece belongs to. It begins a call if the piece belongs to none so far.
func (a *assembler) findOrBegin(p callDelta) int {
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
	for id == "" || a.usedIDs[id] {
		id = rand.Text()[:9] // nine letters and digits, which every provider accepts
	}
	a.usedIDs[id] = true
	a.calls = append(a.calls, &call{index: index, id: id, serverID: serverID})
	return len(a.calls) - 1
}

// addName appends a piece of the name. It ignores a repeated name, and a name after arguments.
func (c *call) addName(piece string) {
	if piece == "" || piece == c.name || len(c.name) > maxName || c.announced || len(c.args) > 0 && c.name != "" {
		return
	}
	c.name += piece
}

// yield returns what was not yielded of call number i, false if that is nothing.
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

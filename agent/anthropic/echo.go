package anthropic

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash"
	"slices"
	"strconv"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Thinking is signed: it goes back as it came, where it stood between text and calls, or not at all. A reply's extras
// keep the order of its content: thinking whole, texts by their length, calls by their id.
//
// Newer models bind it as well: a server refuses thinking where system prompt, tools or any message in front of it are not
// what they were when it was made, or where thinking between others is left out. The first may be left out. So a reply's
// extras also name its past: a hash of all that stood in front, thinking aside, and the thinking directly in front of it.
// A request carries the newest thinking whose past is what it was, the thinking in front of that, and so on.

// The names under which extras keep that order, the past, and the route a reply came by. None is sent.
const (
	contentExtra = "anthropic_content"
	routeExtra   = "anthropic_route"
	pastExtra    = "anthropic_past"
)

// Past is what the thinking of a reply is bound to.
type Past struct {
	Prefix  string `json:"prefix"`            // hash of what stands in front of the reply, thinking aside
	Follows string `json:"follows,omitempty"` // prefix of the reply whose thinking is directly in front, "" if there is none
}

type digest struct{ hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

// mix adds texts, so that none can pass for several.
func (d digest) mix(texts ...string) {
	for _, text := range texts {
		// A hash takes everything.
		_, _ = d.Write(binary.AppendUvarint(nil, uint64(len(text))))
		_, _ = d.Write([]byte(text))
	}
}

func (d digest) content(content []any) {
	for _, c := range content {
		if b, ok := c.(*block); ok {
			d.mix(b.Type, b.Text, b.ID, b.Name, string(b.Input), b.ToolUseID, b.Content, strconv.FormatBool(b.IsError))
		}
	}
}

func (d digest) prefix() string { return base64.RawStdEncoding.EncodeToString(d.Sum(nil)[:18]) }

// thought is a reply of a request that has thinking which may go back.
type thought struct {
	Past
	index   int    // of its message in the request
	message int    // of the message that is sent
	now     string // Prefix as it is in this request
	hidden  bool   // a compaction hides it
}

// think takes down that a reply has thinking which may go back. It reports false if nobody knows what that is bound to.
func (w *writer) think(i int, m *projection.Message) bool {
	t := thought{index: i, message: len(w.out), now: w.front.prefix(), hidden: m.Stripped}
	if json.Unmarshal(m.Extras[pastExtra], &t.Past) != nil {
		return false
	}
	w.thoughts = append(w.thoughts, t)
	return true
}

func isThinking(c any) bool {
	_, raw := c.(conversation.RawJSON)
	return raw
}

// bind leaves out the thinking that is not bound to what stands in front of it in this request.
func (w *writer) bind() {
	var carried []thought // the newest first
	kept := map[int]bool{}
	for _, t := range slices.Backward(w.thoughts) {
		switch n := len(carried); {
		case n == 0 && (t.Prefix != t.now || t.hidden), n > 0 && t.Prefix != carried[n-1].Follows:
			continue
		}
		if t.Prefix != t.now || t.hidden {
			break
		}
		carried = append(carried, t)
	}
	for _, t := range carried {
		kept[t.message] = true
	}
	for _, t := range w.thoughts {
		if m := &w.out[t.message]; kept[t.message] {
			w.carried = append(w.carried, t.index)
		} else {
			m.Content = slices.DeleteFunc(m.Content, isThinking)
		}
	}
	w.past = Past{Prefix: w.front.prefix()}
	if len(carried) > 0 {
		w.past.Follows = carried[0].Prefix
	}
}

type piece struct {
	Raw  conversation.RawJSON `json:"raw,omitempty"`  // goes back as it came
	Text int                  `json:"text,omitempty"` // bytes of the message's text
	// Blank is bytes of the message's text that stay behind, as the API refuses a block without words.
	Blank int    `json:"blank,omitempty"`
	Call  string `json:"call,omitempty"` // id
}

// extras are the fields to keep with a reply; nil where text and calls say it all.
func extras(pieces []piece, route string, past Past) map[string]conversation.RawJSON {
	signed := false
	for _, p := range pieces {
		signed = signed || len(p.Raw) > 0
	}
	if !signed {
		return nil
	}
	content, err := conversation.EncodeJSON(pieces)
	if err != nil {
		return nil // its raw pieces were decoded from JSON
	}
	name, err := json.Marshal(route)
	if err != nil {
		return nil // a string always has a JSON form
	}
	all := map[string]conversation.RawJSON{contentExtra: content, routeExtra: name}
	if past.Prefix != "" {
		if all[pastExtra], err = conversation.EncodeJSON(past); err != nil {
			return nil // as above
		}
	}
	return all
}

func cameBy(m *projection.Message, route string) bool {
	var from string
	return json.Unmarshal(m.Extras[routeExtra], &from) == nil && from == route
}

// echoed is the content of a reply as it came, false where its text or its calls are not what they were.
func echoed(m *projection.Message) ([]any, bool) {
	var pieces []piece
	if json.Unmarshal(m.Extras[contentExtra], &pieces) != nil {
		return nil, false
	}
	text, calls := m.Text, m.Calls
	var content []any
	for _, p := range pieces {
		switch {
		case len(p.Raw) > 0:
			content = append(content, p.Raw)
		case p.Blank > 0: // where all of the text is blank, hardening left it out
			text = text[min(p.Blank, len(text)):]
		case p.Text > 0:
			if p.Text > len(text) {
				return nil, false
			}
			content = append(content, &block{Type: "text", Text: text[:p.Text]})
			text = text[p.Text:]
		default:
			if len(calls) == 0 || calls[0].ID != p.Call {
				return nil, false
			}
			content = append(content, call(calls[0]))
			calls = calls[1:]
		}
	}
	return content, text == "" && len(calls) == 0
}

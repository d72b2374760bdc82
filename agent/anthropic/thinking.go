package anthropic

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash"
	"slices"
	"strconv"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// The server signs each block of thinking. It is sent back unchanged, in its place between text and calls, or not at all. A
// reply's extras, the fields that are stored with it for the server alone, keep the order of its blocks: thinking stands there
// whole, a text as its length and a call as its id, since the log has these already.
//
// Newer models also bind it: a server refuses thinking if the system prompt, the tools or any earlier message changed
// since, or if thinking between two other blocks of thinking is left out. The oldest thinking may be left out. So a
// reply's extras also record what its thinking is bound to: a hash of all that came before it except thinking, and the
// thinking directly before it. A request carries the newest thinking whose binding holds, and the chain before it.

// Keys of the extras with the order of the content, the model of a reply (provider/id), and its binding. None is sent.
const (
	contentExtra = "anthropic_content"
	modelExtra   = "anthropic_route"
	bindingExtra = "anthropic_past"
)

// Binding is what the thinking of a reply is bound to.
type Binding struct {
	Prefix  string `json:"prefix"`            // hash of all that comes before the reply, except thinking
	Follows string `json:"follows,omitempty"` // Prefix of the last earlier reply whose thinking was sent, "" for none
}

// digest hashes the beginning of a request.
type digest struct{ hash.Hash }

// mix adds texts with their lengths, so that other texts do not give the same hash.
func (d digest) mix(texts ...string) {
	for _, text := range texts {
		// Writing to a hash never fails.
		_, _ = d.Write(binary.AppendUvarint(nil, uint64(len(text))))
		_, _ = d.Write([]byte(text))
	}
}

// content adds the content of a message, except thinking.
func (d digest) content(content []any) {
	for _, c := range content {
		if b, ok := c.(*block); ok {
			text, _ := b.Content.(string)
			d.mix(b.Type, b.Text, b.ID, b.Name, string(b.Input), b.ToolUseID, text, strconv.FormatBool(b.IsError))
			if parts, ok := b.Content.([]any); ok {
				d.content(parts)
			}
			if b.Source != nil {
				d.mix(b.Source.Media, b.Source.blob)
			}
		}
	}
}

func (d digest) prefix() string { return base64.RawStdEncoding.EncodeToString(d.Sum(nil)[:18]) }

// replyThinking is the thinking of one reply in a request, which may go back.
type replyThinking struct {
	Binding
	index    int    // of the reply in the conversation
	message  int    // of the reply in the body
	now      string // Prefix as this request would give it
	stripped bool   // a compaction strips the thinking
}

// noteThinking notes the thinking of a reply. It returns false if the reply does not record what its thinking is bound to.
func (w *writer) noteThinking(i int, m *projection.Message) bool {
	t := replyThinking{index: i, message: len(w.out), now: w.digest.prefix(), stripped: m.ReasoningStripped}
	if json.Unmarshal(m.Extras[bindingExtra], &t.Binding) != nil {
		return false
	}
	w.thinking = append(w.thinking, t)
	return true
}

// isThinking reports whether a content block is thinking: only that is kept as raw JSON.
func isThinking(c any) bool {
	_, raw := c.(conversation.RawJSON)
	return raw
}

// dropUnboundThinking removes the thinking whose binding does not hold in this request.
func (w *writer) dropUnboundThinking() {
	var sent []replyThinking // the newest first
	kept := map[int]bool{}
	for _, t := range slices.Backward(w.thinking) {
		switch n := len(sent); {
		case n == 0 && (t.Prefix != t.now || t.stripped), n > 0 && t.Prefix != sent[n-1].Follows:
			continue
		}
		if t.Prefix != t.now || t.stripped {
			break
		}
		sent = append(sent, t)
		kept[t.message] = true
	}
	for _, t := range w.thinking {
		if m := &w.out[t.message]; kept[t.message] {
			w.withThinking = append(w.withThinking, t.index)
		} else {
			m.Content = slices.DeleteFunc(m.Content, isThinking)
		}
	}
	w.binding = Binding{Prefix: w.digest.prefix()}
	if len(sent) > 0 {
		w.binding.Follows = sent[0].Prefix
	}
}

// piece is one block of a reply's content. The message holds the text, so a piece has only its length.
type piece struct {
	Raw   conversation.RawJSON `json:"raw,omitempty"`   // sent back unchanged
	Text  int                  `json:"text,omitempty"`  // bytes of the message's text
	Blank int                  `json:"blank,omitempty"` // bytes of white space in that text, which the API refuses as a block
	Call  string               `json:"call,omitempty"`  // id of a call
}

// extrasOf returns the fields to keep with a reply, nil if its text and its calls are enough.
func extrasOf(pieces []piece, modelName string, binding Binding) map[string]conversation.RawJSON {
	if !slices.ContainsFunc(pieces, func(p piece) bool { return len(p.Raw) > 0 }) {
		return nil
	}
	all := map[string]conversation.RawJSON{} // strings, and pieces that were decoded from JSON, always have a JSON form
	all[contentExtra], _ = conversation.EncodeJSON(pieces)
	all[modelExtra], _ = conversation.EncodeJSON(modelName)
	if binding.Prefix != "" {
		all[bindingExtra], _ = conversation.EncodeJSON(binding)
	}
	return all
}

func cameFrom(m *projection.Message, modelName string) bool {
	var from string
	return json.Unmarshal(m.Extras[modelExtra], &from) == nil && from == modelName
}

// originalContent returns the content of a reply as it came, false if its text or its calls have changed.
func originalContent(m *projection.Message) ([]any, bool) {
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
		case p.Blank > 0: // a text that is blank as a whole was removed before
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

package adachsoft

import (
	"slices"

	"plimsoll/compact/ordered"
)

// Identity dedup (ADA): of calls that mean the same, only the newest keeps its
// large fields. Rules:
//
//   - Calls mean the same when tool and identifier fields agree; of a tool
//     without identifier fields all calls do.
//   - The log is read from the end, in a message first the results, then the
//     calls, the last of each first. What of a group is met first stays whole,
//     and with it the call and results of its id; the rest of the group is
//     compacted.
//   - Whatever cannot be read, encoded or placed stays as it is. Nothing panics
//     and nothing given is changed.

const (
	toolOnlyIdentity = "__tool_only__" // ADA: identity of calls without identifier fields
	roleTool         = "tool"
)

// Message is one message as identity dedup sees it (ADA's
// ConversationMessageDto). Content without text stands for none.
type Message struct {
	Role    string // "tool" for one with results
	Content string
	Calls   []Call
	Results []Result
}

// Call is a call of a tool (ADA's ToolCallDto).
type Call struct {
	ID        string
	Tool      string
	Arguments ordered.Object
}

// Result is what a call with the same id gave (ADA's ToolCallResultDto).
type Result struct {
	ID     string
	Tool   string
	Result ordered.Object
}

// Dedupe returns the same messages in the same order, with fields over the
// limits omitted from all but the newest call of each group and its result. A
// message of role tool of which a result was compacted has a placeholder for
// its content, about the first of them. It is pure: what it does not change it
// shares with the messages given. Doing it again changes nothing further.
//
// Within a message the last call or result is
// the newest. The result of a call that is not in the messages has no group
// and stays.
func Dedupe(messages []Message, p Params) []Message {
	s := newDeduper(messages, p)
	out := slices.Clone(messages)
	for i := len(out) - 1; i >= 0; i-- {
		s.reduceMessage(&out[i])
	}
	return out
}

type deduper struct {
	params    Params
	excluded  map[string]bool
	groups    map[string]string // by call id; calls that are left alone are absent
	seen      map[string]bool   // groups met so far
	protected map[string]bool   // ids of calls that stay whole
}

func newDeduper(messages []Message, p Params) *deduper {
	s := &deduper{
		params: p, excluded: map[string]bool{}, groups: map[string]string{}, seen: map[string]bool{}, protected: map[string]bool{},
	}
	for _, tool := range p.ExcludedTools {
		s.excluded[tool] = true
	}
	for _, m := range messages {
		for _, c := range m.Calls {
			if group, ok := s.groupKey(c); ok {
				s.groups[c.ID] = group
			}
		}
	}
	return s
}

// groupKey is ADA's IdentifierGroupKey of a call; false for one that is left
// alone, because its tool is excluded or its identifiers cannot be encoded.
func (s *deduper) groupKey(c Call) (string, bool) {
	if s.excluded[c.Tool] {
		return "", false
	}
	fields := s.params.ToolIdentifierFields[c.Tool]
	if len(fields) == 0 {
		return c.Tool + "|" + toolOnlyIdentity, true
	}
	key := append([]byte(c.Tool), "|{"...)
	for i, name := range fields {
		if i > 0 {
			key = append(key, ',')
		}
		key = append(appendPHPString(key, name), ':')
		value := phpValue{kind: phpNull}
		if raw, present := c.Arguments.Get(name); present {
			var ok bool
			if value, ok = readPHP(raw); !ok {
				return "", false
			}
		}
		var ok bool
		if key, ok = value.appendJSON(key); !ok {
			return "", false
		}
	}
	return string(append(key, '}')), true
}

func (s *deduper) reduceMessage(m *Message) {
	results := slices.Clone(m.Results)
	first := -1
	for i := len(results) - 1; i >= 0; i-- {
		r := &results[i]
		group, known := s.groups[r.ID]
		if !known || s.excluded[r.Tool] || s.staysWhole(r.ID, group) {
			continue
		}
		if reduced, ok := compactOutput(r.Result, s.params.OutputTrimBytes); ok {
			r.Result, first = reduced, i
		}
	}
	calls := slices.Clone(m.Calls)
	for i := len(calls) - 1; i >= 0; i-- {
		c := &calls[i]
		group, ok := s.groupKey(*c)
		if !ok || s.staysWhole(c.ID, group) {
			continue
		}
		if reduced, ok := compactInput(c.Arguments, s.params.InputTrimBytes, s.params.ToolIdentifierFields[c.Tool]); ok {
			c.Arguments = reduced
		}
	}
	m.Results, m.Calls = results, calls
	if first >= 0 && m.Role == roleTool {
		m.Content = Stub(results[first].Tool, results[first].ID)
	}
}

// staysWhole reports whether the call or result of an id is part of the newest
// occurrence of its group, and protects it if it is the first one met. That a
// protected id also covers results matters only where a log has a result
// before its call: the occurrence stays whole on both sides.
func (s *deduper) staysWhole(id, group string) bool {
	if s.protected[id] {
		return true
	}
	if s.seen[group] {
		return false
	}
	s.seen[group], s.protected[id] = true, true
	return true
}

// Stub is ADA's text in place of a result of which fields were
// omitted.
func Stub(tool, callID string) string {
	return "[tool_compaction] Tool result compacted for tool=" + tool + ", callId=" + callID + ". Large fields omitted."
}

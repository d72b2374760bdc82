package adachsoft

import (
	"slices"

	"plimsoll/compact/ordered"
)

// Dedupe finds repeated calls: of repeated calls, only the newest keeps its large fields. Rules:
//
//   - Calls are repeats if tool and identifier fields are equal. Without identifier fields, all calls of a
//     tool are repeats.
//   - Messages are read from the last to the first; within a message results before calls, and each list from
//     its end. The first member of a group in this order stays whole, with the call and results of its id; the
//     rest of the group is reduced.
//   - A payload that cannot be parsed, encoded or assigned to a group stays unchanged. Nothing panics and no
//     input is changed.

const (
	toolOnlyIdentity = "__tool_only__" // adachsoft: identity of calls without identifier fields
	roleTool         = "tool"
)

// Message is one message in Dedupe's input (adachsoft's ConversationMessageDto). Empty Content means no content.
type Message struct {
	Role    string // "tool" for a message with results
	Content string
	Calls   []Call
	Results []Result
}

// Call is a tool call (adachsoft's ToolCallDto).
type Call struct {
	ID        string
	Tool      string
	Arguments ordered.Object
}

// Result is the result of the call with the same id (adachsoft's ToolCallResultDto).
type Result struct {
	ID     string
	Tool   string
	Result ordered.Object
}

// Dedupe returns the same messages in the same order, with fields over the limits omitted from all but the newest
// call of each group and its result. If a result in a message of role tool was reduced, a placeholder about the first
// reduced result becomes the content. Dedupe is pure: unchanged parts are shared with the input. A second run changes
// nothing.
//
// Within a message the last call or result is the newest. A result whose call is missing has no group and stays.
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
	groups    map[string]string // by call id; calls that are never reduced are absent
	seen      map[string]bool   // groups found so far
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

// groupKey returns adachsoft's IdentifierGroupKey of a call; false if the call is never reduced, because its tool is
// excluded or its identifiers cannot be encoded.
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

// staysWhole reports whether a call or result belongs to the newest member of its group. The first member found
// becomes protected by its id, for its call and its results. That matters only if a log has a result before its call:
// both still stay whole.
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

// Stub returns adachsoft's text that replaces a reduced result.
func Stub(tool, callID string) string {
	return "[tool_compaction] Tool result compacted for tool=" + tool + ", callId=" + callID + ". Large fields omitted."
}

package projection

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"plimsoll/compact/ordered"
	"plimsoll/conversation"
)

func (p *projector) reduce(i int, m *Message) {
	switch m.Role {
	case RoleAssistant:
		reduceReply(m, &p.by[i])
	case RoleTool:
		p.reduceResult(i, m)
	}
}

func reduceReply(m *Message, d *decision) {
	if d.thought != nil && m.Reasoning != "" {
		stripReasoning(m, d.thought.seq)
	}
	if len(m.Calls) == 0 || d.calls == nil && d.caps == nil {
		return
	}
	said := m.Calls
	for k, c := range said {
		args, overlay, state := d.arguments(c)
		if overlay == 0 {
			continue
		}
		if &m.Calls[0] == &said[0] {
			m.Calls = slices.Clone(said) // events are never changed
		}
		m.Calls[k].Arguments = args
		m.Calls[k].Size = conversation.Measure(c.Name).Plus(conversation.Measure(args))
		m.Overlay = max(m.Overlay, overlay)
		if m.State != StateMasked {
			m.State = state
		}
		m.Why = "arguments are shortened"
	}
}

// arguments is how overlays have the arguments of a call, with the one that
// decided; 0 if they stay.
func (d *decision) arguments(c conversation.ToolCall) (args string, overlay uint64, state State) {
	if how := d.argumentsOf(c.ID); how != nil {
		if args := reducedArguments(c.Arguments, how); args != c.Arguments {
			return args, how.seq, StateMasked
		}
		return "", 0, ""
	}
	chars := utf8.RuneCountInString(c.Arguments)
	for _, one := range d.caps {
		if one.call != c.ID {
			continue
		}
		short := cappedArguments(c.Arguments, one.cut)
		n := utf8.RuneCountInString(short)
		if short != "" && (n < chars || n == chars && overlay != 0) {
			args, chars, overlay, state = short, n, one.seq, StateCapped
		}
	}
	return args, overlay, state
}

// stripReasoning hides reasoning. With calls it stays at hand, because some
// endpoints refuse a request without it: hardening decides.
func stripReasoning(m *Message, overlay uint64) {
	m.Overlay, m.State, m.Why = max(m.Overlay, overlay), StateMasked, "reasoning is not sent"
	if m.Stripped = true; len(m.Calls) > 0 {
		return
	}
	m.Reasoning, m.ReasoningSize = "", conversation.Size{}
}

func reducedArguments(args string, how *masking) string {
	if shorten := how.words.Arguments; shorten != nil {
		return shorten(args, how.fields, how.threshold)
	}
	return EmptyArguments
}

// cappedArguments is arguments whose long texts show their ends only; "" if
// none is long. They remain an object with the same fields.
func cappedArguments(args string, c cut) string {
	object, ok := ordered.Parse(args)
	if !ok {
		return ""
	}
	changed := false
	for i, field := range object {
		var text string
		if json.Unmarshal(field.Value, &text) != nil {
			continue
		}
		if fits(text, c.head, c.tail) {
			continue
		}
		head, tail := ends(text, c.head, c.tail)
		short, err := conversation.EncodeJSON(head + "\n…\n" + tail)
		if err == nil && utf8.RuneCount(short) < utf8.RuneCount(field.Value) {
			object[i].Value, changed = short, true
		}
	}
	if !changed {
		return ""
	}
	return object.String()
}

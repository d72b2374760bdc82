package compact

import (
	"encoding/json"
	"slices"
	"strconv"

	"plimsoll/conversation"
)

// A message that stands for itself can still be shown with less: arguments,
// reasoning and results are reduced here, by the newest overlay for each.

// reduce shows a message as its ruling has it.
func (p *projector) reduce(e *conversation.Event, m *Message, d *ruling) {
	switch b := e.Body.(type) {
	case conversation.AssistantMessage:
		p.reduceReply(m, d)
	case conversation.ToolResult:
		p.reduceResult(e, b, m, d)
	}
}

func (p *projector) reduceReply(m *Message, d *ruling) {
	if d.thought != nil && m.Reasoning != "" {
		stripReasoning(m, d.thought.seq)
	}
	if len(m.Calls) == 0 || d.args == nil && d.calls == nil && d.caps == nil {
		return
	}
	calls := slices.Clone(m.Calls)
	for i := range calls {
		how := d.args
		if one, ok := d.calls[calls[i].ID]; ok {
			how = one
		}
		state := StateMasked
		args, overlay := "", uint64(0)
		if how != nil {
			args, overlay = reducedArguments(calls[i].Arguments, how), how.seq
		} else if c, ok := d.caps[calls[i].ID]; ok {
			args, overlay, state = cappedArguments(calls[i].Arguments, c), c.seq, StateCapped
		}
		if args == "" || args == calls[i].Arguments {
			continue
		}
		calls[i].Arguments = args
		calls[i].Size = conversation.Measure(calls[i].Name).Plus(conversation.Measure(args))
		m.Overlay = max(m.Overlay, overlay)
		if m.State != StateMasked {
			m.State = state
		}
		m.Why = "arguments are shortened"
	}
	m.Calls = calls
}

// stripReasoning hides reasoning. With calls it stays at hand, because some
// endpoints refuse a request without it: hardening decides.
func stripReasoning(m *Message, overlay uint64) {
	m.Overlay, m.State, m.Why = max(m.Overlay, overlay), StateMasked, "reasoning is not sent"
	if len(m.Calls) > 0 {
		m.Stripped = true
		return
	}
	m.Reasoning, m.ReasoningSize = "", conversation.Size{}
}

// reducedArguments is arguments without what a mask hides; "" if they stay.
func reducedArguments(args string, how *masking) string {
	if how.style == conversation.StyleAdachsoft {
		reduced, ok := adachsoftArguments(args, conversation.MaskItem{Fields: how.fields, Threshold: how.threshold})
		if !ok {
			return ""
		}
		return reduced
	}
	return emptyArguments
}

// cappedArguments is arguments whose long texts show their ends only; "" if
// they stay. They remain an object with the same fields.
func cappedArguments(args string, c cut) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &fields) != nil {
		return ""
	}
	changed := false
	for name, raw := range fields {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			continue
		}
		head, tail := ends(text, c.head, c.tail)
		if head == "" && tail == "" {
			continue
		}
		short, err := conversation.EncodeJSON(head + "\n…\n" + tail)
		if err != nil || len(short) >= len(raw) {
			continue
		}
		fields[name], changed = short, true
	}
	if !changed {
		return ""
	}
	// Encoding raw values that were just decoded cannot fail.
	out, _ := conversation.EncodeJSON(fields)
	return string(out)
}

func (p *projector) reduceResult(e *conversation.Event, b conversation.ToolResult, m *Message, d *ruling) {
	switch {
	case d.result != nil && p.masked(e, b, m, d.result):
	case b.Repeats != 0 && p.view.showsInFull(b.Repeats, m.Text):
		pointTo(m, b.Repeats)
	default:
		if c, ok := d.caps[""]; ok {
			capResult(e, m, c)
		}
	}
}

// masked shows a stub in place of a result; false if the result stays. In
// Plimsoll's own style it stays where the stub would not be shorter.
func (p *projector) masked(e *conversation.Event, b conversation.ToolResult, m *Message, how *masking) bool {
	letter := how.style == conversation.StyleJP || how.style == conversation.StyleJCLI || how.style == conversation.StyleAdachsoft
	if !letter && m.Size.Chars() < how.minChars {
		return false
	}
	text := stub(m, how, resultFacts{recall: p.original(e, b), status: b.Status, total: b.Total})
	size := conversation.Measure(text)
	if !letter && size.Chars() >= m.Size.Chars() {
		return false
	}
	m.Text, m.Size, m.State, m.Overlay = text, size, StateMasked, how.seq
	m.Why = "old result, shown as a stub"
	return true
}

// original is the id by which recall brings back what a result is about: for
// what recall itself brought back that which was recalled, so that stubs never
// form chains.
func (p *projector) original(e *conversation.Event, b conversation.ToolResult) string {
	own := "e" + strconv.FormatUint(e.Seq, 10)
	if b.Tool != conversation.ToolRecall {
		return own
	}
	for i := p.index(e.Seq) - 1; i >= 0; i-- {
		reply, ok := p.events[i].Body.(conversation.AssistantMessage)
		if !ok {
			continue
		}
		for _, c := range reply.Calls {
			if c.ID != b.CallID {
				continue
			}
			if id, ok := conversation.RecallTarget(c.Arguments); ok {
				return id
			}
			return own
		}
	}
	return own
}

func capResult(e *conversation.Event, m *Message, c cut) {
	text := capped(m.Text, m.Size.Chars(), c, e.Seq)
	size := conversation.Measure(text)
	if size.Chars() >= m.Size.Chars() {
		return
	}
	m.Text, m.Size, m.State, m.Overlay = text, size, StateCapped, c.seq
	m.Why = "only the ends are shown"
}

// leaveOut shows a unit without its calls. In JP's style the pair goes and the
// words stay; otherwise the whole unit becomes a line, because words about work
// without the work make models invent work.
func (p *projector) leaveOut(e *conversation.Event, m *Message, d *ruling) {
	works := m.Role == RoleTool || len(m.Calls) > 0
	switch {
	case !works:
		p.reduce(e, m, d)
		p.emit(*m)
	case d.omit.style != conversation.StyleJP:
		p.join(omitRun, m)
		p.run.overlay = max(p.run.overlay, d.omit.seq)
		p.run.name(m.Calls)
	case m.Role == RoleAssistant && m.Text != "":
		m.Calls, m.State, m.Overlay, m.Why = nil, StateMasked, d.omit.seq, whyLeftOut
		p.emit(*m)
	default:
		p.absent(e, d.omit.seq, StateDropped, whyLeftOut)
	}
}

// name remembers which tools a run is about.
func (r *run) name(calls []conversation.ToolCall) {
	for _, c := range calls {
		if !slices.Contains(r.tools, c.Name) {
			r.tools = append(r.tools, c.Name)
		}
	}
}

package history

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// What was said, as it was said: who said it, and the text, folded or all of it.

// callsBack is how many events are searched for the call of a result.
const callsBack = 400

func cells(s string) int { return ansi.StringWidth(s) }

// who says whose an event is; of a result, of which call.
func (m *Model) who(e *conversation.Event, width int) string {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return m.styles.User.Render("› user")
	case conversation.AssistantMessage:
		return m.replier(b)
	case conversation.ToolResult:
		return m.tool(b.Status, b.Tool, m.about(e.Seq, b.CallID), width)
	}
	return ""
}

// replier is whose a reply is, and how it ended where that is worth a word.
func (m *Model) replier(b conversation.AssistantMessage) string {
	out := m.styles.Assistant.Render("assistant")
	if b.Stop != "" && b.Stop != conversation.StopEnd && b.Stop != conversation.StopCalls {
		out += m.styles.Pane.Warning.Render(" · " + plain.Line(string(b.Stop)))
	}
	return out
}

// tool names a call that was run.
func (m *Model) tool(status conversation.ResultStatus, name, about string, width int) string {
	out := m.styles.ToolOK.Render("✓")
	if status != conversation.ResultOK && status != "" {
		out = m.styles.ToolFail.Render("✗")
	}
	if name = plain.Line(name); name == "" {
		name = "tool"
	}
	out += " " + m.styles.Tool.Render(ansi.Truncate(name, max(width/2, 4), "…"))
	if status != conversation.ResultOK && status != conversation.ResultError && status != "" {
		out += m.styles.ToolFail.Render(" " + plain.Line(string(status)))
	}
	if about != "" {
		out += "  " + m.styles.Subject.Render(about)
	}
	return out
}

// call is the call that a result answers; false if it is not near.
func (m *Model) call(seq uint64, id string) (conversation.ToolCall, bool) {
	at := m.book.index(seq)
	for i := at - 1; i >= 0 && i >= at-callsBack; i-- {
		reply, ok := m.book.Log[i].Body.(conversation.AssistantMessage)
		if !ok {
			continue
		}
		for _, c := range reply.Calls {
			if c.ID == id {
				return c, true
			}
		}
	}
	return conversation.ToolCall{}, false
}

// about is what the call of a result was about, "" if nobody knows.
func (m *Model) about(seq uint64, id string) string {
	c, ok := m.call(seq, id)
	if !ok {
		return ""
	}
	return subject(c)
}

// original is the text of an event, with the links in it.
func (m *Model) original(e *conversation.Event, open bool, width int) ([]line, []target) {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return m.text(b.Text, open, foldLines, width), nil
	case conversation.AssistantMessage:
		return m.reply(b, open, width), nil
	case conversation.ToolResult:
		return m.result(e.Seq, b, open, width)
	}
	return nil, nil
}

// text is a text, folded or not.
func (m *Model) text(text string, open bool, n, width int) []line {
	if open {
		return m.spread(text, m.styles.Said, width)
	}
	return m.fold(text, m.styles.Said, n, width)
}

// reply is what the model said: reasoning only where it is unfolded.
func (m *Model) reply(b conversation.AssistantMessage, open bool, width int) []line {
	var out []line
	if open && b.Reasoning != "" {
		out = append(out, line{text: "reasoning:", style: m.styles.Pane.Muted})
		out = append(out, m.spread(b.Reasoning, m.styles.Pane.Muted, width)...)
		if b.Text != "" {
			out = append(out, line{text: "answer:", style: m.styles.Pane.Muted})
		}
	}
	out = append(out, m.text(b.Text, open, foldLines, width)...)
	if b.Error != "" {
		out = append(out, m.fold(b.Error, m.styles.Pane.Error, foldLines, width)...)
	}
	return append(out, m.calls(b.Calls, open, width)...)
}

// calls are the calls of a reply: a line each, or with all they were given.
func (m *Model) calls(calls []conversation.ToolCall, open bool, width int) []line {
	var out []line
	for i, c := range calls {
		name := "→ " + plain.Line(c.Name)
		if open {
			out = append(out, m.spread(name+" "+c.Arguments, m.styles.Said, width)...)
			continue
		}
		if i == foldLines && len(calls) > foldLines+1 {
			return append(out, line{text: "… " + numbers.Count(len(calls)-i, "more call"), style: m.styles.Pane.Muted})
		}
		out = append(out, line{text: ansi.Truncate(strings.TrimRight(name+"  "+subject(c), " "), width, "…"), style: m.styles.Said})
	}
	return out
}

// result is the text of a result: the whole one where it has come. What the model
// looked up leads to what it found.
func (m *Model) result(seq uint64, b conversation.ToolResult, open bool, width int) ([]line, []target) {
	if !open {
		return m.text(b.Text, false, foldResult, width), nil
	}
	var out []line
	text := b.Text
	switch full, asked := m.full[seq]; {
	case full.err != nil:
		out = m.spread("the whole text cannot be read: "+full.err.Error(), m.styles.Pane.Error, width)
	case full.here:
		text = full.text
		out = styled(m.styles.Pane.Muted, pane.Wrap("the whole text; the model was given its beginning", width)...)
	case asked:
		out = styled(m.styles.Pane.Muted, "the whole text is being read…")
	}
	n := numbering{book: &m.book}
	if b.Tool == conversation.ToolRecall || b.Tool == conversation.ToolSearchHistory {
		if t, ok := m.recalled(&m.book.Log[m.book.index(seq)]); ok {
			n.of(t)
			out = append(out, line{text: "It leads to " + t.String() + numeral(1), style: m.styles.Pane.Muted, links: true})
		}
		out = append(out, m.linked(n.mark(plain.Text(text)), width)...)
	} else {
		out = append(out, m.spread(text, m.styles.Said, width)...)
	}
	if b.Detail != "" {
		out = append(out, line{text: "shown to you, never sent:", style: m.styles.Pane.Muted})
		out = append(out, m.spread(b.Detail, m.styles.Said, width)...)
	}
	return out, n.list
}

// fullWanted is the result whose whole text is not here yet; false if there is none.
func (m *Model) fullWanted(e *conversation.Event) bool {
	if e == nil {
		return false
	}
	b, ok := e.Body.(conversation.ToolResult)
	if !ok || b.Total == 0 && b.Blob == "" {
		return false
	}
	full, asked := m.full[e.Seq]
	return !asked || full.err != nil
}

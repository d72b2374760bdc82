package history

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Originals: who said it, and the text, folded or all of it.

func cells(s string) int { return ansi.StringWidth(s) }

// who says whose an event is; of a result, of which call.
func (d *drawer) who(e *conversation.Event, width int) string {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return d.styles.User.Render("› user")
	case conversation.AssistantMessage:
		return d.replier(b)
	case conversation.ToolResult:
		return d.tool(b.Status, b.Tool, d.book.about(e.Seq, b.CallID), width)
	}
	return ""
}

// replier is whose a reply is, and how it ended where that is worth a word.
func (d *drawer) replier(b conversation.AssistantMessage) string {
	out := d.styles.Assistant.Render("assistant")
	if b.Stop != "" && b.Stop != conversation.StopEnd && b.Stop != conversation.StopCalls {
		out += d.styles.Pane.Warning.Render(" · " + plain.Line(string(b.Stop)))
	}
	return out
}

// tool names a call that was run.
func (d *drawer) tool(status conversation.ResultStatus, name, about string, width int) string {
	out := d.styles.ToolOK.Render("✓")
	if status != conversation.ResultOK && status != "" {
		out = d.styles.ToolFail.Render("✗")
	}
	if name = plain.Line(name); name == "" {
		name = "tool"
	}
	out += " " + d.styles.Tool.Render(ansi.Truncate(name, max(width/2, 4), "…"))
	if status != conversation.ResultOK && status != conversation.ResultError && status != "" {
		out += d.styles.ToolFail.Render(" " + plain.Line(string(status)))
	}
	if about != "" {
		out += "  " + d.styles.Subject.Render(about)
	}
	return out
}

// original is the text of an event, with the links in it.
func (d *drawer) original(e *conversation.Event, open bool, width int) ([]line, []target) {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return d.text(b.Text, open, foldLines, width), nil
	case conversation.AssistantMessage:
		return d.reply(b, open, width), nil
	case conversation.ToolResult:
		return d.result(e.Seq, b, open, width)
	}
	return nil, nil
}

// text is a text, folded or not.
func (d *drawer) text(text string, open bool, n, width int) []line {
	if open {
		return d.spread(text, d.styles.Said, width)
	}
	return d.fold(text, d.styles.Said, n, width)
}

// reply is what the model said: reasoning only where it is unfolded.
func (d *drawer) reply(b conversation.AssistantMessage, open bool, width int) []line {
	var out []line
	if open && b.Reasoning != "" {
		out = append(out, line{text: "reasoning:", style: d.styles.Pane.Muted})
		out = append(out, d.spread(b.Reasoning, d.styles.Pane.Muted, width)...)
		if b.Text != "" {
			out = append(out, line{text: "answer:", style: d.styles.Pane.Muted})
		}
	}
	out = append(out, d.text(b.Text, open, foldLines, width)...)
	if b.Error != "" {
		out = append(out, d.fold(b.Error, d.styles.Pane.Error, foldLines, width)...)
	}
	return append(out, d.calls(b.Calls, open, width)...)
}

// calls are the calls of a reply: a line each, or with all they were given.
func (d *drawer) calls(calls []conversation.ToolCall, open bool, width int) []line {
	var out []line
	for i, c := range calls {
		name := "→ " + plain.Line(c.Name)
		if open {
			out = append(out, d.spread(name+" "+c.Arguments, d.styles.Said, width)...)
			continue
		}
		if i == foldLines && len(calls) > foldLines+1 {
			return append(out, line{text: "… " + numbers.Count(len(calls)-i, "more call"), style: d.styles.Pane.Muted})
		}
		out = append(out, line{text: ansi.Truncate(strings.TrimRight(name+"  "+subject(c), " "), width, "…"), style: d.styles.Said})
	}
	return out
}

// result is the text of a result: the whole one where it has come. What the model
// looked up leads to what it found.
func (d *drawer) result(seq uint64, b conversation.ToolResult, open bool, width int) ([]line, []target) {
	if !open {
		return d.text(b.Text, false, foldResult, width), nil
	}
	var out []line
	text := b.Text
	switch full, asked := d.texts[seq]; {
	case full.err != nil:
		out = d.spread("the full text cannot be read: "+full.err.Error(), d.styles.Pane.Error, width)
	case full.here:
		text = full.text
		out = styled(d.styles.Pane.Muted, pane.Wrap("the full text; the model was sent its beginning", width)...)
	case asked:
		out = styled(d.styles.Pane.Muted, "loading the full text…")
	}
	n := numbering{book: d.book}
	if b.Tool == conversation.ToolRecall || b.Tool == conversation.ToolSearchHistory {
		if t, ok := d.book.recalled(&d.book.Log[d.book.index(seq)]); ok {
			n.of(t)
			out = append(out, line{text: "Goes to " + t.String() + numeral(1), style: d.styles.Pane.Muted, links: true})
		}
		out = append(out, d.linked(n.mark(plain.Text(text)), width)...)
	} else {
		out = append(out, d.spread(text, d.styles.Said, width)...)
	}
	if b.Detail != "" {
		out = append(out, line{text: "shown to you, never sent:", style: d.styles.Pane.Muted})
		out = append(out, d.spread(b.Detail, d.styles.Said, width)...)
	}
	return out, n.list
}

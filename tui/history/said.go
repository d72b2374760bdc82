package history

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// Originals: who said it, and the text, folded or all of it.

func cells(s string) int { return ansi.StringWidth(s) }

// who says whose an event is; of a result, of which call.
func (d *drawer) who(e *conversation.Event, open bool, width int) string {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return d.styles.User.Render("› you")
	case conversation.AssistantMessage:
		return d.replier(b)
	case conversation.ToolResult:
		return d.tool(b.Status, conversation.Verb(b.Tool, b.Status != conversation.ResultDenied), d.book.about(e.Seq, b.CallID), open, width)
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

// tool is the line of a call that was run, as in the chat: what it does, about what, and that it failed.
func (d *drawer) tool(status conversation.ResultStatus, does, about string, open bool, width int) string {
	mark := markFolded
	if open {
		mark = markOpen
	}
	if does = plain.Line(does); does == "" {
		does = "tool"
	}
	out := d.styles.Faint.Render(mark) + d.styles.Tool.Render(ansi.Truncate(does, max(width/2, 4), "…"))
	ended := ""
	switch status {
	case conversation.ResultOK, "":
	case conversation.ResultError:
		ended = d.styles.Faint.Render(" · ") + d.styles.ToolFail.Render("failed")
	default:
		ended = d.styles.Faint.Render(" · ") + d.styles.ToolFail.Render(plain.Line(string(status)))
	}
	if room := width - cells(out) - cells(ended) - 1; about != "" && room >= 4 {
		out += " " + d.styles.Subject.Render(pane.Clip(about, room))
	}
	return out + ended
}

// saidOf is the original text of a row. What the model is not sent is quiet.
func (d *drawer) saidOf(it item, r *inspect.Row, open bool, width int) ([]line, []target) {
	e := &d.book.Log[r.Event]
	quiet := d.book.side == sideBoth && !d.book.same(r)
	var lines []line
	if it.reply > 0 {
		lines = d.calling(it, r, open, width)
	}
	original, links := d.original(e, open, quiet && d.book.ownText(r), width)
	lines = append(lines, original...)
	if quiet {
		for i, l := range lines {
			if l.drawn {
				lines[i] = line{text: strings.TrimRight(ansi.Strip(l.text), " "), style: d.styles.Pane.Muted}
			} else if !l.links {
				lines[i].style = d.styles.Pane.Muted
			}
		}
	}
	return lines, links
}

// calling is the call of a result whose reply has no row of its own, and before the first what was thought. Folded, it is
// there where something in it is searched for.
func (d *drawer) calling(it item, r *inspect.Row, open bool, width int) []line {
	reply, _ := d.book.Log[d.book.rows[it.reply-1].Event].Body.(conversation.AssistantMessage)
	result, _ := d.book.Log[r.Event].Body.(conversation.ToolResult)
	var out []line
	show := func(text string) {
		if open {
			out = append(out, d.spread(text, d.styles.Pane.Muted, width)...)
		} else if d.found(text) {
			out = append(out, d.fold(text, d.styles.Pane.Muted, 1, width)...)
		}
	}
	if it.at == it.reply {
		show(reply.Reasoning)
	}
	for _, c := range reply.Calls {
		if c.ID == result.CallID {
			show("→ " + c.Name + " " + c.Arguments)
			break
		}
	}
	return out
}

// original is the text of an event, with the links in it. Folded, calls are not told that the results below tell, nor
// results but where something in them is to be seen, such as what they are compared with.
func (d *drawer) original(e *conversation.Event, open, compared bool, width int) ([]line, []target) {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return d.plainly(b.Text, open, foldLines, min(width, markdown.Measure)), nil
	case conversation.AssistantMessage:
		out := d.reply(b, open, width)
		if !open && len(out) > 0 && d.book.answered(e.Seq, b.Calls) {
			return out, nil
		}
		return append(out, d.calls(b.Calls, open, width)...), nil
	case conversation.ToolResult:
		return d.result(e.Seq, b, open, compared, width)
	}
	return nil, nil
}

// plainly is a text as it stands, folded or not.
func (d *drawer) plainly(text string, open bool, n, width int) []line {
	if open {
		return d.spread(text, d.styles.Said, width)
	}
	return d.fold(text, d.styles.Said, n, width)
}

// reply is what the model said before it called: reasoning only where it is unfolded.
func (d *drawer) reply(b conversation.AssistantMessage, open bool, width int) []line {
	var out []line
	if open && b.Reasoning != "" {
		out = append(out, line{text: "reasoning:", style: d.styles.Pane.Muted})
		out = append(out, d.spread(b.Reasoning, d.styles.Pane.Muted, min(width, markdown.Measure))...)
		if b.Text != "" {
			out = append(out, line{text: "answer:", style: d.styles.Pane.Muted})
		}
	}
	out = append(out, d.prose(b.Text, open, foldLines, width)...)
	if b.Error != "" {
		out = append(out, d.fold(b.Error, d.styles.Pane.Error, foldLines, width)...)
	}
	return out
}

// calls are the calls of a reply: a line each, or with all they were given.
func (d *drawer) calls(calls []conversation.ToolCall, open bool, width int) []line {
	var out []line
	for i, c := range calls {
		name := "→ " + plain.Line(c.Name)
		if open {
			out = append(out, d.spread(name+" "+c.Arguments, d.styles.Pane.Muted, width)...)
			continue
		}
		if i == foldLines && len(calls) > foldLines+1 {
			return append(out, line{text: "… " + numbers.Count(len(calls)-i, "more call"), style: d.styles.Pane.Muted})
		}
		out = append(out, line{text: ansi.Truncate(strings.TrimRight(name+"  "+subject(c), " "), width, "…"), style: d.styles.Pane.Muted})
	}
	return out
}

// failure is why a call failed, in a line.
func (d *drawer) failure(b conversation.ToolResult, width int) []line {
	first, _, _ := strings.Cut(strings.TrimSpace(b.Text), "\n")
	why := plain.Line(head(first, 4*width))
	if b.Status == conversation.ResultOK || b.Status == "" || why == "" {
		return nil
	}
	return []line{{text: pane.Clip("  "+why, width), style: d.styles.Failure}}
}

// result is the text of a result: the whole one where it has come. What the model looked up leads to what it found.
// Folded, it is only told of where something is to be seen: a failure, a place that is searched for, what is compared.
func (d *drawer) result(seq uint64, b conversation.ToolResult, open, compared bool, width int) ([]line, []target) {
	if !open {
		if compared || d.found(b.Text) {
			return d.plainly(b.Text, false, foldResult, width), nil
		}
		return d.failure(b, width), nil
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
		out = append(out, d.detail(b.Detail, width)...)
	}
	return out, n.list
}

// detail is what only the user is shown of a result: of an edit its diff.
func (d *drawer) detail(text string, width int) []line {
	f, ok := diff.Parse(text)
	if !ok {
		return d.spread(text, d.styles.Said, width)
	}
	var out []line
	rows, _ := d.styles.Diff.Draw(f, width, diffview.All)
	for _, row := range rows {
		out = append(out, line{text: row, drawn: true})
	}
	return out
}

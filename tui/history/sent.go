package history

import (
	"strings"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// What is sent. A text that is sent as it was stands once, over the whole width: the same text twice would be noise.

// Words that stand in place of a text.
const (
	partOfSummary = "part of the summary above"
	partOfNote    = "part of the note above"
	partOfGap     = "part of what is left out above"
	wordTakenBack = "undone"
)

// badge is the word for how a row is sent, for a reason. What is sent as it was said has none.
func (d *drawer) badge(state projection.State, why string, back bool) string {
	switch {
	case back:
		return d.styles.TakenBack.Render(wordTakenBack)
	case state == projection.StateVerbatim:
		return ""
	}
	return d.styles.Badges[state].Render(stateWord(state, why))
}

// stateWord is a state in a word: what only a note stands for is evicted.
func stateWord(state projection.State, why string) string {
	if projection.OnlyNoted(state, why) {
		return "evicted"
	}
	return state.Word()
}

// isPart reports whether a text above stands for a row.
func isPart(r *inspect.Row) bool {
	return r.Message >= 0 && !r.First || r.Message < 0 && r.State == projection.StateSummarised
}

// partOf says that a row is part of a text that stands above.
func partOf(r *inspect.Row) string {
	switch {
	case projection.OnlyNoted(r.State, r.Why):
		return partOfNote
	case r.State == projection.StateSummarised:
		return partOfSummary
	}
	return partOfGap
}

// Marks in the gutter of a row.
const (
	markSame   = "="
	markPart   = "┆" // a text above stands for it
	markAbsent = "−"
)

// gutterMark says how a row is sent, and whether all its lines say so.
func (d *drawer) gutterMark(r *inspect.Row) (mark string, rail bool) {
	switch {
	case d.book.takenBack(r):
		return markAbsent, true
	case isPart(r):
		return markPart, true
	case r.Message < 0:
		return markAbsent, true
	case d.book.same(r):
		return markSame, false
	}
	return "", false
}

// standing is how a row is sent, if that is not as it was said, and its tokens.
func (d *drawer) standing(r *inspect.Row, width int) string {
	back := d.book.takenBack(r)
	badge, tokens := d.badge(r.State, r.Why, back), d.book.tokensOf(r)
	if part := !back && isPart(r); part && d.book.side == sideBoth {
		badge, tokens = d.styles.Faint.Render(stateWord(r.State, r.Why)), ""
	}
	if tokens == "" || d.book.side == sideOriginal {
		tokens = pane.Tokens(d.book.tokens(r.Before))
	}
	return d.right(badge, eventName(d.book.Log[r.Event].Seq), tokens, width)
}

// right is a badge, the name of an event where there is room, and tokens, in columns.
func (d *drawer) right(badge, event, tokens string, width int) string {
	if badge != "" {
		badge += " "
	}
	if width < leastNames {
		return badge + d.styles.Pane.Muted.Render(tokens)
	}
	column := changeCells
	if !d.book.twofold {
		column = changeCells / 2
	}
	return badge + d.styles.Faint.Render(alignedRight(event, nameCells)) + d.styles.Pane.Muted.Render(" "+alignedRight(tokens, column))
}

// alignedRight puts a text at the end of so many cells.
func alignedRight(text string, width int) string {
	return strings.Repeat(" ", max(0, width-cells(text))) + text
}

// instead is what is sent in place of a row that has a text of its own there. Its links stand behind those that are known.
func (d *drawer) instead(r *inspect.Row, known []target, open bool, width int) ([]line, []target) {
	parts := d.book.View.Messages[r.Message:][:d.book.spanOf(r.Message)]
	msg := parts[0]
	for _, p := range parts[1:] { // a question and an answer are one summary
		msg.Text += "\n\n" + p.Text
	}
	return d.body(&msg, known, open, true, width)
}

// body is the text and the calls of a message as it is sent. Results that are sent in full are told of in their first line,
// but where they are compared.
func (d *drawer) body(s *projection.Message, known []target, open, compared bool, width int) ([]line, []target) {
	var out []line
	switch {
	case s.State == projection.StateSummarised:
		return d.summary(s.Text, s.Events, known, open, width)
	case s.Role == projection.RoleTool && !open && !compared && s.State == projection.StateVerbatim && !d.found(s.Text):
		return nil, known
	case s.Role == projection.RoleTool:
		return d.plainly(s.Text, open, foldResult, width), known
	}
	if s.Role == projection.RoleAssistant {
		out = d.prose(s.Text, open, foldLines, width)
	} else {
		out = d.plainly(s.Text, open, foldLines, min(width, markdown.Measure))
	}
	return append(out, d.sentCalls(s.Calls, open, width)...), known
}

// sentCalls are calls as they are sent: their arguments may be others than were said.
func (d *drawer) sentCalls(calls []conversation.ToolCall, open bool, width int) []line {
	var out []line
	for i, c := range calls {
		text := "→ " + plain.Line(c.Name) + " " + plain.Line(head(c.Arguments, 4*width))
		switch {
		case open:
			out = append(out, d.spread("→ "+c.Name+" "+c.Arguments, d.styles.Pane.Muted, width)...)
		case i == foldLines && len(calls) > foldLines+1:
			return append(out, line{text: "… " + numbers.Count(len(calls)-i, "more call"), style: d.styles.Pane.Muted})
		default:
			out = append(out, line{text: pane.Clip(text, width), style: d.styles.Pane.Muted})
		}
	}
	return out
}

// sketchMessage draws a message of the view, or of a request.
func (d *drawer) sketchMessage(it item, open bool, width int) sketch {
	msg := &d.book.messages[it.at]
	before, after := d.book.tokens(msg.Before), d.book.tokens(msg.After())
	if msg.State == projection.StateVerbatim || len(msg.Events) == 0 {
		before = after
	}
	right := d.right(d.badge(msg.State, msg.Why, false), eventsName(msg.Events), change(before, after), width)
	body, links := d.body(msg, nil, open, false, width)
	s := sketch{lines: []string{d.headLine(d.sender(it, msg, open, width-cells(right)-1)+d.begins(it), right, width)}, links: links}
	s.lines = append(s.lines, d.paintAll(body)...)
	e := d.book.event(it)
	if !open || e == nil || len(msg.Events) != 1 || !altered(msg, e) {
		return s
	}
	s.lines = append(s.lines, d.styles.Pane.Muted.Render(ruled("─ in full", width)))
	original, more := d.original(e, true, false, width)
	s.lines, s.links = append(s.lines, d.paintAll(original)...), more
	return s
}

// ruled is a text with a rule behind it, to the width.
func ruled(text string, width int) string {
	text = pane.Clip(text+" ", width)
	return text + strings.Repeat("─", max(0, width-cells(text)))
}

// sender is who a message is from as it is sent.
func (d *drawer) sender(it item, msg *projection.Message, open bool, width int) string {
	switch {
	case projection.OnlyNoted(msg.State, msg.Why):
		return d.styles.Summary.Render("note")
	case msg.State == projection.StateSummarised:
		return d.styles.Summary.Render("summary")
	case msg.State == projection.StateDropped:
		return d.styles.Summary.Render("left out")
	case msg.Role == projection.RoleTool:
		return d.resultSender(it, msg, open, width)
	case msg.Role == projection.RoleUser:
		return d.styles.User.Render("› you")
	case msg.Role == projection.RoleAssistant:
		return d.styles.Assistant.Render("assistant")
	}
	return d.styles.Assistant.Render(plain.Line(string(msg.Role)))
}

// resultSender names the tool as the model knows it.
func (d *drawer) resultSender(it item, msg *projection.Message, open bool, width int) string {
	e := d.book.event(it)
	if e == nil {
		return d.tool(conversation.ResultInterrupted, msg.Tool, "", open, width)
	}
	b, _ := e.Body.(conversation.ToolResult) // otherwise the message says what there is
	if b.Tool == "" {
		b.Tool = msg.Tool
	}
	return d.tool(b.Status, b.Tool, d.book.about(e.Seq, b.CallID), open, width)
}

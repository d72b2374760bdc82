package history

import (
	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// What is sent. A text that is sent as it was stands once, with = in the other column: the same text twice would be noise.

// Words that stand in place of a text.
const (
	partOfSummary = "┆ part of the summary above"
	partOfNote    = "┆ part of the note above"
	partOfGap     = "┆ part of what is left out above"
	wordTakenBack = "undone"
	notSent       = "not sent"
)

// badge is the word for how a row is sent, for a reason.
func (d *drawer) badge(state projection.State, why string, back bool) string {
	if back {
		return d.styles.TakenBack.Render(wordTakenBack)
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

// sentHead is the first line of the right column: badge and tokens.
func (d *drawer) sentHead(r *inspect.Row, width int) (badge, tokens string) {
	back := d.book.takenBack(r)
	badge, tokens = d.badge(r.State, r.Why, back), d.book.tokensOf(r)
	note := ""
	switch {
	case back:
	case r.Message < 0 && r.State == projection.StateSummarised:
		note = partOf(r)
	case r.Message < 0:
		note = notSent
	case !r.First:
		note = partOf(r)
	case d.book.same(r):
		badge = d.styles.Pane.Muted.Render("= ") + badge
	}
	if note != "" {
		if note != notSent && cells(badge)+cells(note)+cells(tokens)+2 > width {
			note = "┆ above"
		}
		badge += " " + d.styles.Pane.Muted.Render(note)
	}
	return badge, tokens
}

// standing is badge and tokens in one column, and the event where there is room.
func (d *drawer) standing(r *inspect.Row, width int) string {
	tokens := d.book.tokensOf(r)
	if tokens == "" || d.book.side == sideOriginal && r.Message >= 0 && len(d.book.View.Messages[r.Message].Events) > 1 {
		tokens = pane.Tokens(d.book.tokens(r.Before))
	}
	out := d.badge(r.State, r.Why, d.book.takenBack(r)) + " " + d.styles.Pane.Muted.Render(tokens)
	if width >= 60 {
		out = d.styles.Pane.Muted.Render(eventName(d.book.Log[r.Event].Seq)+"  ") + out
	}
	return out
}

// instead is what is sent in place of a row, nothing where that is the original. Its
// links stand behind those that are known.
func (d *drawer) instead(r *inspect.Row, known []target, open bool, width int) ([]line, []target) {
	muted := d.styles.Pane.Muted
	switch {
	case r.Message < 0 || d.book.same(r):
		return nil, known
	case !r.First:
		return styled(muted, pane.Clip(partOf(r), width)), known
	}
	parts := d.book.View.Messages[r.Message:][:d.book.spanOf(r.Message)]
	msg := parts[0]
	for _, p := range parts[1:] { // a question and an answer are one summary
		msg.Text += "\n\n" + p.Text
	}
	return d.body(&msg, known, open, width)
}

// body is the text and the calls of a message as it is sent.
func (d *drawer) body(s *projection.Message, known []target, open bool, width int) ([]line, []target) {
	if s.State == projection.StateSummarised {
		return d.summary(s.Text, s.Events, known, open, width)
	}
	n := foldLines
	if s.Role == projection.RoleTool {
		n = foldResult
	}
	var out []line
	if open {
		out = d.spread(s.Text, d.styles.Sent, width)
	} else {
		out = d.fold(s.Text, d.styles.Sent, n, width)
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
			out = append(out, d.spread("→ "+c.Name+" "+c.Arguments, d.styles.Sent, width)...)
		case i == foldLines && len(calls) > foldLines+1:
			return append(out, line{text: "… " + numbers.Count(len(calls)-i, "more call"), style: d.styles.Pane.Muted})
		default:
			out = append(out, line{text: pane.Clip(text, width), style: d.styles.Sent})
		}
	}
	return out
}

// sketchMessage draws a message of the view, or of a request.
func (d *drawer) sketchMessage(it item, open bool, width int) sketch {
	msg := &d.book.messages[it.at]
	before, after := d.book.tokens(msg.Before), d.book.tokens(msg.After())
	right := d.badge(msg.State, msg.Why, false) + " " + d.styles.Pane.Muted.Render(change(before, after))
	if msg.State == projection.StateVerbatim || len(msg.Events) == 0 {
		right = d.badge(msg.State, msg.Why, false) + " " + d.styles.Pane.Muted.Render(pane.Tokens(after))
	}
	if width >= 60 {
		right = d.styles.Pane.Muted.Render(eventsName(msg.Events)+"  ") + right
	}
	body, links := d.body(msg, nil, open, width)
	s := sketch{lines: []string{d.headLine(d.sender(it, msg, width), right, width)}, links: links}
	s.lines = append(s.lines, d.paintAll(body)...)
	e := d.book.event(it)
	if !open || e == nil || len(msg.Events) != 1 || !altered(msg, e) {
		return s
	}
	s.lines = append(s.lines, d.styles.Pane.Muted.Render(ruled("─ in full", width)))
	original, more := d.original(e, true, width)
	s.lines, s.links = append(s.lines, d.paintAll(original)...), more
	return s
}

// sender is who a message is from as it is sent.
func (d *drawer) sender(it item, msg *projection.Message, width int) string {
	switch {
	case projection.OnlyNoted(msg.State, msg.Why):
		return d.styles.User.Render("note")
	case msg.State == projection.StateSummarised:
		return d.styles.User.Render("summary")
	case msg.State == projection.StateDropped:
		return d.styles.User.Render("left out")
	case msg.Role == projection.RoleTool:
		return d.resultSender(it, msg, width)
	case msg.Role == projection.RoleUser:
		return d.styles.User.Render("› user")
	case msg.Role == projection.RoleAssistant:
		return d.styles.Assistant.Render("assistant")
	}
	return d.styles.Assistant.Render(plain.Line(string(msg.Role)))
}

func (d *drawer) resultSender(it item, msg *projection.Message, width int) string {
	e := d.book.event(it)
	if e == nil {
		return d.tool(conversation.ResultInterrupted, msg.Tool, "", width)
	}
	b, _ := e.Body.(conversation.ToolResult) // otherwise the message says what there is
	if b.Tool == "" {
		b.Tool = msg.Tool
	}
	return d.tool(b.Status, b.Tool, d.book.about(e.Seq, b.CallID), width)
}

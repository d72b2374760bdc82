package history

import (
	"strconv"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// What the model is sent. A text that is sent as it was said stands once, with = in
// the other column: the same text twice would be noise.

// Words that stand in place of a text.
const (
	partOfSummary = "┆ part of the summary above"
	partOfNote    = "┆ part of the note above"
	partOfGap     = "┆ part of what is left out above"
	wordTakenBack = "taken back"
	notSent       = "not sent"
)

// badge is the word for how a row is sent, for a reason.
func (m *Model) badge(state compact.State, why string, back bool) string {
	if back {
		return m.styles.TakenBack.Render(wordTakenBack)
	}
	return m.styles.Badges[state].Render(stateWord(state, why))
}

// stateWord is a state in a word: what only a note stands for is evicted.
func stateWord(state compact.State, why string) string {
	if compact.OnlyNoted(state, why) {
		return "evicted"
	}
	return string(state)
}

// partOf says that a row is part of a text that stands above.
func partOf(r *compact.Row) string {
	switch {
	case compact.OnlyNoted(r.State, r.Why):
		return partOfNote
	case r.State == compact.StateSummarised:
		return partOfSummary
	}
	return partOfGap
}

// change is the tokens before and after, once if they are the same.
func change(before, after int) string {
	if before == after {
		return pane.Tokens(after)
	}
	return pane.Tokens(before) + " → " + pane.Tokens(after)
}

// same reports whether what stands for a row is what was said.
func (m *Model) same(r *compact.Row) bool {
	if r.Message < 0 || !r.First {
		return false
	}
	s := &m.book.View.Messages[r.Message]
	if len(s.Events) != 1 {
		return false
	}
	switch b := m.book.Log[r.Event].Body.(type) {
	case conversation.UserMessage:
		return s.Text == b.Text
	case conversation.ToolResult:
		return s.Text == b.Text
	case conversation.AssistantMessage:
		if s.Text != b.Text || len(s.Calls) != len(b.Calls) {
			return false
		}
		for i := range s.Calls {
			if s.Calls[i].Arguments != b.Calls[i].Arguments {
				return false
			}
		}
		return true
	}
	return false
}

// ownText reports whether a row has a text of its own in what is sent.
func (m *Model) ownText(r *compact.Row) bool { return r.Message >= 0 && r.First && !m.same(r) }

// tokensOf is the tokens of a row before and after, "" where nothing of its own is
// sent.
func (m *Model) tokensOf(r *compact.Row) string {
	before := m.book.tokens(r.Before)
	switch {
	case r.Message < 0:
		return change(before, 0)
	case !r.First:
		return ""
	}
	parts := m.book.View.Messages[r.Message:][:m.spanOf(r.Message)]
	if len(parts[0].Events) == 1 {
		return change(before, m.book.tokens(r.After))
	}
	return change(m.sum(parts))
}

// sum is the tokens that messages stand for, and those they have.
func (m *Model) sum(parts []compact.Message) (before, after int) {
	var x, y conversation.Size
	for i := range parts {
		x, y = x.Plus(parts[i].Before), y.Plus(parts[i].After())
	}
	return m.book.tokens(x), m.book.tokens(y)
}

// spanOf is how many messages of the view stand for the same events as one.
func (m *Model) spanOf(message int) int {
	view := book{messages: m.book.View.Messages}
	return len(view.parts(message))
}

// sentHead is the first line of the right column: badge and tokens.
func (m *Model) sentHead(r *compact.Row, width int) (badge, tokens string) {
	back := m.book.takenBack(r)
	badge, tokens = m.badge(r.State, r.Why, back), m.tokensOf(r)
	note := ""
	switch {
	case back:
	case r.Message < 0 && r.State == compact.StateSummarised:
		note = partOf(r)
	case r.Message < 0:
		note = notSent
	case !r.First:
		note = partOf(r)
	case m.same(r):
		badge = m.styles.Pane.Muted.Render("= ") + badge
	}
	if note != "" {
		if note != notSent && cells(badge)+cells(note)+cells(tokens)+2 > width {
			note = "┆ above"
		}
		badge += " " + m.styles.Pane.Muted.Render(note)
	}
	return badge, tokens
}

// standing is badge and tokens in one column, and the event where there is room.
func (m *Model) standing(r *compact.Row, width int) string {
	tokens := m.tokensOf(r)
	if tokens == "" || m.side == sideOriginal && r.Message >= 0 && len(m.book.View.Messages[r.Message].Events) > 1 {
		tokens = pane.Tokens(m.book.tokens(r.Before))
	}
	out := m.badge(r.State, r.Why, m.book.takenBack(r)) + " " + m.styles.Pane.Muted.Render(tokens)
	if width >= 60 {
		out = m.styles.Pane.Muted.Render(eventName(m.book.Log[r.Event].Seq)+"  ") + out
	}
	return out
}

// instead is what is sent in place of a row, nothing where that is what was said. Its
// links stand behind those that are known.
func (m *Model) instead(r *compact.Row, known []target, open bool, width int) ([]line, []target) {
	muted := m.styles.Pane.Muted
	switch {
	case r.Message < 0 || m.same(r):
		return nil, known
	case !r.First:
		return styled(muted, pane.Clip(partOf(r), width)), known
	}
	parts := m.book.View.Messages[r.Message:][:m.spanOf(r.Message)]
	msg := parts[0]
	for _, p := range parts[1:] { // a question and an answer are one summary
		msg.Text += "\n\n" + p.Text
	}
	return m.body(&msg, known, open, width)
}

// body is the text and the calls of a message as it is sent.
func (m *Model) body(s *compact.Message, known []target, open bool, width int) ([]line, []target) {
	if s.State == compact.StateSummarised {
		return m.summary(s.Text, s.Events, known, open, width)
	}
	n := foldLines
	if s.Role == compact.RoleTool {
		n = foldResult
	}
	var out []line
	if open {
		out = m.spread(s.Text, m.styles.Sent, width)
	} else {
		out = m.fold(s.Text, m.styles.Sent, n, width)
	}
	return append(out, m.sentCalls(s.Calls, open, width)...), known
}

// sentCalls are calls as they are sent: their arguments may be others than were said.
func (m *Model) sentCalls(calls []conversation.ToolCall, open bool, width int) []line {
	var out []line
	for i, c := range calls {
		text := "→ " + plain.Line(c.Name) + " " + plain.Line(head(c.Arguments, 4*width))
		switch {
		case open:
			out = append(out, m.spread("→ "+c.Name+" "+c.Arguments, m.styles.Sent, width)...)
		case i == foldLines && len(calls) > foldLines+1:
			return append(out, line{text: "… " + numbers.Count(len(calls)-i, "more call"), style: m.styles.Pane.Muted})
		default:
			out = append(out, line{text: pane.Clip(text, width), style: m.styles.Sent})
		}
	}
	return out
}

// sketchMessage draws a message of the view, or of a request.
func (m *Model) sketchMessage(it item, open bool, width int) sketch {
	msg := &m.book.messages[it.at]
	before, after := m.book.tokens(msg.Before), m.book.tokens(msg.After())
	right := m.badge(msg.State, msg.Why, false) + " " + m.styles.Pane.Muted.Render(change(before, after))
	if msg.State == compact.StateVerbatim || len(msg.Events) == 0 {
		right = m.badge(msg.State, msg.Why, false) + " " + m.styles.Pane.Muted.Render(pane.Tokens(after))
	}
	if width >= 60 {
		right = m.styles.Pane.Muted.Render(eventsName(msg.Events)+"  ") + right
	}
	body, links := m.body(msg, nil, open, width)
	s := sketch{lines: []string{m.headLine(m.sender(it, msg, width), right, width)}, links: links}
	s.lines = append(s.lines, m.paintAll(body)...)
	e := m.book.event(it)
	if !open || e == nil || len(msg.Events) != 1 || !m.altered(msg, e) {
		return s
	}
	s.lines = append(s.lines, m.styles.Pane.Muted.Render(ruled("─ as it was said", width)))
	original, more := m.original(e, true, width)
	s.lines, s.links = append(s.lines, m.paintAll(original)...), more
	return s
}

// altered reports whether a message is not what its event said, or not all of it.
func (m *Model) altered(msg *compact.Message, e *conversation.Event) bool {
	switch b := e.Body.(type) {
	case conversation.ToolResult:
		return msg.Text != b.Text || b.Total > 0 || b.Blob != "" || b.Detail != ""
	case conversation.AssistantMessage:
		return msg.State != compact.StateVerbatim && msg.State != compact.StatePinned || b.Reasoning != ""
	}
	return msg.State != compact.StateVerbatim && msg.State != compact.StatePinned
}

// sender is who a message is from as it is sent.
func (m *Model) sender(it item, msg *compact.Message, width int) string {
	switch {
	case compact.OnlyNoted(msg.State, msg.Why):
		return m.styles.User.Render("note")
	case msg.State == compact.StateSummarised:
		return m.styles.User.Render("summary")
	case msg.State == compact.StateDropped:
		return m.styles.User.Render("left out")
	case msg.Role == compact.RoleTool:
		return m.resultSender(it, msg, width)
	case msg.Role == compact.RoleUser:
		return m.styles.User.Render("› user")
	case msg.Role == compact.RoleAssistant:
		return m.styles.Assistant.Render("assistant")
	}
	return m.styles.Assistant.Render(plain.Line(string(msg.Role)))
}

func (m *Model) resultSender(it item, msg *compact.Message, width int) string {
	e := m.book.event(it)
	if e == nil {
		return m.tool(conversation.ResultInterrupted, msg.Tool, "", width)
	}
	b, _ := e.Body.(conversation.ToolResult) // where it is none, the message says what there is
	if b.Tool == "" {
		b.Tool = msg.Tool
	}
	return m.tool(b.Status, b.Tool, m.about(e.Seq, b.CallID), width)
}

// eventName is an event as recall takes it.
func eventName(seq uint64) string { return "e" + strconv.FormatUint(seq, 10) }

// eventsName is a run of events.
func eventsName(events []uint64) string {
	switch n := len(events); n {
	case 0:
		return "no event"
	case 1:
		return eventName(events[0])
	default:
		return eventName(events[0]) + "–" + eventName(events[n-1])
	}
}

package history

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// The parts of a message's row: its author, how it is sent, and the text, folded or whole.

func cells(s string) int { return ansi.StringWidth(s) }

// author names the author of an event, for a result the tool and its subject.
func (d *drawer) author(e *conversation.Event, open bool, width int) string {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return d.styles.UserMark.Render("› you")
	case conversation.AssistantMessage:
		out := d.assistant(projection.RoleAssistant, b.Text, b.Calls)
		if b.Stop != "" && b.Stop != conversation.StopEnd && b.Stop != conversation.StopCalls {
			out += d.styles.Warning.Render(" · " + plain.Line(string(b.Stop)))
		}
		return out
	case conversation.ToolResult:
		verb := conversation.ToolVerb(b.Tool, b.Status != conversation.ResultDenied)
		return d.toolLine(b.Status, verb, d.document.subjectOf(e.Seq, b.CallID), open, width)
	}
	return ""
}

// assistant names the author of a reply, and without a text how many calls it has: their results are the rows below.
func (d *drawer) assistant(role projection.Role, text string, calls []conversation.ToolCall) string {
	name := d.styles.Gauge.Assistant.Bold(true).Render(plain.Line(string(role)))
	if text != "" || len(calls) == 0 {
		return name
	}
	return name + d.styles.Faint.Render(" · "+numbers.Count(len(calls), "call"))
}

// toolLine is the first line of a tool result, as in the chat: what the tool did, its subject, and whether it failed.
func (d *drawer) toolLine(status conversation.ResultStatus, verb, about string, open bool, width int) string {
	mark, outcome := markFolded, ""
	if open {
		mark = markOpen
	}
	switch status {
	case conversation.ResultOK, "":
	case conversation.ResultError:
		outcome = d.styles.Faint.Render(" · ") + d.styles.Error.Render("failed")
	default:
		outcome = d.styles.Faint.Render(" · ") + d.styles.Error.Render(plain.Line(string(status)))
	}
	out := d.styles.Faint.Render(mark) + d.styles.Muted.Render(pane.Clip(cmp.Or(plain.Line(verb), "tool"), max(width/2, 4)))
	if room := width - cells(out) - cells(outcome) - 1; about != "" && room >= 4 {
		out += " " + d.styles.Text.Render(pane.Clip(about, room))
	}
	return out + outcome
}

// originalLines draws the text of an event. A folded result shows text only if it failed, matches the search or
// is compared with what is sent.
func (d *drawer) originalLines(e *conversation.Event, open, compared bool, width int) []line {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		out := d.textLines(b.Text, unstyled, open, foldLines, min(width, markdown.MaxProseWidth))
		return append(out, d.imageLines(b.Images, width)...)
	case conversation.AssistantMessage:
		return append(d.replyLines(b, open, width), d.callLines(b.Calls, open, compared, width)...)
	case conversation.ToolResult:
		switch {
		case open:
			return append(d.resultLines(b, width), d.imageLines(b.Images, width)...)
		case compared || d.matchesSearch(b.Text):
			return d.textLines(b.Text, unstyled, false, foldResult, width)
		case b.Status != conversation.ResultOK && b.Status != "":
			first, _, _ := strings.Cut(strings.TrimSpace(b.Text), "\n")
			return []line{{text: pane.Clip("  "+plain.Line(conversation.Beginning(first, 4*width)), width), style: d.styles.Error.Bold(false)}}
		}
	}
	return nil
}

func (d *drawer) imageLines(images []conversation.Image, width int) (out []line) {
	for _, m := range images {
		out = append(out, line{text: pane.Clip("▣ "+plain.Line(m.Label()), width), style: unstyled})
	}
	return out
}

// replyLines draws the text of a reply, and its reasoning if it is expanded.
func (d *drawer) replyLines(b conversation.AssistantMessage, open bool, width int) []line {
	var out []line
	if open && b.Reasoning != "" {
		out = append(out, line{text: "reasoning:", style: d.styles.Muted})
		out = append(out, d.wholeText(b.Reasoning, d.styles.Muted, min(width, markdown.MaxProseWidth))...)
		if b.Text != "" {
			out = append(out, line{text: "answer:", style: d.styles.Muted})
		}
	}
	out = append(out, d.markdownLines(b.Text, open, foldLines, width)...)
	if b.Error != "" {
		out = append(out, d.foldedText(b.Error, d.styles.Error, foldLines, width)...)
	}
	return out
}

// callLines draws the calls of a reply: with all arguments if it is expanded, compared or matches the search. Folded, a call is a
// line as in the chat, or none if its result is a row.
func (d *drawer) callLines(calls []conversation.ToolCall, open, compared bool, width int) []line {
	var out []line
	for _, c := range calls {
		text := c.Name + " " + c.Arguments
		switch {
		case open:
			out = append(out, d.wholeText("→ "+text, d.styles.Muted, width)...)
			continue
		case compared || d.matchesSearch(text):
		case d.document.answered[c.ID]:
			continue
		default:
			text = conversation.ToolVerb(c.Name, false) + " " + subject(c)
		}
		text = "→ " + plain.Line(conversation.Beginning(text, 4*width))
		out = append(out, line{text: pane.Clip(text, width), style: d.styles.Muted})
	}
	return out
}

// resultLines draws the whole text of a result as it is in the log.
func (d *drawer) resultLines(b conversation.ToolResult, width int) []line {
	out := d.wholeText(b.Text, unstyled, width)
	if b.Total > 0 {
		more := fmt.Sprintf("%s shows all %s characters.", d.keys.Open.Help().Key, numbers.Grouped(b.Total))
		out = append(out, styled(d.styles.Muted, pane.Wrap(more, width)...)...)
	}
	if b.Detail == "" {
		return out
	}
	out = append(out, line{text: "shown to you, never sent:", style: d.styles.Muted})
	f, ok := diff.Parse(b.Detail)
	if !ok {
		return append(out, d.wholeText(b.Detail, unstyled, width)...)
	}
	rows, _ := diffview.Styles(d.styles.Diff).Draw(f, width, diffview.All)
	return append(out, rendered(rows)...)
}

// badge is the word for how a row is sent, "" if it is sent unchanged.
func (d *drawer) badge(state projection.State, why string, back bool) string {
	switch {
	case back:
		return d.styles.Muted.Render("undone")
	case state == projection.StateVerbatim:
		return ""
	}
	return d.badges[state].Render(stateWord(state, why))
}

// stateWord is a state in a plain word.
func stateWord(state projection.State, why string) string {
	switch {
	case projection.OnlyNoted(state, why):
		return "left out"
	case state == projection.StateMasked:
		return "shortened"
	}
	return state.Word()
}

// isPart reports whether a text above replaces this row with others.
func isPart(r *inspect.HistoryRow) bool {
	return r.Message >= 0 && !r.ShowsMessage || r.Message < 0 && r.State == projection.StateSummarised
}

// partOf says which text above replaces a row.
func partOf(r *inspect.HistoryRow) string {
	switch {
	case projection.OnlyNoted(r.State, r.Why):
		return "part of the note above"
	case r.State == projection.StateSummarised:
		return "part of the summary above"
	}
	return "part of what is left out above"
}

// Marks in the gutter of a row.
const (
	markSame   = "="
	markPart   = "┆" // a text above replaces it
	markAbsent = "−"
)

func (d *drawer) gutterMark(r *inspect.HistoryRow) string {
	switch {
	case isPart(r):
		return markPart
	case r.Message < 0:
		return markAbsent
	case d.document.isSentUnchanged(r):
		return markSame
	}
	return ""
}

// sendStatus is how a row is sent, if not unchanged, and its tokens.
func (d *drawer) sendStatus(r *inspect.HistoryRow, width int) string {
	back := d.document.isRewound(r)
	badge, tokens := d.badge(r.State, r.Why, back), d.document.tokensOf(r)
	if part := !back && isPart(r); part && d.document.side == sideBoth {
		badge, tokens = d.styles.Faint.Render(stateWord(r.State, r.Why)), ""
	}
	if tokens == "" || d.document.side == sideOriginal {
		tokens = pane.Tokens(d.document.tokens(r.Before))
	}
	return d.rightColumns(badge, eventName(d.document.Log[r.Event].Seq), tokens, width)
}

// rightColumns draws a badge, the name of an event if there is room, and tokens, in columns.
func (d *drawer) rightColumns(badge, event, tokens string, width int) string {
	if badge != "" {
		badge += " "
	}
	if width < leastNames {
		return badge + d.styles.Muted.Render(tokens)
	}
	column := changeCells
	if !d.document.modified {
		column = changeCells / 2
	}
	name := d.styles.Faint.Render(pane.AlignRight(event, nameCells))
	return badge + name + d.styles.Muted.Render(" "+pane.AlignRight(tokens, column))
}

// sentLines draws the text and the calls of a message as it is sent. A folded result that is sent in full has only
// its first line, unless it is compared or matches the search.
func (d *drawer) sentLines(s *projection.Message, open, compared bool, width int) []line {
	switch {
	case !open && s.State == projection.StateSummarised:
		return d.summaryLines(withoutPreamble(s.Text), false, width)
	case s.State == projection.StateSummarised || s.State == projection.StateDropped && len(s.Calls) == 0:
		return d.summaryLines(s.Text, open, width)
	case s.Role == projection.RoleTool && !open && !compared && s.State == projection.StateVerbatim && !d.matchesSearch(s.Text):
		return nil
	case s.Role == projection.RoleTool:
		return d.textLines(s.Text, unstyled, open, foldResult, width)
	case s.Role == projection.RoleAssistant:
		return append(d.markdownLines(s.Text, open, foldLines, width), d.callLines(s.Calls, open, compared, width)...)
	}
	return d.textLines(s.Text, unstyled, open, foldLines, min(width, markdown.MaxProseWidth))
}

// namesTurn matches the turns that notes and summaries name: turns 0–5, (t3), - t4: ...
var namesTurn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[Tt]urns? \d|\(t\d|(?m:^- t\d)`) })

// summaryLines draws a text that stands for turns, as it is sent: it counts them from 0.
func (d *drawer) summaryLines(text string, open bool, width int) (out []line) {
	if namesTurn().MatchString(text) {
		out = styled(d.styles.Faint, pane.Wrap("As sent: turns count from 0.", width)...)
	}
	return append(out, d.markdownLines(text, open, foldLines, width)...)
}

// withoutPreamble returns a summary from its first heading on. It drops a first paragraph, which is the same in all summaries.
func withoutPreamble(text string) string {
	const heading = "\n\n## "
	if i := strings.IndexByte(text, '\n'); i >= 0 && strings.HasPrefix(text[i:], heading) {
		return text[i+len(heading):]
	}
	return text
}

// sender names the author of a message as it is sent.
func (d *drawer) sender(it item, msg *projection.Message, open bool, width int) string {
	switch {
	case projection.OnlyNoted(msg.State, msg.Why):
		return d.styles.Gauge.Summary.Bold(true).Render("note")
	case msg.State == projection.StateSummarised:
		return d.styles.Gauge.Summary.Bold(true).Render("summary")
	case msg.State == projection.StateDropped:
		return d.styles.Gauge.Summary.Bold(true).Render("left out")
	case msg.Role == projection.RoleUser:
		return d.styles.UserMark.Render("› you")
	case msg.Role != projection.RoleTool:
		return d.assistant(msg.Role, msg.Text, msg.Calls)
	}
	e := d.document.event(it)
	if e == nil {
		return d.toolLine(conversation.ResultInterrupted, msg.Tool, "", open, width)
	}
	b, _ := e.Body.(conversation.ToolResult)
	name := cmp.Or(b.Tool, msg.Tool) // as the model knows it
	return d.toolLine(b.Status, name, d.document.subjectOf(e.Seq, b.CallID), open, width)
}

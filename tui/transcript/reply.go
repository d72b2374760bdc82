package transcript

import (
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// replyItem shows a reply: its reasoning, which can be folded, its Markdown text,
// rendered while it streams, and a note if the reply is not complete.
type replyItem struct {
	versioned
	text      string
	reasoning string
	stop      conversation.StopReason
	failure   string

	live        *liveReply       // nil once finished
	streamed    *markdown.Stream // already rendered text of live, reused by the first drawing of the finished reply
	streamedGen int              // drawOptions.generation when streamed was made in
	layout      *replyLayout     // nil unless its lines are kept
}

// replyLayout describes the drawn lines of a reply. It is a type of its own to save memory:
// few replies of a long conversation are drawn.
type replyLayout struct {
	reasoning growing
	top, end  int // the first line of the text, and the line after its last
}

// liveReply is a reply that is still streaming.
type liveReply struct {
	text, reasoning strings.Builder
	stream          *markdown.Stream // nil before the first text
	generation      int              // drawOptions.generation when stream was made
}

// While reasoning streams folded, its last foldedLines lines show; only the last
// foldedBytes bytes are wrapped to find them.
const (
	foldedLines = 3
	foldedBytes = 2000
)

func (r *replyItem) stream(text, reasoning string, l *drawOptions) {
	if r.live == nil {
		r.live = &liveReply{}
	}
	if text != "" && r.live.stream == nil {
		r.live.stream, r.live.generation = l.markdown.Stream(), l.generation
	}
	if text != "" {
		r.live.stream.Append(text)
	}
	r.live.text.WriteString(text)
	r.live.reasoning.WriteString(reasoning)
	r.bump()
}

// finish sets the reply in the log, which replaces the streamed one.
func (r *replyItem) finish(b conversation.AssistantMessage) {
	if r.live != nil && r.live.stream != nil && r.live.text.String() == b.Text {
		r.streamed, r.streamedGen = r.live.stream, r.live.generation // most of it is laid out already
	}
	r.live = nil
	r.text, r.reasoning, r.stop, r.failure = b.Text, b.Reasoning, b.Stop, b.Error
	r.bump()
}

func (r *replyItem) textSoFar() string {
	if r.live != nil {
		return r.live.text.String()
	}
	return r.text
}

func (r *replyItem) reasoningSoFar() string {
	if r.live != nil {
		return r.live.reasoning.String()
	}
	return r.reasoning
}

func (r *replyItem) source(l *drawOptions) string {
	return plain.Text(r.reasoningSoFar()) + "\n" + l.markdown.Unwrapped(r.textSoFar()) + "\n" + plain.Text(r.failure)
}

func (r *replyItem) forget() { r.layout = nil }

func (r *replyItem) indent(line int) int {
	if r.layout != nil && line >= r.layout.top && line < r.layout.end {
		return 0 // the text has no mark in front
	}
	return 2
}

func (r *replyItem) draw(l *drawOptions, width int) []string {
	if r.layout == nil {
		r.layout = &replyLayout{}
	}
	d := r.layout
	reasoning, text := r.drawReasoning(l, width), r.drawText(l)
	d.top, d.end = len(reasoning), len(reasoning)+len(text)
	if len(reasoning) > 0 && len(text) > 0 {
		d.top, d.end = d.top+1, d.end+1
	}
	end := r.drawEnd(l, width, d.end > 0)
	if len(reasoning)+len(end) == 0 {
		return text
	}
	out := make([]string, 0, d.end+len(end))
	out = append(out, reasoning...)
	if len(reasoning) > 0 && len(text) > 0 {
		out = append(out, "")
	}
	out = append(out, text...)
	return append(out, end...)
}

// drawText renders the text. While it streams, only the new part is rendered.
func (r *replyItem) drawText(l *drawOptions) []string {
	switch {
	case r.live != nil && r.live.stream != nil:
		if r.live.generation != l.generation {
			r.live.stream, r.live.generation = l.markdown.Stream(), l.generation
			r.live.stream.Append(r.live.text.String())
		}
		return r.live.stream.Lines()
	case r.live != nil || strings.TrimSpace(r.text) == "":
		return nil
	case r.streamed != nil && r.streamedGen == l.generation:
		streamed := r.streamed
		r.streamed = nil
		return streamed.Finish()
	}
	r.streamed = nil
	return l.markdown.Render(r.text)
}

// drawReasoning draws all of the reasoning when unfolded. Folded, it draws the last
// lines until the text begins, and then one line with the number of tokens.
func (r *replyItem) drawReasoning(l *drawOptions, width int) []string {
	source := strings.TrimLeft(r.reasoningSoFar(), " \t\n")
	if strings.TrimSpace(source) == "" {
		return nil
	}
	room := max(1, width-2)
	mark := l.styles.ReasoningMark.Render("✻") + " "
	switch {
	case l.expanded:
		if r.live == nil {
			source = strings.TrimRight(source, " \t\n")
		}
		return indented(mark, r.layout.reasoning.wrap(source, room, l.styles.Reasoning, l.generation))
	case r.live != nil && r.live.stream == nil:
		lines := pane.Wrap(plain.Text(strings.TrimSpace(tail(source, foldedBytes))), room)
		return indented(mark, pane.Each(l.styles.Reasoning, lines[max(0, len(lines)-foldedLines):]))
	}
	size := conversation.Measure(source)
	what := l.styles.Reasoning.Render(pane.Clip("thought · "+tokens(size, l.factor), room))
	return []string{mark + what}
}

// drawEnd notes how a reply ended, unless it is complete. hasContent says that lines precede the note.
func (r *replyItem) drawEnd(l *drawOptions, width int, hasContent bool) []string {
	style, note := l.styles.Warning, ""
	switch r.stop {
	case conversation.StopCancelled:
		note = "stopped"
	case conversation.StopInterrupted:
		note = "interrupted: the program ended while this reply was arriving"
	case conversation.StopLength:
		note = "reply cut off: it reached the output limit or filled the window"
	case conversation.StopFiltered:
		note = "the provider withheld the rest of this reply"
		if r.failure != "" {
			note = "the model refused: " + r.failure
		}
	case conversation.StopFailed:
		style, note = l.styles.Warning, "broke off"
		if r.failure != "" {
			style, note = l.styles.Error, "failed: "+r.failure
		}
	case conversation.StopEnd:
		if !hasContent {
			note = "empty reply"
		}
	}
	if note == "" {
		return nil
	}
	return indented(style.Render("■")+" ", pane.Each(style, pane.Wrap(plain.Text(note), max(1, width-2))))
}

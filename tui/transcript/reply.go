package transcript

import (
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// replyItem is a reply: reasoning, which folds, Markdown, rendered as it
// streams, and how it ended unless it is complete.
type replyItem struct {
	versioned
	text      string
	reasoning string
	stop      conversation.StopReason
	failure   string

	live    *arriving        // nil once finished
	rest    *markdown.Stream // of the text as it arrived, until it is drawn whole
	restGen int              // generation of the look that rest was made in
	layout  *replyLayout     // nil unless its lines are kept
}

// replyLayout is what of a reply belongs to its lines. It is apart from the reply because
// few replies of a long conversation are drawn.
type replyLayout struct {
	thoughts growing
	top, end int // lines of reasoning before the text, and where the end begins
}

// arriving is a reply that streams.
type arriving struct {
	text, reasoning strings.Builder
	stream          *markdown.Stream // nil before the first text
	generation      int              // of the look that stream was made in
}

// foldReasoning is how many lines of reasoning show while it streams folded,
// and reasoningTail of how many bytes they are taken.
const (
	foldReasoning = 3
	reasoningTail = 2000
)

func newReply(b conversation.AssistantMessage) *replyItem {
	return &replyItem{text: b.Text, reasoning: b.Reasoning, stop: b.Stop, failure: b.Error}
}

// stream adds what arrived.
func (r *replyItem) stream(text, reasoning string, l *look) {
	if r.live == nil {
		r.live = &arriving{}
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

// finish replaces what streamed by the reply as it is in the log.
func (r *replyItem) finish(b conversation.AssistantMessage, l *look) {
	if r.live != nil && r.live.stream != nil && r.live.text.String() == b.Text {
		r.rest, r.restGen = r.live.stream, r.live.generation // most of it is laid out already
	}
	r.live = nil
	r.text, r.reasoning, r.stop, r.failure = b.Text, b.Reasoning, b.Stop, b.Error
	r.bump()
}

// written is the text so far.
func (r *replyItem) written() string {
	if r.live != nil {
		return r.live.text.String()
	}
	return r.text
}

// thought is the reasoning so far.
func (r *replyItem) thought() string {
	if r.live != nil {
		return r.live.reasoning.String()
	}
	return r.reasoning
}

func (r *replyItem) source(l *look) string {
	return plain.Text(r.thought()) + "\n" + l.markdown.Unwrapped(r.written()) + "\n" + plain.Text(r.failure)
}

func (r *replyItem) forget() { r.layout = nil }

// prose reports whether a line is of the text itself, without a mark before it.
func (r *replyItem) prose(line int) bool {
	return r.layout != nil && line >= r.layout.top && line < r.layout.end
}

func (r *replyItem) indent(line int) int {
	if r.prose(line) {
		return 0
	}
	return 2
}

func (r *replyItem) draw(l *look, width int) []string {
	if r.layout == nil {
		r.layout = &replyLayout{}
	}
	d := r.layout
	thoughts, text := r.drawReasoning(l, width), r.drawText(l)
	d.top, d.end = len(thoughts), len(thoughts)+len(text)
	if len(thoughts) > 0 && len(text) > 0 {
		d.top, d.end = d.top+1, d.end+1
	}
	end := r.drawEnd(l, width, d.end > 0)
	if len(thoughts)+len(end) == 0 {
		return text
	}
	out := make([]string, 0, d.end+len(end))
	out = append(out, thoughts...)
	if len(thoughts) > 0 && len(text) > 0 {
		out = append(out, "")
	}
	out = append(out, text...)
	return append(out, end...)
}

// drawText renders the text, of a reply that arrives only what is new.
func (r *replyItem) drawText(l *look) []string {
	switch {
	case r.live != nil && r.live.stream != nil:
		if r.live.generation != l.generation {
			r.live.stream, r.live.generation = l.markdown.Stream(), l.generation
			r.live.stream.Append(r.live.text.String())
		}
		return r.live.stream.Lines()
	case r.live != nil || strings.TrimSpace(r.text) == "":
		return nil
	case r.rest != nil && r.restGen == l.generation:
		rest := r.rest
		r.rest = nil
		return rest.Finish()
	}
	r.rest = nil
	return l.markdown.Render(r.text)
}

// drawReasoning is one line with its weight once there is more than reasoning,
// its end before that, and all of it unfolded.
func (r *replyItem) drawReasoning(l *look, width int) []string {
	source := strings.TrimLeft(r.thought(), " \t\n")
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
		return indented(mark, r.layout.thoughts.wrap(source, room, l.styles.Reasoning, l.generation))
	case r.live != nil && r.live.stream == nil:
		lines := pane.Wrap(plain.Text(strings.TrimSpace(tail(source, reasoningTail))), room)
		return indented(mark, styled(l.styles.Reasoning, lines[max(0, len(lines)-foldReasoning):]))
	}
	size := conversation.Measure(source)
	what := l.styles.Reasoning.Render(pane.Clip("thought · "+tokens(size, l.factor), room))
	return []string{mark + what}
}

// drawEnd says how a reply ended unless it is complete.
func (r *replyItem) drawEnd(l *look, width int, follows bool) []string {
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
		if !follows {
			note = "empty reply"
		}
	}
	if note == "" {
		return nil
	}
	return indented(style.Render("■")+" ", styled(style, pane.Wrap(plain.Text(note), max(1, width-2))))
}

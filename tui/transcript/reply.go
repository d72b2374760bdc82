package transcript

import (
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/transcript/markdown"
)

// replyItem is a reply: reasoning, which folds, and Markdown, rendered as it
// streams.
type replyItem struct {
	versioned
	text      string
	reasoning string
	buffer    *strings.Builder // text while it streams
	thoughts  *strings.Builder // reasoning while it streams
	live      *markdown.Stream // nil once finished
	liveGen   int              // generation of the look it streams in
	stop      conversation.StopReason
	failure   string
}

// foldReasoning is how many lines of reasoning show while it streams folded.
const foldReasoning = 3

// stream adds what arrived.
func (r *replyItem) stream(text, reasoning string, md *markdown.Renderer) {
	if r.buffer == nil {
		r.buffer, r.thoughts = &strings.Builder{}, &strings.Builder{}
	}
	if text != "" {
		if r.live == nil {
			r.live = md.Stream()
			r.live.Append(r.buffer.String())
		}
		r.buffer.WriteString(text)
		r.live.Append(text)
	}
	r.thoughts.WriteString(reasoning)
	r.bump()
}

// finish replaces what streamed by the reply as it is in the log.
func (r *replyItem) finish(b conversation.AssistantMessage) {
	r.text, r.reasoning, r.stop, r.failure = b.Text, b.Reasoning, b.Stop, b.Error
	r.buffer, r.thoughts, r.live = nil, nil, nil
	r.bump()
}

func (r *replyItem) draw(l *look, width int) []string {
	room := textWidth(width)
	lines := r.drawReasoning(l, room)
	var text []string
	switch {
	case r.live != nil:
		if r.liveGen != l.generation {
			// The theme changed in mid-reply.
			r.live = l.markdown.Stream()
			r.live.Append(r.buffer.String())
			r.liveGen = l.generation
		}
		text = r.live.Lines()
	case strings.TrimSpace(r.text) != "":
		text = l.markdown.Render(r.text)
	}
	if len(lines) > 0 && len(text) > 0 {
		lines = append(lines, "")
	}
	out := make([]string, 0, len(lines)+len(text)+2)
	for _, line := range append(lines, text...) {
		if line == "" {
			out = append(out, "")
			continue
		}
		out = append(out, " "+line)
	}
	return append(out, r.drawEnd(l, room, len(out) > 0)...)
}

func (r *replyItem) drawReasoning(l *look, room int) []string {
	source, streaming := r.reasoning, r.thoughts != nil
	if streaming {
		source = r.thoughts.String()
	}
	if strings.TrimSpace(source) == "" {
		return nil
	}
	if !l.expanded && !(streaming && r.live == nil) {
		size := conversation.Measure(source)
		return []string{l.styles.Reasoning.Render(fitted("✻ thought · "+weight(size, l.factor)+" (ctrl+o to expand)", room))}
	}
	mark := l.styles.ReasoningMark.Render("✻") + " "
	body := wrapped(plain.Text(strings.TrimSpace(tail(source, l.expanded))), max(1, room-2))
	if !l.expanded && len(body) > foldReasoning {
		body = body[len(body)-foldReasoning:]
	}
	return indented(mark, styled(l.styles.Reasoning, body))
}

// tail is the end of a text that is shown folded, all of it otherwise.
func tail(text string, whole bool) string {
	const most = 2000
	if whole || len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	for len(text) > 0 && text[0]&0xC0 == 0x80 {
		text = text[1:]
	}
	return text
}

// drawEnd says how a reply ended if not by itself.
func (r *replyItem) drawEnd(l *look, room int, follows bool) []string {
	style, note := l.styles.Warning, ""
	switch r.stop {
	case conversation.StopCancelled:
		note = "stopped"
	case conversation.StopInterrupted:
		note = "interrupted: the program ended while this reply was arriving"
	case conversation.StopLength:
		note = "cut: the reply reached its token limit or the window is full"
	case conversation.StopFiltered:
		note = "the provider withheld the rest of this reply"
	case conversation.StopFailed:
		style, note = l.styles.Error, "failed"
		if r.failure != "" {
			note += ": " + r.failure
		}
	case conversation.StopEnd, conversation.StopCalls:
		if !follows && r.stop == conversation.StopEnd {
			note = "an empty reply"
		}
	}
	if note == "" {
		return nil
	}
	return indented(" "+style.Render("■")+" ", styled(style, wrapped(plain.Text(note), max(1, room-2))))
}

package history

import (
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Rows across both columns: an event that is no message, which unfolded says all that the log knows of it, and the
// instructions of a request.

func (d *drawer) sketchEvent(it item, open bool, width int) sketch {
	e := &d.book.Log[it.at]
	style := d.styles.Event
	if n, ok := e.Body.(conversation.Notice); ok && n.Level != conversation.NoticeInfo {
		style = d.styles.Pane.Warning
	}
	text := "── " + eventName(e.Seq) + " " + clock(e.Time, d.zone) + " " + d.book.words(it.at)
	if d.book.undone(it.at) {
		text += " · " + since(e.Body)
	}
	s := sketch{lines: []string{d.paint(line{text: ruled(plain.Line(head(text, 4*width)), width), style: style})}}
	if !open {
		return s
	}
	details := d.book.details(it.at)
	if cells(plain.Line(text)) < width { // all of it stands there
		details = details[1:]
	}
	for _, l := range details {
		s.lines = append(s.lines, d.paintAll(d.spread(l, d.styles.Pane.Muted, width))...)
	}
	for _, o := range d.book.pass(it.at) {
		sum, ok := o.Body.(conversation.Summary)
		if !ok || sum.Text == "" && sum.Appendix == "" {
			continue
		}
		body, links := d.summary(strings.TrimSpace(sum.Text+"\n\n"+sum.Appendix), d.book.covered(sum), s.links, true, width)
		s.lines, s.links = append(s.lines, d.paintAll(body)...), links
	}
	return s
}

// sketchInstructions draws the system prompt or the tools of a request.
func (d *drawer) sketchInstructions(it item, open bool, width int) sketch {
	name, text := d.book.request.instructions(it.kind)
	right := d.styles.Pane.Muted.Render(pane.Tokens(d.book.tokens(conversation.Measure(text))))
	s := sketch{lines: []string{d.headLine(d.styles.Assistant.Render(name), right, width)}}
	body := d.fold(text, d.styles.Sent, foldLines, width)
	if open {
		body = d.spread(text, d.styles.Sent, width)
	}
	if text == "" {
		body = styled(d.styles.Pane.Muted, "none")
	}
	s.lines = append(s.lines, d.paintAll(body)...)
	return s
}

package transcript

import (
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// outputItem is a text that came when its user did other things: what a command
// printed, a page that took its time. It is a quiet line that unfolds, and no part
// of the log.
type outputItem struct {
	versioned
	title, text string
	size        conversation.Size
	expanded    bool // unfolded on its own, without the others
}

// toggle unfolds or folds this text alone.
func (o *outputItem) toggle() {
	o.expanded = !o.expanded
	o.bump()
}

func (o *outputItem) indent(int) int { return 2 }
func (o *outputItem) source() string { return o.text }

func (o *outputItem) draw(l *look, width int) []string {
	room := max(1, width-2)
	mark := l.styles.Info.Render("·") + " "
	title := oneLine(o.title, room)
	if l.expanded || o.expanded {
		lines := append(styled(l.styles.Info, []string{title}), styled(l.styles.Output, pane.Wrap(plain.Text(o.text), room))...)
		return indented(mark, lines)
	}
	text := strings.TrimSpace(o.text)
	switch {
	case text == "":
		return indented(mark, styled(l.styles.Info, pane.Wrap(plain.Line(o.title)+" · no output", room)))
	case !strings.Contains(text, "\n") && len(text) <= room:
		return indented(mark, append(styled(l.styles.Info, []string{title}), styled(l.styles.Output, pane.Wrap(plain.Text(text), room))...))
	}
	folded := numbers.Count(strings.Count(text, "\n")+1, "line") + ", " + tokens(o.size, l.factor)
	return indented(mark, append(styled(l.styles.Info, []string{title}), l.styles.Hint.Render(pane.Clip("… "+folded, room))))
}

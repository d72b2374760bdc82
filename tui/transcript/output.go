package transcript

import (
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// outputItem is a text that arrived after the user had moved on: the output of a
// command, a page that loaded slowly. It is shown without emphasis, can be
// unfolded, and is not part of the log.
type outputItem struct {
	foldable
	title, text string
	size        conversation.Size
}

func (o *outputItem) indent(int) int             { return 2 }
func (o *outputItem) source(*drawOptions) string { return plain.Text(o.text) }

func (o *outputItem) draw(l *drawOptions, width int) []string {
	room := max(1, width-2)
	mark := l.styles.Info.Render("·") + " "
	title := oneLine(o.title, room)
	if l.expanded || o.expanded {
		lines := append(pane.Each(l.styles.Info, []string{title}), pane.Each(l.styles.Output, pane.Wrap(plain.Text(o.text), room))...)
		return indented(mark, lines)
	}
	text := strings.TrimSpace(o.text)
	if text == "" {
		return indented(mark, pane.Each(l.styles.Info, pane.Wrap(plain.Line(o.title)+" · no output", room)))
	}
	begins, all := beginning(o.text, room)
	lines := append(pane.Each(l.styles.Info, []string{title}), pane.Each(l.styles.Output, begins)...)
	if !all {
		folded := numbers.Count(strings.Count(text, "\n")+1, "line") + ", " + tokens(o.size, l.factor)
		lines = append(lines, l.styles.Hint.Render(pane.Clip("… "+folded, room)))
	}
	return indented(mark, lines)
}

// beginning returns the first rows of a command's output, and whether these are all rows.
func beginning(text string, room int) (rows []string, all bool) {
	text = strings.TrimRight(strings.TrimLeft(text, "\n"), " \t\r\n")
	shown := head(text, foldOutput+2, (foldOutput+2)*room*4)
	rows = pane.Wrap(plain.Text(shown), room)
	if len(shown) == len(text) && len(rows) <= foldOutput+1 {
		return rows, true
	}
	return rows[:min(len(rows), foldOutput)], false
}

package transcript

import (
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// chips draws a line for each image: its name, its size and what it takes.
func chips(l *drawOptions, images []conversation.Image, room int) (lines []string) {
	for _, m := range images {
		text := "▣ " + plain.Line(m.Label()) + " · " + numbers.Bytes(int64(m.Bytes))
		if m.Tokens > 0 {
			text += " · ~" + numbers.Count(m.Tokens, "token")
		}
		lines = append(lines, l.styles.Hint.Render(pane.Clip(text, room)))
	}
	return lines
}

package transcript

import (
	"strconv"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// foldUser is how many lines of a user message show while it is folded: enough
// for anything typed, not for a pasted log.
const foldUser = 24

// userItem is something the user said.
type userItem struct {
	versioned
	text string
}

func (u *userItem) draw(l *look, width int) []string {
	room := max(1, textWidth(width)-2)
	text := plain.Text(strings.TrimRight(u.text, "\n"))
	if !l.expanded {
		// Wrapping megabytes to show a page would stall the screen.
		text = head(text, foldUser*4, foldUser*room*4)
	}
	lines := styled(l.styles.User, wrapped(text, room))
	if !l.expanded {
		lines = folded(lines, foldUser, l.styles.Hint, room)
		if cut := strings.Count(u.text, "\n") - strings.Count(text, "\n"); cut > 0 {
			lines[len(lines)-1] = l.styles.Hint.Render(fitted("… "+plural(cut, "more line")+" (ctrl+o to expand)", room))
		}
	}
	return indented(" "+l.styles.UserMark.Render(">")+" ", lines)
}

// head is the beginning of text: at most so many lines and bytes.
func head(text string, lines, bytes int) string {
	at := 0
	for range lines {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			at = len(text)
			break
		}
		at += i + 1
	}
	at = min(at, len(text))
	if at > bytes {
		at = bytes
		for at > 0 && text[at]&0xC0 == 0x80 {
			at--
		}
	}
	return text[:at]
}

// noticeItem is something the program says.
type noticeItem struct {
	versioned
	level conversation.NoticeLevel
	text  string
}

func (n *noticeItem) draw(l *look, width int) []string {
	style, mark := l.styles.Info, "·"
	switch n.level {
	case conversation.NoticeWarning:
		style, mark = l.styles.Warning, "!"
	case conversation.NoticeError:
		style, mark = l.styles.Error, "✗"
	}
	lines := styled(style, wrapped(plain.Text(n.text), max(1, textWidth(width)-2)))
	return indented(" "+style.Render(mark)+" ", lines)
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

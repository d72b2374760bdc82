package transcript

import (
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
	size conversation.Size
}

func (u *userItem) indent(int) int { return 2 }
func (u *userItem) source() string { return u.text }

func (u *userItem) draw(l *look, width int) []string {
	room := max(1, width-2)
	text := strings.TrimRight(u.text, "\n")
	shown := text
	if !l.expanded {
		// Wrapping megabytes to show a page would stall the screen.
		shown = head(text, foldUser+2, (foldUser+2)*room*8)
	}
	lines := styled(l.styles.User, wrapped(plain.Text(shown), room))
	if !l.expanded && (len(lines) > foldUser+1 || len(shown) < len(text)) {
		lines = append(lines[:min(foldUser, len(lines))], l.styles.Hint.Render(l.more(u.folded(text, l), room)))
	}
	return indented(l.styles.UserMark.Render(">")+" ", lines)
}

// folded says how much there is in all.
func (u *userItem) folded(text string, l *look) string {
	tokens := weight(u.size, l.factor) + " tokens in all"
	if lines := strings.Count(text, "\n") + 1; lines > foldUser {
		return "… " + plural(lines, "line") + ", " + tokens
	}
	return "… " + tokens
}

// noticeItem is something the program says.
type noticeItem struct {
	versioned
	level conversation.NoticeLevel
	text  string
}

func (n *noticeItem) indent(int) int { return 2 }
func (n *noticeItem) source() string { return n.text }

func (n *noticeItem) draw(l *look, width int) []string {
	style, mark := l.styles.Info, "·"
	switch n.level {
	case conversation.NoticeWarning:
		style, mark = l.styles.Warning, "!"
	case conversation.NoticeError:
		style, mark = l.styles.Error, "✗"
	}
	lines := styled(style, wrapped(plain.Text(strings.TrimSpace(n.text)), max(1, width-2)))
	return indented(style.Render(mark)+" ", lines)
}

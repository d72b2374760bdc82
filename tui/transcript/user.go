package transcript

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// foldUser is how many lines of a user message show while it is folded: enough
// for anything typed, not for a pasted log.
const foldUser = 24

// userItem is something the user said, and the files that went with it.
type userItem struct {
	versioned
	text  string // with the files
	typed string
	ran   string // what the user's own command printed, "" for a message
	files []sentFile
	size  conversation.Size // of typed
}

// sentFile is a file that went with a message.
type sentFile struct {
	name string
	size conversation.Size
}

func newUser(b conversation.UserMessage) *userItem {
	u := &userItem{text: b.Text, typed: b.Text, size: b.Size}
	if command, output, ok := conversation.ParseCommandOutput(b.Text); ok {
		u.typed, u.ran = "!"+command, strings.TrimRight(output, "\n")
		if u.ran == "" {
			u.typed += " · no output"
		} else {
			lines := numbers.Count(strings.Count(u.ran, "\n")+1, "line")
			u.files = []sentFile{{"output, " + lines, conversation.Measure(output)}}
		}
		u.size = conversation.Measure(u.typed)
		return u
	}
	said, files := conversation.SplitAttachments(b.Text)
	for _, f := range files {
		u.files = append(u.files, sentFile{f.Path, conversation.Measure(f.Text)})
	}
	if len(files) > 0 {
		u.typed, u.size = said, conversation.Measure(said)
	}
	return u
}

func (u *userItem) indent(int) int      { return 2 }
func (u *userItem) source(*look) string { return plain.Text(u.text) }

func (u *userItem) draw(l *look, width int) []string {
	room := max(1, min(width, markdown.Measure)-2)
	if l.expanded {
		all := u.text
		if u.ran != "" {
			all = u.typed + "\n" + u.ran
		}
		lines := pane.Wrap(plain.Text(strings.TrimRight(all, "\n")), room)
		return banded(l, styled(l.styles.User, lines), width)
	}
	text := strings.TrimRight(u.typed, "\n")
	// Wrapping megabytes to show a page would stall the screen.
	shown := head(text, foldUser+2, (foldUser+2)*room*8)
	lines := styled(l.styles.User, pane.Wrap(plain.Text(shown), room))
	if len(lines) > foldUser+1 || len(shown) < len(text) {
		lines = append(lines[:min(foldUser, len(lines))], l.styles.Hint.Render(pane.Clip(u.folded(text, l), room)))
	}
	if u.ran != "" {
		begins, _ := beginning(u.ran, room)
		lines = append(lines, styled(l.styles.Output, begins)...)
	}
	for _, f := range u.files {
		what := "+ " + plain.Line(f.name) + " · " + tokens(f.size, l.factor)
		lines = append(lines, l.styles.Hint.Render(pane.Clip(what, room)))
	}
	return banded(l, lines, width)
}

// userBar is before each line of what the user said.
const userBar = "▌"

// banded puts lines behind a bar, on a band where the theme has one. It changes lines.
func banded(l *look, lines []string, width int) []string {
	band := pane.NewSurface(l.styles.Band)
	for i, line := range lines {
		line = l.styles.UserMark.Render(userBar) + " " + line
		if band != (pane.Surface{}) {
			line = band.Under(line + strings.Repeat(" ", max(0, width-ansi.StringWidth(line))))
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// folded says how much there is in all.
func (u *userItem) folded(text string, l *look) string {
	all := tokens(u.size, l.factor) + " in all"
	if lines := strings.Count(text, "\n") + 1; lines > foldUser {
		return "… " + numbers.Count(lines, "line") + ", " + all
	}
	return "… " + all
}

// noticeItem is something the program says.
type noticeItem struct {
	versioned
	level conversation.NoticeLevel
	text  string
	hint  string // what to do
	why   string // the failure that it tells of and that can be explained; "" for none
	again bool   // a key sends the request again
	over  bool   // the conversation went on
}

// explain adds what is known of a failure besides.
func (n *noticeItem) explain(text, hint string) bool {
	if n.why == "" || !strings.HasPrefix(text, n.why) {
		return false
	}
	n.text += strings.TrimPrefix(text, n.why)
	n.why = ""
	n.hint = hint
	n.bump()
	return true
}

func (n *noticeItem) indent(int) int      { return 2 }
func (n *noticeItem) source(*look) string { return plain.Text(n.text + "\n" + n.hint) }

func (n *noticeItem) draw(l *look, width int) []string {
	style, mark := l.styles.Info, "·"
	switch n.level {
	case conversation.NoticeWarning:
		style, mark = l.styles.Warning, "!"
	case conversation.NoticeError:
		style, mark = l.styles.Error, "✗"
	}
	text, hint := n.text, n.hint
	switch {
	case n.over:
		style = l.styles.Info
	case n.again && l.retry != "":
		hint = strings.TrimPrefix(hint+" · "+l.retry+" sends again", " · ")
	}
	lines := styled(style, pane.Wrap(plain.Text(strings.TrimSpace(text)), max(1, width-2)))
	if hint != "" {
		lines = append(lines, styled(l.styles.Info, pane.Wrap(plain.Text(hint), max(1, width-2)))...)
	}
	return indented(style.Render(mark)+" ", lines)
}

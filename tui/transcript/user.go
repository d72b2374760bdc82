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

// A message of more than foldUser lines has a pasted text, of which a chip stands: what is around it shows, at most
// aroundPaste lines each. A paste begins after the first empty line if that comes soon, else after the first line.
const (
	foldUser    = 24
	aroundPaste = 3
)

// userItem shows a user message and its attached files, or a command that the user ran.
type userItem struct {
	versioned
	text  string // with the text of the files
	typed string // without the files
	ran   string // output of the command; "" for a message
	files []sentFile
	size  conversation.Size // of typed

	images []conversation.Image
}

// sentFile is a file attached to a message, or the output of a command.
type sentFile struct {
	name string
	size conversation.Size
}

func newUser(b conversation.UserMessage) *userItem {
	own := b.Typed()
	u := &userItem{text: b.Text, typed: b.Text, size: b.Size, images: b.Images}
	if command, output, ok := conversation.ParseCommandOutput(own); ok {
		u.typed, u.ran = "!"+command, strings.TrimRight(output, "\n")
		if u.ran == "" {
			u.typed += " · no output"
		} else {
			lines := numbers.Count(strings.Count(u.ran, "\n")+1, "line")
			u.files = []sentFile{{name: "output, " + lines, size: conversation.Measure(output)}}
		}
		u.size = conversation.Measure(u.typed)
		return u
	}
	typed, files := conversation.SplitAttachments(own)
	for _, f := range files {
		u.files = append(u.files, sentFile{name: f.Path, size: conversation.Measure(f.Text)})
	}
	if n := min(b.Hooks, len(b.Text)); n > 0 {
		added, name := b.Text[len(b.Text)-n:], "about background commands"
		if strings.Contains(added, "[hook ") {
			name = "added by hooks"
		}
		u.files = append(u.files, sentFile{name: name, size: conversation.Measure(added)})
	}
	if len(u.files)+len(u.images) > 0 {
		u.typed, u.size = typed, conversation.Measure(typed)
	}
	return u
}

func (u *userItem) indent(int) int             { return 2 }
func (u *userItem) source(*drawOptions) string { return plain.Text(u.text) }

func (u *userItem) draw(l *drawOptions, width int) []string {
	room := max(1, min(width, markdown.MaxProseWidth)-2)
	if l.expanded {
		all := u.text
		if u.ran != "" {
			all = u.typed + "\n" + u.ran
		}
		lines := pane.Wrap(plain.Text(strings.TrimRight(all, "\n")), room)
		return banded(l, pane.Each(l.styles.User, lines), width)
	}
	text := strings.TrimRight(u.typed, "\n")
	// Wrapping megabytes to show a page would stall the screen.
	shown := head(text, foldUser+2, (foldUser+2)*room*8)
	lines := pane.Each(l.styles.User, pane.Wrap(plain.Text(shown), room))
	if len(lines) > foldUser+1 || len(shown) < len(text) {
		before, chip, after := u.aroundPaste(text, l)
		lines = lines[:0]
		for i, part := range []string{before, chip, after} {
			style := l.styles.User
			if i == 1 {
				style = l.styles.Hint
			}
			if part = head(part, aroundPaste, aroundPaste*room*8); part != "" {
				part := pane.Wrap(plain.Text(strings.Trim(part, "\n")), room)
				lines = append(lines, pane.Each(style, part[:min(len(part), aroundPaste)])...)
			}
		}
	}
	if u.ran != "" {
		begins, _ := beginning(u.ran, room)
		lines = append(lines, pane.Each(l.styles.Output, begins)...)
	}
	for _, f := range u.files {
		what := "+ " + plain.Line(f.name) + " · " + tokens(f.size, l.factor)
		lines = append(lines, l.styles.Hint.Render(pane.Clip(what, room)))
	}
	return banded(l, append(lines, chips(l, u.images, room)...), width)
}

// userBar begins each line of a user message.
const userBar = "▌"

// banded puts a bar before each line, and the theme's background under it. It changes lines.
func banded(l *drawOptions, lines []string, width int) []string {
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

// aroundPaste splits a long message into what precedes the paste, a chip for it, and what follows.
func (u *userItem) aroundPaste(text string, l *drawOptions) (before, chip, after string) {
	before = head(text, 1, len(text))
	if i := strings.Index(text, "\n\n"); i >= 0 && strings.Count(text[:i], "\n") < aroundPaste {
		before = text[:i+1]
	}
	pasted := text[len(before):]
	if i := strings.LastIndex(pasted, "\n\n"); i >= 0 && strings.Count(pasted[i+2:], "\n") < aroundPaste {
		pasted, after = pasted[:i], pasted[i+2:]
	}
	lines := strings.Count(strings.Trim(pasted, "\n"), "\n") + 1
	if pasted == "" { // one long line
		return before, "[… " + tokens(u.size, l.factor) + " in all]", ""
	}
	return before, "[pasted " + numbers.Count(lines, "line") + separator + tokens(conversation.Measure(pasted), l.factor) + "]", after
}

// noticeItem is a message of the program: information, a warning or an error.
type noticeItem struct {
	versioned
	level    conversation.NoticeLevel
	text     string
	hint     string // what the user can do
	failure  string // the beginning of a failure that explain may complete; "" for none
	card     bool   // it has the bar of a compaction
	canRetry bool   // a key sends the request again
	resumed  bool   // the conversation continued after the failure
}

// explain completes the text of the failure and adds a hint. It returns false if the notice shows another failure.
func (n *noticeItem) explain(text, hint string) bool {
	if n.failure == "" || !strings.HasPrefix(text, n.failure) {
		return false
	}
	n.text += strings.TrimPrefix(text, n.failure)
	n.failure = ""
	if n.card { // its line says that nothing changed
		hint = strings.TrimSuffix(hint, "nothing was changed")
	}
	n.hint = strings.Trim(n.hint+separator+hint, " ·;")
	n.bump()
	return true
}

func (n *noticeItem) indent(int) int             { return 2 }
func (n *noticeItem) source(*drawOptions) string { return plain.Text(n.text + "\n" + n.hint) }

func (n *noticeItem) draw(l *drawOptions, width int) []string {
	room := max(1, width-2)
	lines := pane.Wrap(plain.Text(strings.TrimSpace(n.text)), min(room, markdown.MaxProseWidth))
	style, mark := l.styles.Info, "·"
	switch n.level {
	case conversation.NoticeWarning:
		style, mark = l.styles.Warning, "!"
	case conversation.NoticeError:
		return n.failureLines(l, lines, room)
	}
	if n.card {
		return barred(style.Render(cardBar), append(lines, n.hintLines(l, n.hint, room)...), width)
	}
	return indented(style.Render(mark)+" ", append(pane.Each(style, lines), n.hintLines(l, n.hint, room)...))
}

// errorBar begins each line of a failure.
const errorBar = "▍"

// failureLines draws a failure: what happened, and which key helps, at the end of its last line if there is room.
func (n *noticeItem) failureLines(l *drawOptions, lines []string, room int) []string {
	bar, key := l.styles.Error, ""
	switch {
	case n.resumed:
		bar = l.styles.Info
		lines = pane.Each(bar, lines)
	case n.canRetry && l.keys.Retry != "":
		key = l.keys.Retry + " sends again"
	}
	last := len(lines) - 1
	if free := min(room, cardWidth) - ansi.StringWidth(lines[last]) - ansi.StringWidth(key); key != "" && n.hint == "" && free >= 2 {
		lines[last] += strings.Repeat(" ", min(free, 6)) + l.styles.Hint.Render(key)
		key = ""
	}
	hint := strings.Trim(n.hint+separator+key, " ·")
	return barred(bar.Render(errorBar), append(lines, n.hintLines(l, hint, room)...), room+2)
}

func (n *noticeItem) hintLines(l *drawOptions, hint string, room int) []string {
	if hint == "" {
		return nil
	}
	return pane.Each(l.styles.Info, pane.Wrap(plain.Text(hint), room))
}

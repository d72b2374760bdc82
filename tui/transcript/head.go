package transcript

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
)

// The head is the line of a tool call. It shows a mark, the verb, its subject, how the call ended unless that is the normal case,
// and the tokens of the result at the right edge.

const (
	longCall     = 3 * time.Second // a shorter call shows no duration
	longCommand  = 100 * time.Millisecond
	minTimeWidth = 30 // cells: a narrower line shows no duration
	minUnitWidth = 60 // cells: a narrower line shows no unit after the number of tokens
)

// head draws the line of the call. On a narrow screen it shortens the subject first.
func (t *toolItem) head(l *drawOptions, width int, open bool) string {
	mark, style := t.mark(l, open)
	right := ""
	if t.state == callDone && t.result.Text != "" {
		right = tokenNumber(t.result.Size, l.factor)
		if width >= minUnitWidth {
			right += " tok"
		}
	}
	reserved := ansi.StringWidth(right)
	if reserved > 0 {
		reserved += 2
	}
	ended := t.ended(l, width)
	endedWidth := ansi.StringWidth(ended)
	name := oneLine(t.verb(), max(4, width-2-reserved-endedWidth))
	used := 2 + ansi.StringWidth(name)
	line := style.Render(mark) + " " + l.styles.ToolName.Render(name)
	t.subjectAt = [2]int{}
	if room := width - used - 1 - reserved - endedWidth; room >= 4 {
		subject := oneLine(t.subject(), room)
		if subject != "" {
			t.subjectAt = [2]int{used + 1, used + 1 + ansi.StringWidth(subject)}
			line += " " + l.styles.ToolSubject.Render(subject)
			used = t.subjectAt[1]
		}
	}
	line, used = line+ended, used+endedWidth
	if reserved > 0 {
		line += strings.Repeat(" ", max(1, width-used-reserved+2)) + l.styles.Faint.Render(right)
	}
	return pane.Clip(line, width)
}

// ended returns how a call ended: the number of lines an edit changed, a failure, a long duration.
func (t *toolItem) ended(l *drawOptions, width int) string {
	if t.state != callDone {
		return ""
	}
	var b strings.Builder
	if t.change != nil {
		added, removed := t.change.Stat()
		b.WriteString("  " + l.styles.Faint.Render(diffview.Stat(added, removed)))
	}
	faint := l.styles.Faint
	exited, _, _ := strings.Cut(t.result.Detail, "\n")
	exited, _, _ = strings.Cut(exited, ", ")
	code, hasCode := strings.CutPrefix(exited, "exit code ")
	if t.isCommand && hasCode {
		b.WriteString(faint.Render(separator) + t.exitStyle(l).Render("exit "+oneLine(code, 10)))
	}
	switch t.result.Status {
	case conversation.ResultOK:
	case conversation.ResultDenied:
		b.WriteString(faint.Render(separator + "denied"))
	case conversation.ResultInterrupted:
		b.WriteString(faint.Render(separator) + l.styles.Warning.Render("stopped"))
	default:
		if !t.isCommand || !hasCode {
			b.WriteString(faint.Render(separator) + l.styles.ToolFailed.Render("failed"))
		}
	}
	if d := t.result.Duration; width >= minTimeWidth && (d >= longCall || t.isCommand && d >= longCommand) {
		b.WriteString(faint.Render(separator + seconds(d, 10*time.Second)))
	}
	return b.String()
}

// Spinner holds the frames of the mark of a running call.
var Spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// mark shows whether a call is waiting, running, or can be unfolded.
func (t *toolItem) mark(l *drawOptions, open bool) (string, lipgloss.Style) {
	switch {
	case t.isCommand:
		return cardBar, t.exitStyle(l)
	case t.state == callPending:
		return "·", l.styles.Hint
	case t.state == callRunning:
		return Spinner[t.frame%len(Spinner)], l.styles.ToolRunning
	case open || t.change != nil:
		return "▾", l.styles.Hint
	}
	return "▸", l.styles.Hint
}

// exitStyle is the style of the words that say how a command ended.
func (t *toolItem) exitStyle(l *drawOptions) lipgloss.Style {
	switch {
	case t.state == callRunning:
		return l.styles.ToolRunning
	case t.result.Status == conversation.ResultError:
		return l.styles.ToolFailed
	}
	return l.styles.Hint
}

func (t *toolItem) verb() string {
	switch {
	case t.isCommand && t.state == callRunning:
		return Spinner[t.frame%len(Spinner)]
	case t.isCommand:
		return "$"
	}
	return conversation.ToolVerb(t.call.Name, t.state == callDone && t.result.Status != conversation.ResultDenied)
}

// subject returns the file, command or query of the call. Parsing arguments can take a while, so it keeps the result, even if
// that is "".
func (t *toolItem) subject() string {
	if !t.subjectKnown {
		t.subjectText, t.subjectKnown = subject(t.call, t.title), true
		t.isCommand = t.call.Name != conversation.ToolTask && t.call.RunsCommand()
	}
	return t.subjectText
}

// subject returns the file, command or query of a call, from its arguments or else its title.
func subject(c conversation.ToolCall, title string) string {
	if about := c.Subject(); about != "" || title == "" {
		return about
	}
	return strings.TrimSpace(strings.TrimPrefix(title, c.Name))
}

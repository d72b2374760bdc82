package transcript

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// A call is one line with its weight in tokens while it is folded. Below it
// stands what cannot wait: the end of the output while it runs, the beginning
// of an edit's diff, why it failed. Unfolded, all of its result does.

// toolItem is a call and its result.
type toolItem struct {
	versioned
	call       conversation.ToolCall
	about      string // what the call is about
	aboutKnown bool   // about was looked up since the title changed
	state      callState
	title      string
	tail       string // the end of the output while it runs
	result     conversation.ToolResult
	frame      int
	expanded   bool   // unfolded on its own, without the others
	aboutAt    [2]int // cells of the line as drawn last that say what it is about
}

type callState int

const (
	callPending callState = iota
	callRunning
	callDone
)

// How much of a call shows while it is folded, in lines.
const (
	foldDiff   = 10
	foldOutput = 4
	maxTail    = 4096 // bytes of live output kept for the screen
	bodyIndent = 4
	// maxHead is how wide the line of a call gets: beyond that its weight
	// would be too far from its name.
	maxHead = 110
)

func newToolItem(c conversation.ToolCall) *toolItem { return &toolItem{call: c} }

func (t *toolItem) start(title string) {
	t.state, t.title, t.aboutKnown = callRunning, title, false
	t.bump()
}

func (t *toolItem) output(text string) {
	t.tail = tail(t.tail+tail(text, maxTail), maxTail)
	t.bump()
}

func (t *toolItem) finish(r conversation.ToolResult) {
	t.state, t.result, t.tail = callDone, r, ""
	t.bump()
}

// toggle unfolds or folds this call alone.
func (t *toolItem) toggle() {
	t.expanded = !t.expanded
	t.bump()
}

func (t *toolItem) source() string { return t.result.Text + "\n" + t.result.Detail + "\n" + t.tail }

func (t *toolItem) indent(line int) int {
	if line == 0 {
		return 2
	}
	return bodyIndent
}

func (t *toolItem) draw(l *look, width int) []string {
	open := l.expanded || t.expanded
	lines := []string{t.head(l, width)}
	blank := strings.Repeat(" ", min(bodyIndent, max(0, width-1)))
	for _, b := range t.body(l, max(1, width-len(blank)), open) {
		if b != "" {
			b = blank + b
		}
		lines = append(lines, b)
	}
	return lines
}

// head is the call's line: mark, tool, subject, weight. What it is about gives
// way first.
func (t *toolItem) head(l *look, width int) string {
	width = min(width, maxHead)
	mark, style := t.mark(l)
	right := t.measure(l, width >= 30)
	reserved := ansi.StringWidth(right)
	if reserved > 0 {
		reserved += 2
	}
	name := oneLine(t.call.Name, max(4, width-4-reserved))
	used := 4 + ansi.StringWidth(name)
	subject := ""
	t.aboutAt = [2]int{}
	if room := width - used - 2 - reserved; room >= 4 {
		subject = oneLine(t.subject(), room)
	}
	line := "  " + style.Render(mark) + " " + l.styles.ToolName.Render(name)
	if subject != "" {
		t.aboutAt = [2]int{used + 2, used + 2 + ansi.StringWidth(subject)}
		line += "  " + l.styles.ToolSubject.Render(subject)
		used += 2 + ansi.StringWidth(subject)
	}
	if reserved > 0 {
		line += strings.Repeat(" ", max(1, width-used-reserved+2)) + l.styles.Weight.Render(right)
	}
	return pane.Clip(line, width)
}

// measure is how long a call took, if that was long and there is room, and how
// heavy its result is.
func (t *toolItem) measure(l *look, roomy bool) string {
	if t.state != callDone {
		return ""
	}
	var parts []string
	if d := t.result.Duration; d >= time.Second && roomy {
		parts = append(parts, duration(d))
	}
	if t.result.Text != "" {
		parts = append(parts, weight(t.result.Size, l.factor))
	}
	return strings.Join(parts, "  ")
}

// duration writes how long something took: 1.2s, 34s, 5m10s.
func duration(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// spinner is the frames of a running call.
var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

func (t *toolItem) mark(l *look) (string, lipgloss.Style) {
	switch {
	case t.state == callPending:
		return "·", l.styles.Hint
	case t.state == callRunning:
		return spinner[t.frame%len(spinner)], l.styles.ToolRunning
	case t.result.Status == conversation.ResultOK:
		return "✓", l.styles.ToolOK
	case t.result.Status == conversation.ResultInterrupted:
		return "■", l.styles.Warning
	}
	return "✗", l.styles.ToolFailed
}

// subject says what the call is about. Reading arguments can take a while, so
// it is done once, also for a call that is about nothing.
func (t *toolItem) subject() string {
	if !t.aboutKnown {
		t.about, t.aboutKnown = subject(t.call, t.title), true
	}
	return t.about
}

// subject says what a call is about, from its arguments or else its title.
func subject(c conversation.ToolCall, title string) string {
	if about := c.Subject(); about != "" || title == "" {
		return about
	}
	return strings.TrimSpace(strings.TrimPrefix(title, c.Name))
}

// body is what stands below the call's line.
func (t *toolItem) body(l *look, room int, open bool) []string {
	failed := t.result.Status != conversation.ResultOK
	switch {
	case t.state == callRunning:
		return t.drawTail(l, room, open)
	case t.state != callDone:
		return nil
	case failed && !open:
		return t.failure(l, room)
	case t.result.Detail != "" && !failed:
		return t.diff(l, room, open)
	case open:
		return styled(l.styles.Output, pane.Wrap(plain.Text(strings.TrimRight(t.result.Text, " \n")), room))
	}
	return nil
}

// failure says why a folded call failed, above its detail. A detail that begins with
// the reason says it alone.
func (t *toolItem) failure(l *look, room int) []string {
	text, detail := strings.TrimSpace(t.result.Text), t.result.Detail
	first, _, _ := strings.Cut(text, "\n")
	var lines []string
	if text != "" && (detail == "" || !strings.HasPrefix(detail, first)) {
		style := l.styles.ToolFailed
		if t.result.Status == conversation.ResultInterrupted {
			style = l.styles.Warning
		}
		lines = append(lines, style.Render(oneLine(t.reason(), room)))
	}
	if detail != "" {
		lines = append(lines, t.diff(l, room, false)...)
	}
	return lines
}

// drawTail is the end of the output of a running call.
func (t *toolItem) drawTail(l *look, room int, open bool) []string {
	text := plain.Text(strings.TrimSpace(t.tail))
	if text == "" {
		return nil
	}
	lines := pane.Wrap(text, room)
	if !open {
		lines = lines[max(0, len(lines)-foldOutput):]
	}
	return styled(l.styles.Output, lines)
}

// diff is the coloured detail of an edit: the hunks, as the file is in the line
// above.
func (t *toolItem) diff(l *look, room int, open bool) []string {
	var lines []string
	hunks := false
	for line := range strings.SplitSeq(plain.Text(strings.TrimRight(t.result.Detail, "\n")), "\n") {
		hunks = hunks || strings.HasPrefix(line, "@@")
		if !hunks && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")) {
			continue
		}
		style := l.styles.Output
		switch {
		case strings.HasPrefix(line, "+"):
			style = l.styles.Added
		case strings.HasPrefix(line, "-"):
			style = l.styles.Removed
		case strings.HasPrefix(line, "@@"):
			style = l.styles.Hunk
		}
		if open {
			lines = append(lines, styled(style, pane.Wrap(line, room))...)
			continue
		}
		lines = append(lines, style.Render(pane.Clip(strings.ReplaceAll(line, "\t", "    "), room)))
	}
	if !open && len(lines) > foldDiff+1 {
		more := pane.Clip("… "+numbers.Count(len(lines)-foldDiff, "more line"), room)
		lines = append(lines[:foldDiff], l.styles.Hint.Render(more))
	}
	return lines
}

// reason is the line of a failed call that says what happened: the first, as tools
// and the program say that before anything else. Of a command that another program
// ran it is the last, as nobody chose a line when it ran.
func (t *toolItem) reason() string {
	text := strings.TrimSpace(t.result.Text)
	first, rest, _ := strings.Cut(text, "\n")
	if t.result.Status == conversation.ResultError && t.call.RunsCommand() && rest != "" {
		return text[strings.LastIndexByte(text, '\n')+1:]
	}
	if why, ok := strings.CutPrefix(first, deniedByUser); ok && t.result.Status == conversation.ResultDenied {
		return "you denied this" + strings.Replace(why, ". The user says: ", ": ", 1)
	}
	return first
}

// deniedByUser begins what the model is told of a call that the user did not allow: it speaks of the user, and the screen
// speaks to the user.
const deniedByUser = "denied: the user did not allow this call"

// weight is the size of a text in tokens; any text has one.
func weight(s conversation.Size, factor float64) string {
	n := meter.Estimate(s) * factor
	if s.Chars() > 0 {
		n = max(n, 1)
	}
	return amount(n)
}

// tokens is that with its noun.
func tokens(s conversation.Size, factor float64) string {
	n := weight(s, factor)
	if n == "1" {
		return n + " token"
	}
	return n + " tokens"
}

// amount writes a number of tokens as the gauge does.
func amount(n float64) string {
	switch {
	case n < 999.5:
		return fmt.Sprintf("%d", int(n+0.5))
	case n < 99_950:
		return strings.Replace(fmt.Sprintf("%.1fk", n/1000), ".0k", "k", 1)
	case n < 999_500:
		return fmt.Sprintf("%dk", int(n/1000+0.5))
	}
	return fmt.Sprintf("%.2fM", n/1_000_000)
}

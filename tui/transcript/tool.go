package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// toolItem is a call and its result: one line with its weight in tokens while
// folded; an edit also shows the beginning of its diff.
type toolItem struct {
	versioned
	call     conversation.ToolCall
	state    callState
	title    string
	tail     string // the end of the output while it runs
	result   conversation.ToolResult
	frame    int
	expanded bool // unfolded by itself
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
)

func newToolItem(c conversation.ToolCall) *toolItem { return &toolItem{call: c} }

func (t *toolItem) start(title string) {
	t.state, t.title = callRunning, title
	t.bump()
}

func (t *toolItem) output(text string) {
	t.tail += text
	if len(t.tail) > maxTail {
		t.tail = strings.ToValidUTF8(t.tail[len(t.tail)-maxTail:], "")
	}
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

func (t *toolItem) draw(l *look, width int) []string {
	open := l.expanded || t.expanded
	lines := []string{t.head(l, width, open)}
	room := max(1, width-6)
	body := t.body(l, room, open)
	for _, b := range body {
		lines = append(lines, "     "+b)
	}
	return lines
}

// head is the call's line: mark, tool, subject, weight.
func (t *toolItem) head(l *look, width int, open bool) string {
	mark, style := t.mark(l)
	right := ""
	if t.state == callDone && t.result.Text != "" {
		right = weight(t.result.Size, l.factor)
	}
	if d := t.result.Duration; d >= time.Second {
		right = fmt.Sprintf("%.1fs  %s", d.Seconds(), right)
	}
	hint := ""
	if t.state == callDone && !open && width >= 72 {
		hint = "(ctrl+o to expand)"
	}
	name := plain.Line(t.call.Name)
	used := 3 + 2 + ansi.StringWidth(name) + 2
	rightWidth := ansi.StringWidth(right) + ansi.StringWidth(hint) + 5
	subject := oneLine(t.subject(), max(0, width-used-rightWidth))
	gap := max(1, width-used-ansi.StringWidth(subject)-rightWidth)
	line := "   " + style.Render(mark) + " " + l.styles.ToolName.Render(name) + "  " + l.styles.ToolSubject.Render(subject)
	if right != "" || hint != "" {
		line += strings.Repeat(" ", gap) + l.styles.Weight.Render(right)
		if hint != "" {
			line += "   " + l.styles.Hint.Render(hint)
		}
	}
	return fitted(line, width)
}

// spinner is the frames of a running call.
var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// Frames is the number of frames of the spinner of running calls.
const Frames = len(spinner)

func (t *toolItem) mark(l *look) (string, lipgloss.Style) {
	switch {
	case t.state == callPending:
		return "·", l.styles.Hint
	case t.state == callRunning:
		return spinner[t.frame%Frames], l.styles.ToolRunning
	case t.result.Status == conversation.ResultOK:
		return "✓", l.styles.ToolOK
	case t.result.Status == conversation.ResultInterrupted:
		return "■", l.styles.Warning
	}
	return "✗", l.styles.ToolFailed
}

// subjectKeys are the arguments that say what a call is about, most telling
// first.
var subjectKeys = [...]string{"command", "path", "pattern", "url", "query", "question", "id", "name", "file"}

// subject says what the call is about, from its arguments.
func (t *toolItem) subject() string {
	var args map[string]any
	if err := json.Unmarshal([]byte(t.call.Arguments), &args); err != nil {
		// Arguments are repaired before they are stored; foreign logs may differ.
		return t.call.Arguments
	}
	var parts []string
	for _, k := range subjectKeys {
		if s, ok := args[k].(string); ok && s != "" {
			parts = append(parts, s)
			break
		}
	}
	if p, ok := args["path"].(string); ok && len(parts) > 0 && parts[0] != p && p != "" {
		parts = append(parts, "in "+p)
	}
	if from, ok := args["offset"].(float64); ok && from > 0 {
		parts = append(parts, fmt.Sprintf("from %d", int(from)))
	}
	if len(parts) == 0 && t.title != "" {
		return strings.TrimSpace(strings.TrimPrefix(t.title, t.call.Name))
	}
	return strings.Join(parts, " ")
}

// body is what stands below the call's line.
func (t *toolItem) body(l *look, room int, open bool) []string {
	switch {
	case t.state == callRunning:
		lines := wrapped(plain.Text(strings.TrimSpace(t.tail)), room)
		if t.tail == "" {
			return nil
		}
		return styled(l.styles.Output, lines[max(0, len(lines)-foldOutput):])
	case t.state != callDone:
		return nil
	case t.result.Detail != "":
		return t.diff(l, room, open)
	case open:
		return styled(l.styles.Output, wrapped(plain.Text(strings.TrimRight(t.result.Text, "\n")), room))
	case t.result.Status == conversation.ResultError || t.result.Status == conversation.ResultDenied:
		return []string{l.styles.ToolFailed.Render(oneLine(lastLine(t.result.Text), room))}
	}
	return nil
}

// diff is the coloured detail of an edit.
func (t *toolItem) diff(l *look, room int, open bool) []string {
	detail := plain.Text(strings.TrimRight(t.result.Detail, "\n"))
	detail = strings.ReplaceAll(detail, "\t", "    ")
	var lines []string
	for _, line := range strings.Split(detail, "\n") {
		if strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") {
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
		lines = append(lines, style.Render(fitted(line, room)))
	}
	if !open {
		lines = folded(lines, foldDiff, l.styles.Hint, room)
	}
	return lines
}

// lastLine is the last line of a text that says anything.
func lastLine(text string) string {
	text = strings.TrimRight(text, " \n\t")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// weight is the size of a text in tokens, as the gauge writes numbers.
func weight(s conversation.Size, factor float64) string {
	n := compact.Estimate(s) * factor
	switch {
	case n < 1000:
		return fmt.Sprintf("%d", int(n+0.5))
	case n < 100_000:
		return fmt.Sprintf("%.1fk", n/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", int(n/1000+0.5))
	}
	return fmt.Sprintf("%.2fM", n/1_000_000)
}

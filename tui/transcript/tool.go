package transcript

import (
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
)

// A call is one line with its weight in tokens while it is folded. Below it
// stands what cannot wait: the end of the output while it runs, the changes of an
// edit, why it failed. Unfolded, all of its result does.

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
	expanded   bool       // unfolded on its own, without the others
	aboutAt    [2]int     // cells of the line as drawn last that say what it is about
	change     *diff.File // of its result, nil where that has none or nobody looked
	gutterAt   [2]int     // lines as drawn last that are rows of a diff
	gutter     int        // cells of those that are no text
}

type callState int

const (
	callPending callState = iota
	callRunning
	callDone
)

// How much of a call shows while it is folded, in lines.
const (
	foldDiff    = 10
	foldContext = 1
	foldOutput  = 4
	maxTail     = 4096 // bytes of live output kept for the screen
	bodyIndent  = 4
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
	t.state, t.result, t.tail, t.change = callDone, r, "", nil
	if f, ok := diff.Parse(r.Detail); ok {
		t.change = &f
	}
	t.bump()
}

// toggle unfolds or folds this call alone.
func (t *toolItem) toggle() {
	t.expanded = !t.expanded
	t.bump()
}

func (t *toolItem) source(*look) string {
	return plain.Text(t.result.Text + "\n" + t.result.Detail + "\n" + t.tail)
}

func (t *toolItem) indent(line int) int {
	switch {
	case line == 0:
		return 2
	case line >= t.gutterAt[0] && line < t.gutterAt[1]:
		return bodyIndent + t.gutter
	}
	return bodyIndent
}

func (t *toolItem) draw(l *look, width int) []string {
	open := l.expanded || t.expanded
	lines := []string{t.head(l, width, open)}
	blank := strings.Repeat(" ", min(bodyIndent, max(0, width-1)))
	for _, b := range t.body(l, max(1, width-len(blank)), open) {
		if b != "" {
			b = blank + b
		}
		lines = append(lines, b)
	}
	return lines
}

// body is what stands below the call's line.
func (t *toolItem) body(l *look, room int, open bool) []string {
	t.gutterAt = [2]int{}
	switch {
	case t.state == callRunning:
		return t.drawTail(l, room, open)
	case t.state != callDone:
		return nil
	case t.change != nil:
		return t.diff(l, room, open)
	case open:
		return styled(l.styles.Output, pane.Wrap(plain.Text(strings.TrimRight(t.result.Text, " \n")), room))
	case t.result.Status != conversation.ResultOK:
		if why := t.reason(); why != "" {
			return []string{l.styles.Output.Render(oneLine(why, room))}
		}
	}
	return nil
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

// diff is what an edit changed: while it is folded the beginning.
func (t *toolItem) diff(l *look, room int, open bool) []string {
	show := diffview.All
	if !open {
		show = diffview.Options{Context: foldContext, Most: foldDiff}
	}
	rows, left := l.styles.Diff.Draw(*t.change, room, show)
	t.gutterAt, t.gutter = [2]int{1, 1 + len(rows)}, diffview.Gutter(*t.change, room)
	if left > 0 {
		rows = append(rows, l.styles.Hint.Render(pane.Clip("… "+numbers.Count(left, "more line"), room)))
	}
	return rows
}

// reason is the line of a failed call that says what happened: the first of its text, as
// tools and the program say that before anything else. Of a command it is the line that
// its detail has for that, or, where another program ran it, the last one, as nobody
// chose a line when it ran. What a user said no to without a word has none: its line
// says that.
func (t *toolItem) reason() string {
	text := strings.TrimSpace(t.result.Text)
	first, rest, _ := strings.Cut(text, "\n")
	command := t.result.Status == conversation.ResultError && t.call.RunsCommand()
	switch ended, why, _ := strings.Cut(strings.TrimSpace(t.result.Detail), "\n"); {
	case t.result.Status == conversation.ResultDenied:
		why, byUser := strings.CutPrefix(first, deniedByUser)
		if byUser {
			return strings.TrimPrefix(why, ". The user says: ")
		}
		return strings.TrimPrefix(first, "denied: ")
	case command && why != "":
		return why
	case command && ended != "":
		return ended
	case command && rest != "":
		return text[strings.LastIndexByte(text, '\n')+1:]
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
func amount(n float64) string { return pane.Tokens(int(min(n+0.5, 1<<62))) }

package transcript

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
)

// A folded tool call is one line with the tokens of its result. Below it are shown
// the end of the output while it runs, the diff of an edit, or why it failed.
// A command is a block with the line of its output that matters. Unfolded, the whole result is shown.

// toolItem shows a tool call and its result.
type toolItem struct {
	foldable
	call         conversation.ToolCall
	exploration  *exploration // nil for most calls
	isCommand    bool         // it runs a command; set with subjectText
	subjectText  string       // the subject of the call
	subjectKnown bool         // subjectText is up to date with the title
	state        callState
	isAsked      bool // an open question shows it
	title        string
	tail         string // the end of the output while it runs
	result       conversation.ToolResult
	frame        int
	subjectAt    [2]int     // the cells [from, to) of the subject in the line as last drawn
	change       *diff.File // the diff in its result, nil if it has none
	gutterAt     [2]int     // the lines [from, to) of the diff, as last drawn
	gutter       int        // cells of the diff's line numbers and signs
}

type callState int

const (
	callPending callState = iota
	callRunning
	callDone
)

// How much of a folded call is shown, in lines.
const (
	foldDiff    = 10
	foldContext = 1
	foldOutput  = 4
	maxTail     = 4096 // bytes of live output kept for the screen
	bodyIndent  = 2
)

func (t *toolItem) finish(r conversation.ToolResult) {
	t.state, t.result, t.tail, t.change = callDone, r, "", nil
	if args, err := conversation.WithCommand(t.call.Arguments, r.Ran); err == nil && r.Ran != "" {
		t.call.Arguments, t.subjectKnown = args, false
	}
	if f, ok := diff.Parse(r.Detail); ok {
		t.change = &f
	}
	t.bump()
}

func (t *toolItem) source(*drawOptions) string {
	return plain.Text(t.result.Text + "\n" + t.result.Detail + "\n" + t.tail)
}

func (t *toolItem) indent(line int) int {
	switch {
	case line == 0 && !t.isCommand:
		return 0
	case line >= t.gutterAt[0] && line < t.gutterAt[1]:
		return bodyIndent + t.gutter
	}
	return bodyIndent
}

func (t *toolItem) draw(l *drawOptions, width int) []string {
	t.subject()
	if all := t.folded(l); all != nil {
		t.subjectAt, t.gutterAt = [2]int{}, [2]int{}
		if all[0] == t {
			return []string{explored(l, all, width)}
		}
		return nil
	}
	if t.isAsked {
		return nil
	}
	open := l.expanded || t.expanded
	lines := []string{t.head(l, width, open)}
	blank := strings.Repeat(" ", min(bodyIndent, max(0, width-1)))
	room := max(1, width-len(blank))
	for _, b := range append(t.body(l, room, open), chips(l, t.result.Images, room)...) {
		switch {
		case t.isCommand:
			bar, style := t.mark(l, open)
			b = pane.Clip(style.Render(bar)+" "+b, width)
		case b != "":
			b = blank + b
		}
		lines = append(lines, b)
	}
	if surface := pane.NewSurface(l.styles.Block); t.isCommand && surface != (pane.Surface{}) {
		for i, line := range lines {
			lines[i] = surface.Under(line + strings.Repeat(" ", max(0, width-ansi.StringWidth(line))))
		}
	}
	return lines
}

// body draws what is below the line of the call.
func (t *toolItem) body(l *drawOptions, room int, open bool) []string {
	t.gutterAt = [2]int{}
	switch {
	case t.state == callRunning:
		return t.drawTail(l, room, open)
	case t.state != callDone:
		return nil
	case t.change != nil:
		return t.diff(l, room, open)
	case open:
		return pane.Each(l.styles.Output, pane.Wrap(plain.Text(strings.TrimRight(t.result.Text, " \n")), room))
	case t.result.Status != conversation.ResultOK || t.isCommand:
		why, more := t.reason(), ""
		if n := strings.Count(strings.TrimSpace(t.result.Text), "\n"); t.isCommand && n > 1 {
			more = "  (+" + numbers.Count(n-1, "line") + ")"
		}
		if why != "" {
			line := l.styles.Output.Render(oneLine(why, max(1, room-len(more))))
			if more != "" {
				line += l.styles.Hint.Render(pane.Clip(more, room))
			}
			return []string{line}
		}
	}
	return nil
}

// drawTail draws the end of the output of a running call.
func (t *toolItem) drawTail(l *drawOptions, room int, open bool) []string {
	text := plain.Text(strings.TrimSpace(t.tail))
	if text == "" {
		return nil
	}
	if !open && t.call.Name == conversation.ToolTask { // only what it does just now
		return []string{l.styles.Output.Render(oneLine(text[strings.LastIndexByte(text, '\n')+1:], room))}
	}
	lines := pane.Wrap(text, room)
	if !open {
		lines = lines[max(0, len(lines)-foldOutput):]
	}
	return pane.Each(l.styles.Output, lines)
}

// diff draws the changes of an edit: only the beginning while it is folded.
func (t *toolItem) diff(l *drawOptions, room int, open bool) []string {
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

// reason returns the line of a result that explains why the call failed. For most tools
// it is the first line of the text. For a command it is the second line of its detail,
// else the first, else, if another program wrote the log, the last line of the text; for a command
// that did not fail it is the last line of the output. A
// call that the user denied without an explanation has none.
func (t *toolItem) reason() string {
	text := strings.TrimSpace(t.result.Text)
	first, rest, _ := strings.Cut(text, "\n")
	command := t.result.Status == conversation.ResultError && t.isCommand
	switch ended, why, _ := strings.Cut(strings.TrimSpace(t.result.Detail), "\n"); {
	case t.result.Status == conversation.ResultDenied:
		why, byUser := strings.CutPrefix(first, deniedByUser)
		if byUser {
			return strings.TrimPrefix(why, ". The user says: ")
		}
		return strings.TrimPrefix(first, "denied: ")
	case t.isCommand && t.result.Status == conversation.ResultOK:
		output := strings.TrimSpace(strings.TrimPrefix(text, strings.TrimSpace(t.result.Detail))) // without how it ended
		if output == "(no output)" {
			return ""
		}
		return output[strings.LastIndexByte(output, '\n')+1:]
	case command && why != "":
		return why
	case command && ended != "":
		return ended
	case command && rest != "":
		return text[strings.LastIndexByte(text, '\n')+1:]
	}
	return first
}

// deniedByUser begins the result of a call that the user denied. It is written for the model, so the screen
// leaves it out.
const deniedByUser = "denied: the user did not allow this call"

// tokenNumber formats the estimated tokens of a text, at least 1 unless it is empty.
func tokenNumber(s conversation.Size, factor float64) string {
	n := meter.Estimate(s) * factor
	if s.Chars() > 0 {
		n = max(n, 1)
	}
	return amount(n)
}

// tokens is tokenNumber with its unit.
func tokens(s conversation.Size, factor float64) string {
	n := tokenNumber(s, factor)
	if n == "1" {
		return n + " token"
	}
	return n + " tokens"
}

func amount(n float64) string { return pane.Tokens(int(min(n+0.5, 1<<62))) }

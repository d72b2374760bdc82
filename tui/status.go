package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/updates"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript"
	"plimsoll/tui/welcome"
)

// The status line shows the running activity or the snackbar at the left, and at the right
// that the transcript continues below. It takes a line even while it is empty, so that the
// screen does not jump. The waiting messages are below it.

// surroundings is the state of other parts that the lines of the chat show.
type surroundings struct {
	snackbar      string // its text, may be ""
	isFailure     bool   // the snackbar is about a failure
	viewOpen      bool   // a view covers the transcript
	askedCall     string // the call that the open question is about, "" for none
	questionWaits bool   // a question waits to open until the user stops typing
	reviewVisible bool   // the review of the pending summary is visible
}

// animation is the state of what moves on the status line.
type animation struct {
	streamingCall string // the tool call that the model is writing, may be ""
	thinking      bool   // the newest part of the reply was reasoning
	frame         int
	clock         time.Time // time of the last tick or change
	tickPending   bool      // a tick is pending
	unfocused     bool      // the terminal does not have the focus: nothing moves
}

// framesPerTick makes the spinner turn once a second.
const framesPerTick = 2

func (a *animation) spinner() string { return transcript.Spinner[a.frame%len(transcript.Spinner)] }

// elapsed returns the time since since as " 4 s"; "" in the first second.
func (a *animation) elapsed(since time.Time) string {
	d := a.clock.Sub(since)
	if d < time.Second || since.IsZero() {
		return ""
	}
	return " " + pane.Duration(d)
}

// maxQueued is the maximum number of lines of waiting messages.
const maxQueued = 4

// readOnlyLine is the bottom line of a read-only conversation.
func readOnlyLine(s *session, keys KeyMap, styles statusStyles, width int) string {
	style, right := styles.subtle, ""
	if s.Elsewhere.Closed {
		style = styles.accent
	} else if s.Elsewhere.Open {
		right = "following"
	}
	words := readOnlyTexts(s, keys)
	for _, text := range words {
		free := width - ansi.StringWidth(text)
		if gap := free - ansi.StringWidth(right); right != "" && gap > 1 {
			return style.Render(text) + strings.Repeat(" ", gap) + styles.accent.Render(right)
		}
		if free >= 0 {
			return style.Render(text)
		}
	}
	return style.Render(ansi.Truncate(words[len(words)-1], width, "…"))
}

// readOnlyTexts returns texts that say why no message can be sent, and what to do, the longest first.
func readOnlyTexts(s *session, keys KeyMap) []string {
	send, back := keys.Composer.Writing.Send, ""
	if b := keys.Screen.Cancel; b.Enabled() {
		back = " · " + b.Help().Key + " goes back"
	}
	words := []string{plain.Line(s.ReadOnly)}
	switch {
	case s.Elsewhere.Task && s.Elsewhere.Closed && send.Enabled():
		return []string{words[0] + " · " + send.Help().Key + " continues it" + back, words[0] + back, words[0]}
	case s.Elsewhere.Task:
		return []string{words[0] + back, "The task runs" + back, words[0]}
	case s.Elsewhere.Open:
		return append(words, "Read-only: open in another window · /fork to copy", "Read-only · /fork to copy")
	case s.Elsewhere.Closed && send.Enabled():
		name := send.Help().Key
		return []string{"The other window closed · " + name + " to continue here", "Window closed · " + name + " to continue"}
	}
	return words
}

// header is the top line: program, title, model, workspace.
func (c *chat) header() string {
	m, s, full, name, mark := c.session.Model, c.styles, c.area.width, "plimsoll", ""
	if full >= 60 {
		mark = welcome.Mark + " "
	}
	title, width := c.session.Title, pane.Within(full)
	parts := []string{m.Name(), m.Effort, m.Badge, c.env.Workspace}
	if full < 60 {
		parts = parts[:3]
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	right := plain.Line(strings.Join(parts, " · "))
	free := width - ansi.StringWidth(mark+name) - 2
	if right = pane.ClipLeft(right, free); free < 6 {
		right = ""
	}
	used := ansi.StringWidth(mark+name) + ansi.StringWidth(right)
	if space := width - used - 5; title != "" && space >= 6 {
		title = "   " + ansi.Truncate(plain.Line(title), space, "…")
		used += ansi.StringWidth(title)
	} else {
		title = ""
	}
	line := s.mark.Render(mark) + s.title.Render(name) + title + strings.Repeat(" ", max(0, width-used)) + s.subtle.Render(right)
	return pane.Margin(full) + ansi.Truncate(line, width, "")
}

// statusLine draws the status line of a chat.
type statusLine struct {
	surroundings
	chat *chat
}

func (l *statusLine) activity() *activity { return &l.chat.session.activity }

func (l *statusLine) isEmpty() bool {
	return l.snackbar == "" && l.phaseText() == "" && l.reviewText() == "" && !l.activity().summary.running &&
		l.chat.shell == nil && l.chat.moreBelow(l.surroundings) == "" && l.chat.session.unreachableReason == ""
}

// reviewText says that a summary waits for review; "" if no summary waits, or the review is visible.
func (l *statusLine) reviewText() string {
	if l.reviewVisible {
		return ""
	}
	return l.chat.session.review.announcement()
}

// draw draws the snackbar or the activity, how many jobs run where there is room, and whether the transcript continues below.
func (l *statusLine) draw() string {
	st, width, below := l.chat.styles, l.chat.area.width, l.chat.moreBelow(l.surroundings)
	margin, room := pane.TextMargin(width), pane.TextWidth(width)
	if l.viewOpen {
		margin, room = pane.Margin(width), pane.Within(width)
	}
	free := room - ansi.StringWidth(below)
	if below != "" {
		free -= 2
	}
	left := ""
	switch text := plain.Line(l.snackbar); {
	case text != "" && l.isFailure:
		left = st.failure.Render(ansi.Truncate(text, max(0, free), "…"))
	case text != "":
		left = st.snack.Render(ansi.Truncate(text, max(0, free), "…"))
	case l.chat.dialogs.InFlow(): // the question stands below
	default:
		left = l.activityText(free)
		if left == "" && !l.viewOpen && len(l.chat.area.plan.todos) == 0 && !l.chat.panelOpen() {
			left = l.chat.todoLine(free)
		}
	}
	right := st.accent.Render(below)
	if jobs := numbers.Count(l.chat.session.jobs, "job"); l.chat.session.jobs > 0 && ansi.StringWidth(left)+2+ansi.StringWidth(jobs) <= free {
		right = strings.TrimRight(st.subtle.Render(jobs)+"  "+right, " ")
	}
	if right == "" {
		return margin + left
	}
	gap := max(0, room-ansi.StringWidth(left)-ansi.StringWidth(right))
	return margin + left + strings.Repeat(" ", gap) + right
}

// stopKey is the key that stops the activity. In a view it is Interrupt, because Cancel acts on the view.
func (l *statusLine) stopKey() key.Binding {
	if l.viewOpen {
		return l.chat.env.Keys.Screen.Interrupt
	}
	return l.chat.env.Keys.Screen.Cancel
}

// activityText describes the activity, or a pending summary or an unreachable server; may be "".
func (l *statusLine) activityText(free int) string {
	text, style, status := l.phaseText(), l.chat.styles.subtle, &l.activity().status
	switch {
	case l.chat.shell != nil:
		text = "running " + plain.Line(l.chat.shell.command) + l.chat.animation.elapsed(l.chat.shell.since)
	case status.Phase == updates.Retrying:
		style = l.chat.styles.warning
	case l.questionWaits:
		text = "a question is waiting; it opens when you stop typing"
	case text != "" && status.Phase != updates.Asking:
		since := l.activity().began
		if status.Phase == updates.Starting || status.Phase == updates.Hooking {
			since = status.Since
		}
		text += l.chat.animation.elapsed(since)
	case text == "" && l.activity().summary.running && (l.viewOpen || !l.chat.area.plan.summaryLine.visible):
		return style.Render(l.summaryText(free))
	}
	if words := l.reviewText(); words != "" && (text == "" || l.chat.session.review.summary.RequestWaits) {
		return l.chat.styles.accent.Render(ansi.Truncate(words, max(0, free), "…"))
	}
	if text == "" && l.chat.session.unreachableReason != "" {
		return l.chat.styles.warning.Render(ansi.Truncate("! "+plain.Line(l.chat.session.unreachableReason), max(0, free), "…"))
	}
	if text == "" {
		return ""
	}
	mark := l.chat.animation.spinner()
	if l.chat.shell == nil && !l.activity().isRunning() {
		mark = "?"
	}
	hint := ""
	if stop := l.stopKey(); free >= 40 && stop.Enabled() && status.Phase != updates.Stopping && !l.chat.dialogs.InFlow() {
		hint = " (" + stop.Help().Key + " stops)"
	}
	text = ansi.Truncate(text, max(0, free-2-ansi.StringWidth(hint)), "…")
	return style.Render(ansi.Truncate(mark+" "+text+hint, max(0, free), ""))
}

// phaseText describes the phase of the turn, "" if the conversation is idle. A summary
// that is being written has a line of its own; other compactions take no time.
func (l *statusLine) phaseText() string {
	s := &l.activity().status
	switch s.Phase {
	case updates.Starting:
		return "starting the MCP servers"
	case updates.Waiting:
		if p := s.Progress; p != nil && p.Total > 0 {
			return fmt.Sprintf("the server is reading %s of %s tokens", pane.Tokens(p.Done), pane.Tokens(p.Total))
		}
		return "waiting for the model"
	case updates.Streaming:
		if l.chat.animation.streamingCall != "" {
			return "calling " + plain.Line(l.chat.animation.streamingCall)
		}
		if l.chat.animation.thinking {
			return "thinking"
		}
		return "answering"
	case updates.Running:
		return "running tools"
	case updates.Hooking:
		return "running hooks"
	case updates.Asking:
		return "waiting for your answer"
	case updates.Stopping:
		return "stopping"
	case updates.Retrying:
		left := max(0, s.Wait-l.chat.animation.clock.Sub(s.Since)).Round(time.Second)
		attempt := strconv.Itoa(s.Attempt)
		if s.MaxAttempts >= s.Attempt {
			attempt += " of " + strconv.Itoa(s.MaxAttempts)
		}
		return fmt.Sprintf("%s. Try %s in %s", plain.Line(s.Why), attempt, pane.Duration(left))
	}
	return ""
}

// summaryText is the line about a summary that is being written, without style.
// On a narrow screen words are left out; the hint how to stop it is kept longest, except the seconds.
func (l *statusLine) summaryText(width int) string {
	spinner, job := l.chat.animation.spinner()+" ", &l.activity().summary
	text := spinner + optimizingText
	taken, words, stop := l.chat.animation.elapsed(job.since), "", l.stopSummaryHint()
	switch {
	case job.stoppedByUser:
	case job.requestWaits && l.activity().status.Phase == updates.PhaseCompacting:
		words = " · the request waits"
	case stop != "":
		words = " so far"
	}
	lines := []string{text + taken + words + stop, text + taken + stop}
	if stop != "" { // in little room it matters more than the words
		lines = append(lines, spinner+"Optimizing…"+taken+stop)
	}
	for _, line := range append(lines, text+taken) {
		if ansi.StringWidth(line) <= width {
			return line
		}
	}
	return ansi.Truncate(text, max(0, width), "…")
}

// optimizingText is shown while a summary is written (OneClaw).
const optimizingText = "Optimizing conversation context…"

// slowSummary is the time after which the line says how to stop a summary (OneClaw).
const slowSummary = 15 * time.Second

// stopSummaryHint says how to stop the summary that is being written, once it takes
// long and the key would stop only the summary.
func (l *statusLine) stopSummaryHint() string {
	job, stop := &l.activity().summary, l.stopKey()
	switch {
	case job.stoppedByUser:
		return " (stopping)"
	case l.chat.animation.clock.Sub(job.since) < slowSummary, !stop.Enabled(), l.activity().turnRuns(), l.chat.shell.running():
		return ""
	}
	return " (" + stop.Help().Key + " stops it)"
}

// queuedLines draws the waiting messages in at most most lines, with a hint after the first.
func queuedLines(all []waitingMessage, hint string, style pane.InlineStyle, most, width int) []string {
	var lines []string
	margin, free := pane.TextMargin(width), pane.TextWidth(width)
	for i, waiting := range all {
		if len(lines) == most-1 && i < len(all)-1 {
			more := fmt.Sprintf("· and %d more queued", len(all)-i)
			lines = append(lines, margin+style.Render(ansi.Truncate(more, free, "…")))
			break
		}
		text := "· queued: " + waiting.label
		text = ansi.Truncate(text, max(0, free-ansi.StringWidth(hint)), "…") + hint
		lines, hint = append(lines, margin+style.Render(text)), ""
	}
	return lines
}

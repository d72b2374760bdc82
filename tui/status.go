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
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The status line shows the running activity or the snackbar at the left, and at the right
// that the transcript continues below. It takes a line even while it is empty, so that the
// screen does not jump. The waiting messages are below it.

// surroundings is the state of other parts that the lines of the chat show.
type surroundings struct {
	snackbar  string // its text, may be ""
	bad       bool   // the snackbar is about a failure
	covered   bool   // a view covers the transcript
	question  bool   // a question waits to open until the user stops typing
	reviewing bool   // the review of the pending summary is visible
}

// animation is the state of what moves on the status line.
type animation struct {
	call    string // the tool call that the model is writing, may be ""
	frame   int
	clock   time.Time // time of the last tick or change
	ticking bool      // a tick is pending
	away    bool      // the terminal does not have the focus: nothing moves
}

// statusChanged handles a new status of the conversation.
func (p *animation) statusChanged(s updates.Status, at time.Time) {
	if s.Phase != updates.Streaming {
		p.call = ""
	}
	p.clock = at
}

// ticks moves the spinner one tick.
func (p *animation) ticks(at time.Time) {
	p.ticking, p.clock = false, at
	p.frame += framesPerTick
}

// frames holds the frames of the spinner of the status line.
var frames = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// framesPerTick makes the spinner turn once a second.
const framesPerTick = 2

func (p *animation) spinner() string { return frames[p.frame%len(frames)] }

// seconds returns the time since since as " 4s"; "" in the first second.
func (p *animation) seconds(since time.Time) string {
	d := p.clock.Sub(since)
	if d < time.Second || since.IsZero() {
		return ""
	}
	return " " + d.Truncate(time.Second).String()
}

// maxQueued is the maximum number of lines of waiting messages.
const maxQueued = 4

// elsewhereLine is the bottom line of a read-only conversation.
func elsewhereLine(s *session, send key.Binding, styles statusStyles, width int) string {
	style, right := styles.subtle, ""
	if s.Elsewhere.Closed {
		style = styles.accent
	} else if s.Elsewhere.Open {
		right = "following"
	}
	words := elsewhereWords(s, send)
	for _, text := range words {
		room := width - ansi.StringWidth(text)
		if gap := room - ansi.StringWidth(right); right != "" && gap > 1 {
			return style.Render(text) + strings.Repeat(" ", gap) + styles.accent.Render(right)
		}
		if room >= 0 {
			return style.Render(text)
		}
	}
	return style.Render(ansi.Truncate(words[len(words)-1], width, "…"))
}

// elsewhereWords returns texts that say why no message can be sent, and what to do, the longest first.
func elsewhereWords(s *session, send key.Binding) []string {
	words := []string{plain.Line(s.ReadOnly)}
	switch {
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
	const name = "plimsoll"
	m, s, full := c.session.Model, c.styles, c.place.width
	title, width := c.session.Title, pane.Within(full)
	parts := []string{m.Name(), m.Effort, m.Badge, c.env.Place}
	if full < 60 {
		parts = parts[:3]
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	right := plain.Line(strings.Join(parts, " · "))
	room := width - ansi.StringWidth(name) - 2
	if over := ansi.StringWidth(right) - room; over > 0 {
		right = ansi.TruncateLeft(right, over+1, "…")
	}
	if room < 6 {
		right = ""
	}
	used := ansi.StringWidth(name) + ansi.StringWidth(right)
	if space := width - used - 5; title != "" && space >= 6 {
		title = "   " + ansi.Truncate(plain.Line(title), space, "…")
		used += ansi.StringWidth(title)
	} else {
		title = ""
	}
	line := s.title.Render(name) + title + strings.Repeat(" ", max(0, width-used)) + s.detail.Render(right)
	return pane.Margin(full) + ansi.Truncate(line, width, "")
}

// statusLine draws the status line of a chat.
type statusLine struct {
	surroundings
	c *chat
}

func (l *statusLine) now() *activity { return &l.c.session.activity }

// empty reports whether the status line has no text.
func (l *statusLine) empty() bool {
	return l.snackbar == "" && l.doing() == "" && l.reviewWords() == "" && !l.now().job.on && l.c.shell == nil && l.c.moreBelow(l.surroundings) == "" && l.c.session.unreachable == ""
}

// reviewWords says that a summary waits for review; "" if none does, or it is visible.
func (l *statusLine) reviewWords() string {
	if l.reviewing {
		return ""
	}
	return l.c.session.review.words()
}

// view draws the snackbar or the activity, and whether the transcript continues below.
func (l *statusLine) view() string {
	st, width, below := l.c.styles, l.c.place.width, l.c.moreBelow(l.surroundings)
	margin, room := pane.Margin(width), pane.Within(width)-ansi.StringWidth(below)
	if below != "" {
		room -= 2
	}
	left := ""
	switch text := plain.Line(l.snackbar); {
	case text != "" && l.bad:
		left = st.failure.Render(ansi.Truncate(text, max(0, room), "…"))
	case text != "":
		left = st.snack.Render(ansi.Truncate(text, max(0, room), "…"))
	default:
		left = l.activityText(room)
	}
	if below == "" {
		return margin + left
	}
	gap := max(0, pane.Within(width)-ansi.StringWidth(left)-ansi.StringWidth(below))
	return margin + left + strings.Repeat(" ", gap) + st.accent.Render(below)
}

// stopKey is the key that stops the activity. In a view it is Interrupt, because Cancel
// acts on the view.
func (l *statusLine) stopKey() key.Binding {
	if l.covered {
		return l.c.env.Keys.Screen.Interrupt
	}
	return l.c.env.Keys.Screen.Cancel
}

// activityText describes the activity, or a pending summary or an unreachable server; may be "".
func (l *statusLine) activityText(room int) string {
	text, style, status := l.doing(), l.c.styles.subtle, &l.now().status
	switch {
	case l.c.shell != nil:
		text = "running " + plain.Line(l.c.shell.command) + l.c.pulse.seconds(l.c.shell.since)
	case status.Phase == updates.Retrying:
		style = l.c.styles.warning
	case l.question:
		text = "a question is waiting; it opens when you stop typing"
	case text != "" && status.Phase != updates.Asking:
		text += l.c.pulse.seconds(status.Since)
	case text == "" && l.now().job.on && (l.covered || !l.c.place.plan.job.shown):
		return style.Render(l.optimizing(room))
	}
	if words := l.reviewWords(); words != "" && (text == "" || l.c.session.review.summary.RequestWaits) {
		return l.c.styles.accent.Render(ansi.Truncate(words, max(0, room), "…"))
	}
	if text == "" && l.c.session.unreachable != "" {
		return l.c.styles.warning.Render(ansi.Truncate("! "+plain.Line(l.c.session.unreachable), max(0, room), "…"))
	}
	if text == "" {
		return ""
	}
	mark := l.c.pulse.spinner()
	if l.c.shell == nil && !l.now().moves() {
		mark = "?"
	}
	hint := ""
	if stop := l.stopKey(); room >= 40 && stop.Enabled() && status.Phase != updates.Stopping {
		hint = " (" + stop.Help().Key + " stops)"
	}
	text = ansi.Truncate(text, max(0, room-2-ansi.StringWidth(hint)), "…")
	return style.Render(ansi.Truncate(mark+" "+text+hint, max(0, room), ""))
}

// doing describes the phase of the turn, "" if the conversation is idle. A summary
// that is being written has a line of its own; other compactions take no
// time.
func (l *statusLine) doing() string {
	s := &l.now().status
	switch s.Phase {
	case updates.Waiting:
		if p := s.Progress; p != nil && p.Total > 0 {
			return fmt.Sprintf("the server is reading %s of %s tokens", pane.Tokens(p.Done), pane.Tokens(p.Total))
		}
		return "waiting for the model"
	case updates.Streaming:
		if l.c.pulse.call != "" {
			return "calling " + plain.Line(l.c.pulse.call)
		}
		return "answering"
	case updates.Running:
		return "running tools"
	case updates.Asking:
		return "waiting for you"
	case updates.Stopping:
		return "stopping"
	case updates.Retrying:
		left := max(0, s.Wait-l.c.pulse.clock.Sub(s.Since)).Round(time.Second)
		return fmt.Sprintf("%s. Try %s in %s", plain.Line(s.Why), nth(s.Attempt, s.Of), strings.NewReplacer("m", " min ", "s", " s").Replace(left.String()))
	}
	return ""
}

// nth formats "2 of 4", or only "2" if the total is unknown.
func nth(n, of int) string {
	if of < n {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d of %d", n, of)
}

// optimizing is the line about a summary that is being written, without style.
// On a narrow screen words are left out; the hint how to stop it is kept
// longest, except the seconds.
func (l *statusLine) optimizing(width int) string {
	spinner, job := l.c.pulse.spinner()+" ", &l.now().job
	text := spinner + optimizingWords
	taken, words, stop := l.c.pulse.seconds(job.since), "", l.stopJobHint()
	switch {
	case job.stopped:
	case job.held && l.now().status.Phase == updates.PhaseCompacting:
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

// optimizingWords is shown while a summary is written (ONE).
const optimizingWords = "Optimizing conversation context…"

// slow is the time after which the line says how to stop a summary (ONE).
const slow = 15 * time.Second

// stopJobHint says how to stop the summary that is being written, once it takes
// long and the key would stop only the summary.
func (l *statusLine) stopJobHint() string {
	job, stop := &l.now().job, l.stopKey()
	switch {
	case job.stopped:
		return " (stopping)"
	case l.c.pulse.clock.Sub(job.since) < slow, !stop.Enabled(), l.now().turnRuns(), l.c.shell.running():
		return ""
	}
	return " (" + stop.Help().Key + " stops it)"
}

// queuedLines draws the waiting messages in at most most lines, with a hint after the
// first.
func queuedLines(all []waiting, hint string, style pane.Ink, most, width int) []string {
	var lines []string
	margin, room := pane.Margin(width), pane.Within(width)
	for i, w := range all {
		if len(lines) == most-1 && i < len(all)-1 {
			more := fmt.Sprintf("· and %d more queued", len(all)-i)
			lines = append(lines, margin+style.Render(ansi.Truncate(more, room, "…")))
			break
		}
		text := "· queued: " + w.label
		text = ansi.Truncate(text, max(0, room-ansi.StringWidth(hint)), "…") + hint
		lines, hint = append(lines, margin+style.Render(text)), ""
	}
	return lines
}

package tui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent"
	"plimsoll/conversation/plain"
	"plimsoll/tui/meter"
	"plimsoll/tui/pane"
)

// The status line says what goes on at its left, or a notice, and at its right that
// there is more below. It has its place also while it is empty, so that nothing jumps
// when something begins or ends. Below it stand the messages that wait.

// around is what else is on the screen, of which the lines of the chat tell.
type around struct {
	notice    string // "" for none
	bad       bool   // it is about a failure
	covered   bool   // a view covers the transcript
	question  bool   // a question waits until the user pauses
	reviewing bool   // the summary that waits is in sight
}

// pulse is what moves on the status line.
type pulse struct {
	call    string // the one the model is writing, "" without one
	frame   int
	clock   time.Time // of the newest tick, or of the newest change
	ticking bool      // a tick is under way
}

// now takes over what the conversation is doing.
func (p *pulse) now(s agent.Status, at time.Time) {
	if s.Phase != agent.Streaming {
		p.call = ""
	}
	p.clock = at
}

// frames is the spinner of the status line.
var frames = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

func (p *pulse) spinner() string { return frames[p.frame%len(frames)] }

// seconds is how long something has been going on, " 4s", "" in the first.
func (p *pulse) seconds(since time.Time) string {
	d := p.clock.Sub(since)
	if d < time.Second || since.IsZero() {
		return ""
	}
	return " " + d.Truncate(time.Second).String()
}

// keepTicking starts the tick if something moves and none is under way.
func (c *chat) keepTicking() pane.Action {
	if c.pulse.ticking || !c.session.moves() && c.shell == nil {
		return nil
	}
	c.pulse.ticking = true
	return tick()
}

// ticked moves what moves, and goes on while something does.
func (c *chat) ticked(msg tickMsg) pane.Action {
	c.pulse.ticking = false
	c.pulse.frame++
	c.pulse.clock = msg.time()
	c.transcript.SetFrame(c.pulse.frame)
	return c.keepTicking()
}

// maxQueued is how many lines waiting messages get.
const maxQueued = 4

// statusStyles is how the lines look.
type statusStyles struct {
	title, detail, rule, subtle, accent, warning, failure, snack lipgloss.Style
}

// header is the top line: name, title, model, place.
func header(s statusStyles, title, model, badge, place string, width int) string {
	const name = " plimsoll"
	right := plain.Line(model)
	if badge != "" {
		right += " · " + plain.Line(badge)
	}
	if place != "" && width >= 60 {
		right += " · " + plain.Line(place)
	}
	room := width - ansi.StringWidth(name) - 2
	if over := ansi.StringWidth(right) - room; over > 0 {
		right = ansi.TruncateLeft(right, over+1, "…")
	}
	if room < 6 {
		right = ""
	}
	used := ansi.StringWidth(name) + ansi.StringWidth(right) + 1
	if space := width - used - 5; title != "" && space >= 6 {
		title = "   " + ansi.Truncate(plain.Line(title), space, "…")
		used += ansi.StringWidth(title)
	} else {
		title = ""
	}
	line := s.title.Render(name) + title + strings.Repeat(" ", max(0, width-used)) + s.detail.Render(right)
	return ansi.Truncate(line, width, "")
}

// rule is the line below the header.
func rule(s statusStyles, width int) string {
	return " " + s.rule.Render(strings.Repeat("─", max(0, width-2)))
}

// hasStatus reports whether the status line has something to say.
func (c *chat) hasStatus(a around) bool {
	return a.notice != "" || c.doing() != "" || c.reviewWords(a) != "" || c.session.job.on || c.shell != nil || c.below(a) != ""
}

// reviewWords say that a summary waits, "" if none does or it is in sight.
func (c *chat) reviewWords(a around) string {
	if a.reviewing {
		return ""
	}
	return c.session.reviewWords()
}

// statusLine is what goes on, or a notice, and whether there is more below.
func (c *chat) statusLine(a around) string {
	st, width := c.styles, c.place.width
	below := c.below(a)
	room := width - 2 - ansi.StringWidth(below)
	if below != "" {
		room -= 2
	}
	left := ""
	switch text := plain.Line(a.notice); {
	case text != "" && a.bad:
		left = st.failure.Render(ansi.Truncate(text, max(0, room), "…"))
	case text != "":
		left = st.snack.Render(ansi.Truncate(text, max(0, room), "…"))
	default:
		left = c.activity(a, room)
	}
	if below == "" {
		return " " + left
	}
	gap := max(0, width-2-ansi.StringWidth(left)-ansi.StringWidth(below))
	return " " + left + strings.Repeat(" ", gap) + st.accent.Render(below)
}

// stopKey is the key that stops what goes on: where a view has the keys, Cancel is
// for that.
func (c *chat) stopKey(a around) key.Binding {
	if a.covered {
		return c.env.Keys.Screen.Interrupt
	}
	return c.env.Keys.Screen.Cancel
}

// below is what there is further down, "" where the end is in view, or a view covers
// the transcript.
func (c *chat) below(a around) string {
	if a.covered || c.transcript.Following() {
		return ""
	}
	if n := c.transcript.Unseen(); n > 0 {
		return fmt.Sprintf("↓ %d new", n)
	}
	return "↓ more"
}

// activity is what is going on, "" if nothing is.
func (c *chat) activity(a around, room int) string {
	s, st := c.session, c.styles
	text, style := c.doing(), st.subtle
	switch {
	case c.shell != nil:
		text = "running " + plain.Line(c.shell.command) + c.pulse.seconds(c.shell.since)
	case s.status.Phase == agent.Retrying:
		style = st.warning
	case a.question:
		text = "a question waits for your answer: pause, and it asks"
	case text != "" && s.status.Phase != agent.Asking:
		text += c.pulse.seconds(s.status.Since)
	case text == "" && s.job.on && (!c.place.plan.job.shown || a.covered):
		return style.Render(c.optimizing(a, room))
	}
	if words := c.reviewWords(a); words != "" && (text == "" || s.review.summary.Held) {
		return st.accent.Render(ansi.Truncate(words, max(0, room), "…"))
	}
	if text == "" {
		return ""
	}
	mark := c.pulse.spinner()
	if c.shell == nil && !s.moves() {
		mark = "?"
	}
	hint := ""
	if stop := c.stopKey(a); room >= 40 && stop.Enabled() && s.status.Phase != agent.Stopping {
		hint = " (" + stop.Help().Key + " stops)"
	}
	text = ansi.Truncate(text, max(0, room-2-ansi.StringWidth(hint)), "…")
	return style.Render(ansi.Truncate(mark+" "+text+hint, max(0, room), ""))
}

// doing is what the conversation is doing, "" when it is idle. A summary that
// is written has a line of its own, also while a request waits for it, and other
// compactions are over at once.
func (c *chat) doing() string {
	s := &c.session.status
	switch s.Phase {
	case agent.Waiting:
		if p := s.Progress; p != nil && p.Total > 0 {
			return fmt.Sprintf("the server is reading %s of %s tokens", meter.Tokens(p.Done), meter.Tokens(p.Total))
		}
		return "waiting for the model"
	case agent.Streaming:
		if c.pulse.call != "" {
			return "calling " + plain.Line(c.pulse.call)
		}
		return "answering"
	case agent.Running:
		return "running tools"
	case agent.Asking:
		return "waiting for you"
	case agent.Stopping:
		return "stopping"
	case agent.Retrying:
		left := max(0, s.Wait-c.pulse.clock.Sub(s.Since)).Round(time.Second)
		return fmt.Sprintf("trying again (%d) in %s: %s", s.Attempt, left, plain.Line(s.Why))
	}
	return ""
}

// queuedLines shows the messages that wait in at most so many lines.
func (c *chat) queuedLines(most int) []string {
	all, st, width := c.outbox.waiting(), c.styles, c.place.width
	var lines []string
	for i, w := range all {
		if len(lines) == most-1 && i < len(all)-1 {
			more := fmt.Sprintf("· and %d more queued", len(all)-i)
			lines = append(lines, " "+st.subtle.Render(ansi.Truncate(more, max(0, width-2), "…")))
			break
		}
		text := "· queued: " + w.label
		hint := ""
		if i == 0 && width >= 60 && len(c.outbox.queued) > 0 {
			hint = c.takesBack()
		}
		text = ansi.Truncate(text, max(0, width-2-ansi.StringWidth(hint)), "…") + hint
		lines = append(lines, " "+st.subtle.Render(text))
	}
	return lines
}

// takesBack names the keys that return a queued message. While a request
// waits for a summary Cancel is for that, and the turn goes on.
func (c *chat) takesBack() string {
	screen := c.env.Keys.Screen
	keys := helpKeys(screen.Cancel, screen.TakeBack)
	if !c.session.turnRuns() {
		keys = helpKeys(screen.TakeBack)
	}
	if keys == "" {
		return ""
	}
	return "  (" + keys + " takes it back)"
}

// helpKeys names keys, without those that are off.
func helpKeys(bindings ...key.Binding) string {
	var names []string
	for _, b := range bindings {
		if b.Enabled() {
			names = append(names, b.Help().Key)
		}
	}
	return strings.Join(names, " or ")
}

// slow is how long a summary takes until it is said how to stop it (ONE).
const slow = 15 * time.Second

// optimizing is the line about a summary that is being written, without style.
// Where there is little room its words get fewer; how to stop it goes last but
// for the seconds.
func (c *chat) optimizing(a around, width int) string {
	s := c.session
	spinner := c.pulse.spinner() + " "
	text := spinner + optimizingWords
	taken, words, stop := c.pulse.seconds(s.job.since), "", c.stopsJob(a)
	switch {
	case s.job.stopped:
	case s.job.held && s.status.Phase == agent.PhaseCompacting:
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

// optimizingWords are said while a summary is written (ONE).
const optimizingWords = "Optimizing conversation context…"

// stopsJob says how to stop the summary that is being written, once it takes
// long and the key would stop that and nothing else.
func (c *chat) stopsJob(a around) string {
	job, stop := c.session.job, c.stopKey(a)
	switch {
	case job.stopped:
		return " (stopping)"
	case c.pulse.clock.Sub(job.since) < slow, !stop.Enabled(), c.session.turnRuns(), c.shellRuns():
		return ""
	}
	return " (" + stop.Help().Key + " stops it)"
}

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
	"plimsoll/tui/overlay"
)

// The status line says what goes on at its left, or a passing word, and at its
// right that there is more below. It has its place also while it is empty, so
// that nothing jumps when something begins or ends. Below it stand the messages
// that wait.

// status is what the lines around the transcript say.
type status struct {
	now    agent.Status
	calls  string // the call the model is writing, "" without one
	job    summaryJob
	queued []waiting
	snack  snack
	frame  int
	clock  time.Time // of the newest tick, or of the newest change
}

// snack is a passing word to the user.
type snack struct {
	text string
	bad  bool
	seq  int // tells an old timer from the newest

	fresh bool  // it was said just now, about what comes into sight
	about sight // what it stands below; elsewhere it is not shown
}

// sight is what has the keys: a view, and a dialog over it. The zero value is the
// conversation.
type sight struct {
	view   fullView
	dialog overlay.Dialog
}

func (m *Model) inSight() sight { return sight{m.views.top(), m.overlays.Top()} }

// placeSnack has a new passing word belong to what is in sight.
func (m *Model) placeSnack() {
	if s := &m.status.snack; s.fresh {
		s.fresh, s.about = false, m.inSight()
	}
}

// snackText is the passing word, "" without one and where it is about something
// else than what is in sight.
func (m *Model) snackText() string {
	if s := m.status.snack; s.fresh || s.about == m.inSight() {
		return s.text
	}
	return ""
}

// busy reports whether a turn runs.
func (s *status) busy() bool { return s.now.Phase != "" && s.now.Phase != agent.Idle }

// moves reports whether something on the status line changes by itself. What
// waits for the user does not.
func (s *status) moves() bool { return s.busy() && s.now.Phase != agent.Asking || s.job.on }

// frames is the spinner of the status line.
var frames = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

func (s *status) spinner() string { return frames[s.frame%len(frames)] }

// seconds is how long something has been going on, " 4s", "" in the first.
func (s *status) seconds(since time.Time) string {
	d := s.clock.Sub(since)
	if d < time.Second || since.IsZero() {
		return ""
	}
	return " " + d.Truncate(time.Second).String()
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
func (m *Model) hasStatus() bool {
	return m.snackText() != "" || m.status.doing() != "" || m.reviewWords() != "" || m.status.job.on || m.shell != nil || m.below() != ""
}

// statusLine is what goes on, or a passing word, and whether there is more
// below.
func (m *Model) statusLine() string {
	st, s := m.look.status(), &m.status
	below := m.below()
	room := m.screen.width - 2 - ansi.StringWidth(below)
	if below != "" {
		room -= 2
	}
	left := ""
	switch text := plain.Line(m.snackText()); {
	case text != "" && s.snack.bad:
		left = st.failure.Render(ansi.Truncate(text, max(0, room), "…"))
	case text != "":
		left = st.snack.Render(ansi.Truncate(text, max(0, room), "…"))
	default:
		left = m.activity(st, room)
	}
	if below == "" {
		return " " + left
	}
	gap := max(0, m.screen.width-2-ansi.StringWidth(left)-ansi.StringWidth(below))
	return " " + left + strings.Repeat(" ", gap) + st.accent.Render(below)
}

// stopKey is the key that stops what goes on: where a view has the keys, Cancel is
// for that.
func (m *Model) stopKey() key.Binding {
	if m.views.top() != nil {
		return m.options.Keys.Screen.Interrupt
	}
	return m.options.Keys.Screen.Cancel
}

// below is what there is further down, "" where the end is in view, or a view covers
// the transcript.
func (m *Model) below() string {
	if m.views.top() != nil || m.transcript.Following() {
		return ""
	}
	if n := m.transcript.Unseen(); n > 0 {
		return fmt.Sprintf("↓ %d new", n)
	}
	return "↓ more"
}

// activity is what is going on, "" if nothing is.
func (m *Model) activity(st statusStyles, room int) string {
	s := &m.status
	text, style := s.doing(), st.subtle
	switch {
	case m.shell != nil:
		text = "running " + plain.Line(m.shell.command) + s.seconds(m.shell.since)
	case s.now.Phase == agent.Retrying:
		style = st.warning
	case m.questionsWait():
		text = "a question waits for your answer: pause, and it asks"
	case text != "" && s.now.Phase != agent.Asking:
		text += s.seconds(s.now.Since)
	case text == "" && s.job.on && (!m.screen.plan.job.shown || m.views.top() != nil):
		return style.Render(m.optimizing(room))
	}
	if words := m.reviewWords(); words != "" && (text == "" || m.talk.waits.Held) {
		return st.accent.Render(ansi.Truncate(words, max(0, room), "…"))
	}
	if text == "" {
		return ""
	}
	mark := s.spinner()
	if m.shell == nil && !s.moves() {
		mark = "?"
	}
	hint := ""
	if stop := m.stopKey(); room >= 40 && stop.Enabled() && s.now.Phase != agent.Stopping {
		hint = " (" + stop.Help().Key + " stops)"
	}
	text = ansi.Truncate(text, max(0, room-2-ansi.StringWidth(hint)), "…")
	return style.Render(ansi.Truncate(mark+" "+text+hint, max(0, room), ""))
}

// doing is what the conversation is doing, "" when it is idle. A summary that
// is written has a line of its own, also while a request waits for it, and other
// compactions are over at once.
func (s *status) doing() string {
	switch s.now.Phase {
	case agent.Waiting:
		if p := s.now.Progress; p != nil && p.Total > 0 {
			return fmt.Sprintf("the server is reading %s of %s tokens", meter.Tokens(p.Done), meter.Tokens(p.Total))
		}
		return "waiting for the model"
	case agent.Streaming:
		if s.calls != "" {
			return "calling " + plain.Line(s.calls)
		}
		return "answering"
	case agent.Running:
		return "running tools"
	case agent.Asking:
		return "waiting for you"
	case agent.Stopping:
		return "stopping"
	case agent.Retrying:
		left := max(0, s.now.Wait-s.clock.Sub(s.now.Since)).Round(time.Second)
		return fmt.Sprintf("trying again (%d) in %s: %s", s.now.Attempt, left, plain.Line(s.now.Why))
	}
	return ""
}

// waiting is all messages that wait, oldest first.
func (m *Model) waiting() []waiting {
	all := m.status.queued[:len(m.status.queued):len(m.status.queued)]
	for _, o := range m.outbox {
		all = append(all, o.waiting)
	}
	return all
}

// queuedLines shows the messages that wait in at most so many lines.
func (m *Model) queuedLines(most int) []string {
	all, st, width := m.waiting(), m.look.status(), m.screen.width
	var lines []string
	for i, w := range all {
		if len(lines) == most-1 && i < len(all)-1 {
			more := fmt.Sprintf("· and %d more queued", len(all)-i)
			lines = append(lines, " "+st.subtle.Render(ansi.Truncate(more, max(0, width-2), "…")))
			break
		}
		text := "· queued: " + w.label
		hint := ""
		if i == 0 && width >= 60 && len(m.status.queued) > 0 {
			hint = m.takesBack()
		}
		text = ansi.Truncate(text, max(0, width-2-ansi.StringWidth(hint)), "…") + hint
		lines = append(lines, " "+st.subtle.Render(text))
	}
	return lines
}

// takesBack names the keys that give a queued message back. While a request
// waits for a summary Cancel is for that, and the turn goes on.
func (m *Model) takesBack() string {
	screen := m.options.Keys.Screen
	keys := helpKeys(screen.Cancel, screen.TakeBack)
	if !m.turnRuns() {
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

package tui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent"
	"plimsoll/conversation/plain"
	"plimsoll/tui/meter"
)

// status is what the lines around the transcript say: what the conversation is
// doing, what waits, and a passing word to the user.
type status struct {
	now      agent.Status
	calls    string // the call the model is writing, "" without one
	queued   []string
	snack    string
	snackBad bool
	snackSeq int // tells an old timer from the newest
	frame    int
	clock    time.Time // of the newest tick
}

// busy reports whether a turn runs.
func (s *status) busy() bool { return s.now.Phase != "" && s.now.Phase != agent.Idle }

// frames is the spinner of the status line.
var frames = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// maxQueued is how many waiting messages are shown.
const maxQueued = 3

// statusStyles is how the lines look.
type statusStyles struct {
	title, rule, subtle, accent, warning, failure, snack lipgloss.Style
}

// header is the top line: name, title, model, place.
func header(s statusStyles, title, model, badge, place string, width int) string {
	left := " " + s.title.Render("plimsoll")
	right := plain.Line(model)
	if badge != "" {
		right += " · " + badge
	}
	if place != "" && width >= 60 {
		right += " · " + plain.Line(place)
	}
	right = ansi.TruncateLeft(right, max(0, ansi.StringWidth(right)-max(0, width-14)), "")
	room := width - ansi.StringWidth(left) - ansi.StringWidth(right) - 5
	if title != "" && room >= 6 {
		left += "   " + ansi.Truncate(plain.Line(title), room, "…")
	}
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right) - 1
	if gap < 1 {
		return ansi.Truncate(left, width, "")
	}
	return left + strings.Repeat(" ", gap) + s.subtle.Render(right)
}

// rule is the line below the header.
func rule(s statusStyles, width int) string {
	return " " + s.rule.Render(strings.Repeat("─", max(0, width-2)))
}

// above is the lines between the transcript and the composer, at most n.
func (s *status) above(st statusStyles, unseen, width, n int) []string {
	var lines []string
	if l := s.activity(st, width-1); l != "" {
		lines = append(lines, " "+l)
	}
	for i, q := range s.queued {
		if i == maxQueued {
			lines = append(lines, " "+st.subtle.Render(fmt.Sprintf("  and %d more", len(s.queued)-i)))
			break
		}
		hint := ""
		if i == 0 && width >= 60 {
			hint = "  (esc or alt+up takes it back)"
		}
		text := ansi.Truncate(plain.Line(q), max(4, width-12-len(hint)), "…")
		lines = append(lines, " "+st.subtle.Render("· queued: "+text+hint))
	}
	if unseen > 0 {
		lines = append(lines, " "+st.accent.Render(fmt.Sprintf("↓ %d new", unseen)))
	}
	if s.snack != "" {
		style := st.snack
		if s.snackBad {
			style = st.failure
		}
		lines = append(lines, " "+style.Render(ansi.Truncate(plain.Line(s.snack), width-2, "…")))
	}
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return lines
}

// activity is what the conversation is doing, "" when it is idle.
func (s *status) activity(st statusStyles, width int) string {
	text := ""
	switch s.now.Phase {
	case agent.Waiting:
		text = "waiting for the model"
		if p := s.now.Progress; p != nil && p.Total > 0 {
			text = fmt.Sprintf("the server is reading %s of %s tokens", meter.Tokens(p.Done), meter.Tokens(p.Total))
		}
	case agent.Streaming:
		text = "answering"
		if s.calls != "" {
			text = "calling " + plain.Line(s.calls)
		}
	case agent.Running:
		text = "running tools"
	case agent.Asking:
		text = "waiting for you"
	case agent.Stopping:
		text = "stopping"
	case agent.Retrying:
		left := max(0, s.now.Wait-s.clock.Sub(s.now.Since)).Round(time.Second)
		text = fmt.Sprintf("trying again (%d) in %s: %s", s.now.Attempt, left, plain.Line(s.now.Why))
		return st.warning.Render(ansi.Truncate(s.spinner()+" "+text, width, "…"))
	default:
		return ""
	}
	if d := s.clock.Sub(s.now.Since); d >= time.Second {
		text += fmt.Sprintf(" %ds", int(d.Seconds()))
	}
	if width >= 60 {
		text += " (esc stops)"
	}
	return st.subtle.Render(ansi.Truncate(s.spinner()+" "+text, width, "…"))
}

func (s *status) spinner() string { return frames[s.frame%len(frames)] }

package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/tui/meter"
)

// While a summary is written a line below the newest reply says so and for how
// long, and after a while how to stop it; typing, queueing and sending go on.
// What needs no model is done at once: a passing word tells of it, and the line
// in the transcript stays. Why nothing was done stands where it can be read in
// peace.

// summaryJob is a summary that is being written.
type summaryJob struct {
	on      bool
	since   time.Time
	stopped bool // by the user
}

// slow is how long a summary takes until it is said how to stop it (ONE).
const slow = 15 * time.Second

// compaction shows an update about compaction.
func (m *Model) compaction(u agent.Update) tea.Cmd {
	switch u := u.(type) {
	case agent.Compacting:
		if u.Summary {
			m.status.clock = m.options.Now()
			m.status.job = summaryJob{on: true, since: u.Since}
		}
	case agent.Compacted:
		return m.compacted(u)
	case agent.CompactionFailed:
		m.status.job = summaryJob{}
		return m.notCompacted(u.Err)
	case agent.Previewed:
		return m.showPreview(u)
	}
	return nil
}

// compacted says that a compaction is in force, or is not any more.
func (m *Model) compacted(u agent.Compacted) tea.Cmd {
	p := u.Preview
	change := ""
	if p.Before > 0 {
		change = fmt.Sprintf(": %s → %s tokens", meter.Tokens(p.Before), meter.Tokens(p.After))
	}
	switch {
	case u.Undone:
		return m.say("undone"+change+" · /redo-compact brings it back", false)
	case u.Redone:
		return m.say("redone"+change, false)
	}
	m.status.job = summaryJob{}
	return m.say("compacted "+p.Range.String()+change, false)
}

// notCompacted says why a compaction was not made. What the user stopped, or
// asked for and cannot have, is no failure.
func (m *Model) notCompacted(err *agent.Error) tea.Cmd {
	text := err.Message
	if err.Status != 0 {
		text = err.Error()
	}
	switch {
	case err.Class == agent.Cancelled: // its line in the transcript says so
	case errors.Is(err, compact.ErrNothingToUndo), errors.Is(err, compact.ErrNothingToRedo):
		return m.say(text, true)
	case err.Class == agent.BadRequest && err.Status == 0:
		m.transcript.Refusal(text, err.Hint)
	default:
		m.transcript.Fault(text, err.Hint)
	}
	if !m.transcript.Following() {
		return m.say(text, err.Class != agent.Cancelled)
	}
	return nil
}

// turnRuns reports whether a turn runs that Cancel would stop before a summary.
func (m *Model) turnRuns() bool { return m.busy() && m.status.now.Phase != agent.PhaseCompacting }

// optimizing is the line about a summary that is being written, without style.
// The hint goes first where there is little room, then the seconds.
func (m *Model) optimizing(width int) string {
	s := &m.status
	text := s.spinner() + " Optimizing conversation context…"
	taken, hint := s.seconds(s.job.since), ""
	switch stop := m.options.Keys.Screen.Cancel; {
	case s.job.stopped:
		hint = " (stopping)"
	case s.clock.Sub(s.job.since) >= slow && stop.Enabled() && !m.turnRuns():
		hint = " so far (" + stop.Help().Key + " stops it)"
	}
	for _, more := range []string{taken + hint, taken} {
		if ansi.StringWidth(text+more) <= width {
			return text + more
		}
	}
	return ansi.Truncate(text, max(0, width), "…")
}

// jobPlace is where the line about a summary stands.
type jobPlace struct {
	shown bool
	row   int // below the top of the transcript; its height if the line is below it
}

// below reports whether the line has a row of its own below the transcript.
func (j jobPlace) below(body int) bool { return j.shown && j.row == body }

// leastJob is how many lines the transcript must have to give one up.
const leastJob = 3

// placeJob puts the line about a summary below the newest reply: where the
// transcript has empty rows on the second of them, otherwise below all of it.
func (m *Model) placeJob(p *plan) {
	if !m.status.job.on || p.body < leastJob {
		return
	}
	used := m.transcript.Needs(p.body)
	p.job = jobPlace{shown: true, row: used + 1}
	if used+2 > p.body {
		p.body--
		m.transcript.SetSize(m.screen.width, p.body)
		p.job.row = p.body
	}
}

// withJob is the transcript with the line about a summary.
func (m *Model) withJob(view string) string {
	p := m.screen.plan
	if !p.job.shown {
		return view
	}
	line := " " + m.look.status().subtle.Render(m.optimizing(m.screen.width-2))
	if p.job.below(p.body) {
		return view + "\n" + line
	}
	rows := strings.Split(view, "\n")
	rows[min(p.job.row, len(rows)-1)] = line
	return strings.Join(rows, "\n")
}

package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/tui/meter"
)

// While a summary is written a line below the newest reply says so and for how
// long, whether a request waits for it, and after a while how to stop it; typing,
// sending, replies and tools go on. What needs no model is done at once. Of what
// the user asked for a passing word tells, and why it was not done stands where it
// can be read in peace. What happens by itself is silent but for its line in the
// transcript, unless messages had to be left out.

// trimmed is said when the oldest messages were left out by themselves (ONE).
const trimmed = "Conversation history has been automatically trimmed"

// summaryJob is a summary that is being written.
type summaryJob struct {
	on      bool
	since   time.Time
	source  conversation.Source
	held    bool // the next request does not fit and waits for it
	stopped bool // by the user
}

// meant reports whether a wish that came to nothing is what the summary was for:
// taking back may fail beside it, and what the model asks for may be refused.
func (j summaryJob) meant(w compact.Wish) bool {
	switch {
	case w.Trigger == string(compact.DeedUndo), w.Trigger == string(compact.DeedRedo):
		return false
	case w.Source == conversation.SourceTool:
		return j.source == conversation.SourceTool
	}
	return true
}

// slow is how long a summary takes until it is said how to stop it (ONE).
const slow = 15 * time.Second

// compaction shows an update about compaction.
func (m *Model) compaction(u agent.Update) tea.Cmd {
	switch u := u.(type) {
	case agent.Compacting:
		m.compacting(u)
	case agent.Prepared:
		m.status.job = summaryJob{} // nothing goes on any more
	case agent.Compacted:
		return m.compacted(u)
	case agent.CompactionFailed:
		if m.status.job.meant(u.Wish) {
			m.status.job = summaryJob{}
		}
		cmd := m.keepTaken()
		if byUser(u.Wish.Source) {
			if u.Err.Class != agent.Cancelled {
				m.leave(m.talk.line)
			}
			cmd = tea.Batch(cmd, m.notCompacted(u.Err))
		}
		return cmd
	case agent.Previewed:
		return m.showPreview(u)
	case agent.Inspected:
		m.talk.account = u.Account
	case agent.Steered:
		return m.steered(u)
	case agent.Reviewing:
		return m.reviewing(u)
	case agent.Reviewed:
		m.reviewed()
	case agent.Summaries:
		m.talk.paused = u.Paused
	case agent.CacheCold:
		return m.goesCold(u.At)
	}
	return nil
}

// byUser reports whether the user asked for a compaction; who does not say it is
// the user.
func byUser(s conversation.Source) bool { return s == conversation.SourceManual || s == "" }

// compacting says that a summary is being written, or that a request waits for
// it by now.
func (m *Model) compacting(u agent.Compacting) {
	if !u.Summary && !u.Held {
		return
	}
	if byUser(u.Source) {
		// The command did its work. Who waits for a summary may be writing when it
		// fails, and finds the line among the prompts.
		m.talk.line = typedLine{}
	}
	job := &m.status.job
	same := job.on && job.since.Equal(u.Since)
	*job = summaryJob{on: true, since: u.Since, source: u.Source, held: u.Held, stopped: same && job.stopped}
	m.status.clock = m.options.Now()
}

// compacted says that a compaction is in force, or is not any more.
func (m *Model) compacted(u agent.Compacted) tea.Cmd {
	if byUser(u.Source) {
		m.talk.line = typedLine{}
	}
	p := u.Preview
	change := ""
	if p.Before > 0 {
		change = fmt.Sprintf(" · %s → %s tokens", meter.Tokens(p.Before), meter.Tokens(p.After))
	}
	switch {
	case u.Undone:
		// The way back stands first: a narrow screen has room for little more.
		return m.say("undone · "+m.redoKey()+" to redo"+change, false)
	case u.Redone:
		return m.say("redone"+change, false)
	}
	m.status.job, m.talk.taken = summaryJob{}, ""
	switch {
	case u.Trimmed:
		return m.say(trimmed, false)
	case byUser(u.Source):
		return m.say("compacted "+p.Range.String()+change, false)
	}
	return nil
}

// redoKey is what redoes a compaction where one is: the key of the view in sight, or
// the command. Elsewhere the notice is not shown, as the key does something else there.
func (m *Model) redoKey() string {
	b := key.Binding{}
	switch m.views.top().(type) {
	case *historyView:
		b = m.options.Keys.History.Redo
	case *ledgerView:
		b = m.options.Keys.Ledger.Redo
	}
	if b.Enabled() {
		return b.Help().Key
	}
	return "/redo-compact"
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
	if m.away() {
		return m.say(text, err.Class != agent.Cancelled)
	}
	return nil
}

// turnRuns reports whether a turn runs that Cancel stops before a summary. One
// whose request waits for the summary is none.
func (m *Model) turnRuns() bool { return m.busy() && m.status.now.Phase != agent.PhaseCompacting }

// optimizing is the line about a summary that is being written, without style.
// Where there is little room its words get fewer; how to stop it goes last but
// for the seconds.
func (m *Model) optimizing(width int) string {
	s := &m.status
	spinner := s.spinner() + " "
	text := spinner + optimizingWords
	taken, words, stop := s.seconds(s.job.since), "", m.stopsJob()
	switch {
	case s.job.stopped:
	case s.job.held && s.now.Phase == agent.PhaseCompacting:
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
func (m *Model) stopsJob() string {
	job, stop := m.status.job, m.stopKey()
	switch {
	case job.stopped:
		return " (stopping)"
	case m.status.clock.Sub(job.since) < slow, !stop.Enabled(), m.turnRuns(), m.shellRuns():
		return ""
	}
	return " (" + stop.Help().Key + " stops it)"
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

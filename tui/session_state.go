package tui

import (
	"strconv"
	"time"

	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"

	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// What a session consists of: the log, what fills the window, what goes on, the summary
// that waits, and the clock of the provider's cache. None of them knows the others.

// eventLog is the events of the conversation.
type eventLog []conversation.Event

// newest is the Seq of the newest event, 0 without one.
func (l eventLog) newest() uint64 {
	if n := len(l); n > 0 {
		return l[n-1].Seq
	}
	return 0
}

// in is how many events it has, 0 if another log does not go on where it ends.
func (l eventLog) in(longer []conversation.Event) int {
	n := len(l)
	if n == 0 || n > len(longer) || longer[n-1].Seq != l[n-1].Seq || !longer[n-1].Time.Equal(l[n-1].Time) {
		return 0
	}
	return n
}

// message is the text of the user message of an event, false for other events.
func (l eventLog) message(event uint64) (text string, ok bool) {
	for _, e := range l {
		if u, is := e.Body.(conversation.UserMessage); is && e.Seq == event {
			text, ok = u.Text, true
		}
	}
	return text, ok
}

// userTurn is a message of the user that a rewind can go back to.
type userTurn struct {
	event conversation.Event
	text  string
}

// turns lists the messages of the user that are in force, oldest first.
func (l eventLog) turns() []userTurn {
	gone := conversation.RewoundBy(l)
	var list []userTurn
	for i, e := range l {
		if u, ok := e.Body.(conversation.UserMessage); ok && (gone == nil || gone[i] == 0) {
			list = append(list, userTurn{e, u.Text})
		}
	}
	return list
}

// named are the events of a turn by its number, others by their names (e41,
// t3-7), or the newest message of the user.
func (l eventLog) find(name string) []uint64 {
	turn, err := strconv.Atoi(name)
	id, known := conversation.ParseRecallID(name)
	if err == nil && turn >= 0 { // a bare number is a turn
		id, known = conversation.RecallID{Turns: true, First: uint64(turn), Last: uint64(turn)}, true
	}
	named := func(e conversation.Event) bool {
		at := e.Seq
		if id.Turns {
			at = uint64(max(e.Turn, 0))
		}
		return known && at >= id.First && at <= id.Last
	}
	var events []uint64
	for _, e := range l {
		switch e.Body.(type) {
		case conversation.UserMessage:
			if name == "" {
				events = []uint64{e.Seq}
			}
		case conversation.AssistantMessage, conversation.ToolResult:
		default:
			continue
		}
		if name != "" && named(e) {
			events = append(events, e.Seq)
		}
	}
	return events
}

// load is what fills the window.
type load struct {
	meter  meter.Meter       // without the draft and the reply
	reply  conversation.Size // of the reply that is arriving
	shown  conversation.Size // of it, as far as the gauge tells: numbers that change too often cannot be read
	logged bool              // it is in the log, and so in the next meter
}

// arrives counts a part of the reply that is arriving.
func (l *load) addReply(text string) {
	l.reply = l.reply.Plus(conversation.Measure(text))
	if l.shown.Chars() == 0 {
		l.show()
	}
}

// show has the gauge tell of all of the reply that has arrived; false if it did already.
func (l *load) show() bool {
	if l.shown == l.reply {
		return false
	}
	l.shown = l.reply
	return true
}

// discard drops the reply that was arriving.
func (l *load) discard() { l.reply, l.shown = conversation.Size{}, conversation.Size{} }

// metered takes over the meter. The reply that is arriving counts on top until it is
// in the log.
func (l *load) metered(m meter.Meter) {
	l.meter = m
	if l.logged {
		l.logged = false
		l.discard()
	}
}

// with is the meter with the reply that is arriving and messages that are not sent.
func (l *load) with(drafts conversation.Size, messages int) meter.Reading {
	m := l.meter
	if l.shown.Chars() > 0 {
		m = m.WithReply(l.shown)
	}
	return m.WithDraft(drafts, messages).Reading()
}

// used is what the gauge shows as used, and how much of it is the system prompt and
// the tools. A reply that is arriving is not part of it yet.
func (l *load) used() (used, prompt int) {
	r := l.meter.Reading()
	return r.Used, r.Segments[projection.System] + r.Segments[projection.Tools]
}

// factor is how many tokens of the model an estimated token is.
func (l *load) factor() float64 {
	if f := l.meter.Calibration().Factor; f > 0 {
		return f
	}
	return 1
}

// estimate is the tokens of a text by the model's calibration.
func (l *load) estimate(size conversation.Size) int {
	return int(meter.Estimate(size)*l.factor() + 0.5)
}

// estimateText is the tokens of a text by the model's calibration.
func (l *load) estimateText(text string) int { return l.estimate(conversation.Measure(text)) }

// activity is what goes on in the conversation.
type activity struct {
	status updates.Status
	job    summaryJob
}

// summaryJob is a summary that is being written.
type summaryJob struct {
	on      bool
	since   time.Time
	source  conversation.Source
	held    bool // the next request does not fit and waits for it
	stopped bool // by the user
}

// meant reports whether the compaction request that failed is the one that the summary
// is for: meanwhile an undo may fail, or a compaction that the model asked for.
func (j summaryJob) concerns(w edit.Request) bool {
	switch {
	case w.Trigger == string(edit.OpUndo), w.Trigger == string(edit.OpRedo):
		return false
	case w.Source == conversation.SourceTool:
		return j.source == conversation.SourceTool
	}
	return true
}

// busy reports whether a turn runs.
func (a *activity) busy() bool { return a.status.Phase != "" && a.status.Phase != updates.Idle }

// turnRuns reports whether a turn runs that Cancel stops before a summary. A turn
// whose request waits for the summary does not count.
func (a *activity) turnRuns() bool { return a.busy() && a.status.Phase != updates.PhaseCompacting }

// moves reports whether what goes on changes without the user.
func (a *activity) moves() bool { return a.busy() && a.status.Phase != updates.Asking || a.job.on }

// stoppable reports whether something runs that nobody stopped yet.
func (a *activity) stoppable() bool {
	switch {
	case a.status.Phase == updates.Stopping:
		return false
	case a.job.on && !a.turnRuns():
		return !a.job.stopped
	}
	return a.busy()
}

// compacting says that a summary is being written, or that a request waits for it.
func (a *activity) compacting(u updates.Compacting) {
	if !u.Summary && !u.RequestWaits {
		return
	}
	same := a.job.on && a.job.since.Equal(u.Since)
	a.job = summaryJob{on: true, since: u.Since, source: u.Source, held: u.RequestWaits, stopped: same && a.job.stopped}
}

// stopSummary notes that the user stops the summary, where a turn does not come first.
func (a *activity) stopSummary() { a.job.stopped = a.job.stopped || a.job.on && !a.turnRuns() }

// pendingReview is a summary that waits for the user.
type pendingReview struct {
	summary  *updates.Reviewing // nil if none does
	accepted string             // the text that the user accepted last, until it is in force
}

// words say that a summary waits, "" if none does.
func (r *pendingReview) words() string {
	switch {
	case r.summary == nil:
		return ""
	case r.summary.RequestWaits:
		return "a summary is ready, and the request waits for it: /review opens it"
	}
	return "a summary is ready: /review opens it"
}

// The provider's cache goes cold when nothing is sent for a while, without any other
// sign. The gauge counts down to that moment when it is near, because a compaction
// costs nothing more from then on, and the context view says what comes of it.

// cacheClock tells when the provider's cache goes cold.
type cacheClock struct {
	at      time.Time     // from when on it is, zero where it holds nothing
	notice  time.Duration // how long before that the gauge counts down
	wakesAt time.Time     // when the screen looks again, zero if it does not
	away    bool          // nobody looks: nothing counts down
}

// The gauge counts down through a fifth of the time that the cache lives, and through
// ten minutes at most: in minutes, and in steps of seconds through the last one.
const (
	noticePart = 5
	maxNotice  = 10 * time.Minute
	coldStep   = 5 * time.Second
)

// set takes over from when on the cache is cold.
func (c *cacheClock) set(at time.Time, e *env) pane.Action {
	c.at = at
	c.notice = min(at.Sub(e.Now())/noticePart, maxNotice)
	return c.wake(e)
}

// wake has the screen look again when the gauge says something else. A look that is due no later
// comes first and asks for the next, so that replies in a row leave one timer and not one each.
// The clock decides what is seen then, because timers stand still while a machine sleeps.
func (c *cacheClock) wake(e *env) pane.Action {
	now := e.Now()
	at, left := c.at, c.at.Sub(now)
	switch {
	case left <= 0:
		return nil
	case c.away:
	case left > c.notice:
		at = at.Add(-c.notice)
	case left > time.Minute:
		at = at.Add(-(left - 1).Truncate(time.Minute))
	default:
		at = at.Add(-(left - 1).Truncate(coldStep))
	}
	if c.wakesAt.After(now) && !c.wakesAt.After(at) {
		return nil
	}
	c.wakesAt = at
	return later(at.Sub(now), func() pane.Action {
		if e.Now().Before(c.wakesAt) {
			return nil // an earlier look was asked for meanwhile
		}
		c.wakesAt = time.Time{}
		return several{clockTick{}, c.wake(e)}
	})
}

// left is the time until the cache is cold, as the gauge counts it down; "" while that
// is far away.
func (c *cacheClock) left(now time.Time) string {
	left := c.at.Sub(now)
	switch {
	case c.at.IsZero() || c.away || left <= 0 || left > c.notice:
		return ""
	case left > time.Minute:
		return strconv.Itoa(int((left+time.Minute-1)/time.Minute)) + "m"
	}
	return strconv.Itoa(int((left+coldStep-1)/coldStep)*int(coldStep/time.Second)) + "s"
}

// cold reports whether nothing was sent for so long.
func (c *cacheClock) cold(now time.Time) bool { return !c.at.IsZero() && !now.Before(c.at) }

// words are the first full minute at which the cache is cold, for a sentence; "" where
// that is not known.
func (c *cacheClock) words(now time.Time) string {
	at := c.at
	if at.IsZero() {
		return ""
	}
	if minute := at.Truncate(time.Minute); minute.Before(at) {
		at = minute.Add(time.Minute)
	}
	at = at.In(now.Location())
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("15:04 on Monday")
}

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

// The parts of a session: the log, the content of the window, the running activity, the
// pending summary, and the clock of the provider's cache. They do not use each other.

// eventLog holds the events of the conversation.
type eventLog []conversation.Event

// newest is the Seq of the newest event, 0 without one.
func (l eventLog) newest() uint64 {
	if n := len(l); n > 0 {
		return l[n-1].Seq
	}
	return 0
}

// in returns the number of events if longer begins with them, or else 0.
func (l eventLog) in(longer []conversation.Event) int {
	n := len(l)
	if n == 0 || n > len(longer) || longer[n-1].Seq != l[n-1].Seq || !longer[n-1].Time.Equal(l[n-1].Time) {
		return 0
	}
	return n
}

// message returns the text of a user message by its event; false for other events.
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
	rewound := conversation.RewoundBy(l)
	var list []userTurn
	for i, e := range l {
		if u, ok := e.Body.(conversation.UserMessage); ok && (rewound == nil || rewound[i] == 0) {
			list = append(list, userTurn{e, u.Text})
		}
	}
	return list
}

// find returns the events of a turn by its number, events by their names (e41,
// t3-7), or for "" the newest user message.
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

// load is the content of the window.
type load struct {
	meter  meter.Meter       // without the draft and the reply
	reply  conversation.Size // of the streaming reply
	shown  conversation.Size // its size as the gauge shows it, updated once per tick to be readable
	logged bool              // the reply is in the log, and so in the next meter
}

// addReply counts a delta of the streaming reply.
func (l *load) addReply(text string) {
	l.reply = l.reply.Plus(conversation.Measure(text))
	if l.shown.Chars() == 0 {
		l.show()
	}
}

// show makes the gauge show the reply so far; false if it does already.
func (l *load) show() bool {
	if l.shown == l.reply {
		return false
	}
	l.shown = l.reply
	return true
}

// discard drops the streaming reply.
func (l *load) discard() { l.reply, l.shown = conversation.Size{}, conversation.Size{} }

// metered sets the meter. The streaming reply is added to it until the reply is in the
// log.
func (l *load) metered(m meter.Meter) {
	l.meter = m
	if l.logged {
		l.logged = false
		l.discard()
	}
}

// with returns the reading with the streaming reply and unsent messages.
func (l *load) with(drafts conversation.Size, messages int) meter.Reading {
	m := l.meter
	if l.shown.Chars() > 0 {
		m = m.WithReply(l.shown)
	}
	return m.WithDraft(drafts, messages).Reading()
}

// used returns the used tokens, and how many of them are the system prompt and the tools,
// without the streaming reply.
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

// estimate returns the calibrated tokens of a text of a size.
func (l *load) estimate(size conversation.Size) int {
	return int(meter.Estimate(size)*l.factor() + 0.5)
}

// estimateText returns the calibrated tokens of a text.
func (l *load) estimateText(text string) int { return l.estimate(conversation.Measure(text)) }

// activity is the running turn and summary.
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

// concerns reports whether a failed compaction request is that of the summary. While a summary
// is written, an undo or a compaction requested by the model may fail, too.
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

// turnRuns reports whether a turn runs, which Cancel stops before a summary. A turn
// whose request waits for the summary does not count.
func (a *activity) turnRuns() bool { return a.busy() && a.status.Phase != updates.PhaseCompacting }

// moves reports whether something runs that changes without the user.
func (a *activity) moves() bool { return a.busy() && a.status.Phase != updates.Asking || a.job.on }

// stoppable reports whether something runs that the user has not stopped yet.
func (a *activity) stoppable() bool {
	switch {
	case a.status.Phase == updates.Stopping:
		return false
	case a.job.on && !a.turnRuns():
		return !a.job.stopped
	}
	return a.busy()
}

// compacting handles that a summary is being written, or that a request waits for it.
func (a *activity) compacting(u updates.Compacting) {
	if !u.Summary && !u.RequestWaits {
		return
	}
	same := a.job.on && a.job.since.Equal(u.Since)
	a.job = summaryJob{on: true, since: u.Since, source: u.Source, held: u.RequestWaits, stopped: same && a.job.stopped}
}

// stopSummary records that the user stopped the summary, unless a turn is stopped first.
func (a *activity) stopSummary() { a.job.stopped = a.job.stopped || a.job.on && !a.turnRuns() }

// pendingReview is a summary that waits for the user's review.
type pendingReview struct {
	summary  *updates.Reviewing // nil if none waits
	accepted string             // the text that the user accepted, until it is in force
}

// words says that a summary waits, "" if none does.
func (r *pendingReview) words() string {
	switch {
	case r.summary == nil:
		return ""
	case r.summary.RequestWaits:
		return "a summary is ready, and the request waits for it: /review opens it"
	}
	return "a summary is ready: /review opens it"
}

// The provider's prompt cache expires (is cold) when no request is sent for some time. The
// gauge counts down to that moment when it is near, because after it a compaction costs
// nothing extra, and the context view explains the consequences.

// cacheClock knows when the provider's cache expires.
type cacheClock struct {
	at      time.Time     // when it expires; zero if it holds nothing
	notice  time.Duration // how long before that the gauge counts down
	wakesAt time.Time     // when the next timer redraws the gauge; zero without a timer
	away    bool          // the terminal does not have the focus: no countdown
}

// The gauge counts down during the last fifth of the cache's lifetime, but at most ten
// minutes: in minutes, and in steps of five seconds during the last minute.
const (
	noticePart = 5
	maxNotice  = 10 * time.Minute
	coldStep   = 5 * time.Second
)

// set sets when the cache expires.
func (c *cacheClock) set(at time.Time, e *env) pane.Action {
	c.at = at
	c.notice = min(at.Sub(e.Now())/noticePart, maxNotice)
	return c.wake(e)
}

// wake starts a timer for the next change of the countdown. If an earlier timer is pending, that
// one starts the next, so that many replies do not start many timers. The countdown is computed
// from the clock, because timers stop while a machine sleeps.
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
			return nil // another timer was started meanwhile
		}
		c.wakesAt = time.Time{}
		return actionList{clockTick{}, c.wake(e)}
	})
}

// left returns the time until the cache expires, as the gauge shows it; "" while that is
// far away.
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

// cold reports whether the cache has expired.
func (c *cacheClock) cold(now time.Time) bool { return !c.at.IsZero() && !now.Before(c.at) }

// words returns the first full minute at which the cache is cold, for a sentence; "" if
// that is unknown.
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

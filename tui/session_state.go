package tui

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"

	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// The parts of a session: the log, the content of the window, the running activity, the
// pending summary, and the clock of the provider's cache. They do not use each other.

type eventLog []conversation.Event

// newest is the Seq of the newest event, 0 if the log is empty.
func (l eventLog) newest() uint64 {
	if n := len(l); n > 0 {
		return l[n-1].Seq
	}
	return 0
}

// lengthIfPrefixOf returns the number of events if longer begins with them, or else 0.
func (l eventLog) lengthIfPrefixOf(longer []conversation.Event) int {
	n := len(l)
	if n == 0 || n > len(longer) || longer[n-1].Seq != l[n-1].Seq || !longer[n-1].Time.Equal(l[n-1].Time) {
		return 0
	}
	return n
}

// newestCompaction returns the epoch that was made, undone or redone since the newest message, 0 without one.
func (l eventLog) newestCompaction() uint64 {
	for _, e := range slices.Backward(l) {
		epoch := conversation.EpochOf(e)
		if b, revert := e.Body.(conversation.Revert); revert {
			epoch = cmp.Or(b.Redoes, b.Epoch)
		}
		switch i := conversation.IndexOf(l, epoch); {
		case conversation.IsMessage(e.Body):
			return 0
		case i < 0:
		default:
			switch l[i].Body.(type) {
			case conversation.Summary, conversation.Mask, conversation.Cap, conversation.Drop:
				return epoch
			}
		}
	}
	return 0
}

// userMessage returns the text of a user message by its event; "" for other events.
func (l eventLog) userMessage(event uint64) string {
	if i := conversation.IndexOf(l, event); i >= 0 {
		u, _ := l[i].Body.(conversation.UserMessage)
		return u.Text
	}
	return ""
}

// turns is the number of turns, also of those that were rewound.
func (l eventLog) turns() int {
	for _, e := range slices.Backward(l) {
		if _, ok := e.Body.(conversation.UserMessage); ok {
			return e.Turn + 1
		}
	}
	return 0
}

// userTurns lists the messages of the user that are in force, which a rewind can go back to, oldest first.
func (l eventLog) userTurns() []conversation.Event {
	rewound := conversation.RewoundBy(l)
	var list []conversation.Event
	for i, e := range l {
		if _, ok := e.Body.(conversation.UserMessage); ok && (rewound == nil || rewound[i] == 0) {
			list = append(list, e)
		}
	}
	return list
}

// eventsNamed returns the events of a turn by its number, events by their names (e41,
// t3-7), or for "" the newest user message.
func (l eventLog) eventsNamed(name string) []uint64 {
	turn, err := strconv.Atoi(name)
	id, known := conversation.ParseRecallID(name)
	if turn--; err == nil && turn >= 0 { // a bare number is a turn
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
	meter         meter.Meter       // without the draft and the reply
	streamedReply conversation.Size // of the streaming reply
	shownReply    conversation.Size // its size as the gauge shows it, updated once per tick to be readable
	replyLogged   bool              // the reply is in the log, and so in the next meter
}

// addReply counts a delta of the streaming reply.
func (l *load) addReply(text string) {
	l.streamedReply = l.streamedReply.Plus(conversation.Measure(text))
	if l.shownReply.Chars() == 0 {
		l.showReply()
	}
}

// showReply makes the gauge show the reply so far; false if it does already.
func (l *load) showReply() bool {
	if l.shownReply == l.streamedReply {
		return false
	}
	l.shownReply = l.streamedReply
	return true
}

func (l *load) discardReply() {
	l.streamedReply, l.shownReply = conversation.Size{}, conversation.Size{}
}

// setMeter sets the meter. The streaming reply is added to it until the reply is in the log.
func (l *load) setMeter(m meter.Meter) {
	l.meter = m
	if l.replyLogged {
		l.replyLogged = false
		l.discardReply()
	}
}

// readingWith returns the reading with the streaming reply and unsent messages.
func (l *load) readingWith(drafts conversation.Size, messages int) meter.Reading {
	m := l.meter
	if l.shownReply.Chars() > 0 {
		m = m.WithReply(l.shownReply)
	}
	return m.WithDraft(drafts, messages).Reading()
}

// calibration is the factor from estimated tokens to tokens of the model.
func (l *load) calibration() float64 {
	if f := l.meter.Calibration().Factor; f > 0 {
		return f
	}
	return 1
}

// estimate returns the calibrated tokens of a text of a size.
func (l *load) estimate(size conversation.Size) int {
	return int(meter.Estimate(size)*l.calibration() + 0.5)
}

func (l *load) estimateText(text string) int { return l.estimate(conversation.Measure(text)) }

// activity is the running turn and summary.
type activity struct {
	status  updates.Status
	began   time.Time // when the running turn began, as far as this program saw it
	summary summaryJob
}

// summaryJob is a summary that is being written.
type summaryJob struct {
	running       bool
	since         time.Time
	source        conversation.Source
	requestWaits  bool // the next request does not fit and waits for it
	stoppedByUser bool // by the user
	fromTurn      int  // the turns that it covers
	toTurn        int
}

// matchesFailure reports whether a failed compaction request is that of the summary. While a summary
// is written, an undo or a compaction requested by the model may fail, too.
func (j summaryJob) matchesFailure(request edit.Request) bool {
	switch {
	case request.Trigger == string(edit.OpUndo), request.Trigger == string(edit.OpRedo):
		return false
	case request.Source == conversation.SourceTool:
		return j.source == conversation.SourceTool
	}
	return true
}

// busy reports whether a turn runs, also one that waits for the user.
func (a *activity) busy() bool { return a.status.Phase != "" && a.status.Phase != updates.Idle }

// turnRuns reports whether a turn runs, which Cancel stops before a summary. A turn
// whose request waits for the summary does not count.
func (a *activity) turnRuns() bool { return a.busy() && a.status.Phase != updates.PhaseCompacting }

// isRunning reports whether something runs that changes without the user.
func (a *activity) isRunning() bool {
	return a.busy() && a.status.Phase != updates.Asking || a.summary.running
}

// stoppable reports whether something runs that the user has not stopped yet.
func (a *activity) stoppable() bool {
	switch {
	case a.status.Phase == updates.Stopping:
		return false
	case a.summary.running && !a.turnRuns():
		return !a.summary.stoppedByUser
	}
	return a.busy()
}

// summaryStarted handles that a summary is being written, or that a request waits for it.
func (a *activity) summaryStarted(u updates.Compacting) {
	if !u.Summary && !u.RequestWaits {
		return
	}
	same := a.summary.running && a.summary.since.Equal(u.Since)
	a.summary = summaryJob{running: true, since: u.Since, source: u.Source, requestWaits: u.RequestWaits,
		stoppedByUser: same && a.summary.stoppedByUser, fromTurn: u.FromTurn, toTurn: u.ToTurn}
}

// pendingReview is a summary that waits for the user's review.
type pendingReview struct {
	summary      *updates.Reviewing // nil if no summary waits
	acceptedText string             // the text that the user accepted, until it is in force
}

// announcement says that a summary waits for review; "" if there is no such summary.
func (r *pendingReview) announcement() string {
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
	expiresAt     time.Time     // when it expires; zero if it is empty
	countdownFrom time.Duration // how long before that the gauge counts down
	timerDue      time.Time     // when the next timer redraws the gauge; zero without a timer
	unfocused     bool          // the terminal does not have the focus: no countdown
	kept          string        // that it was kept warm since the newest message, for the gauge; "": it was not
	keptUSD       float64       // what that cost
}

// The gauge counts down during the last fifth of the cache's lifetime, but at most ten
// minutes: in minutes, and in steps of five seconds during the last minute.
const (
	countdownPart = 5
	maxCountdown  = 10 * time.Minute
	countdownStep = 5 * time.Second
)

func (c *cacheClock) setExpiry(at time.Time, e *env) pane.Action {
	c.expiresAt = at
	c.countdownFrom = min(at.Sub(e.Now())/countdownPart, maxCountdown)
	return c.startTimer(e)
}

// startTimer starts a timer for the next change of the countdown. If an earlier timer is pending, that
// one starts the next, so that many replies do not start many timers. The countdown is computed
// from the clock, because timers stop while a machine sleeps.
func (c *cacheClock) startTimer(e *env) pane.Action {
	now := e.Now()
	at, left := c.expiresAt, c.expiresAt.Sub(now)
	switch {
	case left <= 0:
		return nil
	case c.unfocused:
	case left > c.countdownFrom:
		at = at.Add(-c.countdownFrom)
	case left > time.Minute:
		at = at.Add(-(left - 1).Truncate(time.Minute))
	default:
		at = at.Add(-(left - 1).Truncate(countdownStep))
	}
	if c.timerDue.After(now) && !c.timerDue.After(at) {
		return nil
	}
	c.timerDue = at
	return afterDelay(at.Sub(now), func() pane.Action {
		if e.Now().Before(c.timerDue) {
			return nil // another timer was started meanwhile
		}
		c.timerDue = time.Time{}
		return actionList{clockTick{}, c.startTimer(e)}
	})
}

// countdown returns the time until the cache expires, as the gauge shows it; "" while that is far away.
func (c *cacheClock) countdown(now time.Time) string {
	left := c.expiresAt.Sub(now)
	switch {
	case c.expiresAt.IsZero() || c.unfocused || left <= 0 || left > c.countdownFrom:
		return ""
	case left > time.Minute:
		return strconv.Itoa(int((left+time.Minute-1)/time.Minute)) + "m"
	}
	return strconv.Itoa(int((left+countdownStep-1)/countdownStep)*int(countdownStep/time.Second)) + "s"
}

// coldTimeText returns the first full minute at which the cache is cold, for a sentence; "" if that is unknown.
func (c *cacheClock) coldTimeText(now time.Time) string {
	at := c.expiresAt
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

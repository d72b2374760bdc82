package tui

import (
	"slices"
	"strconv"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// session is the screen's state of the open conversation. Its methods call Session and
// apply updates; the other parts read it.
type session struct {
	Conversation
	env     *env
	outline outline

	open    bool
	failed  string   // why none is open, "" while one is being opened
	faults  []string // failures from before it was open
	opening bool     // another conversation is being opened

	log      eventLog // including all received updates
	load     load
	cache    cacheClock
	activity activity
	paused   bool // automatic compaction does not request summaries

	unreachable string // why the server did not answer the last check; "" if it did

	breakdown inspect.Breakdown // as the agent last computed it
	review    pendingReview
}

// outline is what the session needs to know of the transcript.
type outline interface {
	// Begun reports whether the conversation has messages.
	Begun() bool
	// TurnOf returns the turn of an event.
	TurnOf(seq uint64) int
	// Turns is the number of turns.
	Turns() int
}

func newSession(e *env) *session {
	return &session{env: e, load: load{meter: meter.New(meter.Options{})}}
}

// busyOpening refuses to open a second conversation meanwhile.
const busyOpening = "a conversation is still being opened"

// begin sets the conversation that was opened, and returns the failures from before.
func (s *session) begin(c Conversation) (faults []string) {
	faults = s.faults
	*s = session{Conversation: c, env: s.env, outline: s.outline, open: true, load: load{meter: c.Meter}, log: slices.Clip(c.Events)}
	return faults
}

// readOnly reports whether the conversation is read-only, or none is open.
func (s *session) readOnly() bool { return !s.open || s.ReadOnly != "" }

// refusal returns why no message can be sent, "" if one can.
func (s *session) refusal() string {
	if !s.open && s.failed != "" {
		return "no conversation is open; /new starts one, /resume opens one"
	}
	if s.opening {
		return ""
	}
	return s.ReadOnly
}

// unchangeable returns why the conversation cannot be changed, "" if
// it can.
func (s *session) unchangeable() string {
	switch {
	case s.opening:
		return busyOpening
	case !s.open:
		return s.refusal()
	}
	return s.ReadOnly
}

// keyless returns the provider of the model in use if its key is missing, or "".
func keyless(s *session) string {
	if !s.open || s.Keyless != s.Model.Provider {
		return ""
	}
	return s.Keyless
}

// keyChanged handles that the key of a provider was stored or removed.
func (s *session) keyChanged(p Provider) {
	switch {
	case p.Ready && s.Keyless == p.Name:
		s.Keyless = ""
	case !p.Ready && s.open && s.Model.Provider == p.Name:
		s.Keyless = p.Name
	}
}

// whyNotCompactable returns why the conversation cannot be compacted, "" if it can.
func (s *session) whyNotCompactable() string {
	if why := s.unchangeable(); why != "" || s.outline.Begun() {
		return why
	}
	return "this conversation is empty"
}

// unrewindable returns why no turn can be undone, "" if one can.
func (s *session) unrewindable() string {
	if why := s.unchangeable(); why != "" || s.outline.Begun() {
		return why
	}
	return "nothing to undo yet"
}

// cancel stops the turn, or if none runs the summary that is being written.
func (s *session) cancel() {
	s.activity.stopSummary()
	s.Session.Cancel()
}

// later returns a snackbar that says what waits for the running turn; nil if no turn runs.
func (s *session) later(what string) pane.Action {
	if !s.activity.turnRuns() {
		return nil
	}
	return say(what + " before the next request")
}

// How updates of the agent change the session.

// defaultProfile is the setting that /profile changes.
const defaultProfile = "compaction.default_profile"

// update applies an update.
func (s *session) update(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.Appended:
		s.appended(u.Events)
	case updates.Delta:
		s.load.addReply(u.Text)
	case updates.Discarded:
		s.load.discard()
	case updates.Status:
		if s.activity.status = u; s.activity.busy() {
			s.unreachable = "" // the running request will show whether it answers
		}
	case updates.Unreachable:
		s.unreachable = u.Why
	case updates.Metered:
		s.load.metered(u.Meter)
	case updates.ModelSwitched:
		return s.switched(u.Model)
	case updates.Elsewhere:
		s.ReadOnly, s.Elsewhere = u.Why, u
	case updates.Inspected:
		s.breakdown = u.Account
	case updates.Summaries:
		s.paused = u.Paused
	case updates.CacheCold:
		return s.cache.set(u.At, s.env)
	default:
		return s.compaction(u)
	}
	return nil
}

// compaction applies an update about a compaction.
func (s *session) compaction(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.Compacting:
		s.activity.compacting(u)
	case updates.Prepared:
		s.activity.job = summaryJob{}
	case updates.Compacted:
		if !u.Undone && !u.Redone {
			s.activity.job, s.review.accepted = summaryJob{}, ""
		}
	case updates.CompactionFailed:
		if s.activity.job.concerns(u.Request) {
			s.activity.job = summaryJob{}
		}
		if text := s.review.accepted; text != "" && s.review.summary == nil {
			s.review.accepted = ""
			return output{"The discarded summary", text}
		}
	case updates.Reviewing:
		return s.reviewing(u)
	case updates.Reviewed:
		s.review.summary = nil
	}
	return nil
}

func (s *session) appended(events []conversation.Event) {
	s.log = append(s.log, events...)
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.Renamed:
			s.Title = b.Title
		case conversation.AssistantMessage:
			s.load.logged = true
		case conversation.ConfigChanged:
			if name, ok := b.Set[defaultProfile]; ok {
				s.Profile = unquoted(name)
			}
		}
	}
}

// unquoted returns a recorded setting without quotes.
func unquoted(value string) string {
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}

// switched sets the model, and shows a snackbar if it is another one.
func (s *session) switched(to llm.Model) pane.Action {
	other := to.Name() != s.Model.Name()
	if other {
		s.unreachable = ""
	}
	s.Model = to
	if !other {
		return nil // only its window changed
	}
	return say("now talking to " + to.Name())
}

// reviewing sets the summary that waits for review.
func (s *session) reviewing(u updates.Reviewing) pane.Action {
	known := s.review.summary != nil
	s.review.summary = &u
	s.activity.job.on = false // the summary is complete
	if known {
		return nil
	}
	return say(s.review.words())
}

// acceptReview accepts the summary with a text.
func (s *session) acceptReview(text string) {
	s.review.accepted = text
	s.Session.Review(text, true)
}

// discardReview discards the summary.
func (s *session) discardReview() {
	s.review.accepted = ""
	s.Session.Review("", false)
}

// setLooking sets whether the terminal has the focus.
func (s *session) setLooking(is bool) pane.Action {
	s.cache.away = !is
	return s.cache.wake(s.env)
}

// cacheWords is the gauge's text about the provider's cache; "" while the cache is warm for long.
func (s *session) cacheWords() string {
	switch p := s.activity.status.Phase; {
	case s.cacheCold():
		return "cache cold"
	case p == updates.Idle || p == "":
		if left := s.cache.left(s.env.Now()); left != "" {
			return "cold in " + left
		}
	}
	return ""
}

// cacheCold reports whether the provider's cache has expired. While a reply streams it
// is warm again.
func (s *session) cacheCold() bool {
	return s.cache.cold(s.env.Now()) && s.activity.status.Phase != updates.Streaming
}

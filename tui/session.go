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

// session is the open conversation as the screen knows it. Its methods change it by
// calls of Session, and take over what updates tell; the other parts read it.
type session struct {
	Conversation
	env     *env
	outline outline

	open    bool
	failed  string   // why there is none, "" while one is opening
	faults  []string // what failed before it was open
	opening bool     // another conversation is being opened

	log      eventLog // as far as updates have arrived
	load     load
	cache    cacheClock
	activity activity
	paused   bool // automatic compaction asks no model for summaries

	unreachable string // why the server does not answer, as far as it was asked; "" while it does

	breakdown inspect.Breakdown // as the agent last worked it out
	review    pendingReview
}

// outline is what the transcript knows of the turns it shows.
type outline interface {
	// Said reports whether there is a message.
	Begun() bool
	// TurnOf is the turn of an event.
	TurnOf(seq uint64) int
	// Turns is how many turns there are.
	Turns() int
}

func newSession(e *env) *session {
	return &session{env: e, load: load{meter: meter.New(meter.Options{})}}
}

// busyOpening is what is said to who opens a second conversation meanwhile.
const busyOpening = "a conversation is still being opened"

// begin takes over a conversation that is open now, and returns what failed before.
func (s *session) begin(c Conversation) (faults []string) {
	faults = s.faults
	*s = session{Conversation: c, env: s.env, outline: s.outline, open: true, load: load{meter: c.Meter}, log: slices.Clip(c.Events)}
	return faults
}

// readOnly reports whether the conversation is only read, or none is open.
func (s *session) readOnly() bool { return !s.open || s.ReadOnly != "" }

// refusal is why nothing can be sent, "" if it can.
func (s *session) refusal() string {
	if !s.open && s.failed != "" {
		return "no conversation is open; /new starts one, /resume opens one"
	}
	if s.opening {
		return ""
	}
	return s.ReadOnly
}

// unchangeable is why settings of the conversation cannot be changed, "" if
// they can.
func (s *session) unchangeable() string {
	switch {
	case s.opening:
		return busyOpening
	case !s.open:
		return s.refusal()
	}
	return s.ReadOnly
}

// keyless is the provider of the model in use, "" if there is a key for it or it needs none.
func keyless(s *session) string {
	if !s.open || s.Keyless != s.Model.Provider {
		return ""
	}
	return s.Keyless
}

// keyChanged takes over that a provider has a key now, or none any more.
func (s *session) keyChanged(p Provider) {
	switch {
	case p.Ready && s.Keyless == p.Name:
		s.Keyless = ""
	case !p.Ready && s.open && s.Model.Provider == p.Name:
		s.Keyless = p.Name
	}
}

// uncompactable is why the conversation cannot be compacted, "" if it can.
func (s *session) uncompactable() string {
	if why := s.unchangeable(); why != "" || s.outline.Begun() {
		return why
	}
	return "this conversation is empty"
}

// unrewindable is why no turn can be undone, "" if one can.
func (s *session) unrewindable() string {
	if why := s.unchangeable(); why != "" || s.outline.Begun() {
		return why
	}
	return "nothing to undo yet"
}

// cancel stops the turn, or else the summary that is being written.
func (s *session) cancel() {
	s.activity.stopSummary()
	s.Session.Cancel()
}

// later says what waits for the turn, nothing if no turn runs.
func (s *session) later(what string) pane.Action {
	if !s.activity.turnRuns() {
		return nil
	}
	return say(what + " before the next request")
}

// What the agent tells of the open conversation.

// defaultProfile is the setting that /profile changes.
const defaultProfile = "compaction.default_profile"

// update takes over what an update tells.
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
			s.unreachable = "" // what comes of the request tells
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

// compaction takes over how a compaction goes on.
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

// unquoted is a setting as it is recorded, without the quotes that it may have.
func unquoted(value string) string {
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}

// switched takes over the model, and says so if it is another one.
func (s *session) switched(to llm.Model) pane.Action {
	other := to.Name() != s.Model.Name()
	if other {
		s.unreachable = ""
	}
	s.Model = to
	if !other {
		return nil // its window became known
	}
	return say("now talking to " + to.Name())
}

// reviewing takes over a summary that waits.
func (s *session) reviewing(u updates.Reviewing) pane.Action {
	known := s.review.summary != nil
	s.review.summary = &u
	s.activity.job.on = false // it is written
	if known {
		return nil
	}
	return say(s.review.words())
}

// acceptReview has the summary take effect with a text.
func (s *session) acceptReview(text string) {
	s.review.accepted = text
	s.Session.Review(text, true)
}

// discardReview has the summary discarded.
func (s *session) discardReview() {
	s.review.accepted = ""
	s.Session.Review("", false)
}

// seen says whether somebody looks at the screen.
func (s *session) setLooking(is bool) pane.Action {
	s.cache.away = !is
	return s.cache.wake(s.env)
}

// cacheWords are what the gauge says of the provider's cache, "" where that is nothing new.
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

// cacheCold reports whether the provider's cache no longer holds the conversation. A
// reply that arrives says that it does again.
func (s *session) cacheCold() bool {
	return s.cache.cold(s.env.Now()) && s.activity.status.Phase != updates.Streaming
}

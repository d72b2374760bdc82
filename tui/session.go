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
	"plimsoll/tui/transcript"
)

// session is the screen's state of the open conversation. Its methods call Session and
// apply updates; the other parts read it.
type session struct {
	Conversation
	env     *env
	outline *transcript.Model // asked whether there are messages

	isOpen        bool
	openError     string   // why no conversation is open; "" while one is being opened
	earlyFailures []string // failures from before it was open
	isOpening     bool     // another conversation is being opened

	log             eventLog // including all received updates
	load            load
	cache           cacheClock
	activity        activity
	summariesPaused bool // automatic compaction does not request summaries

	jobs         int // commands that run in the background
	runningTasks []conversation.TaskStarted

	unreachableReason string // why the server did not answer the last check; "" if it did

	plan     plan
	workMode conversation.Mode   // the newest mode but plan that the user chose or sent a message in; "" without one
	todos    []conversation.Todo // the model's checklist; nil if there is none, or all is done

	breakdown inspect.Breakdown // as the agent last computed it
	review    pendingReview
}

func newSession(e *env) *session {
	return &session{env: e, load: load{meter: meter.New(meter.Options{})}}
}

// busyOpening refuses to open a second conversation meanwhile.
const busyOpening = "a conversation is still being opened"

// setConversation sets the conversation that was opened, and returns the failures from before.
func (s *session) setConversation(c Conversation) (faults []string) {
	faults = s.earlyFailures
	*s = session{Conversation: c, env: s.env, outline: s.outline, isOpen: true, load: load{meter: c.Meter}, log: slices.Clip(c.Events), workMode: s.workMode}
	s.setWorkMode(c.Mode)
	s.readTodos()
	return faults
}

// readOnly reports whether the conversation is read-only, or no conversation is open.
func (s *session) readOnly() bool { return !s.isOpen || s.ReadOnly != "" }

// whyNotSendable returns why no message can be sent, "" if one can.
func (s *session) whyNotSendable() string {
	if !s.isOpen && s.openError != "" {
		return "no conversation is open; /new starts one, /resume opens one"
	}
	if s.isOpening {
		return ""
	}
	return s.ReadOnly
}

// unsendable is what happens in place of sending: a conversation that another window has closed is taken over, and of any other
// it is said why no message can be sent. It is nil if one can.
func (s *session) unsendable() pane.Action {
	switch why := s.whyNotSendable(); {
	case why == "":
		return nil
	case s.Elsewhere.Closed:
		return takeOver{}
	default:
		return refusal(why)
	}
}

// whyNotChangeable returns why the conversation cannot be changed, "" if it can.
func (s *session) whyNotChangeable() string {
	switch {
	case s.isOpening:
		return busyOpening
	case !s.isOpen:
		return s.whyNotSendable()
	}
	return s.ReadOnly
}

// missingKeyProvider returns the provider of the model in use if its key is missing, or "".
func missingKeyProvider(s *session) string {
	if !s.isOpen || s.Keyless != s.Model.Provider {
		return ""
	}
	return s.Keyless
}

// keyChanged handles that the key of a provider was stored or removed.
func (s *session) keyChanged(p Provider) {
	switch {
	case p.Ready && s.Keyless == p.Name:
		s.Keyless = ""
	case !p.Ready && s.isOpen && s.Model.Provider == p.Name:
		s.Keyless = p.Name
	}
}

// whyNotCompactable returns why the conversation cannot be compacted, "" if it can.
func (s *session) whyNotCompactable() string {
	return s.whyNothingToChange("this conversation is empty")
}

// whyNotRewindable returns why no turn can be undone, "" if one can.
func (s *session) whyNotRewindable() string { return s.whyNothingToChange("nothing to undo yet") }

func (s *session) whyNothingToChange(empty string) string {
	if why := s.whyNotChangeable(); why != "" || s.outline.HasMessages() {
		return why
	}
	return empty
}

// delayedSnackbar returns a snackbar that says what waits for the running turn; nil if no turn runs.
func (s *session) delayedSnackbar(what string) pane.Action {
	if !s.activity.turnRuns() {
		return nil
	}
	return textSnackbar(what + " before the next request")
}

// How updates of the agent change the session.

// defaultProfile is the key of the setting that /profile changes.
const defaultProfile = "compaction.default_profile"

func (s *session) update(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.Appended:
		s.addEvents(u.Events)
	case updates.Delta:
		s.load.addReply(u.Text)
	case updates.Discarded:
		s.load.discardReply()
	case updates.Status:
		ended := s.activity.busy()
		if s.activity.status = u; s.activity.busy() {
			if !ended {
				s.activity.began = s.env.Now()
			}
			s.unreachableReason = "" // the running request will show whether it answers
		} else if ended {
			s.Session.Inspect() // for what comes next
		}
	case updates.Jobs:
		s.jobs = u.Running
	case updates.Unreachable:
		s.unreachableReason = u.Why
	case updates.Metered:
		s.load.setMeter(u.Meter)
	case updates.ModelSwitched:
		return s.modelSwitched(u.Model)
	case updates.OpenElsewhere:
		s.ReadOnly, s.Elsewhere = u.Why, u
	case updates.Inspected:
		s.breakdown = u.Breakdown
	case updates.SummariesPaused:
		s.summariesPaused = u.Paused
	case updates.CacheCold:
		return s.cache.setExpiry(u.At, s.env)
	default:
		return s.updateCompaction(u)
	}
	return nil
}

func (s *session) updateCompaction(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.Compacting:
		s.activity.summaryStarted(u)
	case updates.Prepared:
		s.activity.summary = summaryJob{}
	case updates.Compacted:
		s.Session.Inspect() // for what comes next
		if !u.Undone && !u.Redone {
			s.activity.summary, s.review.acceptedText = summaryJob{}, ""
		}
	case updates.CompactionFailed:
		if s.activity.summary.matchesFailure(u.Request) {
			s.activity.summary = summaryJob{}
		}
		if text := s.review.acceptedText; text != "" && s.review.summary == nil {
			s.review.acceptedText = ""
			return output{"The discarded summary", text}
		}
	case updates.Reviewing:
		return s.reviewPending(u)
	case updates.Reviewed:
		s.review.summary = nil
	}
	return nil
}

func (s *session) addEvents(events []conversation.Event) {
	s.log = append(s.log, events...)
	for _, e := range events {
		s.trackTasks(e.Body)
		switch b := e.Body.(type) {
		case conversation.Renamed:
			s.Title = b.Title
		case conversation.AssistantMessage:
			s.load.replyLogged = true
			if s.Mode == conversation.ModePlan && !s.readOnly() {
				s.plan.addReply(e, b)
			}
		case conversation.Usage:
			if b.Purpose == conversation.PurposeWarm && b.HasPromptCount() {
				s.cache.kept = "cache kept warm"
				if b.CostUSD != nil {
					s.cache.keptUSD += *b.CostUSD
					s.cache.kept += " · " + pane.Dollars(s.cache.keptUSD)
				}
			}
		case conversation.UserMessage:
			s.cache.kept, s.cache.keptUSD = "", 0
			s.activity.began = s.env.Now()
			s.setWorkMode(s.Mode)
		case conversation.Rewind:
			if b.Removes(s.plan.turn, s.plan.event) {
				s.plan = plan{}
			}
		case conversation.ConfigChanged:
			if name, ok := b.Set[defaultProfile]; ok {
				s.Profile = unquoted(name)
			}
		}
	}
	if slices.ContainsFunc(events, func(e conversation.Event) bool { return changesTodos(e.Body) }) {
		s.readTodos()
	}
}

// unquoted returns a recorded setting without quotes.
func unquoted(value string) string {
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}

// modelSwitched sets the model, and shows a snackbar if it is another one.
func (s *session) modelSwitched(to llm.Model) pane.Action {
	other := to.Name() != s.Model.Name()
	s.Model = to
	if !other {
		return nil // only its window changed
	}
	s.unreachableReason = ""
	return textSnackbar("now talking to " + to.Name())
}

func (s *session) reviewPending(u updates.Reviewing) pane.Action {
	known := s.review.summary != nil
	s.review.summary = &u
	s.activity.summary.running = false // the summary is complete
	if known {
		return nil
	}
	return textSnackbar(s.review.announcement())
}

// resendPrice returns the price of a million tokens of a prompt that the provider has cached, in dollars, 0 if unknown or free.
func (s *session) resendPrice() float64 {
	p := s.Model.Prices
	switch {
	case p == nil:
		return 0
	case p.Cached > 0:
		return p.Cached
	}
	return p.Input
}

// isCacheCold reports whether the provider's cache has expired. While a reply streams it is warm again.
func (s *session) isCacheCold() bool {
	expires := s.cache.expiresAt
	return !expires.IsZero() && !s.env.Now().Before(expires) && s.activity.status.Phase != updates.Streaming
}

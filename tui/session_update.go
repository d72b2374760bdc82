package tui

import (
	"context"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// What the agent tells of the open conversation.

// defaultProfile is the setting that /profile changes.
const defaultProfile = "compaction.default_profile"

// update takes over what an update tells.
func (s *session) update(u agent.Update) pane.Action {
	switch u := u.(type) {
	case agent.Appended:
		s.appended(u.Events)
	case agent.Delta:
		s.load.reply = s.load.reply.Plus(conversation.Measure(u.Text))
	case agent.Discarded:
		s.load.reply = conversation.Size{}
	case agent.Status:
		s.status = u
	case agent.Metered:
		s.metered(u.Meter)
	case agent.ModelSwitched:
		return s.switched(u.Model)
	case agent.Elsewhere:
		s.ReadOnly, s.Following = u.Why, u.Open
	case agent.Inspected:
		s.breakdown = u.Account
	case agent.Summaries:
		s.paused = u.Paused
	case agent.CacheCold:
		s.cache.at = u.At
		return s.wakeCold()
	default:
		return s.compaction(u)
	}
	return nil
}

// compaction takes over how a compaction goes on.
func (s *session) compaction(u agent.Update) pane.Action {
	switch u := u.(type) {
	case agent.Compacting:
		s.compacting(u)
	case agent.Prepared:
		s.job = summaryJob{}
	case agent.Compacted:
		if !u.Undone && !u.Redone {
			s.job, s.review.accepted = summaryJob{}, ""
		}
	case agent.CompactionFailed:
		if s.job.meant(u.Wish) {
			s.job = summaryJob{}
		}
		if text := s.review.accepted; text != "" && s.review.summary == nil {
			s.review.accepted = ""
			return summaryLost{text}
		}
	case agent.Reviewing:
		return s.reviewing(u)
	case agent.Reviewed:
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

// metered takes over the meter. The reply that is arriving counts on top until it is
// in the log.
func (s *session) metered(meter compact.Meter) {
	s.load.meter = meter
	if s.load.logged {
		s.load.reply, s.load.logged = conversation.Size{}, false
	}
}

// switched takes over the model, and says so if it is another one.
func (s *session) switched(to agent.Model) pane.Action {
	other := to.Name() != s.Model.Name()
	s.Model = to
	if !other {
		return nil // its window became known
	}
	return say("now talking to " + to.Name())
}

// compacting says that a summary is being written, or that a request waits for it.
func (s *session) compacting(u agent.Compacting) {
	if !u.Summary && !u.Held {
		return
	}
	same := s.job.on && s.job.since.Equal(u.Since)
	s.job = summaryJob{on: true, since: u.Since, source: u.Source, held: u.Held, stopped: same && s.job.stopped}
}

// reviewing takes over a summary that waits.
func (s *session) reviewing(u agent.Reviewing) pane.Action {
	known := s.review.summary != nil
	s.review.summary = &u
	s.job.on = false // it is written
	if known {
		return nil
	}
	return say(s.reviewWords())
}

// reviewWords say that a summary waits, "" if none does.
func (s *session) reviewWords() string {
	switch {
	case s.review.summary == nil:
		return ""
	case s.review.summary.Held:
		return "a summary waits for you, and the request for it: /review opens it"
	}
	return "a summary waits for you: /review opens it"
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

// The provider's cache goes cold when nothing is sent for a while, without any other
// sign. The gauge says so from that moment on, and the context view what comes of it.

// cacheClock tells when the provider's cache goes cold.
type cacheClock struct {
	at      time.Time // from when on it is, zero where it holds nothing
	wakesAt time.Time // when the screen looks whether it is, zero if it does not
}

// coldMsg says that a cache may have gone cold. The clock decides, because timers
// stand still while a machine sleeps.
type coldMsg struct{}

// wakeCold wakes the screen when the cache goes cold. A wake that is due no later looks
// again when it comes, so that replies in a row leave one timer and not one each.
func (s *session) wakeCold() pane.Action {
	c, now := &s.cache, s.env.Now()
	if !c.at.After(now) || c.wakesAt.After(now) && !c.wakesAt.After(c.at) {
		return nil
	}
	c.wakesAt = c.at
	return wakeAfter(s.env.ctx, c.at.Sub(now))
}

// wokeCold has the screen look again. The gauge is drawn anew after every message.
func (s *session) wokeCold() pane.Action {
	s.cache.wakesAt = time.Time{}
	return s.wakeCold()
}

// wakeAfter says after a while that a cache may have gone cold.
func wakeAfter(ctx context.Context, d time.Duration) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return coldMsg{}
		case <-ctx.Done():
			return nil
		}
	}
}

// cacheCold reports whether the provider's cache no longer holds the conversation. A
// reply that arrives says that it does again.
func (s *session) cacheCold() bool {
	at := s.cache.at
	return !at.IsZero() && !s.env.Now().Before(at) && s.status.Phase != agent.Streaming
}

// coldAt is the first full minute at which the cache is cold, for a sentence; ""
// where that is not known.
func (s *session) coldAt() string {
	at, now := s.cache.at, s.env.Now()
	if at.IsZero() {
		return ""
	}
	if minute := at.Truncate(time.Minute); minute.Before(at) {
		at = minute.Add(time.Minute)
	}
	at = at.In(s.env.zone())
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("15:04 on Monday")
}

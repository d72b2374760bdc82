package tui

import (
	"strconv"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// What the agent tells of the open conversation.

// defaultProfile is the setting that /profile changes.
const defaultProfile = "compaction.default_profile"

// update takes over what an update tells.
func (s *session) update(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.Appended:
		s.appended(u.Events)
	case updates.Delta:
		s.load.arrives(u.Text)
	case updates.Discarded:
		s.load.discard()
	case updates.Status:
		s.activity.status = u
	case updates.Metered:
		s.load.metered(u.Meter)
	case updates.ModelSwitched:
		return s.switched(u.Model)
	case updates.Elsewhere:
		s.ReadOnly, s.Following = u.Why, u.Open
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
		if s.activity.job.meant(u.Request) {
			s.activity.job = summaryJob{}
		}
		if text := s.review.accepted; text != "" && s.review.summary == nil {
			s.review.accepted = ""
			return summaryLost{text}
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

// wokeCold has the screen look again whether the cache is cold. The gauge is drawn anew
// after every message.
func (s *session) wokeCold() pane.Action {
	if s.env.Now().Before(s.cache.wakesAt) {
		return nil // an earlier look was asked for meanwhile, and wakes it again
	}
	s.cache.wakesAt = time.Time{}
	return s.cache.wake(s.env)
}

// seen says whether somebody looks at the screen.
func (s *session) seen(is bool) pane.Action {
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

package tui

import (
	"strconv"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/llm"
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
		s.load.arrives(u.Text)
	case agent.Discarded:
		s.load.discard()
	case agent.Status:
		s.activity.status = u
	case agent.Metered:
		s.load.metered(u.Meter)
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
		return s.cache.wake(s.env)
	default:
		return s.compaction(u)
	}
	return nil
}

// compaction takes over how a compaction goes on.
func (s *session) compaction(u agent.Update) pane.Action {
	switch u := u.(type) {
	case agent.Compacting:
		s.activity.compacting(u)
	case agent.Prepared:
		s.activity.job = summaryJob{}
	case agent.Compacted:
		if !u.Undone && !u.Redone {
			s.activity.job, s.review.accepted = summaryJob{}, ""
		}
	case agent.CompactionFailed:
		if s.activity.job.meant(u.Wish) {
			s.activity.job = summaryJob{}
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
func (s *session) reviewing(u agent.Reviewing) pane.Action {
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
	s.cache.wakesAt = time.Time{}
	return s.cache.wake(s.env)
}

// cacheCold reports whether the provider's cache no longer holds the conversation. A
// reply that arrives says that it does again.
func (s *session) cacheCold() bool {
	return s.cache.cold(s.env.Now()) && s.activity.status.Phase != agent.Streaming
}

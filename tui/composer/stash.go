package composer

import (
	"strings"

	"plimsoll/tui/edit"
)

// stash is where a draft is put away to write something else first, and how what is written outlives the composer. A
// draft stays away until it is asked for: what is sent meanwhile may come back, and must not become one message with it.
type stash struct {
	text    *edit.Editor
	past    *history
	seek    *search
	keys    *KeyMap
	replace func(change func()) // changes the text, as one step

	away edit.Draft // without text if nothing is
}

// Stash puts the draft away. What was away before becomes the newest prompt of the history. It reports whether there was
// a draft.
func (s *stash) Stash() bool {
	if s.text.Empty() {
		return false
	}
	s.replace(func() {
		s.seek.stop()
		before := s.away
		s.putAway()
		s.past.keep(before.Text())
	})
	return true
}

// swap puts the draft away and brings back what was away. It reports false where there is neither.
func (s *stash) swap() bool {
	if s.text.Empty() && s.away.Empty() {
		return false
	}
	back := s.away
	s.putAway()
	if !back.Empty() {
		s.past.keep(s.text.Text()) // what was being written before the history was looked through
		s.text.Restore(back)
	}
	return true
}

// putAway puts the text away. Of a prompt of the history it leads back to what was being written.
func (s *stash) putAway() {
	s.away = s.text.Draft()
	written := edit.Draft{}
	if n := len(s.past.entries); s.past.at < n {
		written = s.past.edits[n]
	}
	s.past.leave()
	s.text.Restore(written)
}

// Arrive takes over what was being written earlier. Where something else is written by now, it waits as what was put
// away, or else in the history.
func (s *stash) Arrive(draft, stashed string) {
	s.putBy(stashed)
	switch {
	case s.text.Empty():
		s.replace(func() {
			s.seek.stop()
			s.text.Enter(draft)
		})
		s.text.Forget()
	case s.away.Empty():
		s.putBy(draft)
	default:
		s.past.keep(edit.Clean(draft))
	}
}

// putBy puts another text away. What was away before goes into the history.
func (s *stash) putBy(text string) {
	if text != "" {
		s.past.keep(s.away.Text())
		s.away = edit.DraftOf(edit.Clean(text))
		s.replace(func() {}) // it is drawn
	}
}

// Kept is what a later run needs to go on writing: the draft, also while the history is looked through, and what was put
// away. A slash command is not kept: it may hold a key.
func (s *stash) Kept() (draft, stashed string) {
	d := s.text.Draft()
	if s.seek.on {
		d = s.seek.before.Draft
	}
	if n := len(s.past.entries); s.past.at < n {
		d = s.past.edits[n]
	}
	return keepable(d.Text()), keepable(s.away.Text())
}

func keepable(text string) string {
	if _, _, command := slash(edit.Trim(text)); command || strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// Leave takes out what Kept returns, for good. What is not kept stays.
func (s *stash) Leave() (draft, stashed string) {
	draft, stashed = s.Kept()
	if draft != "" {
		s.replace(func() {
			s.seek.stop()
			s.past.leave()
			s.text.Reset()
		})
		s.text.Forget()
	}
	if stashed != "" {
		s.away = edit.Draft{}
		s.replace(func() {})
	}
	return draft, stashed
}

// Changes grows with every change of what is kept.
func (s *stash) Changes() int { return s.text.Changes() }

// note says that a draft is away, and how to bring it back.
func (s *stash) note() string {
	if s.away.Empty() || !s.keys.Writing.Stash.Enabled() {
		return ""
	}
	return " draft stashed · " + s.keys.Writing.Stash.Help().Key + " restores it "
}

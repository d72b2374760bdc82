package composer

import (
	"strings"

	"plimsoll/tui/edit"
)

// A draft can be put away to write something else first, and what is written outlives the composer. A draft stays away until
// it is asked for: what is sent meanwhile may come back, and must not become one message with it.

// Stash puts the draft away. What was away before becomes the newest prompt of the history. It reports whether there was
// a draft.
func (m *Model) Stash() bool {
	if m.text.Empty() {
		return false
	}
	m.replace(func() {
		m.seek.stop()
		before := m.away
		m.putAway()
		m.past.keep(before.Text())
	})
	return true
}

// swap puts the draft away and brings back what was away. It reports false where there is neither.
func (m *Model) swap() bool {
	if m.text.Empty() && m.away.Empty() {
		return false
	}
	back := m.away
	m.putAway()
	if !back.Empty() {
		m.past.keep(m.text.Text()) // what was being written before the history was looked through
		m.text.Restore(back)
	}
	return true
}

// putAway puts the text away. Of a prompt of the history it leads back to what was being written.
func (m *Model) putAway() {
	m.away = m.text.Draft()
	written := edit.Draft{}
	if n := len(m.past.entries); m.past.at < n {
		written = m.past.edits[n]
	}
	m.past.leave()
	m.text.Restore(written)
}

// Arrive takes over what was being written earlier. Where something else is written by now, it waits as what was put
// away, or else in the history.
func (m *Model) Arrive(draft, stashed string) {
	m.putBy(stashed)
	switch {
	case m.text.Empty():
		m.replace(func() {
			m.seek.stop()
			m.text.Enter(draft)
		})
		m.text.Forget()
	case m.away.Empty():
		m.putBy(draft)
	default:
		m.past.keep(edit.Clean(draft))
	}
}

// putBy puts another text away. What was away before goes into the history.
func (m *Model) putBy(text string) {
	if text != "" {
		m.past.keep(m.away.Text())
		m.away = edit.DraftOf(edit.Clean(text))
		m.replace(func() {}) // it is drawn
	}
}

// Kept is what a later run needs to go on writing: the draft, also while the history is looked through, and what was put
// away. A slash command is not kept: it may hold a key.
func (m *Model) Kept() (draft, stashed string) {
	d := m.text.Draft()
	if m.seek.on {
		d = m.seek.before.Draft
	}
	if n := len(m.past.entries); m.past.at < n {
		d = m.past.edits[n]
	}
	return keepable(d.Text()), keepable(m.away.Text())
}

func keepable(text string) string {
	if _, _, command := slash(edit.Trim(text)); command || strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// Leave takes out what Kept returns, for good. What is not kept stays.
func (m *Model) Leave() (draft, stashed string) {
	draft, stashed = m.Kept()
	if draft != "" {
		m.replace(func() {
			m.seek.stop()
			m.past.leave()
			m.text.Reset()
		})
		m.text.Forget()
	}
	if stashed != "" {
		m.away = edit.Draft{}
		m.replace(func() {})
	}
	return draft, stashed
}

// Changes grows with every change of what is kept.
func (m *Model) Changes() int { return m.text.Changes() }

// note says that a draft is away, and how to bring it back.
func (m *Model) stashNote() string {
	if m.away.Empty() || !m.keys.Writing.Stash.Enabled() {
		return ""
	}
	return " draft stashed · " + m.keys.Writing.Stash.Help().Key + " restores it "
}

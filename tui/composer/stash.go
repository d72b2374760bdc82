package composer

import (
	"strings"

	"plimsoll/tui/edit"
)

// A draft can be stashed to write something else first, and drafts are stored between runs. A stashed draft is restored
// only on request: a message sent meanwhile may be returned, and must not be joined with it.

// Stash stashes the draft. The draft stashed before becomes the newest prompt of the history. It reports whether there
// was a draft.
func (m *Model) Stash() bool {
	if m.text.Empty() {
		return false
	}
	m.replace(func() {
		m.search.stop()
		before := m.stashed
		m.stash()
		m.prompts.keep(before.Text())
	})
	return true
}

// swap stashes the draft and restores the stashed one. It returns false if both are empty.
func (m *Model) swap() bool {
	if m.text.Empty() && m.stashed.Empty() {
		return false
	}
	back := m.stashed
	m.stash()
	if !back.Empty() {
		m.prompts.keep(m.text.Text()) // the draft from before browsing the history
		m.text.Restore(back)
	}
	return true
}

// stash stores the text and empties the composer. While a prompt of the history is shown, it returns to the unsent text.
func (m *Model) stash() {
	m.stashed = m.text.Draft()
	written := edit.Draft{}
	if n := len(m.prompts.entries); m.prompts.at < n {
		written = m.prompts.edits[n]
	}
	m.prompts.leave()
	m.text.Restore(written)
}

// RestoreDrafts sets the stored drafts. If the composer has a draft already, the stored one becomes the stashed draft, or if
// there is one, too, a prompt of the history.
func (m *Model) RestoreDrafts(draft, stashed string) {
	m.setStash(stashed)
	switch {
	case m.text.Empty():
		m.replace(func() {
			m.search.stop()
			m.text.Enter(draft)
		})
		m.text.Forget()
	case m.stashed.Empty():
		m.setStash(draft)
	default:
		m.prompts.keep(edit.Clean(draft))
	}
}

// setStash stores another text as the stash. The earlier stash goes into the prompt history.
func (m *Model) setStash(text string) {
	if text != "" {
		m.prompts.keep(m.stashed.Text())
		m.stashed = edit.DraftOf(edit.Clean(text))
		m.replace(func() {}) // redraws the note about the stash
	}
}

// Drafts returns what must be stored for a later run: the draft, also while the user browses the history, and the stashed
// draft. A slash command is not stored, because it may contain an API key.
func (m *Model) Drafts() (draft, stashed string) {
	d := m.text.Draft()
	if m.search.on {
		d = m.search.before.Draft
	}
	if n := len(m.prompts.entries); m.prompts.at < n {
		d = m.prompts.edits[n]
	}
	return keepable(d.Text()), keepable(m.stashed.Text())
}

func keepable(text string) string {
	if _, _, command := slash(edit.Trim(text)); command || strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// TakeDrafts removes from the composer what Drafts returns, and returns it.
func (m *Model) TakeDrafts() (draft, stashed string) {
	draft, stashed = m.Drafts()
	if draft != "" {
		m.replace(func() {
			m.search.stop()
			m.prompts.leave()
			m.text.Reset()
		})
		m.text.Forget()
	}
	if stashed != "" {
		m.stashed = edit.Draft{}
		m.replace(func() {})
	}
	return draft, stashed
}

// Changes increases with every change of the texts that Drafts returns.
func (m *Model) Changes() int { return m.text.Changes() }

// stashNote says that a draft is stashed, and which key restores it.
func (m *Model) stashNote() string {
	if m.stashed.Empty() || !m.keys.Writing.Stash.Enabled() {
		return ""
	}
	return " draft stashed · " + m.keys.Writing.Stash.Help().Key + " restores it "
}

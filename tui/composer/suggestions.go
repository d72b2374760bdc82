package composer

import (
	"slices"

	"plimsoll/conversation/plain"
)

// suggestions are texts to try, offered while the draft is empty. The completion key
// writes the first of them into the draft; pressed again, it replaces that by the next.
// If there are several, sending a draft that is only the number of one sends that one.
// Typing a digit sends nothing yet, because a message may begin with it.
type suggestions []string

// numbered returns the suggestion whose number is the whole draft; false for any other draft.
func (s suggestions) numbered(draft string) (text string, ok bool) {
	if len(s) < 2 || len(draft) != 1 {
		return "", false
	}
	if i := int(draft[0]) - '1'; i >= 0 && i < len(s) {
		return s[i], true
	}
	return "", false
}

// Suggest sets the suggestions, and the placeholder shown while the draft is empty.
func (m *Model) Suggest(placeholder string, texts []string) {
	m.placeholder, m.suggestions = plain.Line(placeholder), texts
	m.changed()
}

// writeSuggestion replaces an empty draft by the first suggestion, and a suggestion by the following one. It returns
// false for any other draft.
func (m *Model) writeSuggestion() bool {
	draft := m.Draft()
	at := slices.Index(m.suggestions, draft)
	if len(m.suggestions) == 0 || at < 0 && draft != "" {
		return false
	}
	m.text.Reset()
	m.text.Enter(m.suggestions[(at+1)%len(m.suggestions)])
	m.list.hide()
	return true
}

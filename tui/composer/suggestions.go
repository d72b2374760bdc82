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

// next returns the first suggestion if the draft is empty, and the following one if the draft
// is a suggestion; false for any other draft.
func (s suggestions) next(draft string) (text string, ok bool) {
	at := slices.Index(s, draft)
	if len(s) == 0 || at < 0 && draft != "" {
		return "", false
	}
	return s[(at+1)%len(s)], true
}

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

// writeSuggestion replaces the draft by the next suggestion; false if there is none.
func (m *Model) writeSuggestion() bool {
	text, ok := m.suggestions.next(m.Draft())
	if ok {
		m.text.Reset()
		m.text.Enter(text)
		m.list.hide()
	}
	return ok
}

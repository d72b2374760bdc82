package composer

import (
	"slices"

	"plimsoll/conversation/plain"
)

// Suggestions are texts to try, offered while the draft is empty. The key that completes
// writes the first of them, and the next where one stands unchanged. Where there are
// several, a draft that is only the number of one stands for it when it is sent: a digit
// is typed like any other character, so that nobody loses the start of a message.

type suggestions []string

// next is the first suggestion for an empty draft, for one that is a suggestion the one
// behind it; false for any other draft.
func (s suggestions) next(draft string) (text string, ok bool) {
	at := slices.Index(s, draft)
	if len(s) == 0 || at < 0 && draft != "" {
		return "", false
	}
	return s[(at+1)%len(s)], true
}

// numbered is the suggestion that a draft names by its number, false for other drafts.
func (s suggestions) numbered(draft string) (text string, ok bool) {
	if len(s) < 2 || len(draft) != 1 {
		return "", false
	}
	if i := int(draft[0]) - '1'; i >= 0 && i < len(s) {
		return s[i], true
	}
	return "", false
}

// Suggest replaces the suggestions, and what is shown while there is no text.
func (m *Model) Suggest(placeholder string, texts []string) {
	m.placeholder, m.suggestions = plain.Line(placeholder), texts
	m.changed()
}

// writeSuggestion writes the suggestion that comes next. It reports false where none does.
func (m *Model) writeSuggestion() bool {
	text, ok := m.suggestions.next(m.Draft())
	if ok {
		m.text.Reset()
		m.text.Enter(text)
		m.list.hide()
	}
	return ok
}

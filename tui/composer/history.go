package composer

import (
	"slices"
	"strings"

	"plimsoll/tui/edit"
)

// The prompt history. Browsing it loses nothing: the draft, and every change
// made to an old prompt while browsing, is kept at its position until
// something is sent.

type history struct {
	entries []edit.Draft       // oldest first
	edits   map[int]edit.Draft // changed entries by index; the draft has index len(entries)
	at      int                // index of the shown entry; len(entries) for the draft
}

func newHistory(prompts []string) *history {
	entries := make([]edit.Draft, 0, len(prompts))
	for _, p := range prompts {
		entries = append(entries, edit.DraftOf(p))
	}
	return &history{entries: entries, at: len(entries)}
}

// add makes a draft the newest entry, unless it is already, and goes back to the
// draft.
func (h *history) add(d edit.Draft) {
	full := d.Text()
	if n := len(h.entries); strings.TrimSpace(full) != "" && (n == 0 || h.entries[n-1].Text() != full) {
		h.entries = append(h.entries, d)
	}
	h.leave()
}

// recent is how many of the newest entries are compared with a text.
const recent = 50

// keep adds a text unless a recent entry has it. It may be called while the user browses the history.
func (h *history) keep(text string) {
	n := len(h.entries)
	known := func(d edit.Draft) bool { return edit.Trim(d.Text()) == text }
	if strings.TrimSpace(text) == "" || slices.ContainsFunc(h.entries[max(0, n-recent):], known) {
		return
	}
	h.entries = append(h.entries, edit.DraftOf(text))
	if h.at == n {
		h.at++
	}
	if d, ok := h.edits[n]; ok { // the draft
		delete(h.edits, n)
		h.edits[n+1] = d
	}
}

// sent returns the entry that was sent as text, with its folded pastes, or else the plain text as a draft.
func (h *history) sent(text string) edit.Draft {
	for i := len(h.entries) - 1; i >= max(0, len(h.entries)-recent); i-- {
		if d := h.entries[i]; d.Folded() && edit.Trim(d.Text()) == text {
			return d
		}
	}
	return edit.DraftOf(text)
}

// leave goes back to the draft and discards changes of entries.
func (h *history) leave() {
	h.edits = nil
	h.at = len(h.entries)
}

// visit stores the text of the current entry, now, and returns that of another entry.
func (h *history) visit(to int, now edit.Draft) edit.Draft {
	if h.edits == nil {
		h.edits = map[int]edit.Draft{}
	}
	h.edits[h.at] = now
	h.at = to
	if d, ok := h.edits[to]; ok {
		return d
	}
	return h.entries[to]
}

// step shows the previous (-1) or next (1) entry in text. It returns false at the ends.
func (h *history) step(by int, text *edit.Editor) bool {
	to := h.at + by
	if to < 0 || to > len(h.entries) {
		return false
	}
	text.Restore(h.visit(to, text.Draft()))
	if by < 0 {
		text.MoveTo(edit.Position{Col: len(text.Line(0))})
	}
	return true
}

// find returns the index of the next entry, starting at from and going by -1 or 1, that contains a text, ignoring case; or -1.
func (h *history) find(query string, from, by int) int {
	query = strings.ToLower(query)
	for i := from; i >= 0 && i < len(h.entries); i += by {
		if strings.Contains(strings.ToLower(h.entries[i].Text()), query) {
			return i
		}
	}
	return -1
}

package composer

import (
	"slices"
	"strings"

	"plimsoll/tui/edit"
)

// The prompt history. Going through it changes nothing: what was being
// written, and every change made to an old prompt on the way, stays where it
// was until something is sent.

type history struct {
	entries []edit.Draft       // oldest first
	edits   map[int]edit.Draft // changed entries; at len(entries) what is being written
	at      int                // len(entries): not in the history
}

func newHistory(prompts []string) *history {
	entries := make([]edit.Draft, 0, len(prompts))
	for _, p := range prompts {
		entries = append(entries, edit.DraftOf(p))
	}
	return &history{entries: entries, at: len(entries)}
}

// add makes a draft the newest entry, unless it is already, and leaves the
// history.
func (h *history) add(d edit.Draft) {
	full := d.Text()
	if n := len(h.entries); strings.TrimSpace(full) != "" && (n == 0 || h.entries[n-1].Text() != full) {
		h.entries = append(h.entries, d)
	}
	h.leave()
}

// recent is how many entries back a message is looked for that comes back.
const recent = 50

// keep adds a text unless it is there, for who is in the history as well.
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
	if d, ok := h.edits[n]; ok { // what is being written
		delete(h.edits, n)
		h.edits[n+1] = d
	}
}

// sent is a text as it was written when it was sent from here, or as it is.
func (h *history) sent(text string) edit.Draft {
	for i := len(h.entries) - 1; i >= max(0, len(h.entries)-recent); i-- {
		if d := h.entries[i]; d.Folded() && edit.Trim(d.Text()) == text {
			return d
		}
	}
	return edit.DraftOf(text)
}

// leave forgets what was changed on the way.
func (h *history) leave() {
	h.edits = nil
	h.at = len(h.entries)
}

// visit leaves the current entry, which reads now, for another one.
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

// step shows the entry before (-1) or after the current one in a text. It reports false at the ends.
func (h *history) step(by int, text *edit.Editor) bool {
	to := h.at + by
	if to < 0 || to > len(h.entries) {
		return false
	}
	text.Restore(h.visit(to, text.Draft()))
	if by < 0 {
		text.MoveTo(edit.Place{Col: len(text.Line(0))})
	}
	return true
}

// find is the next entry from one on, going by -1 or 1, that contains a text, whatever the case; -1 if there is none.
func (h *history) find(query string, from, by int) int {
	query = strings.ToLower(query)
	for i := from; i >= 0 && i < len(h.entries); i += by {
		if strings.Contains(strings.ToLower(h.entries[i].Text()), query) {
			return i
		}
	}
	return -1
}

package composer

import (
	"slices"
	"strings"
)

// The prompt history. Going through it changes nothing: what was being
// written, and every change made to an old prompt on the way, stays where it
// was until something is sent.

// draft is a text with its folded pastes, as it was written here (open) or as
// it was said at any time: that one may be too large to be laid out.
type draft struct {
	open  bool
	text  string
	chips []chip
	made  int
}

// full is the draft's text with its pastes.
func (d draft) full() string {
	if !d.open {
		return d.text
	}
	return expand(d.text, d.chips)
}

type history struct {
	entries []draft       // oldest first
	edits   map[int]draft // changed entries; at len(entries) what is being written
	at      int           // len(entries): not in the history
}

func newHistory(prompts []string) history {
	entries := make([]draft, 0, len(prompts))
	for _, p := range prompts {
		entries = append(entries, draft{text: p})
	}
	return history{entries: entries, at: len(entries)}
}

// add makes a draft the newest entry, unless it is already, and leaves the
// history.
func (h *history) add(d draft) {
	full := d.full()
	if n := len(h.entries); strings.TrimSpace(full) != "" && (n == 0 || h.entries[n-1].full() != full) {
		h.entries = append(h.entries, d)
	}
	h.leave()
}

// recent is how many entries back a message is looked for that comes back.
const recent = 50

// keep adds a text unless it is there, for who is in the history as well.
func (h *history) keep(text string) {
	n := len(h.entries)
	if strings.TrimSpace(text) == "" || slices.ContainsFunc(h.entries[max(0, n-recent):], func(d draft) bool { return trim(d.full()) == text }) {
		return
	}
	h.entries = append(h.entries, draft{text: text})
	if h.at == n {
		h.at++
	}
	if d, ok := h.edits[n]; ok { // what is being written
		delete(h.edits, n)
		h.edits[n+1] = d
	}
}

// sent is a text as it was written when it was sent from here, or as it is.
func (h *history) sent(text string) draft {
	for i := len(h.entries) - 1; i >= max(0, len(h.entries)-recent); i-- {
		if d := h.entries[i]; d.open && len(d.chips) > 0 && trim(d.full()) == text {
			return d
		}
	}
	return draft{text: text}
}

// leave forgets what was changed on the way.
func (h *history) leave() {
	h.edits = nil
	h.at = len(h.entries)
}

// visit leaves the current entry, which reads now, for another one.
func (h *history) visit(to int, now draft) draft {
	if h.edits == nil {
		h.edits = map[int]draft{}
	}
	h.edits[h.at] = now
	h.at = to
	if d, ok := h.edits[to]; ok {
		return d
	}
	return h.entries[to]
}

// find is the newest entry before another one that contains a text, whatever
// the case; -1 if there is none.
func (h *history) find(query string, before int) int {
	query = strings.ToLower(query)
	for i := min(before, len(h.entries)) - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(h.entries[i].full()), query) {
			return i
		}
	}
	return -1
}

// findNewer is the oldest entry after another one that contains a text.
func (h *history) findNewer(query string, after int) int {
	query = strings.ToLower(query)
	for i := after + 1; i < len(h.entries); i++ {
		if strings.Contains(strings.ToLower(h.entries[i].full()), query) {
			return i
		}
	}
	return -1
}

// snapshot is what is being written.
func (m *Model) snapshot() draft {
	return draft{open: true, text: m.buf.raw(), chips: slices.Clone(m.buf.chips), made: m.buf.made}
}

// restore shows a draft, the cursor at its end.
func (m *Model) restore(d draft) {
	m.buf.reset()
	if !d.open {
		m.enter(d.text)
		return
	}
	m.buf.chips, m.buf.made = slices.Clone(d.chips), d.made
	m.buf.insert(d.text)
	for _, c := range d.chips {
		m.buf.size = m.buf.size.Plus(c.size)
	}
}

// recall goes a step back (-1) or forth in the history. It reports false at
// the ends.
func (m *Model) recall(step int) bool {
	to := m.past.at + step
	if to < 0 || to > len(m.past.entries) {
		return false
	}
	m.restore(m.past.visit(to, m.snapshot()))
	if step < 0 {
		m.buf.moveTo(place{0, len(m.buf.lines[0].text)})
	}
	m.list.hide()
	return true
}

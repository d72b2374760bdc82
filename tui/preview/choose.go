package preview

import (
	"slices"
	"strconv"

	"plimsoll/compact/edit"
	"plimsoll/tui/pane"
)

// cycle chooses the profile that stands so many places further.
func (m *Model) cycle(by int) pane.Action {
	all := m.content.Profiles
	if len(all) == 0 {
		return nil
	}
	now := m.profile()
	at := slices.IndexFunc(all, func(p Profile) bool { return p.Name == now })
	if at < 0 && by < 0 {
		at = 0
	}
	next := all[(at+by+len(all))%len(all)]
	w := m.content.Request
	w.Profile, w.Focus, w.Review = next.Name, "", false
	if next.Summarises {
		w.Focus, w.Review = m.focus, m.review
	}
	return m.change(w)
}

// bounds are the turns that the request means, as far as is known without its
// numbers. Where the end is before the start, none are.
func (m *Model) bounds() (from, to int) {
	c := m.content
	last := c.Turns - 1
	known := edit.Range{From: 0, To: last}
	if c.Err == "" && c.Preview.Range.To <= last {
		known = c.Preview.Range
	}
	from = turnOf(c.Request.From, 0, known.From, last)
	keep := c.Request.KeepLast
	if keep < 0 {
		keep = c.KeepLast
	}
	to = turnOf(c.Request.To, last-keep, known.To, last)
	if c.Request.To == nil && !c.Busy && c.Err == "" {
		to = known.To // turns that were rewound do not count
	}
	return max(0, min(from, last)), min(to, last)
}

// turnOf is the turn that a bound means: otherwise if there is no such turn, known where it
// is known only with the conversation at hand.
func turnOf(b *edit.Bound, otherwise, known, last int) int {
	if b == nil {
		return otherwise
	}
	n, err := strconv.Atoi(b.String())
	switch {
	case err != nil:
		return known
	case n < 0:
		return last + n
	}
	return n
}

// at is the bound at a turn.
func at(turn int) *edit.Bound {
	b, err := edit.ParseBound(strconv.Itoa(turn))
	if err != nil {
		return nil // no number of a turn is refused
	}
	return &b
}

// moveEnd moves the end of the range by so many turns.
func (m *Model) moveEnd(by int) pane.Action {
	if m.content.Turns == 0 {
		return nil
	}
	from, to := m.bounds()
	to = max(from, min(to+by, m.content.Turns-1))
	w := m.content.Request
	w.To, w.KeepLast = at(to), -1
	return m.change(w)
}

// moveStart moves the start of the range by so many turns, no further than its end.
func (m *Model) moveStart(by int) pane.Action {
	if m.content.Turns == 0 {
		return nil
	}
	from, to := m.bounds()
	from = max(0, min(from+by, to))
	w := m.content.Request
	w.From = at(from)
	if from == 0 {
		w.From = nil
	}
	return m.change(w)
}

func (m *Model) toggleReview() pane.Action {
	if !m.summarises() {
		return pane.Say{Text: "the profile " + m.profile() + " writes no summary to review", Bad: true}
	}
	w := m.content.Request
	w.Profile, w.Review = m.profile(), !w.Review
	m.review = w.Review
	return m.change(w)
}

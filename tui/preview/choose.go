package preview

import (
	"slices"
	"strconv"

	"plimsoll/compact/edit"
	"plimsoll/tui/pane"
)

// cycle chooses the next profile, or the previous one with by -1.
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
	r := m.content.Request
	r.Profile, r.Focus, r.Review = next.Name, "", false
	if next.Summarises {
		r.Focus, r.Review = m.focus, m.review
	}
	return m.change(r)
}

// bounds returns the first and the last turn of the request's range. While its numbers are being
// computed, they are a guess. The range is empty if to is before from.
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
		to = known.To // it leaves out turns that were rewound
	}
	return max(0, min(from, last)), min(to, last)
}

// turnOf returns the turn of a bound: fallback without a bound, and known if the bound is not a number, but
// an event or a word that only the planner can resolve.
func turnOf(b *edit.Bound, fallback, known, last int) int {
	if b == nil {
		return fallback
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

func boundAt(turn int) *edit.Bound {
	b, _ := edit.ParseBound(strconv.Itoa(turn)) // every number is a bound
	return &b
}

func (m *Model) moveEnd(by int) pane.Action {
	if m.content.Turns == 0 {
		return nil
	}
	from, to := m.bounds()
	to = max(from, min(to+by, m.content.Turns-1))
	r := m.content.Request
	r.To, r.KeepLast = boundAt(to), -1
	return m.change(r)
}

// moveStart moves the start of the range by this many turns, no further than its end.
func (m *Model) moveStart(by int) pane.Action {
	if m.content.Turns == 0 {
		return nil
	}
	from, to := m.bounds()
	from = max(0, min(from+by, to))
	r := m.content.Request
	r.From = boundAt(from)
	if from == 0 {
		r.From = nil
	}
	return m.change(r)
}

func (m *Model) toggleReview() pane.Action {
	if !m.summarises() {
		return pane.Snackbar{Text: "the profile " + m.profile() + " writes no summary to review", Failure: true}
	}
	r := m.content.Request
	r.Profile, r.Review = m.profile(), !r.Review
	m.review = r.Review
	return m.change(r)
}

package transcript

import "slices"

// A position is an entry and a line of it, never a sum of heights, because entries off
// screen have not been measured. Every move starts from the visible lines.
// While the end is visible, the view follows it. After the user scrolled up, the
// same line stays at the top, whatever is added below.

// place is a line of an entry, counted from the first empty line before the entry.
type place struct{ entry, offset int }

// position is the part of the transcript in view; its place is the line at the top.
type position struct {
	place
	follow bool // the end stays in view
	unseen int  // entries added below the view since the user scrolled up
	anchor anchor
}

// anchor is the top line as a share of its entry's height, so that changing the
// width and changing it back restores the position.
type anchor struct {
	offset, height, version int
	pending                 bool // the width changed, and the offset has not been adjusted yet
}

// scroll holds the height of the view and which part of the items it shows.
type scroll struct {
	items  *items
	height int
	held   bool // a mouse button is down: the view does not move
	position
}

// rows returns the lines on screen, at most height.
func (s *scroll) rows() []place {
	s.normalize()
	out := make([]place, 0, s.height)
	for i, from := s.entry, s.offset; i < len(s.items.entries) && len(out) < s.height; i, from = i+1, 0 {
		for n := s.items.heightOf(i); from < n && len(out) < s.height; from++ {
			out = append(out, place{i, from})
		}
	}
	return out
}

// normalize moves the position to a line that exists, or to the end if the view
// follows it. While a mouse button is down the view does not follow.
func (s *scroll) normalize() {
	if len(s.items.entries) == 0 || s.height == 0 {
		return
	}
	if s.follow && !s.held {
		s.toEnd()
		return
	}
	if s.entry >= len(s.items.entries) {
		s.place = place{len(s.items.entries) - 1, s.items.heightOf(len(s.items.entries) - 1)}
	}
	if p := &s.anchor; p.pending {
		s.offset, p.pending = p.offset*s.items.heightOf(s.entry)/max(1, p.height), false
	}
	s.offset = max(0, min(s.offset, s.items.heightOf(s.entry)-1))
	if !s.follow && s.atEnd() {
		s.toEnd()
	}
}

// saveAnchor remembers how far into the top entry the view is. It is called before
// the width changes.
func (s *scroll) saveAnchor() {
	if s.follow || s.entry >= len(s.items.entries) || s.height == 0 {
		return
	}
	p, version := &s.anchor, s.items.entries[s.entry].item.version()
	if p.height == 0 || p.version != version {
		*p = anchor{offset: s.offset, height: s.items.heightOf(s.entry), version: version}
	}
	p.pending = true
}

// toEnd puts the last line at the bottom, or the first at the top if there is
// room for all of it.
func (s *scroll) toEnd() {
	s.position = position{follow: true}
	room := s.height
	for i := len(s.items.entries) - 1; i >= 0; i-- {
		n := s.items.heightOf(i)
		if n >= room {
			s.place = place{i, n - room}
			return
		}
		room -= n
	}
}

// remove deletes an item without moving the view.
func (s *scroll) remove(e *entry) {
	s.normalize()
	i := slices.Index(s.items.entries, e)
	if _, end := e.item.(*turnEnd); !end && i >= len(s.items.entries)-s.unseen {
		s.unseen--
	}
	if i < s.entry {
		s.entry--
	} else if i == s.entry {
		s.offset = 0
	}
	s.items.cache.forget(e)
	s.items.entries = slices.Delete(s.items.entries, i, i+1)
}

func (s *scroll) up(n int) {
	for n > 0 {
		if s.offset >= n {
			s.offset -= n
			return
		}
		n -= s.offset
		s.offset = 0
		if s.entry == 0 {
			return
		}
		s.entry--
		s.offset = s.items.heightOf(s.entry)
	}
}

func (s *scroll) down(n int) {
	for ; n > 0 && !s.atEnd(); n-- {
		s.offset++
		for s.offset >= s.items.heightOf(s.entry) && s.entry < len(s.items.entries)-1 {
			s.place = place{entry: s.entry + 1}
		}
	}
}

// atEnd reports whether everything below the top of the view fits into it.
func (s *scroll) atEnd() bool {
	room := s.height + s.offset
	for i := s.entry; i < len(s.items.entries); i++ {
		room -= s.items.heightOf(i)
		if room < 0 {
			return false
		}
	}
	return true
}

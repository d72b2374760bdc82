package transcript

import "slices"

// A position is an entry and a line of it, never a sum of heights: entries off
// screen have not been measured. Every move starts from the visible lines.
// Whoever sees the end follows it; whoever scrolled up keeps the same line at
// the top, whatever comes in below.

// place is a line of an entry. The empty line before an entry counts.
type place struct{ top, offset int }

// position is what part of the transcript is in view.
type position struct {
	place
	follow bool // the end stays in view
	unseen int  // entries added below while the reader is further up
	pinned pinned
}

// pinned is a line of the top entry as a share of its lines, so that changing
// the width back and forth ends where it began.
type pinned struct {
	offset, of, version int
	pending             bool // the width changed since
}

// scroll is what part of the items is in view, at a height.
type scroll struct {
	items  *items
	height int
	held   bool // the mouse is down: nothing moves under it
	position
}

// rows is the places that are on screen, at most the height.
func (s *scroll) rows() []place {
	s.settle()
	out := make([]place, 0, s.height)
	for i, from := s.top, s.offset; i < len(s.items.entries) && len(out) < s.height; i, from = i+1, 0 {
		for n := s.items.tall(i); from < n && len(out) < s.height; from++ {
			out = append(out, place{i, from})
		}
	}
	return out
}

// settle makes the position one that exists, and follows the end if it is to
// be followed. While the mouse is down nothing moves under it.
func (s *scroll) settle() {
	if len(s.items.entries) == 0 || s.height == 0 {
		return
	}
	if s.follow && !s.held {
		s.toEnd()
		return
	}
	if s.top >= len(s.items.entries) {
		s.place = place{len(s.items.entries) - 1, s.items.tall(len(s.items.entries) - 1)}
	}
	if p := &s.pinned; p.pending {
		s.offset, p.pending = p.offset*s.items.tall(s.top)/max(1, p.of), false
	}
	s.offset = max(0, min(s.offset, s.items.tall(s.top)-1))
	if !s.follow && s.atEnd() {
		s.toEnd()
	}
}

// pin remembers how far into the top entry the view is, before the width
// changes.
func (s *scroll) pin() {
	if s.follow || s.top >= len(s.items.entries) || s.height == 0 {
		return
	}
	p, version := &s.pinned, s.items.entries[s.top].item.version()
	if p.of == 0 || p.version != version {
		*p = pinned{offset: s.offset, of: s.items.tall(s.top), version: version}
	}
	p.pending = true
}

// toEnd puts the last line at the bottom, or the first at the top if there is
// room for all of it.
func (s *scroll) toEnd() {
	s.position = position{follow: true}
	room := s.height
	for i := len(s.items.entries) - 1; i >= 0; i-- {
		n := s.items.tall(i)
		if n >= room {
			s.place = place{i, n - room}
			return
		}
		room -= n
	}
}

// by moves the view by lines, up if negative. Reaching the end follows it again.
func (s *scroll) by(lines int) {
	s.settle()
	s.pinned = pinned{}
	if lines < 0 {
		s.up(-lines)
	} else {
		s.down(lines)
	}
	s.follow = s.atEnd()
	if s.follow {
		s.unseen = 0
	}
}

// toTop shows the beginning.
func (s *scroll) toTop() {
	s.settle()
	s.place, s.follow, s.pinned = place{}, false, pinned{}
}

// added counts an item that came in below.
func (s *scroll) added() {
	if !s.follow {
		s.unseen++
	}
}

// remove takes an item away and keeps the view.
func (s *scroll) remove(e *entry) {
	s.settle()
	i := slices.Index(s.items.entries, e)
	if i >= len(s.items.entries)-s.unseen {
		s.unseen--
	}
	if i < s.top {
		s.top--
	} else if i == s.top {
		s.offset = 0
	}
	s.items.remove(i)
}

func (s *scroll) up(n int) {
	for n > 0 {
		if s.offset >= n {
			s.offset -= n
			return
		}
		n -= s.offset
		s.offset = 0
		if s.top == 0 {
			return
		}
		s.top--
		s.offset = s.items.tall(s.top)
	}
}

func (s *scroll) down(n int) {
	for ; n > 0 && !s.atEnd(); n-- {
		s.offset++
		for s.offset >= s.items.tall(s.top) && s.top < len(s.items.entries)-1 {
			s.place = place{top: s.top + 1}
		}
	}
}

// atEnd reports whether everything below the top of the view fits into it.
func (s *scroll) atEnd() bool {
	room := s.height + s.offset
	for i := s.top; i < len(s.items.entries); i++ {
		room -= s.items.tall(i)
		if room < 0 {
			return false
		}
	}
	return true
}
